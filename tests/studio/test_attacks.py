"""Attacks on the page: each tried, each harmless."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anachron as an
from tests.studio.conftest import HOST, ORIGIN, Opened, Reader

HOSTILE = "<script>alert(1)</script>\"'{{7*7}}"


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:8001", "localhost.evil.example:8000", ""]
)
def test_another_name_for_this_machine_is_refused(reader: Reader, host: str) -> None:
    done = reader.client.get("/", headers={"Host": host})
    assert done.status_code == 421
    assert "visits" not in done.text


@pytest.mark.parametrize("origin", ["http://evil.example", "null", f"https://{HOST}", None])
def test_a_foreign_origin_is_refused(reader: Reader, origin: str | None) -> None:
    form = {"csrf": reader.studio.keys.form, "file": "visits.csv", "name": "mine"}
    headers = {} if origin is None else {"Origin": origin}
    assert reader.client.post("/table", data=form, headers=headers).status_code == 403
    if origin is not None:
        assert reader.client.get("/", headers=headers).status_code == 403
    crossed = {"Origin": ORIGIN, "Sec-Fetch-Site": "cross-site"}
    assert reader.client.post("/table", data=form, headers=crossed).status_code == 403
    assert not (reader.folder / "mine").exists()


def test_without_the_token_nothing_is_shown(reader: Reader) -> None:
    key = reader.studio.keys
    for cookies in ({}, {"anachron-8000": "x"}, {"anachron-8001": key.session}):
        reader.client.cookies.clear()
        reader.client.cookies.update(cookies)
        for path in ("/", "/?token=", "/?token=x", f"/?token={key.session}", "/table", "/work"):
            done = reader.client.get(path)
            assert (done.status_code, "visits" in done.text) == (403, False), path
        posted = reader.client.post("/table", data={"csrf": key.form}, headers={"Origin": ORIGIN})
        assert posted.status_code == 403


def test_the_cookie_is_strict_and_the_token_leaves_the_address(opened: Opened) -> None:
    reader = opened()
    reader.client.cookies.clear()
    done = reader.client.get(f"/?token={reader.studio.keys.token}&x=1", follow_redirects=False)
    assert (done.status_code, done.headers["location"]) == (303, "/?x=1")
    cookie = done.headers["set-cookie"].lower()
    assert "samesite=strict" in cookie
    assert "httponly" in cookie
    assert reader.studio.keys.token not in done.headers["set-cookie"]


def test_forms_of_another_run_are_refused(reader: Reader, opened: Opened) -> None:
    for given in ("", "x", opened().studio.keys.form):
        done = reader.client.post(
            "/table", data={"csrf": given, "file": "visits.csv", "name": "mine"},
            headers={"Origin": ORIGIN},
        )  # fmt: skip
        assert done.status_code == 403
    assert not (reader.folder / "mine").exists()


def test_every_answer_has_the_policy_and_no_page_has_inline_code(planned: Reader) -> None:
    plan = "visits/plan.toml"
    for path in ("/", "/table", f"/roles?plan={plan}", f"/promise?plan={plan}",
                 f"/publish?plan={plan}", "/static/studio.css", "/nothing"):  # fmt: skip
        done = planned.client.get(path)
        policy = done.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert done.headers["x-content-type-options"] == "nosniff"
        assert len(done.content) < 300_000
        if path.startswith("/static"):
            continue
        assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)", done.text)
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:|https?://(?!127)", done.text)


TRICKS = ["../secret.csv", "/etc/passwd", "..%2fsecret.csv", "visits.csv/../../secret.csv",
          "link.csv", "\0", "visits.csv\0.toml", "~/.ssh/id_rsa", ".", ""]  # fmt: skip


def test_no_path_leads_outside(planned: Reader, folder: Path) -> None:
    (folder.parent / "secret.csv").write_text("who,what\nQuentin,plague\n")
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    (folder.parent / "outside.toml").write_text((folder / "visits/plan.toml").read_text())
    for name in TRICKS:
        for path, query in (("/table", {"file": name}), ("/roles", {"plan": name}),
                            ("/publish", {"plan": f"{name}.toml"}),
                            ("/publish", {"plan": "../outside.toml"})):  # fmt: skip
            done = planned.client.get(path, params=query)
            assert "Quentin" not in done.text
            assert "root:" not in done.text
            if name or path != "/table":
                assert done.status_code in (409, 422), done.text
    for path in ("/static/../app.py", "/static/vendor/../../app.py", "/static/%2e%2e/app.py",
                 "/static//etc/passwd", "/static/vendor/digests.json"):  # fmt: skip
        assert planned.client.get(path).status_code == 404


def test_a_plan_that_names_the_outside_waits_for_a_choice(planned: Reader, folder: Path) -> None:
    from tests.studio.conftest import visits

    pq.write_table(visits(), folder.parent / "there.parquet")
    text = (folder / "visits/plan.toml").read_text()
    moved = re.sub(r'table = ".*"', f'table = "{folder.parent}/there.parquet"', text)
    (folder / "visits/plan.toml").write_text(moved)
    for path in ("/table", "/roles", "/promise", "/publish"):
        assert "outside this folder" in planned.get(path, 409, plan="visits/plan.toml")
    assert "outside of the folder" in planned.get("/")
    planned.post("/publish", 409, plan="visits/plan.toml")
    place = str(folder.parent / "there.parquet")
    planned.post("/pick", place=place, plan="visits/plan.toml")
    assert "patient" in planned.waited("/table", plan="visits/plan.toml")


def test_names_and_values_are_neither_markup_nor_templates(reader: Reader, folder: Path) -> None:
    rows = 90
    table = pa.table({
        f"patient {HOSTILE}": [f"<b>{i % 30}{HOSTILE}" for i in range(rows)],
        f"day {HOSTILE}": [f"2023-05-{1 + i % 28:02}" for i in range(rows)],
        "age </title><img src=x onerror=alert(1)>": [20 + i % 5 for i in range(rows)],
        "diagnosis": [f"{HOSTILE}{i % 3}" for i in range(rows)],
    })  # fmt: skip
    pq.write_table(table, folder / "odd.parquet")
    who, day = f"patient {HOSTILE}", f"day {HOSTILE}"
    pages = [reader.waited("/table", file="odd.parquet", subject=who, time=day)]
    reader.post("/table", file="odd.parquet", subject=who, time=day, name="odd")
    plan = "odd/plan.toml"
    pages += [reader.waited("/roles", plan=plan), reader.get("/promise", plan=plan),
              reader.get("/publish", plan=plan), reader.get("/")]  # fmt: skip
    from tests.studio.test_frontier import explored

    explored(reader, plan, over="k=2")
    made = an.Plan.read(folder / plan)
    an.publish(made.table, made.schema, made.guarantee, ledger=made.ledger, to=made.releases)
    pages.append(reader.get("/frontier", plan=plan, point="1"))
    pages += [reader.get(f"/{name}", plan=plan) for name in ("release", "release/charts", "ledger")]
    for page in pages:
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        # What a template would have made of it, as HTML, text and JSON write what stands before.
        assert not any(f"{quote}49" in page for quote in ("&#39;", "'", "\\u0027"))
        assert "<b>1" not in page.replace("<b>1 ", "")


def upload(reader: Reader, name: str, content: bytes, csrf: str | None = None) -> int:
    given = reader.studio.keys.form if csrf is None else csrf
    return reader.client.post(
        "/upload", data={"csrf": given}, files={"file": (name, content)},
        headers={"Origin": ORIGIN}, follow_redirects=False,
    ).status_code  # fmt: skip


def test_uploads_are_bounded_private_and_never_overwrite(reader: Reader, folder: Path) -> None:
    before = (folder / "visits.csv").read_bytes()
    assert upload(reader, "new.csv", b"a,b\n1,2\n") == 303
    assert (folder / "new.csv").read_bytes() == b"a,b\n1,2\n"
    assert (folder / "new.csv").stat().st_mode & 0o77 == 0
    assert upload(reader, "visits.csv", b"a\n1\n") == 422
    assert upload(reader, "plan.toml", b"a\n1\n") == 422
    assert upload(reader, ".hidden.csv", b"a\n1\n") == 422
    assert upload(reader, "other.csv", b"a\n1\n", csrf="x") == 403
    assert upload(reader, "large.csv", b"x" * (2 << 20)) == 413
    assert upload(reader, "../../outside.csv", b"a,b\n1,2\n") == 303
    assert (folder / "visits.csv").read_bytes() == before
    assert {f.name for f in folder.iterdir()} == {"visits.csv", "new.csv", "outside.csv"}
    assert not (folder.parent / "outside.csv").exists()


def test_two_gigabytes_are_refused_before_they_are_read(reader: Reader, folder: Path) -> None:
    read = 0

    def chunks():  # type: ignore[no-untyped-def]
        nonlocal read
        yield b'--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n'
        yield reader.studio.keys.form.encode()
        yield b'\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
        for _ in range(2048):
            read += 1
            yield b"x" * (1 << 10)

    headers = {"Origin": ORIGIN, "Content-Type": "multipart/form-data; boundary=x"}
    said = {**headers, "Content-Length": str(2 << 30)}
    assert reader.client.post("/upload", content=b"x", headers=said).status_code == 413
    assert reader.client.post("/upload", content=chunks(), headers=headers).status_code == 413
    form = {"csrf": reader.studio.keys.form, "name": "x" * (2 << 20)}
    assert reader.client.post("/table", data=form, headers=headers | {
        "Content-Type": "application/x-www-form-urlencoded"}).status_code == 413  # fmt: skip
    assert [f.name for f in folder.iterdir()] == ["visits.csv"]


def test_two_hundred_at_once_are_answered(planned: Reader) -> None:
    paths = ["/", "/publish?plan=visits/plan.toml", "/roles?plan=visits/plan.toml", "/nothing"]
    with ThreadPoolExecutor(50) as many:
        found = list(many.map(lambda i: planned.client.get(paths[i % 4]).status_code, range(200)))
    assert found == [200, 200, 200, 404] * 50


def test_our_own_mistakes_name_no_cell(
    planned: Reader, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from anachron.studio.pages import home

    def fails(*_: object) -> None:
        raise RuntimeError("the cell of Quentin")

    monkeypatch.setattr(home, "projects", fails)
    planned.client = type(planned.client)(
        planned.client.app, base_url=ORIGIN, raise_server_exceptions=False,
        cookies=planned.client.cookies,
    )  # fmt: skip
    done = planned.client.get("/")
    assert done.status_code == 500
    said = done.text + "".join(capfd.readouterr())
    assert "RuntimeError at" in said
    assert "Quentin" not in said
