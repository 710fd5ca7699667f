"""BigCodeBench's `/predict` on the server, called by gradio_client: verdicts, refusals, and clients that go away."""

import concurrent.futures

import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError, AuthenticationError, ValidationError

from code_tasks.server.errors import QueueFull
from code_tasks.server.pending_calls import MAX_CALLS, STEP_SECONDS, PendingCalls
from code_tasks.server.protocols import gradio
from code_tasks.server.service import Service
from sandboxes import SandboxUnavailable
from sandboxes.workers.messages import GuestBroken
from support.bigcodebench_records import (
    HANGING,
    HOSTILE,
    RIGHT,
    WRONG,
    predict,
    record_of,
    samples_of,
    statuses_of,
    write_records,
)
from support.observers import wait_until
from support.server_client import serving

pytestmark = pytest.mark.slow
COMPLETIONS = [RIGHT, WRONG, *HOSTILE.values()]
SECONDS = 60


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Return the option that offers a problem for each of COMPLETIONS."""
    path = tmp_path_factory.mktemp("problems") / "problems.jsonl"
    return f"bigcodebench={write_records(path, [record_of(number) for number in range(len(COMPLETIONS))])}"


@pytest.fixture(scope="module")
def server(source):
    """Serve these problems. Candidates of them have a few seconds."""
    with serving(benchmarks=(source,), max_benchmark_timeout=5.0, max_benchmark_memory_mb=1024) as client:
        yield client


@pytest.fixture(scope="module")
def left_behind(source):
    """Serve the problems for tests that abandon their calls, which keep their places for a while."""
    with serving(benchmarks=(source,)) as client:
        yield client


@pytest.fixture
def samples(tmp_path):
    """Return a function that writes a file of completions and returns its path."""
    path = tmp_path / "model--bigcodebench-complete.jsonl"
    return lambda *completions: write_records(path, samples_of(*completions))


def url_of(server):
    """Return the address of a server."""
    return str(server.base_url)


def test_verdicts(server, samples):
    """The right candidate passes. The wrong one and each hostile one fail, and the server goes on."""
    results, pass_at_k = predict(url_of(server), samples(*COMPLETIONS))
    assert statuses_of(results)[0] == ["pass"]
    found = {name: results["eval"][f"BigCodeBench/{2 + number}"][0] for number, name in enumerate(HOSTILE)}
    assert {name: entry["status"] for name, entry in found.items()} == dict.fromkeys(HOSTILE, "fail")
    assert all(entry["details"] for entry in found.values())
    assert list(results["eval"]["BigCodeBench/1"][0]["details"]) == ["test_case_1"]
    assert pass_at_k["pass@1"] == pytest.approx(1 / len(COMPLETIONS))
    assert (pass_at_k["model"], pass_at_k["gt_pass_rate"], pass_at_k["failed_tasks"]) == ("model", 1, [])


def test_a_time_out(server, samples):
    """A candidate that runs for too long has the status "timeout"."""
    results, _ = predict(url_of(server), samples(HANGING), selective_evaluate="BigCodeBench/0", parallel=1, no_gt=True)
    assert statuses_of(results) == [["timeout"]]


def test_a_broken_sandbox(source, samples, monkeypatch):
    """A sandbox that can't run a program is an error of the call, without a path of the server, and no verdict."""

    def receive(worker):
        raise GuestBroken("the guest could not read /opt/secret/file")

    with serving(benchmarks=(source,), options={"num_workers": 1}) as server:
        monkeypatch.setattr("sandboxes.workers.worker.Worker.receive", receive)
        with pytest.raises(AppError, match="could not run a program, so that there are no verdicts") as error:
            predict(url_of(server), samples(RIGHT), selective_evaluate="BigCodeBench/0")
        assert "/opt/secret" not in str(error.value)
        monkeypatch.undo()
        results, _ = predict(url_of(server), samples(RIGHT), selective_evaluate="BigCodeBench/0")
        assert statuses_of(results) == [["pass"]]


def test_a_sandbox_that_breaks_later(server, samples, monkeypatch):
    """One program without a verdict is enough, and the others are not waited for."""
    evaluate = Service.evaluate

    async def failing(self, task, options, client):
        if WRONG in task.candidates[0].code:
            return SandboxUnavailable("the guest broke")
        return await evaluate(self, task, options, client)

    monkeypatch.setattr(Service, "evaluate", failing)
    with pytest.raises(AppError, match="the guest broke"):
        predict(url_of(server), samples(RIGHT, WRONG), selective_evaluate="BigCodeBench/0,BigCodeBench/1", no_gt=True)


def test_a_bug_is_an_error(server, samples, monkeypatch):
    """An error that nobody foresaw ends the call, because the client would otherwise make it again and again."""

    async def failing(self, task, options, client):
        raise KeyError("/srv/secret")

    monkeypatch.setattr(Service, "evaluate", failing)
    with pytest.raises(AppError, match="the log of the server says why") as error:
        predict(url_of(server), samples(RIGHT), selective_evaluate="BigCodeBench/0")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"subset": "hard"}, "this server does not offer the subset 'hard'"),
        ({"split": "all"}, "split must be one of complete, instruct, not 'all'"),
        ({"pass_k": "ten"}, "pass_k must be numbers"),
        ({"min_time_limit": 6}, "min_time_limit is 6, and this server allows at most 5"),
        ({}, "Missing problems in samples"),
    ],
)
def test_refusals(server, samples, parameters, message):
    """A parameter that can't be honoured, and a file that is not complete, are errors with a reason."""
    with pytest.raises(AppError, match=message):
        predict(url_of(server), samples(RIGHT), **parameters)


def test_a_server_without_problems(samples):
    """A server that offers no problems says what its owner can do."""
    with serving() as server, pytest.raises(AppError, match="its owner can add --benchmark bigcodebench=FILE"):
        predict(url_of(server), samples(RIGHT))


def test_a_full_queue(source, samples):
    """A call with more programs than the queue holds takes places as they become free."""
    with serving(benchmarks=(source,), max_queue=1, options={"num_workers": 1}) as server:
        chosen = "BigCodeBench/0,BigCodeBench/1"
        urls, files = [url_of(server)] * 2, [samples(RIGHT, WRONG)] * 2
        with concurrent.futures.ThreadPoolExecutor(2) as threads:
            answers = list(threads.map(lambda url, file: predict(url, file, selective_evaluate=chosen), urls, files))
        assert [statuses_of(results) for results, _ in answers] == [[["pass"], ["fail"]]] * 2


def test_a_token(source, samples):
    """The client sends the password of its URL as the token. Without it, it learns nothing."""
    with serving(benchmarks=(source,), tokens={"team": "s" * 32}) as server:
        url = url_of(server)
        with pytest.raises(AuthenticationError):
            predict(url, samples(RIGHT))
        named = url.replace("http://", f"http://any:{'s' * 32}@")
        results, _ = predict(named, samples(RIGHT), selective_evaluate="BigCodeBench/0")
        assert statuses_of(results) == [["pass"]]


def test_a_large_file(source, samples):
    """A file that is larger than a request may be is not sent, and a server that gets it refuses it."""
    with serving(benchmarks=(source,), max_body_mb=1) as server:
        file = samples("#" * (1 << 20))
        with pytest.raises(ValueError, match="exceeds the maximum file size"):
            predict(url_of(server), file)
        assert server.post("/gradio_api/upload", files={"files": file.read_bytes()}).status_code == 413


def test_several_processes(source, samples):
    """A server of several processes says that the call needs one."""
    with serving(benchmarks=(source,), processes=2) as server, pytest.raises(ValidationError, match="--processes"):
        predict(url_of(server), samples(RIGHT))


def upload(server, content=b"", name="x.jsonl"):
    """Upload a file, and return its path."""
    [path] = server.post("/gradio_api/upload", files={"files": (name, content)}).json()
    return path


def join(server, path, session="s", **values):
    """Send the parameters of a call, and return the answer."""
    given = {"split": "complete", "subset": "full", "samples": {"path": path}, **values}
    data = [given.get(name, default) for name, default in gradio.PARAMETERS.items()]
    return server.post("/gradio_api/queue/join", json={"data": data, "session_hash": session})


def test_names_of_files(left_behind):
    """The name of a file has no folder, and nothing that could be more than a name."""
    assert upload(left_behind, name="../../etc/m.jsonl").endswith("/m.jsonl")
    assert upload(left_behind, name="a\r\nb;c<d>.jsonl").partition("/")[2].isascii()
    assert len(upload(left_behind, name="x" * 10_000)) < 300


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "", "http://127.0.0.1/x"])
def test_other_files(server, path):
    """A path that the server has not given out is no file."""
    answer = join(server, path)
    assert (answer.status_code, "no longer here" in answer.text) == (422, True)


def test_a_call_is_made_once(left_behind):
    """A file is good for one call, and a session that has no call has no events."""
    path = upload(left_behind)
    assert join(left_behind, path, "once").status_code == 200
    assert join(left_behind, path, "twice").status_code == 422
    events = left_behind.get("/gradio_api/queue/data", params={"session_hash": "twice"}).text
    assert "close_stream" in events
    assert "process_completed" not in events


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'{"data": []}',
        b"[" * 100_000,
        b"[" + b"[]," * 400_000 + b"1]",
        b'{"session_hash": "s", "data": "0123456789abc"}',
        b'{"session_hash": "", "data": [1, 1, {"path": "x"}, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}',
    ],
)
def test_other_calls(server, body):
    """A request of another shape is refused with a reason."""
    answer = server.post("/gradio_api/queue/join", content=body)
    assert (answer.status_code, answer.json()["detail"][0]["is_valid"]) == (422, False)


def test_an_upload_without_a_file(server):
    """A form without a file, or with several, is refused."""
    assert server.post("/gradio_api/upload", data={"files": "text"}).status_code in (400, 422)
    two = [("files", ("a", b"1")), ("files", ("b", b"2"))]
    assert server.post("/gradio_api/upload", files=two).status_code == 400
    assert server.post("/gradio_api/upload", content=b"x").status_code == 422


def test_a_client_that_goes_away(server, samples):
    """Programs end when their client closes the stream, and the call's place is free again."""
    path = upload(server, samples(HANGING).read_bytes())
    assert join(server, path, "gone", selective_evaluate="BigCodeBench/0", no_gt=True).status_code == 200

    def is_running():
        return "\ncode_eval_running 1.0\n" in server.get("/metrics").text

    with server.stream("GET", "/gradio_api/queue/data", params={"session_hash": "gone"}) as events:
        lines = events.iter_lines()
        assert "process_starts" in next(lines)
        assert wait_until(is_running, SECONDS)
    assert wait_until(lambda: not is_running(), 4)


def test_clients_at_once(server, samples):
    """Calls of several clients get their own answers."""
    files = {}
    for number in range(6):
        path = samples(*[RIGHT if each == number else WRONG for each in range(6)])
        files[number] = path.rename(path.with_name(f"m{number}--bigcodebench-x.jsonl"))
    chosen = [f"BigCodeBench/{number}" for number in range(6)]
    with concurrent.futures.ThreadPoolExecutor(6) as threads:
        answers = list(
            threads.map(lambda file: predict(url_of(server), file, selective_evaluate=chosen), files.values())
        )
    for number, (results, pass_at_k) in enumerate(answers):
        assert pass_at_k["model"] == f"m{number}"
        assert statuses_of(results) == [["pass"] if each == number else ["fail"] for each in range(6)]


def test_two_calls_of_one_client(server, samples):
    """A client may make a call while another of its calls runs."""
    client = Client(url_of(server), verbose=False, analytics_enabled=False)
    file, jobs = handle_file(samples(RIGHT)), []
    for _ in range(2):
        more = {"samples": file, "selective_evaluate": "BigCodeBench/0", "api_name": "/predict"}
        jobs.append(client.submit(split="complete", subset="full", **more))
    assert [statuses_of(job.result(SECONDS)[0]) for job in jobs] == [[["pass"]]] * 2
    client.close()


class Clock:
    """A clock that a test sets."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


def test_places_of_calls():
    """A client has half of the places, and an abandoned call gives its place back."""
    clock = Clock()
    calls = PendingCalls(clock)
    for _ in range(MAX_CALLS // 2):
        calls.add("greedy", "x", b"")
    with pytest.raises(QueueFull):
        calls.add("greedy", "x", b"")
    calls.add("other", "x", b"")
    clock.seconds = STEP_SECONDS + 1
    for _ in range(MAX_CALLS // 2):
        calls.add("greedy", "x", b"")


def test_calls_belong_to_their_client():
    """Another client finds neither the file nor the events of a call."""
    calls = PendingCalls()
    call = calls.add("mine", "x", b"")
    assert calls.take("mine", "") is None
    assert calls.join("other", call.path, "s", {}) is None
    assert calls.join("mine", call.path, "s", {}) is call
    assert calls.take("other", "s") is None
    assert calls.take("mine", "s") is call
    assert calls.take("mine", "s") is None
