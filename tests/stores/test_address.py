"""Addresses of places in stores: what they are, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import anachron as an
from anachron.cli.main import anachron
from anachron.errors import PlanError
from anachron.stores import placed

SCHEMA, PROMISE = an.Schema("who", "day"), an.TimeGranularity(k=2)


def test_an_address_is_written_in_one_way() -> None:
    one = placed("s3://bucket/a b/releases/?scheme=http&endpoint_override=localhost:9000")
    assert str(one) == "s3://bucket/a b/releases?endpoint_override=localhost:9000&scheme=http"
    assert one == placed(str(one))
    assert str(one / "0001").startswith("s3://bucket/a b/releases/0001?")
    assert (one / "0001").name == "0001"
    assert str(placed("s3://bucket") / "0001") == "s3://bucket/0001"
    assert placed("releases") == Path("releases")


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("gs://bucket/releases", "cannot lie at gs://"),
        ("https://example.org/releases", "cannot lie at https://"),
        ("s3://", "not one of a store"),
        ("s3://bucket/a//b", "not one of a store"),
        ("s3://bucket/../b", "not one of a store"),
        ("s3://bucket/a\nb", "not one of a store"),
        ("s3://bucket/a%20b", "not one of a store"),
        ("s3://bucket/a?b", "how to reach it"),
        ("s3://bucket/a?allow_bucket_creation=true", "how to reach it"),
        ("s3://bucket/a?region=", "how to reach it"),
    ],
)
def test_what_is_no_place_of_a_store_is_refused(address: str, says: str) -> None:
    with pytest.raises(PlanError, match=says):
        placed(address)
    with pytest.raises(PlanError, match=says):
        an.Plan("visits.csv", SCHEMA, PROMISE, releases=address)
    with pytest.raises(PlanError, match=says):
        an.publish("visits.csv", SCHEMA, PROMISE, to=address)


@pytest.mark.parametrize(
    "address",
    [
        "s3://me:Sesame4711@bucket/releases",
        "s3://me%3ASesame4711%40bucket/releases",
        "s3://bucket/releases?secret_key=Sesame4711",
        "s3://bucket/releases?X-Amz-Signature=Sesame4711",
        "s3://bucket/releases?region=x&session_token=Sesame4711",
        "s3://bucket/releases%3Faccess_key=Sesame4711",
    ],
)
def test_keys_have_no_place_in_an_address(address: str, tmp_path: Path) -> None:
    said = []
    for work in (
        lambda: an.Plan("visits.csv", SCHEMA, PROMISE, releases=address),
        lambda: an.publish("visits.csv", SCHEMA, PROMISE, to=address),
        lambda: an.Release(address),
        lambda: an.ask(address, "SELECT COUNT(*)"),
        lambda: an.audit(address),
    ):
        with pytest.raises(PlanError, match="AWS_ACCESS_KEY_ID") as refused:
            work()
        said.append(f"{refused.value!r}")
    for words in (["ask", address], ["audit", address], ["attack", address]):
        done = CliRunner().invoke(anachron, words)
        assert done.exit_code == 2
        said.append(done.output)
    assert not any("Sesame" in text for text in said)
    assert [*tmp_path.iterdir()] == []


def test_a_plan_keeps_the_address_as_it_is(tmp_path: Path) -> None:
    address = "s3://bucket/releases?region=eu-west-1"
    plan = an.Plan(tmp_path / "visits.csv", SCHEMA, PROMISE, address, tmp_path / "ledger")
    assert f'releases = "{address}"' in plan.to_toml(tmp_path)
    assert an.Plan.read(plan.write(tmp_path / "plan.toml")) == plan
    assert f"releases='{address}'" in repr(plan)


def test_a_table_must_not_lie_among_its_releases() -> None:
    with pytest.raises(PlanError, match=r"source.table lies inside destination.releases"):
        an.Plan("s3://bucket/releases/v.csv?region=x", SCHEMA, PROMISE, "s3://bucket/releases")
    an.Plan("s3://bucket/releases-of-others/v.csv", SCHEMA, PROMISE, "s3://bucket/releases")
