"""Scores published samples beside their published scores: python tests/agreement/published_scores.py FOLDER.

FOLDER holds clones, bare or not, of the repositories that SOURCES names, as OWNER+NAME or OWNER+NAME/repo. The problems
are EvalPlus's own releases. Nothing of the repositories but their data is used.
"""

import argparse
import gzip
import io
import json
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

HUMANEVAL = "evalplus/humanevalplus_release"


@dataclass(frozen=True)
class Source:
    """Published samples of a model."""

    model: str
    benchmark: str
    problems: tuple[str, str]
    """(repository, tag) of the problems, whose file is the first that ends with Plus.jsonl.gz."""

    samples: tuple[str, str, str]
    """(repository, commit, path): an archive of folders, or EvalPlus's results with the solutions."""

    base: float
    plus: float
    """The published scores in percent, with one decimal."""

    uncounted: frozenset = frozenset()
    """Problems that EvalPlus's release of that time passes for nobody."""


SOURCES = (
    Source(
        "Llama-3.1-70B-Instruct",
        "humanevalplus",
        (HUMANEVAL, "v0.1.10"),
        (
            "xwuShirley/evalplus-internal",
            "66b8b049cafe2942944a4168beff622603d1fed3",
            "evalplus/results-70b/eval_llama31_1/humaneval/meta-llama--Meta-Llama-3.1-70B-Instruct_vllm_temp_0.0_eval_results.json",
        ),
        76.2,
        68.3,
    ),
    Source(
        "AIGCodeGeek-DS-6.7B",
        "humanevalplus",
        (HUMANEVAL, "v0.1.9"),
        ("AIGCode-net/aigcodegeek_evalplus", "HEAD", "generations/humaneval.tar.gz"),
        82.3,
        76.2,
        frozenset({"HumanEval/32"}),
    ),
)


class Clones:
    """The repositories of a folder."""

    def __init__(self, folder):
        """Look for nothing yet."""
        self.folder = Path(folder)

    def git(self, repository, *arguments):
        """Return what git prints about a repository."""
        path = self.folder / repository.replace("/", "+")
        path = path / "repo" if (path / "repo").is_dir() else path
        return subprocess.run(["git", "-C", path, *arguments], check=True, capture_output=True).stdout

    def file(self, repository, revision, path):
        """Return the content of a file."""
        return self.git(repository, "show", f"{revision}:{path}")

    def write_problems(self, repository, tag, path):
        """Write EvalPlus's problems of a release to a file."""
        names = self.git(repository, "ls-tree", "--name-only", tag).decode().split()
        [name] = [name for name in names if name.endswith("Plus.jsonl.gz")]
        path.write_bytes(gzip.decompress(self.file(repository, tag, name)))

    def samples(self, repository, revision, path):
        """Return ({task_id: solution}, {task_id: (base passed, plus passed)}); the second is empty if it is unknown."""
        content = self.file(repository, revision, path)
        if path.endswith(".json"):
            results = {name: each[0] for name, each in json.loads(content)["eval"].items()}
            statuses = {
                name: (each["base_status"] == "pass", each["plus_status"] == "pass") for name, each in results.items()
            }
            return {name: each["solution"] for name, each in results.items()}, statuses
        found = {}
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for member in archive:
                if member.name.endswith(".py"):
                    found[Path(member.name).parent.name.replace("_", "/")] = archive.extractfile(member).read().decode()
        return found, {}


def statuses_of(source, problems, solutions):
    """Return {task_id: (base passed, plus passed)} by the verdicts of `code-eval run`."""
    samples, output = problems.with_name("samples.jsonl"), problems.with_name("results.jsonl")
    records = [{"task_id": name, "solution": text} for name, text in solutions.items()]
    samples.write_text("".join(json.dumps(each) + "\n" for each in records))
    command = [sys.executable, "-m", "code_tasks.cli", "run", samples, "--problems", problems]
    command += ["--benchmark", source.benchmark, "--output", output, "--no-progress"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    found = {}
    for line in output.read_text().splitlines():
        result = json.loads(line)
        if "task_id" in result:
            passed = {test["name"] for test in result["tests"] if test["outcome"] == "passed"}
            found[result["task_id"]] = "test_base" in passed, "test_plus" in passed
    return found


def percent(statuses, index):
    """Return the share of problems that pass the base inputs (0), or these and the plus inputs (1)."""
    return round(100 * sum(all(each[: index + 1]) for each in statuses.values()) / len(statuses), 1)


def main():
    """Print a line for each source. The status is 1 if a score is another than the published one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    clones = Clones(parser.parse_args().folder)
    is_equal = True
    for source in SOURCES:
        solutions, published = clones.samples(*source.samples)
        with tempfile.TemporaryDirectory() as folder:
            problems = Path(folder) / "problems.jsonl"
            clones.write_problems(*source.problems, problems)
            own = statuses_of(source, problems, solutions)
        own.update(dict.fromkeys(source.uncounted, (False, False)))
        different = [name for name in published if published[name] != own[name]]
        scores = percent(own, 0), percent(own, 1)
        is_equal &= scores == (source.base, source.plus) and not different
        sys.stdout.write(
            f"{source.model} {source.benchmark}: published {source.base} and {source.plus}, here {scores[0]} and "
            f"{scores[1]}; of {len(published)} published verdicts {len(different)} differ {' '.join(different)}\n"
        )
    return 0 if is_equal else 1


if __name__ == "__main__":
    sys.exit(main())
