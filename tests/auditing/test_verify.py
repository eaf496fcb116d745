from __future__ import annotations

import errno
import hashlib
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from anachron.auditing.promises.at_hand import Promise
from anachron.auditing.run import verify
from anachron.errors import ReleaseError
from anachron.guarantees import TimeGranularity
from anachron.ledger.entry import Entry, Told
from anachron.release.read import Release
from tests.auditing.draft import PROMISE, draft, loaded, microdata
from tests.auditing.judging import assert_holds


def entry_of(release: Release, **changed: object) -> Entry:
    facts: dict[str, object] = {
        "number": 1,
        "snapshot": "",
        "files": {
            file.name: hashlib.sha256(file.read_bytes()).hexdigest()
            for file in release.path.iterdir()
        },
        "to": release.path.parent,
        "state": None,
        "committed_at": "",
        "chain": "",
        "exposed": True,
    }
    plan = changed.pop("plan", {"guarantee": PROMISE.to_dict()})
    facts["told"] = Told.of(bytes(32), 1, plan, {})  # type: ignore[arg-type]
    return Entry(**(facts | changed))  # type: ignore[arg-type]


def test_a_good_release_holds(tmp_path: Path) -> None:
    release = draft().write(tmp_path / "0001")
    verdict = verify(release, microdata=loaded(), entry=entry_of(release))
    assert_holds(verdict)
    assert verdict.scope == "with microdata"
    assert verdict.checks[0].name == "people"
    assert verdict.figures["people_in_smallest_group"] == 3
    assert verdict.figures["groups"] == 7
    assert verdict.figures["rows"] + verdict.figures["rows_left_out"] == len(microdata())
    assert verdict.figures["largest_share_of_one_person"] == "1/2 (50.0000%)"


def test_the_release_alone_holds_and_says_so(tmp_path: Path) -> None:
    verdict = verify(draft().write(tmp_path / "0001"))
    assert verdict.holds
    assert verdict.scope == "published"
    assert "people_in_smallest_group" not in verdict.figures


def test_a_staging_folder_need_not_be_a_number(tmp_path: Path) -> None:
    verdict = verify(draft().write(tmp_path / ".staging-[x]*'y"))
    assert verdict.holds
    assert verdict.release == "0001"


def test_a_release_with_csv_holds(tmp_path: Path) -> None:
    good = draft()
    good.commas = lambda rows: rows
    verdict = verify(good.write(tmp_path / "0001"))
    assert verdict.holds
    assert "csv" in {check.name for check in verdict.checks}


def test_homogeneous_groups_are_counted(tmp_path: Path) -> None:
    good = draft()
    before = verify(good.write(tmp_path / "0001")).figures["groups_with_one_sensitive_value"]
    for row in good.group(2):
        row["diagnosis"] = None
    after = verify(good.tidy().write(tmp_path / "0002")).figures["groups_with_one_sensitive_value"]
    assert after == before + 1


def test_no_personal_value_in_a_failing_verdict(tmp_path: Path) -> None:
    bad = draft()
    bad.rows[0]["diagnosis"], bad.rows[0]["cost"] = "secretitis", 987654.0
    release = bad.tidy().write(tmp_path / "0001")
    verdict = verify(release, microdata=loaded())
    text = str(verdict.to_dict()) + verdict._repr_html_() + str(verdict)
    assert not verdict.holds
    for value in ("secretitis", "987654", "gout", "P00"):
        assert value not in text


def test_an_unreadable_file_is_an_error_without_content(tmp_path: Path) -> None:
    bad = draft()
    release = bad.write(tmp_path / "0001")
    file = tmp_path / "0001" / "data.parquet"
    content = b"nonsense" * (file.stat().st_size // 8 + 1)
    content = content[: file.stat().st_size]
    package = tmp_path / "0001" / "datapackage.json"
    old = hashlib.sha256(file.read_bytes()).hexdigest()
    file.write_bytes(content)
    package.write_text(package.read_text().replace(old, hashlib.sha256(content).hexdigest()))
    verdict = verify(Release(release.path))
    assert [check.name for check in verdict.failures] == ["size"]
    assert "cannot be read" in str(verdict)
    assert "nonsense" not in str(verdict.to_dict())


def test_an_unknown_method_is_refused(tmp_path: Path) -> None:
    bad = draft()
    bad.promise["method"] = "magic"
    with pytest.raises(ReleaseError, match="newer version"):
        verify(bad.write(tmp_path / "0001"))


def test_microdata_with_other_roles_do_not_fit(tmp_path: Path) -> None:
    from tests.auditing.draft import SCHEMA

    other = SCHEMA.to_dict() | {"sensitive": ["cost"]}
    release = draft().write(tmp_path / "0001")
    verdict = verify(release, microdata=loaded(schema=type(SCHEMA).from_dict(other)))
    assert [check.name for check in verdict.failures] == ["roles"]


@pytest.mark.parametrize(
    "changed",
    [
        {"files": {}},
        {"number": 2},
        {"plan": {"guarantee": TimeGranularity(k=5).to_dict()}},
    ],
)
def test_the_ledger_must_agree(tmp_path: Path, changed: dict[str, object]) -> None:
    release = draft().write(tmp_path / "0001")
    verdict = verify(release, entry=entry_of(release, **changed))
    assert [check.name for check in verdict.failures] == ["ledger"]


def test_more_combinations_than_a_number_can_hold(tmp_path: Path) -> None:
    """Codes of many columns with many values are packed without overflow."""
    import numpy as np

    from anachron.auditing.reading.columns import combined

    rng = np.random.default_rng(1)
    parts = [(rng.integers(0, 3, 500), 2**31) for _ in range(5)]
    key, size = combined(parts)
    assert size < 2**63
    rows = {tuple(row) for row in np.stack([codes for codes, _ in parts], axis=1).tolist()}
    assert len(np.unique(key)) == len(rows)
    assert pa.array(key).null_count == 0


def test_bytes_that_make_no_sense_are_no_failure_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrow tells of a damaged page by an OSError without a number."""
    release = draft().write(tmp_path / "0001")

    def told(error: OSError) -> Callable[..., None]:
        def failing(*_: object, **__: object) -> None:
            raise error

        return failing

    monkeypatch.setattr(Promise, "judged", told(OSError("Unexpected end of stream: Ann")))
    with pytest.raises(ReleaseError, match="cannot be read as a release") as refused:
        verify(release)
    assert "Ann" not in str(refused.value)
    monkeypatch.setattr(Promise, "judged", told(OSError(errno.EIO, "Input/output error")))
    with pytest.raises(OSError, match="Input/output error"):
        verify(release)
