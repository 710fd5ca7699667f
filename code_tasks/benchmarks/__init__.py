"""Published benchmarks: how their problems and samples are read, and judged as by their own graders."""

from code_tasks.benchmarks.benchmark import Benchmark, LoadedBenchmark
from code_tasks.benchmarks.registry import BENCHMARKS, load_benchmark, load_source

__all__ = ["BENCHMARKS", "Benchmark", "LoadedBenchmark", "load_benchmark", "load_source"]
