"""What can be hidden in the files of a release, and beside them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq

from tests.auditing.smuggling import SECRET, smuggler
from tests.auditing.surgery import BINARY, LIST, STRUCT, Opened, field, packed, put, unpacked
from tests.release.forging import reseal, write_parquet

RAW = (SECRET + "\n").encode() * 40


def operated(folder: Path, change: Callable[[Opened], object], behind: bytes = b"") -> None:
    opened = Opened(folder / "data.parquet")
    change(opened)
    opened.close(behind)
    reseal(folder)


def rewritten(folder: Path, **settings: object) -> None:
    """Write the rows again, with something that releases do not have."""
    file = folder / "data.parquet"
    table = pq.read_table(file)
    schema = table.schema.with_metadata({"raw": SECRET})
    common = {"version": "2.6", "compression": "zstd", "store_schema": False}
    with pq.ParquetWriter(file, schema, **common | settings) as writer:
        writer.write_table(table.cast(schema))
    reseal(folder)


# Between the pages


@smuggler("1,200 bytes before the footer")
def bytes_before_the_footer(folder: Path) -> None:
    operated(folder, lambda file: file.insert(len(file.body), RAW))


@smuggler("1,200 bytes before row group 1, column 1")
def bytes_behind_the_first_word(folder: Path) -> None:
    operated(folder, lambda file: file.insert(4, RAW))


@smuggler("1,200 bytes before row group 1, column 2")
def bytes_between_two_columns(folder: Path) -> None:
    operated(folder, lambda file: file.insert(file.page(1, 0)[0], RAW))


@smuggler("row group 1, column 1, page 3: no page of data")
def a_page_that_readers_skip(folder: Path) -> None:
    head = bytes([0x15, 2, 0x15]) + _size(len(RAW)) + b"\x15" + _size(len(RAW)) + b"\0"
    operated(folder, lambda file: file.insert(file.page(1, 0)[0], head + RAW, within=0))


def _size(number: int) -> bytes:
    return bytes([(number << 1 & 127) | 128, number << 1 >> 7])


@smuggler("1,200 bytes behind the footer")
def bytes_behind_the_footer(folder: Path) -> None:
    operated(folder, lambda file: None, RAW)


@smuggler(r"data\.parquet cannot be read")
def bytes_behind_the_last_word(folder: Path) -> None:
    with (folder / "data.parquet").open("ab") as file:
        file.write(RAW)
    reseal(folder)


# Within a page


@smuggler("page 2: 1,208 bytes behind what is compressed")
def a_frame_that_is_skipped(folder: Path) -> None:
    more = bytes.fromhex("502a4d18") + len(RAW).to_bytes(4, "little") + RAW
    operated(folder, lambda file: file.repage(0, 1, lambda _, body: body + more))


@smuggler("page 2: 1,200 bytes behind the values of a page")
def bytes_behind_the_values(folder: Path) -> None:
    def change(head: list[object], body: bytes) -> bytes:
        held = unpacked(body, field(head, 2)) + RAW
        put(head, 2, 5, len(held))
        return packed(held)

    operated(folder, lambda file: file.repage(0, 1, change))


@smuggler(r"row group 1, column 1: a dictionary of \d+ values, of which rows hold \d+")
def a_number_in_a_dictionary_that_no_row_has(folder: Path) -> None:
    def change(head: list[object], body: bytes) -> bytes:
        held = unpacked(body, field(head, 2)) + (19610203).to_bytes(8, "little")
        put(head, 2, 5, len(held))
        about = field(head, 7)
        put(about, 1, 5, field(about, 1) + 1)
        return packed(held)

    operated(folder, lambda file: file.repage(0, 0, change))


@smuggler("page 2: a field that is not known")
def a_field_more_in_the_head_of_a_page(folder: Path) -> None:
    def change(head: list[object], body: bytes) -> bytes:
        put(head, 9, BINARY, RAW)
        return body

    operated(folder, lambda file: file.repage(0, 1, change))


# In the footer


@smuggler("1 notes in the footer")
def a_note(folder: Path) -> None:
    file = folder / "data.parquet"
    write_parquet(file, pq.read_table(file), SECRET)
    reseal(folder)


@smuggler("2 notes in the footer|1 notes in the footer")
def the_schema_of_arrow(folder: Path) -> None:
    rewritten(folder, store_schema=True)


@smuggler("a field that is not known")
def an_index_of_pages(folder: Path) -> None:
    rewritten(folder, write_page_index=True)


@smuggler("a field that is not known")
def an_order_of_rows(folder: Path) -> None:
    rewritten(folder, sorting_columns=[pq.SortingColumn(0)])


@smuggler("another codec")
def another_codec(folder: Path) -> None:
    rewritten(folder, compression="none")


@smuggler("the footer names another writer")
def another_writer(folder: Path) -> None:
    operated(folder, lambda file: put(file.footer, 6, BINARY, SECRET.encode()))


@smuggler("a field that is not known")
def a_field_more_in_the_footer(folder: Path) -> None:
    operated(folder, lambda file: file.footer.append([20, BINARY, RAW]))


@smuggler("a field that is not known")
def a_note_of_a_column(folder: Path) -> None:
    note = [[1, BINARY, b"raw"], [2, BINARY, RAW]]
    operated(folder, lambda file: put(file.columns()[0], 8, LIST, [STRUCT, [note]]))


@smuggler("a field that is not known")
def a_column_in_another_file(folder: Path) -> None:
    def change(file: Opened) -> None:
        chunk = field(field(file.footer, 4)[1][0], 1)[1][0]
        put(chunk, 10, BINARY, RAW)

    operated(folder, change)


@smuggler("the footer names other columns")
def another_name_of_the_root(folder: Path) -> None:
    operated(folder, lambda file: put(field(file.footer, 2)[1][0], 4, BINARY, SECRET.encode()))


@smuggler("a field that is not known")
def a_number_of_a_column(folder: Path) -> None:
    operated(folder, lambda file: put(field(file.footer, 2)[1][1], 9, 5, 19610203))


@smuggler("row group 1, column 1: a least or largest value that no row has")
def a_largest_value_that_no_row_has(folder: Path) -> None:
    def change(file: Opened) -> None:
        put(field(file.columns()[0], 12), 5, BINARY, (19610203).to_bytes(8, "little"))

    operated(folder, change)


@smuggler("row group 1, column 1: another number of nulls")
def another_number_of_nulls(folder: Path) -> None:
    operated(folder, lambda file: put(field(file.columns()[0], 12), 3, 6, 19610203))


@smuggler("row group 1, column 1: it states other pages")
def other_counts_of_pages(folder: Path) -> None:
    def change(file: Opened) -> None:
        put(field(file.columns()[0], 13)[1][0], 3, 5, 19610203)

    operated(folder, change)


@smuggler("row group 1 states another size")
def another_size_of_a_row_group(folder: Path) -> None:
    operated(folder, lambda file: put(field(file.footer, 4)[1][0], 2, 6, 19610203))


# The CSV


def respelt(folder: Path, change: Callable[[bytes], bytes]) -> None:
    file = folder / "data.csv"
    file.write_bytes(change(file.read_bytes()))
    reseal(folder)


@smuggler("the CSV file: other bytes than the rows", csv=True)
def quotes_in_the_csv(folder: Path) -> None:
    respelt(folder, lambda text: text.replace(b"\n1,", b'\n"1",', 1))


@smuggler("the CSV file: ", csv=True)
def empty_lines_in_the_csv(folder: Path) -> None:
    respelt(folder, lambda text: text + b"\n" * 100)


@smuggler("the CSV file: ", csv=True)
def a_row_more_in_the_csv(folder: Path) -> None:
    respelt(folder, lambda text: text + RAW)


@smuggler("the CSV file: other bytes than the rows", csv=True)
def zeros_in_the_csv(folder: Path) -> None:
    respelt(folder, lambda text: text.replace(b"\n1,", b"\n0001,", 1))


@smuggler("the CSV file: ", csv=True)
def other_line_ends_in_the_csv(folder: Path) -> None:
    respelt(folder, lambda text: text.replace(b"\n", b"\r\n"))


# The folder


@smuggler("files in the folder: 1 too many")
def a_file_more(folder: Path) -> None:
    (folder / "raw.csv").write_text(SECRET)


@smuggler("files in the folder: 1 too many")
def a_hidden_file(folder: Path) -> None:
    (folder / ".raw").write_text(SECRET)


@smuggler("files in the folder: 1 too many")
def a_folder_more(folder: Path) -> None:
    (folder / "more").mkdir()
    (folder / "more" / "raw.csv").write_text(SECRET)


@smuggler("files in the folder: 1 too many")
def a_file_whose_name_looks_like_another(folder: Path) -> None:
    (folder / "data.parquet ").write_text(SECRET)


@smuggler("files in the folder: 1 too many")
def a_name_that_tells(folder: Path) -> None:
    (folder / SECRET).touch()


@smuggler("files in the folder: 1 too many")
def a_link_more(folder: Path) -> None:
    (folder / "raw.csv").symlink_to("/etc/hostname")


@smuggler("is a link, and a release has none")
def a_link_in_place_of_a_table(folder: Path) -> None:
    file = folder / "data.parquet"
    file.rename(folder.parent / "elsewhere.parquet")
    file.symlink_to(folder.parent / "elsewhere.parquet")


@smuggler(r"has no datapackage\.json")
def a_link_in_place_of_the_description(folder: Path) -> None:
    file = folder / "datapackage.json"
    file.rename(folder.parent / "elsewhere.json")
    file.symlink_to(folder.parent / "elsewhere.json")


@smuggler(r"folder 0077 holds release \d{4}")
def another_release(folder: Path) -> None:
    folder.rename(folder.with_name("0077"))
    folder.symlink_to(folder.with_name("0077"))
