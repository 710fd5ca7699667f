"""The calls of bigcode-evaluation-harness to the metric `code_eval_octopack` work on this one as they are."""

import json

import pytest

from sandboxes import SandboxUnavailable
from sandboxes.languages.compilers import rust_crates
from support.humanevalpack_records import RECORDS
from support.languages import require_languages
from support.metric_and_command import load_metric

pytestmark = [pytest.mark.slow, pytest.mark.languages, pytest.mark.filterwarnings("ignore:pass@10")]

TIMEOUTS = {"python": 10, "cpp": 60, "js": 10, "java": 10, "go": 20, "rust": 300}
"""Seconds that the harness gives each language."""

ENDLESS = {
    "python": "    import time\n    time.sleep(1000)\n",
    "js": "  while (true) {}\n}\n",
    "java": "        while (true) {}\n    }\n}",
    "go": "    for math.Abs(1) > 0 {\n    }\n    return 0\n}\n",
    "cpp": "    while (true) { a++; }\n}\n",
    "rust": "    loop {}\n}\n",
}
EARLY = {
    "python": "    import os\n    os._exit(0)\n",
    "js": "  process.exit(0)\n}\n",
    "java": "        System.exit(0);\n        return 0;\n    }\n}",
    "go": "    os.Exit(int(math.Abs(0)))\n    return 0\n}\n",
    "cpp": "    exit(0);\n}\n",
    "rust": "    std::process::exit(0)\n}\n",
}
"""Bodies that end their process with status 0 before the first test."""


def programs(language, *bodies):
    """Return the programs of bodies, as the harness hands them to its metric."""
    record = RECORDS[language]
    head = {"go": record.get("test_setup", ""), "cpp": "using namespace std;\n#include<stdlib.h>\n"}.get(language, "")
    if language == "go":
        # The harness adds packages that a body uses.
        return [head + ('import "os"\n' if "os." in body else "") + record["prompt"] + body for body in bodies]
    return [head + record["prompt"] + body for body in bodies]


def compute(language, bodies, **changes):
    """Call the metric as the harness does, and return (pass@k, its logs)."""
    given = {
        "references": ["\n" + RECORDS[language]["test"]],
        "predictions": [programs(language, *bodies)],
        "language": "javascript" if language == "js" else language,
        "timeout": TIMEOUTS[language],
        "num_workers": 1 if language in ("java", "rust") else 4,
    }
    require_languages(language)
    return load_metric().compute(**given | changes)


@pytest.fixture(autouse=True)
def consent(monkeypatch):
    """Allow programs to run."""
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")


@pytest.mark.parametrize("language", RECORDS)
def test_languages(language):
    """The solution passes, and the buggy one and one that ends early fail, in each language. Logs are JSON."""
    record = RECORDS[language]
    bodies = record["canonical_solution"], record["buggy_solution"], EARLY[language]
    pass_at_k, logs = compute(language, bodies)
    assert [result["passed"] for _, result in logs[0]] == [True, False, False], logs
    assert pass_at_k == {"pass@1": pytest.approx(1 / 3)}
    assert json.loads(json.dumps(logs))["0"][0][1]["result"] == "passed"


@pytest.mark.parametrize("language", RECORDS)
def test_time_outs(language):
    """A program that does not end has timed out, in the texts of the metric."""
    _, logs = compute(language, [ENDLESS[language]], timeout=1)
    assert logs[0][0][1]["result"] == "timed out", logs


def test_a_module_with_the_name_of_a_crate():
    """A Rust program with a module of its own named as a crate uses its module."""
    module = "mod rand {\n    pub fn three() -> i32 { 3 }\n}\nuse rand::three;\n"
    program = module + "fn add(a: i32, b: i32) -> i32 { a + three() }\n"
    _, logs = compute("rust", [], predictions=[[program]], references=["fn main() { assert_eq!(add(2, 3), 5); }"])
    assert logs[0][0][1]["passed"], logs


def test_a_crate_that_is_not_here(monkeypatch):
    """A candidate that imports a crate fails where no crate is installed. It can't end the run."""
    monkeypatch.setattr(rust_crates, "REGISTRY", "/nowhere")
    caches = rust_crates.compiled_crates, rust_crates.have_crates
    for cached in caches:
        cached.cache_clear()
    _, logs = compute("rust", [RECORDS["rust"]["canonical_solution"]])
    for cached in caches:
        cached.cache_clear()
    assert logs[0][0][1]["outcome"] == "compile_error", logs


def test_broken_sandbox():
    """A sandbox that does not work is an error, and no score."""
    with pytest.raises(SandboxUnavailable):
        load_metric().compute(
            references=["assert f() == 1"],
            predictions=[["def f(): return 1"]],
            language="python",
            timeout=10,
            num_workers=4,
            sandbox="docker",
            docker_host="unix:///nowhere.sock",
        )
