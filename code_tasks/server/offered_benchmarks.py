"""The benchmarks whose problems a server offers, by the ids under which clients know them."""

from __future__ import annotations

from collections.abc import Iterable

from code_tasks.benchmarks import LoadedBenchmark, load_source
from sandboxes import Sandbox

FUSION_IDS = {
    "humaneval_python": "humaneval",
    "mbpp": "mbpp",
    "live_code_bench_v1": "livecodebench",
    "code_contests": "codecontests",
    "bigcodebench": "bigcodebench",
    "evoeval": "evoeval",
    "mhpp": "mhpp",
}
"""SandboxFusion's ids of datasets, with our names of the benchmarks."""


def load_offered(sources: Iterable[str], sandbox: Sandbox) -> dict[str, LoadedBenchmark]:
    """Return benchmarks by id. Each is there under our name, and under SandboxFusion's if that has one.

    Args:
        sources: NAME=FILE, or NAME alone for the dataset on the Hub.
        sandbox: of the server.

    Raises:
        ValueError: if there is no such benchmark, its problems can't be read, or the sandbox can't run it.
    """
    offered: dict[str, LoadedBenchmark] = {}
    for source in sources:
        loaded = load_source(source)
        loaded.benchmark.check_sandbox(sandbox)
        name = loaded.benchmark.name
        offered[name] = loaded
        offered |= {own: loaded for own, ours in FUSION_IDS.items() if ours == name}
    return offered
