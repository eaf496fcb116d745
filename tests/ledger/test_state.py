"""States are written and read as their rows come, and what is not as it was written is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from anachron.errors import InternalError, LedgerError
from anachron.ledger import Ledger, encryption, state
from anachron.streamed import ROWS, Streamed, digests, met
from tests.crash.small import publish, release

KEY = b"k" * 32


def people(rows: int, seed: int = 0) -> pa.Table:
    """So many people, in the order of their digests, at some times."""
    rng = np.random.default_rng(seed)
    who = np.sort(np.frombuffer(rng.bytes(32 * rows), "S32"))
    first = rng.integers(0, 1000, rows)
    return pa.table(
        {
            "subject": _column(who),
            "first": first,
            "until": first + rng.integers(1, 100, rows),
        }
    )


def _column(who: np.ndarray) -> pa.Array:
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(32), len(who), [None, pa.py_buffer(who)])


def cut(table: pa.Table, sizes: list[int]) -> encryption.Rows:
    """The same rows in batches of other sizes, once."""

    def batches() -> Iterator[pa.RecordBatch]:
        at = turn = 0
        while at < len(table):
            size = sizes[turn % len(sizes)]
            yield from table.slice(at, size).to_batches()
            at, turn = at + size, turn + 1

    return table.schema, batches()


@pytest.mark.parametrize("rows", [0, 1, ROWS - 1, ROWS, ROWS + 1, 3 * ROWS + 7])
def test_what_was_written_is_read_back(rows: int, tmp_path: Path) -> None:
    table = people(rows)
    if rows:
        table = table.replace_schema_metadata({"anachron": "notes"})
    file = tmp_path / "0001.encrypted"
    written = state.write(file, cut(table, [1000, ROWS + 5, 70_000]), KEY)
    read = encryption.read(file, written.digest, KEY)
    assert read.rows == written.rows == rows
    assert read.schema.equals(table.schema, check_metadata=True)
    assert read.table().equals(table)
    assert read.table().equals(table)  # as often as asked
    assert {batch.num_rows for batch in read.batches()} <= {ROWS, rows % ROWS}
    times = [table["first"].to_pylist(), table["until"].to_pylist()]
    assert written.span == read.span() == ((min(times[0]), max(times[1])) if rows else None)
    assert [path.name for path in tmp_path.iterdir()] == ["0001.encrypted"]


def test_states_of_other_columns_and_without_times(tmp_path: Path) -> None:
    rows = ROWS + 2
    table = people(rows).select(["subject"])
    table = table.append_column("earlier", pa.array([[1, 2], [], None] * rows)[:rows])
    table = table.append_column("when", pa.array(range(rows), pa.timestamp("s")))
    file = tmp_path / "0001.encrypted"
    written = state.write(file, cut(table, [999]), KEY)
    assert written.span is None
    assert encryption.read(file, written.digest, KEY).table().equals(table)


def test_a_file_of_one_large_group_is_read_too(tmp_path: Path) -> None:
    """Files were written at once before, in groups of a million rows."""
    table, file = people(2 * ROWS + 1), tmp_path / "0001.encrypted"
    with encryption._writer(file, table.schema, KEY, encryption._place(file)) as writer:
        writer.write_table(table, row_group_size=1 << 20)
    read = encryption.read(file, encryption.digest_of(file), KEY)
    assert [batch.num_rows for batch in read.batches()] == [ROWS, ROWS, 1]
    assert read.table().equals(table)


def test_damage_of_any_byte_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "0001.encrypted"
    digest = state.write(file, cut(people(40), [40]), KEY).digest
    whole = file.read_bytes()
    read = encryption.read(file, digest, KEY)
    for at in range(len(whole)):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(LedgerError, match="damaged"):
            encryption.read(file, digest, KEY)
        with pytest.raises(LedgerError, match="damaged"):  # though it was whole when it was opened
            list(read.batches())
    file.write_bytes(whole)
    with pytest.raises(LedgerError, match="damaged"):
        encryption.read(file, digest, b"o" * 32)
    other = file.rename(tmp_path / "0002.encrypted")
    with pytest.raises(LedgerError, match="damaged"):
        encryption.read(other, digest, KEY)
    with pytest.raises(LedgerError, match="missing"):
        encryption.read(file, digest, KEY)
    with pytest.raises(LedgerError, match="missing"):
        list(read.batches())


@pytest.mark.parametrize("sizes", [[10], [4], [9, 1]])
def test_what_does_not_ascend_is_refused(sizes: list[int], tmp_path: Path) -> None:
    table = people(10)
    for order in ([0, 1, 2, 3, 4, 5, 6, 7, 9, 8], [4, 0, 1, 2, 3, 5, 6, 7, 8, 9]):
        with pytest.raises(InternalError, match="order"):
            state.write(tmp_path / "0001.encrypted", cut(table.take(order), sizes), KEY)
    assert list(tmp_path.iterdir()) == []


def test_a_state_passes_through_little_memory(tmp_path: Path) -> None:
    """60 MB of people are written and read, and never more than a few row groups are held."""
    rows, pool = 10 * ROWS, pa.default_memory_pool()
    before, most = pool.bytes_allocated(), 0

    def batches() -> Iterator[pa.RecordBatch]:
        nonlocal most
        for at in range(0, rows, ROWS):
            who = np.zeros((ROWS, 4), dtype=">u8")
            who[:, 0] = np.arange(at, at + ROWS)
            times = {name: np.arange(ROWS) for name in ("first", "until")}
            yield from pa.table({"subject": _column(who), **times}).to_batches()
            most = max(most, pool.bytes_allocated() - before)

    file, schema = tmp_path / "0001.encrypted", people(1).schema
    digest = state.write(file, (schema, batches()), KEY).digest
    read = 0
    for batch in encryption.read(file, digest, KEY).batches():
        read += batch.num_rows
        most = max(most, pool.bytes_allocated() - before)
    assert read == rows
    assert file.stat().st_size > 60 << 20
    assert most < 25 << 20


def test_rows_of_one_digest_are_laid_side_by_side() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        width = int(rng.choice([2, 40, 3000]))
        some, held = (np.sort(rng.integers(0, width, int(rng.integers(0, 60)))) for _ in range(2))
        one, other = (streamed(numbers, int(rng.integers(1, 9))) for numbers in (some, held))
        pairs = [
            (mine, theirs)
            for a, b in met(one, other)
            for mine, theirs in zip(a["row"].to_pylist(), b["row"].to_pylist(), strict=True)
        ]
        first = {int(number): held.tolist().index(number) for number in held}
        assert pairs == [(row, first[n]) for row, n in enumerate(some.tolist()) if n in first]


def streamed(numbers: np.ndarray, rows: int) -> Streamed:
    """Digests, and the place of each, in batches of so many rows."""
    who = pa.array([int(n).to_bytes(32, "big") for n in numbers], pa.binary(32))
    table = pa.table({"subject": who, "row": pa.array(range(len(who)), pa.int64())})
    return Streamed(table.schema, len(who), lambda: iter(table.to_batches(rows)))


def test_digests_are_compared_as_they_are_written() -> None:
    texts = [b"a\0" + b"\0" * 30, b"a\0b" + b"\0" * 29, b"\xff" * 32]
    column = pa.array(texts, pa.binary(32))
    assert (np.diff(np.argsort(digests(column))) == 1).all()
    assert digests(column.slice(1)).tolist() == [text.rstrip(b"\0") for text in texts[1:]]
    assert len(digests(pa.chunked_array([], pa.binary(32)))) == 0


def test_a_state_that_was_put_there_is_not_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path, 1)
    ledger = Ledger.open(tmp_path / "ledger")
    folder = ledger.path / "state"
    table = people(5)
    with ledger.publishing(tmp_path / "releases") as publication:
        put = publication.aside(*cut(table, [2]))
        assert put.table().equals(table)
        assert len(list(folder.iterdir())) == 2
    assert [file.name for file in folder.iterdir()] == ["0001.encrypted"]  # it came to nothing
    with ledger.publishing(tmp_path / "releases") as publication:
        put = publication.aside(*cut(table, [2]))
        monkeypatch.setattr(state, "write", None)
        release(publication, 2, state=put)
    monkeypatch.undo()
    [_, entry] = ledger.entries()
    assert ledger.state(entry).table().equals(table)
    assert ledger.check() == []


def test_a_release_that_is_made_again_leaves_its_state_as_it_is(tmp_path: Path) -> None:
    publish(tmp_path, 1)
    ledger = Ledger.open(tmp_path / "ledger")
    file = ledger.path / "state" / "0001.encrypted"
    before = file.read_bytes()
    with ledger.publishing(tmp_path / "releases") as publication:
        publication.redo(publication.entries[0])
        put = publication.aside(*cut(people(5), [5]))
        assert put.rows == 5
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]
