"""Publishing into a store that is killed, breaks off, is late or careless: nothing is torn."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from anachron import steps
from anachron.errors import LedgerBusy, LedgerError, ReleaseError
from anachron.ledger import Ledger, sending
from anachron.ledger.sending import numbers_at
from anachron.release import Release
from anachron.stores import Address, NoSuchPlace
from tests.crash.doom import PROCESSES, killed_at
from tests.crash.small import contents, release
from tests.daily import daily
from tests.stores.folder import ASKING, FolderStore, broken_off, objects, standing_for_stores
from tests.stores.houses import STEPS, TO, small, whole

Work = Callable[[Path, "str | Path", int], None]


@pytest.fixture(autouse=True)
def stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for module in ASKING:
        monkeypatch.setattr(module, "opened", module.opened)
    monkeypatch.setenv("ANACHRON_TMP", str(tmp_path))
    standing_for_stores(tmp_path / "store")
    return tmp_path / "store"


def published(root: Path, work: Work, many: int) -> tuple[Path, dict[str, bytes]]:
    """A ledger with which nothing was published yet, and what it publishes into a folder."""
    begun = root / "begun"
    Ledger.open(begun)
    shutil.copytree(begun, root / "local" / "ledger")
    for step in range(1, many + 1):
        work(root / "local" / "ledger", root / "local" / "releases", step)
    return begun, contents(root / "local" / "releases")


def look(ledger: Path, store: Path, expected: dict[str, bytes]) -> None:
    """Before anybody recovers: what is described is whole, and what is seen at all is recorded."""
    there = objects(store)
    assert there.items() <= expected.items()
    recorded = {f"{entry.number:04d}" for entry in Ledger.open(ledger).entries()}
    assert {name.partition("/")[0] for name in there} <= recorded
    for name in there:
        number, _, file = name.partition("/")
        if file == "datapackage.json":
            assert {one for one in expected if one.startswith(number)} <= there.keys()


def check(ledger: Path, store: Path, expected: dict[str, bytes], many: int | None = None) -> None:
    """After recovery every release is whole and recorded, or absent: same bytes, nothing double."""
    known = Ledger.open(ledger)
    known.recover()
    assert known.recover() == []
    entries = known.entries()
    recorded = {f"{entry.number:04d}/{name}" for entry in entries for name in entry.files}
    there = objects(store)
    assert there.keys() == recorded
    assert there.items() <= expected.items()
    assert many is None or there == expected
    assert known.check() == []
    assert not [*ledger.glob("outgoing/*")]
    for entry in entries:
        assert Release(entry.path).table().num_rows


def test_a_store_holds_what_a_folder_would(tmp_path: Path, stores: Path) -> None:
    begun, expected = published(tmp_path, small, 3)
    for step in (1, 2, 3):
        small(begun, TO, step)
    check(begun, stores, expected, 3)
    assert len(expected) == 9


class Failing:
    """Lets the n-th request fail, before it was made or after."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, name: str) -> None:
        if name.startswith("request: "):
            self.left -= 1
            if self.left == 0:
                raise broken_off()


@pytest.mark.parametrize("stride", daily([1, 11], 11))
def test_whatever_request_fails_nothing_is_torn(
    stride: int, tmp_path: Path, stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, expected = published(tmp_path, small, 2)
    at, told = 1, "not yet"
    while told:
        ledger = tmp_path / f"ledger-{at}"
        shutil.copytree(begun, ledger)
        shutil.rmtree(stores, ignore_errors=True)
        with monkeypatch.context() as patched:
            patched.setattr(steps, "reached", Failing(at))
            told = refusal(ledger, 1) or refusal(ledger, 2)
        assert not told or "the store cannot be reached" in told
        assert not told or told.endswith("Try again.")
        look(ledger, stores, expected)
        check(ledger, stores, expected)
        for step in (1, 2):
            small(ledger, TO, step)
        check(ledger, stores, expected, 2)
        at += stride
    assert at > 40


def refusal(ledger: Path, step: int) -> str:
    try:
        small(ledger, TO, step)
    except LedgerError as error:
        return str(error)
    return ""


def doomed(work: Work, root: Path, ledger: Path, step: int) -> None:
    standing_for_stores(root)
    work(ledger, TO, step)


def killed_everywhere(
    tmp_path: Path, stores: Path, work: Work, many: int, stride: int = 1, first: int = 1
) -> int:
    """Kill the work at every step, of files and of requests; look, go on, and compare."""
    begun, expected = published(tmp_path, work, many)
    killed = 0
    before = begun
    for step in range(1, many + 1):
        reached, at = True, first
        while reached:
            ledger, store = tmp_path / "ledger", tmp_path / "at"
            for target, source in ((ledger, before), (store, stores)):
                shutil.rmtree(target, ignore_errors=True)
                if source.exists():
                    shutil.copytree(source, target)
            reached = killed_at(at, doomed, work, store, ledger, step)
            standing_for_stores(store)
            look(ledger, store, expected)
            check(ledger, store, expected)
            work(ledger, TO, step)
            check(ledger, store, expected)
            killed += reached
            at += stride
        standing_for_stores(stores)
        before = tmp_path / f"after-{step}"
        shutil.rmtree(before, ignore_errors=True)
        shutil.copytree(ledger, before)
        shutil.rmtree(stores, ignore_errors=True)
        if store.exists():  # a feed may not have sent anything yet
            shutil.copytree(store, stores)
    assert objects(stores) == expected
    return killed


def test_a_publication_that_is_killed_at_any_step(tmp_path: Path, stores: Path) -> None:
    assert killed_everywhere(tmp_path, stores, small, 2, stride=23, first=4) > 4


@pytest.mark.campaign
def test_a_small_publication_that_is_killed_at_every_step(tmp_path: Path, stores: Path) -> None:
    assert killed_everywhere(tmp_path, stores, small, 2) > 150


@pytest.mark.parametrize("name", daily(STEPS))
def test_publications_of_every_method_that_are_killed_at_every_step(
    name: str, tmp_path: Path, stores: Path
) -> None:
    assert killed_everywhere(tmp_path, stores, partial(whole, name), STEPS[name], stride=3) > 20


@pytest.mark.parametrize("late", ["nothing", "the first alone", "all but the last"])
def test_a_list_that_is_late_changes_nothing(
    late: str, tmp_path: Path, stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = {"nothing": slice(0), "the first alone": slice(1), "all but the last": slice(-1)}[late]
    monkeypatch.setattr(FolderStore, "listed", lambda _, found: found[shown])
    begun, expected = published(tmp_path, small, 3)
    old = tmp_path / "old"
    for step in (1, 2, 3):
        small(begun, TO, step)
        if step == 2:
            shutil.copytree(begun, old)
    check(begun, stores, expected, 3)
    with pytest.raises(LedgerError, match="older than the releases"):
        small(old, TO, 4)
    assert numbers_at(Address.of(TO)) == [1, 2, 3]
    assert objects(stores) == expected


def test_two_ledgers_do_not_share_a_place(tmp_path: Path, stores: Path) -> None:
    begun, expected = published(tmp_path, small, 1)
    small(begun, TO, 1)
    with pytest.raises(LedgerError, match="holds the releases of another ledger"):
        small(tmp_path / "other", TO, 2)
    assert Ledger.open(tmp_path / "other").entries() == []
    assert objects(stores) == expected


def test_two_ledgers_that_begin_at_once(tmp_path: Path, stores: Path) -> None:
    """The other one claims the place after this one saw that it was free."""
    other, mine = tmp_path / "other", tmp_path / "mine"
    with Ledger.open(mine).publishing(TO) as publication:
        small(other, TO, 1)
        there = objects(stores)
        with pytest.raises(LedgerError, match="another ledger"):
            release(publication, 2)
    assert Ledger.open(mine).entries() == []
    assert Ledger.open(mine).check() == []
    assert objects(stores) == there


def test_two_copies_of_one_ledger_that_go_on_at_once(tmp_path: Path, stores: Path) -> None:
    """A backup that is used beside the newest copy: one goes on, the other is told."""
    begun, _ = published(tmp_path, small, 1)
    small(begun, TO, 1)
    copy = tmp_path / "copy"
    shutil.copytree(begun, copy)
    with Ledger.open(copy).publishing(TO) as publication:
        small(begun, TO, 2)
        there = objects(stores)
        with pytest.raises(LedgerError, match="Nothing was overwritten"):
            release(publication, 3)
    assert objects(stores) == there
    with pytest.raises(LedgerError, match="older than the releases"):
        small(copy, TO, 3)


def test_what_lies_in_the_way_is_left_alone(tmp_path: Path, stores: Path) -> None:
    (stores / "bucket/releases/0001").mkdir(parents=True)
    (stores / "bucket/releases/0001/data.parquet").write_bytes(b"of somebody")
    with pytest.raises(LedgerError, match=r"0001/data.parquet is there already"):
        small(tmp_path / "ledger", TO, 1)
    assert Ledger.open(tmp_path / "ledger").entries() == []
    assert objects(stores) == {"0001/data.parquet": b"of somebody"}


def test_a_file_that_no_store_takes_is_refused_before_it_is_recorded(
    tmp_path: Path, stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "_LARGEST", 100)
    with pytest.raises(LedgerError, match=r"data\.csv would have more than 5 GB"):
        small(tmp_path / "ledger", TO, 1)
    assert (objects(stores), Ledger.open(tmp_path / "ledger").entries()) == ({}, [])


def test_a_bucket_that_is_gone_is_as_a_folder_that_is_gone(
    tmp_path: Path, stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = tmp_path / "ledger"
    small(ledger, TO, 1)

    def gone(store: FolderStore) -> list[str]:
        if store.root.is_relative_to(stores / "bucket"):
            raise NoSuchPlace("the store answered NoSuchBucket", "s3://bucket", "Make it.")
        return []

    monkeypatch.setattr(FolderStore, "names", gone)
    small(ledger, "s3://other/releases", 2)
    assert len(objects(stores, "other")) == 3


def test_the_description_is_put_last_and_nothing_before_the_commit(
    tmp_path: Path, stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    before = FolderStore.put_new

    def put_new(store: FolderStore, name: str, *content: Any) -> bool:
        said.append(name)
        return before(store, name, *content)

    monkeypatch.setattr(FolderStore, "put_new", put_new)
    monkeypatch.setattr(steps, "reached", lambda step: said.append(step))
    small(tmp_path / "ledger", TO, 1)
    told = [one for one in said if one in ("committed", ".anachron") or "data" in one]
    assert told[-4:] == ["data.csv", "data.parquet", "datapackage.json", "committed"]
    assert told[-7:-4] == [".anachron", ".anachron", "committed"]


def test_what_gets_in_the_way_at_the_last_moment_is_left_alone(
    tmp_path: Path, stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = stores / "bucket/releases/0001"

    def reached(step: str) -> None:
        if step == "put object" and not there.exists():
            there.mkdir(parents=True)
            (there / "data.parquet").write_bytes(b"of somebody")

    monkeypatch.setattr(steps, "reached", reached)
    with pytest.raises(
        LedgerError, match=r"data\.parquet is there already.*Nothing was overwritten"
    ):
        small(tmp_path / "ledger", TO, 1)
    assert (there / "data.parquet").read_bytes() == b"of somebody"
    assert not (there / "datapackage.json").exists()


def test_a_store_that_overwrites_is_refused(
    tmp_path: Path, stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FolderStore, "careless", True)
    with pytest.raises(LedgerError, match="If-None-Match"):
        small(tmp_path / "ledger", TO, 1)
    assert objects(stores) == {}
    assert Ledger.open(tmp_path / "ledger").entries() == []


def test_a_release_whose_staged_copy_is_lost_is_made_again(
    tmp_path: Path, stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = partial(whole, "granularity")
    begun, expected = published(tmp_path, work, 1)
    requests: list[str] = []

    def reached(name: str) -> None:
        requests.append(name)
        if name == "put object":
            raise broken_off()

    with monkeypatch.context() as patched:
        patched.setattr(steps, "reached", reached)
        with pytest.raises(LedgerError, match=r"Release 1 is recorded. Exposing it failed"):
            work(begun, TO, 1)
    assert objects(stores) == {}, "something was seen before it was recorded"
    shutil.rmtree(begun / "outgoing")
    assert "publish its table again" in Ledger.open(begun).recover()[0]
    assert "is missing" in Ledger.open(begun).check()[0]
    work(begun, TO, 1)
    check(begun, stores, expected, 1)


def test_damage_is_told_and_not_read(tmp_path: Path, stores: Path) -> None:
    ledger = tmp_path / "ledger"
    small(ledger, TO, 1)
    there = stores / "bucket/releases/0001"
    (there / "notes.txt").write_text("of somebody")
    assert Ledger.open(ledger).check() == [f"{TO}/0001/notes.txt does not belong to the release."]
    with pytest.raises(ReleaseError, match=rf"{TO}/0001/notes.txt does not belong"):
        Release(f"{TO}/0001").table()
    (there / "notes.txt").unlink()
    whole_file = (there / "data.parquet").read_bytes()
    (there / "data.parquet").write_bytes(whole_file[::-1])
    assert Ledger.open(ledger).check() == [f"{TO}/0001/data.parquet is not as it was published."]
    with pytest.raises(ReleaseError, match=rf"{TO}/0001/data.parquet is not as it was published"):
        Release(f"{TO}/0001").table()
    (there / "data.parquet").unlink()
    with pytest.raises(ReleaseError, match=rf"{TO}/0001/data.parquet is missing"):
        Release(f"{TO}/0001")
    with pytest.raises(ReleaseError, match=r"it has no datapackage\.json"):
        Release(f"{TO}/0002")


def test_a_description_does_not_lead_elsewhere(stores: Path) -> None:
    there = stores / "bucket/releases/0001"
    there.mkdir(parents=True)
    (there / "datapackage.json").write_text('{"resources": [{"path": "../../secret"}]}')
    with pytest.raises(ReleaseError, match="does not belong to a release"):
        Release(f"{TO}/0001")


def test_the_copy_of_a_release_goes_with_it(tmp_path: Path, stores: Path) -> None:
    small(tmp_path / "ledger", TO, 1)
    release = Release(f"{TO}/0001")
    copy = release.path
    assert str(release.place) == f"{TO}/0001"
    assert repr(release) == f"Release('{TO}/0001')"
    assert copy.is_relative_to(tmp_path)
    assert copy.stat().st_mode & 0o077 == 0 or copy.parent.stat().st_mode & 0o077 == 0
    del release
    assert not copy.exists()
    assert not [*tmp_path.glob("anachron-*")]


def many_times(root: Path, ledger: Path, first: int, told: Any) -> None:
    standing_for_stores(root)
    done, number = 0, first
    while done < 6:
        try:
            small(ledger, TO, number)
        except LedgerBusy:
            continue
        done, number = done + 1, number + 2
    told.put(done)


def test_publishers_of_one_ledger_take_turns(tmp_path: Path, stores: Path) -> None:
    ledger = tmp_path / "ledger"
    Ledger.open(ledger)
    told = PROCESSES.Queue()
    both = [
        PROCESSES.Process(target=many_times, args=(stores, ledger, first, told)) for first in (1, 2)
    ]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert [one.exitcode for one in both] == [0, 0]
    assert [told.get(timeout=60) for _ in both] == [6, 6]
    entries = Ledger.open(ledger).entries()
    assert sorted(entry.plan["n"] for entry in entries) == [*range(1, 13)]
    assert {name.partition("/")[0] for name in objects(stores)} == {
        f"{number:04d}" for number in range(1, 13)
    }
    assert Ledger.open(ledger).check() == []
