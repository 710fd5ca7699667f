"""Hostile requests to the Space, which no client of Gradio would send."""

import http.client
import json
import uuid
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from gradio_client import handle_file

from support.metric_and_command import PROBLEM, RIGHT, ROOT, TESTS
from support.observers import wait_until
from support.space_client import Raw, client_of, evaluate, outcomes_of, samples_file

pytestmark = pytest.mark.slow

SECONDS = 60


@pytest.fixture(scope="module")
def raw(space):
    """Provide the Space without a client of Gradio."""
    with httpx.Client(timeout=SECONDS) as http:
        yield Raw(space, http)


@pytest.fixture(scope="module")
def secret(space):
    """Provide a file beside the visitors' files, which the server can read."""
    path = Path(space.folder, "secret.jsonl")
    path.write_text(json.dumps({"task_id": "sesame", "completion": ""}))
    return path


def visitors_folder(server):
    """Return the folder of the visitors' files."""
    [folder] = Path(server.folder, "gradio").iterdir()
    return folder


def score(raw, samples):
    """Return the last message of /score_file for these samples and an uploaded problem."""
    session = uuid.uuid4().hex
    [problems] = raw.http.post(
        f"{raw.api}/upload", files={"files": ("problems.jsonl", json.dumps(PROBLEM).encode())}
    ).json()
    arguments = [samples, file_data(problems), None, None, "auto", None, 3, 1024, "python", "auto"]
    index = raw.events["score_file"]["id"]
    joined = raw.post("queue/join", data=arguments, fn_index=index, session_hash=session)
    if joined.status_code != 200:
        return joined.json()
    with raw.listening("queue/data", session_hash=session) as lines:
        [last] = [line for line in lines if "process_completed" in line]
    return json.loads(last.removeprefix("data:"))


def file_data(path, **more):
    """Return a file as Gradio's clients describe it."""
    return {"path": str(path), "meta": {"_type": "gradio.FileData"}, **more}


def named(folder, secret):
    """Return several paths that lead to files of the server."""
    outside = [secret, "/etc/passwd", "app.py", ROOT / "app.py", "/proc/self/environ"]
    around = [f"{folder}/../../{secret.name}", f"{folder}/x/../../../{secret.name}", f"file://{secret}", f"//{secret}"]
    return [str(each) for each in (*outside, *around)]


def test_an_upload_is_scored(raw):
    """A visitor's own upload is scored by the call that the next tests make with other paths."""
    sample = {"task_id": PROBLEM["task_id"], "completion": "x"}
    [path] = raw.http.post(f"{raw.api}/upload", files={"files": ("own.jsonl", json.dumps(sample).encode())}).json()
    assert score(raw, file_data(path))["success"]


def test_no_file_of_the_server_is_scored(space, raw, secret):
    """A path of the server in place of an upload is refused in every spelling, and no answer has the file's content."""
    for path in named(visitors_folder(space), secret):
        for value in (file_data(path), file_data(path, url=path, is_stream=True), [file_data(path)], path):
            answer = score(raw, value)
            assert not answer["success"], (value, answer)
            assert "sesame" not in json.dumps(answer)


@pytest.mark.parametrize("url", ["http://127.0.0.1:{port}/config", "https://example.org/samples.jsonl"])
def test_no_address_is_fetched(space, raw, url):
    """An address in place of an upload is refused before anything is fetched."""
    answer = score(raw, file_data(url.format(port=urlsplit(space.url).port)))
    assert answer["detail"][0]["message"] == "send the file itself: this server fetches none"


def test_no_link_is_followed(space, raw, secret):
    """A link among the visitors' files, which no visitor can make, does not lead to a file of the server."""
    link = visitors_folder(space) / "link.jsonl"
    link.symlink_to(secret)
    try:
        assert "sesame" not in json.dumps(score(raw, file_data(link)))
    finally:
        link.unlink()


def status_of(server, path):
    """Return the status and the body of a page, whose path no client normalises."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=SECONDS)
    try:
        connection.putrequest("GET", path, skip_host=False)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize("prefix", ["/gradio_api/file=", "/gradio_api/file/", "/file=", "/static/", "/assets/"])
def test_no_file_of_the_server_is_served(space, secret, prefix):
    """Pages that serve files serve only the visitors' own and Gradio's, in every spelling of a path."""
    folder = visitors_folder(space)
    around = [
        f"{folder}/..%2f..%2f{secret.name}",
        "../../../app.py",
        "..%2f..%2fapp.py",
        "%2fetc%2fpasswd",
        "/etc/passwd",
    ]
    for path in (*named(folder, secret), *around, str(folder), "http://127.0.0.1/"):
        status, body = status_of(space, prefix + path)
        assert status in (400, 403, 404), (path, status)
        assert b"sesame" not in body and b"root:" not in body


def test_results_are_served_to_who_knows_their_name(space, tmp_path):
    """A file of results is served by its path, which can't be guessed, and its folder is not served."""
    with client_of(space) as client:
        samples, problems = samples_file(tmp_path, "    return a + b\n", problem=PROBLEM)
        job = client.submit(samples=handle_file(samples), problems=handle_file(problems), api_name="/score_file", k=[1])
        _, file = job.result(SECONDS)
    assert json.loads(Path(file).read_text())["passed"]
    [kept] = [path for path in visitors_folder(space).rglob("results.jsonl") if "t/0" in path.read_text()][:1]
    assert status_of(space, f"/gradio_api/file={kept}")[0] == 200
    assert status_of(space, f"/gradio_api/file={kept.parent}")[0] == 403


@pytest.mark.parametrize("name", ["evaluate", "score_file", "run_candidates", "run_file"])
@pytest.mark.parametrize("path", ["run", "api"])
def test_nothing_runs_around_the_queue(raw, name, path):
    """No event that runs programs can be called without the queue, by name or by number."""
    data = raw.arguments("evaluate", "x = 1")
    assert raw.post(f"{path}/{name}", data=data).status_code == 404
    assert raw.post(f"{path}/predict", data=data, fn_index=raw.events[name]["id"]).status_code == 404


def test_a_thousand_events_of_one_visitor(raw):
    """A visitor who sends too many runs gets the answer that the queue is full, and others are served afterwards."""
    session, statuses = uuid.uuid4().hex, []
    body = {"data": raw.arguments("evaluate", "x = 1"), "fn_index": raw.events["evaluate"]["id"]}
    for _ in range(1000):
        answer = raw.post("queue/join", session_hash=session, **body)
        statuses.append(answer.status_code)
    assert set(statuses) <= {200, 503}
    assert raw.http.get(f"{raw.api}/queue/status").json()["queue_size"] <= 100
    assert wait_until(lambda: raw.http.get(f"{raw.api}/queue/status").json()["queue_size"] == 0, 300)
    other, _ = raw.join("evaluate", "x = 1")
    with raw.listening("queue/data", session_hash=other) as lines:
        [last] = [line for line in lines if "process_completed" in line]
    assert json.loads(last.removeprefix("data:"))["success"]


def send(server, path, head, chunks):
    """Send a request in chunks, without its length, and return the status of the answer."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=SECONDS)
    try:
        connection.request("POST", path, body=iter(chunks), headers=head, encode_chunked=True)
    except (BrokenPipeError, ConnectionResetError):
        pass
    try:
        return connection.getresponse().status
    except ConnectionResetError:
        # The server answered and closed the connection before all was sent.
        return 413
    finally:
        connection.close()


FORM = b'--B\r\nContent-Disposition: form-data; name="files"; filename="a.jsonl"\r\n\r\n'
UPLOAD = {"Content-Type": "multipart/form-data; boundary=B", "Transfer-Encoding": "chunked"}


def test_giant_bodies_are_refused(space):
    """A request that is far too long is refused while it is sent, and the server goes on."""
    head = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
    for path in ("queue/join", "mcp/", "call/evaluate", "component_server", "cancel"):
        assert send(space, f"/gradio_api/{path}", head, [bytes(1 << 20)] * 40) == 413
    with client_of(space) as client:
        assert outcomes_of(evaluate(client, [RIGHT], TESTS)) == ["passed"]


def files_of(server):
    """Return the number of visitors' files."""
    return sum(path.is_file() for path in visitors_folder(server).rglob("*"))


@pytest.mark.parametrize("parts", [[FORM, *[bytes(1 << 20)] * 60], [(FORM + bytes(1 << 20) + b"\r\n")] * 60])
def test_giant_uploads_are_refused(space, parts):
    """An upload that is too long, in one file or in many, is refused and leaves no file."""
    before = files_of(space)
    assert send(space, "/gradio_api/upload", UPLOAD, parts) == 413
    assert wait_until(lambda: files_of(space) == before, 10)


def test_broken_uploads_leave_nothing(space):
    """An upload whose visitor leaves in the middle leaves no file."""
    before = files_of(space)
    connection = http.client.HTTPConnection(urlsplit(space.url).netloc, timeout=SECONDS)
    connection.putrequest("POST", "/gradio_api/upload")
    connection.putheader("Content-Type", UPLOAD["Content-Type"])
    connection.putheader("Content-Length", str(10 << 20))
    connection.endheaders()
    connection.send(FORM + bytes(5 << 20))
    assert wait_until(lambda: files_of(space) == before + 1, 10)
    connection.close()
    assert wait_until(lambda: files_of(space) == before, 10)


@pytest.mark.parametrize(
    "name", ["../../../evil.py", "/etc/cron.d/evil", "..", "a/../../b", "x" * 300, "a\0b", "nul\n"]
)
def test_uploads_stay_in_their_folder(space, raw, name):
    """An upload stays in the visitors' folder, or is refused, whatever its name is."""
    answer = raw.http.post(f"{raw.api}/upload", files={"files": (name, name.encode())})
    if answer.status_code == 200:
        [path] = answer.json()
        assert Path(path).resolve().is_relative_to(visitors_folder(space))
    assert not list(Path(space.folder).glob("*evil*"))
