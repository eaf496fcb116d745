"""The audit counts the records of a text file itself, and trusts no reader with it."""

from __future__ import annotations

from pathlib import Path

import pytest

import anachron as an
from anachron.auditing.foreign import Claim
from anachron.auditing.records import check_count
from anachron.behind import folders
from anachron.errors import TableError
from anachron.flow import audit_history, audit_table

SCHEMA = an.Schema("who", "day", [], ["note"])
TEXT = "who,day,note\n" + "".join(f"p{n},2024-05-06,n{n % 3}\n" for n in range(9))


@pytest.fixture
def reader_that_drops(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of tables loses a record, and what watches over it sleeps."""
    from anachron.source import delimited

    whole = delimited._refuse_nul

    def lossy(con, *rest) -> None:  # type: ignore[no-untyped-def]
        whole(con, *rest)
        con.execute("DELETE FROM source_as_text WHERE rowid = 4")

    monkeypatch.setattr(delimited, "_refuse_nul", lossy)


@pytest.mark.usefixtures("reader_that_drops")
def test_a_record_that_the_publisher_lost_is_noticed() -> None:
    Path("t.csv").write_text(TEXT)
    with pytest.raises(TableError, match="another to the one that judges it"):
        an.publish("t.csv", SCHEMA, an.TimeGranularity(k=2))
    with pytest.raises(TableError, match="8 rows were read, which is not as many as the file has"):
        audit_table("t.csv", Claim("k-anonymity", "day", k=2))


def test_a_record_that_the_audit_lost_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("t.csv").write_text(TEXT)
    release = an.publish("t.csv", SCHEMA, an.TimeGranularity(k=2))
    whole = folders.read_texts
    monkeypatch.setattr(folders, "read_texts", lambda *given: whole(*given).slice(1))
    said = "8 rows were read, which is not as many as the file has records"
    with pytest.raises(TableError, match=said):
        an.audit(release, table="t.csv", ledger="ledger")
    with pytest.raises(TableError, match=said):
        audit_history("releases", table="t.csv", ledger="ledger")


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_whole_file_is_as_long_as_it_is(separator: str) -> None:
    Path("t.csv").write_text('\ufeff"w;h,o",note\n1,"x\n\n""y"\n\n2,\n'.replace(",", separator))
    check_count("t.csv", 2, 2)
    for wrong in (0, 1, 3, 4):
        with pytest.raises(TableError, match="not as many"):
            check_count("t.csv", 2, wrong)
