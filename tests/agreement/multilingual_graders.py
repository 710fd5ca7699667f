"""Official graders of the benchmarks in several languages, as `official_grader.py` calls them.

Their limits are longer here, for a machine that does other work too, because they start compilers.
"""

import functools
import importlib
import importlib.util
import os
import subprocess
import sys
import types
from pathlib import Path

from function_graders import load_harness
from stand_ins import package

LONGER = 20
"""The factor of the limits."""

DEBIAN_GO = {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode"}
"""The environment in which Go finds Debian's packages. Testify is among them."""

DEBIAN_TUPLES = "/usr/share/java/javatuples.jar"
"""The library that MultiPL-E's Java programs import, in Debian's package libjavatuples-java."""

DEBIAN_CRATES = """\
[source.crates-io]
replace-with = "debian"

[source.debian]
directory = "/usr/share/cargo/registry"
"""
CRATES = """\
[package]
name = "rust"
version = "0.1.0"
edition = "2021"

[dependencies]
rand = "*"
regex = "1"
md5 = "0.7.0"
"""
"""The project of HumanEvalPack's Rust programs, with the version of rand that Debian has."""


def run_longer(run, command, timeout_seconds=15, **options):
    """Run a command of MultiPL-E's scripts."""
    if "CLASSPATH" in (options.get("env") or {}):
        options["env"]["CLASSPATH"] = DEBIAN_TUPLES
    return run(command, timeout_seconds * LONGER, **options)


def lengthen_limits():
    """Make `subprocess.run` give commands more time."""
    run = subprocess.run
    subprocess.run = lambda *words, timeout=None, **options: run(
        *words, timeout=timeout and LONGER * timeout, **options
    )


def load_multipl_e(folder):
    """Import MultiPL-E's scripts."""
    sys.path.insert(0, os.path.join(folder, "bigcode_eval/tasks/custom_metrics"))
    lengthen_limits()
    module = importlib.import_module("multiple_metrics.containerized_eval")
    for name in ("cpp", "java", "python", "sh", "ts"):
        each = importlib.import_module(f"multiple_metrics.eval_{name}")
        each.run = functools.partial(run_longer, each.run)
    return module


def grade_multipl_e(module, record, candidate):
    """Return whether MultiPL-E's script passes a completion."""
    program = f"{record['prompt']}{candidate}\n{record['tests']}"
    result = module.eval_string_script(record["language"], program)
    return result["status"] == "OK" and result["exit_code"] == 0


def load_humaneval_x(folder):
    """Import the script of HumanEval-X."""
    package(folder, "codegeex", "codegeex")
    os.environ.update(DEBIAN_GO)
    for name, member in (("fire", "Fire"), ("regex", "findall"), ("codegeex.data.data_utils", "stream_jsonl")):
        sys.modules[name] = types.ModuleType(name)
        setattr(sys.modules[name], member, None)
    sys.modules["codegeex.data"] = types.ModuleType("codegeex.data")
    sys.modules["codegeex.data.data_utils"].LANGUAGE_TAG = {}
    return importlib.import_module("codegeex.benchmark.evaluate_humaneval_x")


def grade_humaneval_x(module, record, candidate):
    """Return whether HumanEval-X's script passes a completion."""
    sample = {**record, "generation": candidate}
    sample["test_code"] = module.process_humaneval_test(sample, {record["task_id"]: record})
    language = {"javascript": "js"}.get(name := record["task_id"].partition("/")[0].lower(), name)
    folder = os.path.join(os.getcwd(), "tmp")
    return module.check_correctness(record["task_id"], sample, language, 5 * LONGER, folder, 0)["passed"]


def load_humanevalpack(folder):
    """Import the task HumanEvalPack of bigcode-evaluation-harness, and its metric, which stands beside it."""
    # The metric imports it before it takes functions away that an import of it needs.
    importlib.import_module("numpy")
    os.environ.update(DEBIAN_GO)
    Path(".cargo").mkdir()
    Path(".cargo", "config.toml").write_text(DEBIAN_CRATES, encoding="utf-8")
    path = os.path.join(folder, "code_eval_octopack", "execute.py")
    spec = importlib.util.spec_from_file_location("code_eval_octopack", path)
    metric = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(metric)
    lengthen_limits()
    metric.unsafe_execute_js = execute_javascript
    task = load_harness(os.path.join(os.path.dirname(folder), "multipl-e"), "humanevalpack")
    return task, metric


def execute_javascript(program, result, timeout):
    """Run a JavaScript program as the published metric does: it fails if it writes anything.

    The repository that has the metric has changed this for a benchmark of its own.
    """
    Path("test.js").write_text(program, encoding="utf-8")
    done = subprocess.run(["node", "test.js"], timeout=timeout, capture_output=True, check=False)
    result.append("failed" if done.stderr or done.stdout else "passed")


class Records(list):
    """The dataset of one record, as the task asks for it."""

    def select(self, numbers):
        """Return the records."""
        return self


def grade_humanevalpack(module, record, candidate):
    """Return whether the metric passes the program that the task makes of a completion."""
    tasks, metric = module
    name = record["task_id"].partition("/")[0].lower()
    task = object.__new__(tasks.HumanEvalPackGenerative)
    task.DATASET_NAME = {"javascript": "js", "c++": "cpp"}.get(name, name)
    task.prompt, task.get_dataset = "instruct", lambda: Records([record])
    passed = []

    def compute(references, predictions, language, timeout, num_workers):
        program = predictions[0][0] + "\n" + references[0]
        passed.append(metric.check_correctness(program, LONGER * timeout, 0, 0, language, CRATES)["passed"])
        return None, {}

    tasks.load = lambda _: types.SimpleNamespace(compute=compute)
    task.process_results([[record["prompt"] + candidate]], [task.get_reference(record)])
    return passed == [True]


GRADERS = {
    "multipl-e": (load_multipl_e, grade_multipl_e),
    "humaneval-x": (load_humaneval_x, grade_humaneval_x),
    "humanevalpack": (load_humanevalpack, grade_humanevalpack),
}
