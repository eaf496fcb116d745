"""A fair sample of the campaign against hostile releases: tests/fire/releases.py has the whole."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.fire.mutations import CANARY, MUTATIONS
from tests.fire.releases import Published, mutate, publish, said

pytestmark = pytest.mark.campaign
KINDS = [name for name in MUTATIONS if name != "bombs"]
STORIES = ("visits", "anatomy")


@pytest.fixture(scope="module", params=STORIES)
def published(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Published:
    return publish(tmp_path_factory.mktemp("fire") / "published", request.param)


@pytest.mark.parametrize("kind", KINDS)
def test_no_command_takes_a_hostile_release(
    kind: str, published: Published, tmp_path: Path
) -> None:
    for number in range(2):
        folder = tmp_path / str(number) / published.release.name
        shutil.copytree(published.release, folder)
        _, hides = mutate(folder, f"sample {number}", kind)
        for name, command in published.commands(folder).items():
            outcome, text = said(command)
            allowed = {"refused"} if hides else {"refused", "accepted"}
            assert outcome in allowed, (number, name, text)


def test_what_was_published_is_accepted(published: Published, tmp_path: Path) -> None:
    folder = shutil.copytree(published.release, tmp_path / published.release.name)
    for command in published.commands(Path(folder)).values():
        assert said(command)[0] == "accepted"


def test_mutations_leave_what_they_say(published: Published, tmp_path: Path) -> None:
    """What hides something has it in the folder, and is not the release that was published."""
    planted = 0
    for number in range(20):
        folder = tmp_path / str(number) / published.release.name
        shutil.copytree(published.release, folder)
        _, hides = mutate(folder, f"sample {number}", "words")
        planted += hides
        assert not hides or CANARY in (folder / "datapackage.json").read_text()
    assert planted
