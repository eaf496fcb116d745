"""What can be hidden in the files of a release, and beside them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tests.auditing.smuggling import SECRET, Smuggle, smuggler
from tests.auditing.surgery import BINARY, LIST, STRUCT, Opened, field, packed, put, unpacked
from tests.release.forging import reseal, write_parquet

RAW = (SECRET + "\n").encode() * 40
SIZE = [(len(RAW) << 1 & 127) | 128, len(RAW) << 1 >> 7]
"""How Parquet writes it."""


def operated(change: Callable[[Opened], object], behind: bytes = b"") -> Smuggle:
    """Change the structure of a Parquet file."""

    def hide(folder: Path) -> None:
        opened = Opened(folder / "data.parquet")
        change(opened)
        opened.close(behind)
        reseal(folder)

    return hide


def repaged(page: int, change: Callable[[list[object], bytes], bytes]) -> Smuggle:
    """Change a page of the first column: what stands at its head, and its bytes."""
    return operated(lambda file: file.repage(0, page, change))


def rewritten(**settings: object) -> Smuggle:
    """Write the rows again, with something that releases do not have."""

    def hide(folder: Path) -> None:
        file = folder / "data.parquet"
        table = pq.read_table(file)
        schema = table.schema.with_metadata({"raw": SECRET})
        common = {"version": "2.6", "compression": "zstd", "store_schema": False}
        with pq.ParquetWriter(file, schema, **common | settings) as writer:
            writer.write_table(table.cast(schema))
        reseal(folder)

    return hide


# Between the pages

PAGE = bytes([0x15, 2, 0x15, *SIZE, 0x15, *SIZE, 0])
"""The head of a page of a kind that readers skip."""
smuggler("1,200 bytes before the footer")(
    bytes_before_the_footer=operated(lambda file: file.insert(len(file.body), RAW))
)
smuggler("1,200 bytes before row group 1, column 1")(
    bytes_behind_the_first_word=operated(lambda file: file.insert(4, RAW))
)
smuggler("1,200 bytes before row group 1, column 2")(
    bytes_between_two_columns=operated(lambda file: file.insert(file.page(1, 0)[0], RAW))
)
smuggler("row group 1, column 1, page 3: no page of data")(
    a_page_that_readers_skip=operated(
        lambda file: file.insert(file.page(1, 0)[0], PAGE + RAW, within=0)
    )
)
smuggler("1,200 bytes behind the footer")(bytes_behind_the_footer=operated(lambda file: None, RAW))


@smuggler(r"data\.parquet cannot be read")
def bytes_behind_the_last_word(folder: Path) -> None:
    with (folder / "data.parquet").open("ab") as file:
        file.write(RAW)
    reseal(folder)


# Within a page

FRAME = bytes.fromhex("502a4d18") + len(RAW).to_bytes(4, "little") + RAW
NUMBER = (19610203).to_bytes(8, "little")


def longer(more: bytes, values: int = 0) -> Callable[[list[object], bytes], bytes]:
    """Put bytes behind the values of a page, and count them as so many values."""

    def change(head: list[object], body: bytes) -> bytes:
        held = unpacked(body, field(head, 2)) + more
        put(head, 2, 5, len(held))
        if values:
            about = field(head, 7)
            put(about, 1, 5, field(about, 1) + values)
        return packed(held)

    return change


def with_a_field(head: list[object], body: bytes) -> bytes:
    put(head, 9, BINARY, RAW)
    return body


smuggler("page 2: 1,208 bytes behind what is compressed")(
    a_frame_that_is_skipped=repaged(1, lambda _, body: body + FRAME)
)
smuggler("page 2: 1,200 bytes behind the values of a page")(
    bytes_behind_the_values=repaged(1, longer(RAW))
)
smuggler(r"row group 1, column 1: a dictionary of \d+ values, of which rows hold \d+")(
    a_number_in_a_dictionary_that_no_row_has=repaged(0, longer(NUMBER, 1))
)
smuggler("page 2: a field that is not known")(
    a_field_more_in_the_head_of_a_page=repaged(1, with_a_field)
)

# In the footer


@smuggler("1 notes in the footer")
def a_note(folder: Path) -> None:
    file = folder / "data.parquet"
    write_parquet(file, pq.read_table(file), SECRET)
    reseal(folder)


def root(file: Opened) -> Any:
    """The columns that the footer names, the root first."""
    return field(file.footer, 2)[1]


def row_group(file: Opened) -> Any:
    return field(file.footer, 4)[1][0]


NOTE = [[1, BINARY, b"raw"], [2, BINARY, RAW]]
smuggler("2 notes in the footer|1 notes in the footer")(
    the_schema_of_arrow=rewritten(store_schema=True)
)
smuggler("a field that is not known")(
    an_index_of_pages=rewritten(write_page_index=True),
    an_order_of_rows=rewritten(sorting_columns=[pq.SortingColumn(0)]),
    a_field_more_in_the_footer=operated(lambda file: file.footer.append([20, BINARY, RAW])),
    a_note_of_a_column=operated(lambda file: put(file.columns()[0], 8, LIST, [STRUCT, [NOTE]])),
    a_column_in_another_file=operated(
        lambda file: put(field(row_group(file), 1)[1][0], 10, BINARY, RAW)
    ),
    a_number_of_a_column=operated(lambda file: put(root(file)[1], 9, 5, 19610203)),
)
smuggler("another codec")(another_codec=rewritten(compression="none"))
smuggler("the footer names another writer")(
    another_writer=operated(lambda file: put(file.footer, 6, BINARY, SECRET.encode()))
)
smuggler("the footer names other columns")(
    another_name_of_the_root=operated(lambda file: put(root(file)[0], 4, BINARY, SECRET.encode()))
)
smuggler("row group 1, column 1: a least or largest value that no row has")(
    a_largest_value_that_no_row_has=operated(
        lambda file: put(field(file.columns()[0], 12), 5, BINARY, NUMBER)
    )
)
smuggler("row group 1, column 1: another number of nulls")(
    another_number_of_nulls=operated(lambda file: put(field(file.columns()[0], 12), 3, 6, 19610203))
)
smuggler("row group 1, column 1: it states other pages")(
    other_counts_of_pages=operated(
        lambda file: put(field(file.columns()[0], 13)[1][0], 3, 5, 19610203)
    )
)
smuggler("row group 1 states another size")(
    another_size_of_a_row_group=operated(lambda file: put(row_group(file), 2, 6, 19610203))
)

# The CSV


def respelt(change: Callable[[bytes], bytes]) -> Smuggle:
    """Write the CSV file in another way."""

    def hide(folder: Path) -> None:
        file = folder / "data.csv"
        file.write_bytes(change(file.read_bytes()))
        reseal(folder)

    return hide


smuggler("the CSV file: other bytes than the rows", csv=True)(
    quotes_in_the_csv=respelt(lambda text: text.replace(b"\n1,", b'\n"1",', 1)),
    zeros_in_the_csv=respelt(lambda text: text.replace(b"\n1,", b"\n0001,", 1)),
)
smuggler("the CSV file: ", csv=True)(
    empty_lines_in_the_csv=respelt(lambda text: text + b"\n" * 100),
    a_row_more_in_the_csv=respelt(lambda text: text + RAW),
    other_line_ends_in_the_csv=respelt(lambda text: text.replace(b"\n", b"\r\n")),
)

# The folder


def a_folder_more(folder: Path) -> None:
    (folder / "more").mkdir()
    (folder / "more" / "raw.csv").write_text(SECRET)


smuggler("files in the folder: 1 too many")(
    a_file_more=lambda folder: (folder / "raw.csv").write_text(SECRET),
    a_hidden_file=lambda folder: (folder / ".raw").write_text(SECRET),
    a_folder_more=a_folder_more,
    a_file_whose_name_looks_like_another=lambda folder: (folder / "data.parquet ").write_text(
        SECRET
    ),
    a_name_that_tells=lambda folder: (folder / SECRET).touch(),
    a_link_more=lambda folder: (folder / "raw.csv").symlink_to("/etc/hostname"),
)


def linked(name: str) -> Smuggle:
    """Put a link in the place of a file."""

    def hide(folder: Path) -> None:
        elsewhere = folder.parent / f"elsewhere{Path(name).suffix}"
        (folder / name).rename(elsewhere)
        (folder / name).symlink_to(elsewhere)

    return hide


smuggler("is a link, and a release has none")(a_link_in_place_of_a_table=linked("data.parquet"))
smuggler(r"has no datapackage\.json")(a_link_in_place_of_the_description=linked("datapackage.json"))


@smuggler(r"folder 0077 holds release \d{4}")
def another_release(folder: Path) -> None:
    folder.rename(folder.with_name("0077"))
    folder.symlink_to(folder.with_name("0077"))
