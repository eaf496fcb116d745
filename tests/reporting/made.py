"""Releases made by hand, as a report reads them: described as real ones are, but in no files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa

from anachron.guarantees import Guarantee
from anachron.published.form import form_of
from anachron.published.ways import Way
from anachron.release.describe import Written, WrittenFile, datapackage, fields_of

DIGEST = "0123456789abcdef" * 4


def made(
    path: Path,
    promise: Guarantee,
    ways: Iterable[Way],
    tables: Mapping[str, pa.Table],
    *,
    time_zone: str = "UTC",
    **facts: Any,
) -> Any:
    """The release of the number that its folder has."""
    written = {
        name: Written(
            fields_of(table.schema), len(table), ((f"{name}.parquet", WrittenFile(DIGEST, 12_345)),)
        )
        for name, table in tables.items()
    }
    description = datapackage(
        number=int(path.name), previous=None, resources=written, guarantee=promise.to_dict(),
        columns={way.column: way for way in ways}, time_zone=time_zone, **facts,
    )  # fmt: skip
    path.mkdir(parents=True, exist_ok=True)
    (path / "datapackage.json").write_text(json.dumps(description))
    return SimpleNamespace(
        path=path,
        number=int(path.name),
        description=description,
        guarantee=description["anachron"]["guarantee"],
        form=form_of(promise, description["anachron"], "anachron"),
        tables={name: SimpleNamespace(written=one) for name, one in written.items()},
        table=lambda name="data": tables[name],
    )
