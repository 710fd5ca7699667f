"""Helpers for tests of the Space's endpoints: clients, programs and raw requests."""

import contextlib
import json
import uuid
from pathlib import Path

from gradio_client import Client

from support.metric_and_command import ROOT

EXAMPLES = ROOT / "examples"


@contextlib.contextmanager
def client_of(server):
    """Yield a client of a server, as a visitor has one."""
    client = Client(server.url, verbose=False, analytics_enabled=False)
    try:
        yield client
    finally:
        client.close()


def evaluate(client, candidates, tests="assert True", **choices):
    """Return the last answer of /evaluate for the candidates of one task."""
    return client.predict([candidates], [tests], api_name="/evaluate", **choices)


def outcomes_of(answer):
    """Return the outcome of each candidate; None for a candidate without a result."""
    return [result and result["outcome"] for result in answer["results"]]


def samples_file(folder, *completions, problem):
    """Write a file of samples and a file of their problem, and return both paths."""
    samples = [{"task_id": problem["task_id"], "completion": each} for each in completions]
    paths = []
    for name, records in (("samples", samples), ("problems", [problem])):
        paths.append(folder / f"{name}.jsonl")
        paths[-1].write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return paths


class Marked:
    """A long-running program that can be found among this machine's processes."""

    def __init__(self, then="time.sleep(60)"):
        # The kernel keeps 15 characters.
        self.name = f"ce{uuid.uuid4().hex[:12]}"
        self.source = f"import ctypes, time\nctypes.CDLL(None).prctl(15, b{self.name!r}, 0, 0, 0)\n{then}\n"

    def runs(self):
        """Return whether a process of the program exists."""
        for file in Path("/proc").glob("[0-9]*/comm"):
            with contextlib.suppress(OSError):
                if file.read_text().strip() == self.name:
                    return True
        return False


class Raw:
    """The Space without a client of Gradio, for requests that anybody can send."""

    def __init__(self, server, http):
        self.api, self.http = f"{server.url}/gradio_api", http
        config = self.http.get(f"{server.url}/config").json()
        self.events = {each["api_name"]: each for each in config["dependencies"]}
        self.values = {each["id"]: each["props"].get("value") for each in config["components"]}

    def post(self, path, **body):
        """Send a request, and return the answer."""
        return self.http.post(f"{self.api}/{path}", json=body)

    def arguments(self, name, source):
        """Return the arguments of an event that runs programs, with this candidate among them."""
        if name == "evaluate":
            return [[[source] * 4], ["assert True"], None, "auto", None, 10, 256, "python", "auto"]
        values = [self.values[each] for each in self.events[name]["inputs"]]
        # The number of editors, which the server knows; their texts; the tests; how to run them.
        return [None, source, *[""] * 7, "assert True", *values[10:]]

    def join(self, name, source, session=None):
        """Start an event, and return (session, event)."""
        session = uuid.uuid4().hex if session is None else session
        answer = self.post(
            "queue/join",
            data=self.arguments(name, source),
            fn_index=self.events[name]["id"],
            session_hash=session,
        )
        return session, answer.json()["event_id"]

    @contextlib.contextmanager
    def listening(self, path, **parameters):
        """Yield the lines of a stream, until the block is left."""
        with self.http.stream("GET", f"{self.api}/{path}", params=parameters) as stream:
            yield stream.iter_lines()
