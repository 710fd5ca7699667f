"""The order of our modules by their imports, and the tests that have to run again after a change.

`python tests/support/layers.py COMMIT` prints the folders of tests that what has changed since a commit can reach. CI
leaves the others out.
"""

import subprocess
import sys
from pathlib import Path

LAYERS = (
    # Runs inside every sandbox.
    "sandboxes.guest.common",
    "sandboxes.guest.isolation",
    "sandboxes.guest.runners",
    "sandboxes.guest.remote",
    "sandboxes.guest.forkserver",
    "sandboxes.guest.sessions",
    "sandboxes.guest.supervisor",
    "sandboxes.guest",
    "sandboxes.restricted_policy.name_rules",
    "sandboxes.restricted_policy.transform",
    "sandboxes.restricted_policy.runtime",
    "sandboxes.restricted_policy",
    # The host: data and small helpers.
    "sandboxes._version",
    "sandboxes.events",
    "sandboxes.consent",
    "sandboxes.imports",
    "sandboxes.separable_names",
    "sandboxes.separable_tests",
    "sandboxes.grading",
    "sandboxes.validation",
    "sandboxes.private_process",
    "sandboxes.errors",
    "sandboxes.outcome_labels",
    "sandboxes.contract",
    "sandboxes.extraction",
    "sandboxes.process_result",
    "sandboxes.sessions.limits",
    "sandboxes.pass_at_k",
    # The host: from one guest to the seam.
    "sandboxes.workers",
    "sandboxes.backends.import_paths",
    "sandboxes.backends.confinement",
    "sandboxes.backends.host_state",
    "sandboxes.backends.local_process",
    "sandboxes.backends.docker",
    "sandboxes.backends",
    "sandboxes.metering",
    "sandboxes.runner",
    "sandboxes.languages",
    "sandboxes.pool",
    "sandboxes.cluster",
    "sandboxes.tasks",
    "sandboxes.reuse",
    "sandboxes.options",
    "sandboxes.config",
    "sandboxes.sessions",
    "sandboxes.warm_pools",
    "sandboxes.raw_runs",
    "sandboxes.blocking_evaluator",
    "sandboxes.evaluator",
    "sandboxes.available_languages",
    "sandboxes",
    # Evaluations on top.
    "code_tasks.benchmarks",
    "code_tasks.scoring",
    "code_tasks.audit",
    "code_tasks.solvers.interface",
    "code_tasks.solvers.attempts",
    "code_tasks.solvers.estimates",
    "code_tasks.solvers.summary",
    "code_tasks.solvers.models",
    "code_tasks.solvers.record",
    "code_tasks.solvers",
    "code_tasks.execution",
    "code_tasks.correctness",
    "code_tasks.reports",
    "code_tasks.adapters",
    "code_tasks.server.settings",
    "code_tasks.server.tokens",
    "code_tasks.server.json_answers",
    "code_tasks.server.errors",
    "code_tasks.server.auth",
    "code_tasks.server.request_bodies",
    "code_tasks.server.metrics",
    "code_tasks.server.queue_places",
    "code_tasks.server.pending_calls",
    "code_tasks.server.request_values",
    "code_tasks.server.evaluation_request",
    "code_tasks.server.assembled_task",
    "code_tasks.server.service",
    "code_tasks.server.raw_request",
    "code_tasks.server.documentation",
    "code_tasks.server.protocols",
    "code_tasks.server.session_places",
    "code_tasks.server.request_state",
    "code_tasks.server.owner_limits",
    "code_tasks.server.foreign",
    "code_tasks.server.endpoints",
    "code_tasks.server",
    "code_tasks.cli",
    "code_tasks",
    # The Gradio app.
    "space.settings",
    "space.errors",
    "space.available_sandboxes",
    "space.service_requests",
    "space.background_run",
    "space.available_languages",
    "space.uploads",
    "space.time_outs",
    "space.remote_evaluation",
    "space.service",
    "space.hosting",
    "space.api",
    "space.ui",
    "space",
)
"""From bottom to top. A module belongs to the longest entry that it begins with, and may import its own entry and those
above it in this list."""

TESTS = Path(__file__).parents[1]
EVERYTHING, DOCUMENTS = -1, len(LAYERS)
TESTED = {
    **dict.fromkeys(("adapters", "integrations"), "code_tasks.adapters"),
    **dict.fromkeys(("cli", "metric"), "code_tasks.cli"),
    **dict.fromkeys(("audit", "benchmarks", "correctness", "execution", "reports", "scoring", "server", "solvers"), ""),
    "space": "space",
}
"""The highest layer that a folder's tests use; "" for that of the folder's name in code_tasks. The folders of the
documents are above all layers, and all others use all of `sandboxes`."""

OF_DOCUMENTS = ("docs", "repository")
"""The folders whose tests read documents and the repository itself."""

ROOT_MODULES = {"app.py": "space", "code_eval.py": "sandboxes", "code_correctness.py": "sandboxes"}
"""The layer above which a file of the top folder counts."""

# What every verdict depends on, and what decides how tests run.
REACHES_ALL = ("sandboxes/guest/", "sandboxes/backends/", "sandboxes/options/", "tests/support/")


def layer(module):
    """Return the position in LAYERS of the entry that a module belongs to."""
    entries = [entry for entry in LAYERS if module == entry or module.startswith(f"{entry}.")]
    return LAYERS.index(max(entries, key=len))


def level_of_tests(folder):
    """Return the position of the highest layer that the tests of a folder use."""
    if folder in OF_DOCUMENTS:
        return DOCUMENTS
    return LAYERS.index(TESTED.get(folder, "sandboxes") or f"code_tasks.{folder}")


def level_of_change(path):
    """Return the position of the layer that a changed file belongs to: EVERYTHING if any test may depend on it."""
    top, _, rest = path.partition("/")
    if path.startswith(REACHES_ALL):
        return EVERYTHING
    if path in ROOT_MODULES:
        return LAYERS.index(ROOT_MODULES[path])
    if top in ("sandboxes", "code_tasks", "space"):
        return layer(path.removesuffix(".py").replace("/", "."))
    if top in ("docs", "examples", "images", "performance", "mkdocs.yml", "LICENSE") or path.endswith(".md"):
        return DOCUMENTS
    # The folder's tests alone, which `reached_folders` adds.
    return DOCUMENTS if top == "tests" and "/" in rest else EVERYTHING


def reached_folders(paths):
    """Return the folders of tests that changed files can reach, in order.

    Args:
        paths: of the files, relative to the project's folder.
    """
    lowest = min(map(level_of_change, paths), default=DOCUMENTS)
    own = {path.split("/")[1] for path in paths if path.startswith("tests/")}
    folders = sorted({path.parent.relative_to(TESTS).parts[0] for path in TESTS.glob("*/**/test_*.py")})
    return [folder for folder in folders if level_of_tests(folder) >= lowest or folder in own or folder in OF_DOCUMENTS]


def changed_since(commit):
    """Return the files that differ from a commit."""
    command = ["git", "diff", "--name-only", "--no-renames", "-z", commit]
    return subprocess.check_output(command, cwd=TESTS.parent, text=True).split("\0")[:-1]


if __name__ == "__main__":
    print(*reached_folders(changed_since(sys.argv[1])))  # noqa: T201 (for the shell)
