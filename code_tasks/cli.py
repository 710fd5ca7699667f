"""The `code-eval` command."""

from __future__ import annotations

import platform
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from code_tasks.correctness_cli import correctness
from code_tasks.report_cli import report
from code_tasks.results_file import check_writable, fail, write_results
from code_tasks.solve_cli import solve
from sandboxes import (
    BACKENDS,
    LAYERS,
    Limits,
    Pool,
    ProgressBar,
    SandboxUnavailable,
    Verdict,
    canaries_of,
    close_pools,
    disagreements,
    open_sandbox,
    positive,
    usable_cpus,
)
from sandboxes.docker_engine import Engine
from sandboxes.docker_images import prune as prune_docker

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Scores model-written programs: runs each in a sandbox, against its tests, and estimates pass@k.",
)

docker_app = typer.Typer(no_args_is_help=True, help="What the sandbox docker keeps at the engine.")
app.add_typer(docker_app, name="docker")
app.command()(correctness)
app.command()(solve)
app.command()(report)

DEFAULT_SANDBOX = "subprocess"
SandboxOption = Annotated[str, typer.Option(help=f"Where samples run: {', '.join(BACKENDS)}.")]


class OnSandboxError(StrEnum):
    """What to do about a sample that the sandbox could not run."""

    RAISE = "raise"
    EXCLUDE = "exclude"


class Grading(StrEnum):
    """Where tests run."""

    SHARED = "shared"
    SEPARATE = "separate"
    AUTO = "auto"


class IsolationMode(StrEnum):
    """How isolated samples must be."""

    AUTO = "auto"
    STRICT = "strict"
    OFF = "off"


IsolationOption = Annotated[
    IsolationMode,
    typer.Option(
        help="auto: every layer that can be had here, with a warning of the others. strict: all of them, or nothing "
        "runs. off: limits only, for debugging."
    ),
]

ImageOption = Annotated[
    str | None,
    typer.Option(help="With --sandbox docker: any image with Python 3.8 or newer.", show_default="python:3.11-slim"),
]
HostOption = Annotated[
    str | None, typer.Option(help="Where the engine is, as DOCKER_HOST has it.", show_default="as the docker command")
]


@app.command()
def run(
    samples: Annotated[Path, typer.Argument(help='JSON lines, plain or gzipped: {"task_id", "completion"}.')],
    problems: Annotated[
        Path | None,
        typer.Option(help='JSON lines, plain or gzipped: {"task_id", "prompt", "test", "entry_point"}.'),
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(
            help="Instead of --problems: a data set on the Hugging Face Hub, such as openai/openai_humaneval."
        ),
    ] = None,
    split: Annotated[str, typer.Option(help="The data set's split.")] = "test",
    k: Annotated[
        list[int] | None,
        typer.Option(
            "-k",
            min=1,
            help="A k of pass@k; may be repeated.",
            show_default="those of 1, 10, 100 that there are samples for",
        ),
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds on the clock for each sample.")] = 3.0,
    num_workers: Annotated[
        int | None, typer.Option(min=1, help="Samples that run at once.", show_default="the CPUs it may use")
    ] = None,
    grading: Annotated[
        Grading,
        typer.Option(
            help="Where tests run. shared: in the sample's interpreter. separate: in another, so that a sample can't "
            "forge a pass. auto: separate, unless the tests' text shows that they need shared."
        ),
    ] = Grading.SHARED,
    memory_mb: Annotated[
        int, typer.Option(min=1, help="MiB of memory that each sample may use, with all that it starts.")
    ] = Limits().memory_bytes >> 20,
    sandbox: SandboxOption = DEFAULT_SANDBOX,
    isolation: IsolationOption = IsolationMode.AUTO,
    network: Annotated[bool, typer.Option("--network", help="Let samples use the network.")] = False,
    read_only_path: Annotated[
        list[Path] | None, typer.Option(help="One more file or folder that samples can read; may be repeated.")
    ] = None,
    preload: Annotated[
        list[str] | None,
        typer.Option(help="A module to import once, before samples run, such as numpy; may be repeated."),
    ] = None,
    allowed_import: Annotated[
        list[str] | None,
        typer.Option(help="With --sandbox restricted: a module that samples may import; may be repeated."),
    ] = None,
    allow_underscore_names: Annotated[
        bool,
        typer.Option(
            "--allow-underscore-names", help="With --sandbox restricted: names may begin with one underscore."
        ),
    ] = False,
    allow_str_format: Annotated[
        bool, typer.Option("--allow-str-format", help="With --sandbox restricted: str.format works.")
    ] = False,
    policy: Annotated[
        str | None,
        typer.Option(
            help="With --sandbox restricted: what samples may be written in. strict: as RestrictedPython has it; or "
            "MODULE:CLASS, a subclass of its RestrictingNodeTransformer in a module that PYTHONPATH leads to.",
            show_default="what models write, as far as it is safe",
        ),
    ] = None,
    image: ImageOption = None,
    package: Annotated[
        list[str] | None,
        typer.Option(help="With --sandbox docker: a PyPI requirement to install on the image; may be repeated."),
    ] = None,
    on_sandbox_error: Annotated[
        OnSandboxError, typer.Option(help="What to do about a sample that the sandbox could not run.")
    ] = OnSandboxError.RAISE,
    output: Annotated[Path | None, typer.Option(help="Write each sample with its verdict here, as JSON lines.")] = None,
) -> None:
    """Scores a file of samples against its problems.

    This runs the samples, which are programs that nobody has read; `code-eval doctor` shows what holds them.
    """
    from code_tasks.datasets import BadInput, load_problems, read_problems, read_samples
    from code_tasks.scoring import Job
    from code_tasks.summary import as_text

    if (problems is None) == (dataset is None):
        raise typer.BadParameter("give either --problems FILE or --dataset NAME")
    try:
        limits = Limits(wall_seconds=positive("timeout", timeout, "seconds"), memory_bytes=memory_mb << 20)
        own_options: dict[str, Any] = {
            "allowed_imports": allowed_import or None,
            "allow_underscore_variable_names": allow_underscore_names or None,
            "allow_str_format": allow_str_format or None,
            "policy": policy,
            "image": image,
            "packages": package or None,
        }
        if sandbox in BACKENDS and "memory_mb" in BACKENDS[sandbox].limit_options:
            own_options["memory_mb"] = memory_mb
        box = open_sandbox(
            sandbox,
            isolation=isolation.value,
            network=network,
            read_only_paths=read_only_path or (),
            preload=preload or (),
            **{name: value for name, value in own_options.items() if value is not None},
        )
        pool = Pool(box)
        tasks = read_problems(problems) if problems else load_problems(str(dataset), split)
        completions = read_samples(samples, tasks)
    except (BadInput, NotImplementedError, SandboxUnavailable) as error:
        fail(str(error))
    except (ValueError, TypeError) as error:
        raise typer.BadParameter(str(error)) from error
    if output:
        check_writable(output)
    job = Job.of(completions, tasks, limits, grading.value)
    began = time.monotonic()
    try:
        with ProgressBar(len(job.programs), None) as bar:
            in_order = pool.run_all(job.programs, num_workers or usable_cpus(), bar.count, on_sandbox_error.value)
    except SandboxUnavailable as error:
        fail(str(error))
    finally:
        close_pools()
    wall_seconds = time.monotonic() - began
    ended = dict(enumerate(in_order))
    by_task = job.by_task(ended)
    if output:
        write_results(output, job.records(ended, ("exception_description",) if sandbox == "restricted" else ()))
    typer.echo(as_text(by_task, k, wall_seconds), nl=False)
    if without := len(tasks) - len(by_task):
        typer.echo(f"\n{without} of the {len(tasks)} problems have no samples and are not in the score", err=True)


@app.command()
def doctor(
    sandbox: SandboxOption = DEFAULT_SANDBOX,
    isolation: IsolationOption = IsolationMode.AUTO,
    image: ImageOption = None,
) -> None:
    """Shows what holds programs on this machine, and runs canaries: programs whose verdicts are known."""
    typer.echo(f"{platform.system()} {platform.release()}, Python {platform.python_version()}, {usable_cpus()} CPU(s)")
    try:
        box = open_sandbox(sandbox, isolation=isolation.value, **({"image": image} if image else {}))
        ended, found = Pool(box).run_canaries()
    except (ValueError, TypeError) as error:
        raise typer.BadParameter(str(error)) from error
    except (SandboxUnavailable, NotImplementedError) as error:
        fail(f"the {sandbox} sandbox can't be used here: {error}")
    finally:
        close_pools()
    typer.echo(f"\nsandbox {sandbox}, which runs programs with Python {found.python}")
    for layer in found.layers:
        typer.echo(f"  on       {layer:<14}{LAYERS[layer]}")
    for layer, reason in found.missing.items():
        typer.echo(f"  missing  {layer:<14}{reason}")
    typer.echo("\nlimits of each program, unless set otherwise")
    for name, value in vars(Limits()).items():
        typer.echo(f"  {name:<20}{'every CPU for wall_seconds' if value is None else value}")
    typer.echo("\ncanaries: a program that ...")
    for canary, verdict in zip(canaries_of(box), ended, strict=True):
        said = verdict.outcome.value if isinstance(verdict, Verdict) else f"not run: {verdict}"
        typer.echo(f"  {canary.name:<14}{said}")
    if lines := disagreements(canaries_of(box), ended, found):
        fail("\n" + "\n".join(lines))
    typer.echo("\nall is well: programs run here, and the limits hold")


@docker_app.command()
def prune(docker_host: HostOption = None) -> None:
    """Removes the images with packages that were built for --package, and ended containers that were left."""
    try:
        removed = prune_docker(Engine(docker_host))
    except SandboxUnavailable as error:
        fail(str(error))
    typer.echo("\n".join(removed) or "there is nothing to remove")


if __name__ == "__main__":
    app()
