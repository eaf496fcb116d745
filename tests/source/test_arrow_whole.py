"""Arrow tables whose parts do not fit together are refused; they never end the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

# Each makes a table whose column `note` cannot be read, without looking at a cell of it.
BROKEN = {
    "a code beyond its dictionary": (
        "pa.DictionaryArray.from_arrays(pa.array([0, 1, 10**6, 1], pa.int32()), ['a', 'b'], "
        "safe=False)"
    ),
    "a code below zero": (
        "pa.DictionaryArray.from_arrays(pa.array([0, 1, -10**6, 1], pa.int32()), ['a', 'b'], "
        "safe=False)"
    ),
    "a text that begins beyond its bytes": (
        "pa.Array.from_buffers(pa.string(), 4, [None, "
        "pa.py_buffer(np.array([0, 1, 2**30, 3, 4], np.int32)), pa.py_buffer(b'abcd')])"
    ),
    "texts that are no UTF-8": (
        "pa.Array.from_buffers(pa.string(), 4, [None, "
        "pa.py_buffer(np.array([0, 1, 2, 3, 4], np.int32)), pa.py_buffer(b'ab\\xffd')])"
    ),
}
SCRIPT = """
import sys
import anachron as an, numpy as np, pyarrow as pa
note = {note}
table = pa.table({{"who": list("abcd"), "day": ["2024-05-06"] * 4, "note": note}})
if sys.argv[1] == "file":
    with pa.ipc.new_file("t.arrow", table.schema) as out:
        out.write_table(table)
    table = "t.arrow"
try:
    an.publish(table, an.Schema("who", "day", [], ["note"]), an.TimeGranularity(k=2))
except an.AnachronError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("given", ["file", "memory"])
@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_table_is_refused(fault: str, given: str) -> None:
    # In a process of its own, which may die.
    script = SCRIPT.format(note=BROKEN[fault])
    done = subprocess.run(
        [sys.executable, "-c", script, given], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.returncode, done.stderr)
    name = "t.arrow" if given == "file" else "the table"
    assert done.stdout.startswith(f"TableError {name}: cannot be read: it is damaged")
    assert not Path("ledger").exists()


def test_single_bits_of_a_file_never_end_the_process() -> None:
    """Flip bits here and there: the table is refused, or read as what it now says."""
    table = pa.table(
        {
            "who": [f"p{i % 7}" for i in range(40)],
            "day": ["2024-05-06"] * 40,
            "note": pa.array(["flu", "cold", None, "burn"] * 10).dictionary_encode(),
        }
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as out:
        out.write_table(table, max_chunksize=16)
    good = sink.getvalue().to_pybytes()
    draw = np.random.default_rng(5)
    for number in range(30):
        at = int(draw.integers(0, len(good)))
        flipped = bytearray(good)
        flipped[at] ^= 1 << int(draw.integers(0, 8))
        Path(f"{number:02d}.arrow").write_bytes(bytes(flipped))
    script = """
import pathlib, anachron as an
from anachron.engines.local.load import load
for file in sorted(pathlib.Path().glob("*.arrow")):
    print(file, flush=True)
    try:
        load(str(file), an.Schema("who", "day", [], ["note"])).close()
    except an.AnachronError:
        pass
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout[-9:], done.returncode, done.stderr)
