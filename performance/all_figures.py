"""Makes all published figures: runs each script of this folder, and writes one report with the date and the machine.

    python performance/all_figures.py DATA FOLDER [--docker-image IMAGE] [--short]

DATA is the folder with HumanEval.jsonl.gz, humaneval_x_LANGUAGE.jsonl.gz and benchmarks/humanevalpack_LANGUAGE.jsonl.
Writes FOLDER/report.md, and beside it the JSON files of the scripts that write one. Ends with status 1 if a script
failed; the report then says which.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from sandboxes.pool.cpus import usable_cpus
from workload import add_short

HERE = Path(__file__).resolve().parent
Command = list[str | Path]


def commands(data: Path, folder: Path, image: str | None, short: bool) -> list[Command]:
    """Return each script with its arguments. A script that reads the figures of another one comes later."""
    humaneval, ray = data / "HumanEval.jsonl.gz", folder / "ray.json"
    containers: Command = ["--docker-image", image] if image else []
    # (script and its files, options of the full form, options of the short form)
    table: list[tuple[Command, str, str]] = [
        (
            ["throughput.py", humaneval, "--output", folder / "rounds.json", *containers],
            "--rounds 5",
            "--short --rounds 1",
        ),
        (["program_costs.py"], "", "--short --rounds 1"),
        (["interpreters.py", humaneval], "", "--short --rounds 1"),
        (["cache.py", humaneval, "--output", folder / "cache.json"], "", "--short --candidates 10"),
        (["memory.py", humaneval, "--output", folder / "memory.json"], "", "--short"),
        (["cold_start.py"], "", "--short"),
        (["cases.py"], "", "--short --rounds 1"),
        (["humaneval_x.py", data], "", "--short"),
        (["quick_builds.py", data], "", "--short --rounds 1"),
        (["restricted_humaneval.py", humaneval], "", "--short"),
        (["solver_overhead.py"], "", "--tasks 20 --rounds 1"),
        (["ray_overhead.py", humaneval, "--output", ray], "--rounds 5", "--short --rounds 1 --copies 2"),
        (["cluster_model.py", ray], "", ""),
        (["sessions.py"], "", "--short"),
        (["soak.py"], "", "--programs 40 --rounds 2 --workers 2"),
        (["cluster_soak.py"], "--minutes 5", "--minutes 0 --programs 60"),
        (["server_load.py"], "", "--requests 60 --rounds 2 --clients 8 --workers 2"),
    ]
    return [[*command, *(brief if short else full).split()] for command, full, brief in table]


def conditions() -> dict[str, str]:
    """Return the date and the conditions that figures depend on, by name."""
    cpuinfo = Path("/proc/cpuinfo")
    model = re.search(r"^model name\s*: (.*)", cpuinfo.read_text() if cpuinfo.exists() else "", re.MULTILINE)
    describe = ["git", "-C", str(HERE), "describe", "--always", "--dirty", "--abbrev=12"]
    commit = subprocess.run(describe, capture_output=True, text=True).stdout.strip() if shutil.which("git") else ""
    return {
        "date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC",
        "commit": commit or "unknown",
        "CPU": model[1] if model else platform.processor() or platform.machine(),
        "cores": f"{os.cpu_count()}, of which {usable_cpus()} may be used",
        "load before": "{:.2f}, {:.2f} and {:.2f} in the last 1, 5 and 15 minutes".format(*os.getloadavg()),
        "kernel": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
    }


def section(command: Command) -> tuple[bool, str]:
    """Run a script, and return (whether it succeeded, its section of the report)."""
    script, *arguments = command
    began = time.monotonic()
    done = subprocess.run([sys.executable, HERE / script, *arguments], capture_output=True, text=True)
    status = f"status {done.returncode} after {time.monotonic() - began:.0f} s"
    print(f"{script}: {status}", flush=True)
    shown = " ".join(argument.name if isinstance(argument, Path) else argument for argument in arguments)
    output = (done.stdout if done.returncode == 0 else f"{done.stdout}\n{done.stderr}").strip("\n")
    title = f"## {script}\n\n`python performance/{script} {shown}`".replace(" `", "`")
    return done.returncode == 0, f"{title}: {status}\n\n```text\n{output}\n```\n"


def main() -> None:
    """Run the scripts one after the other, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path, help="for the report and the JSON files")
    parser.add_argument("--docker-image", help="measure containers of this image too")
    add_short(parser)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    table = "".join(f"| {name} | {value} |\n" for name, value in conditions().items())
    ran = [section(command) for command in commands(options.data, options.folder, options.docker_image, options.short)]
    report = "\n".join(["# Figures\n", f"| | |\n|---|---|\n{table}", *(text for _, text in ran)])
    (options.folder / "report.md").write_text(report, encoding="utf-8")
    sys.exit(0 if all(is_right for is_right, _ in ran) else 1)


if __name__ == "__main__":
    main()
