"""`code-eval doctor`: shows how programs are isolated on this machine, and runs canaries."""

from __future__ import annotations

import platform
from typing import Annotated

import typer

from code_tasks.cli.arguments import expand_arguments
from code_tasks.cli.options import Door, GivenOptions
from code_tasks.cli.output import fail
from code_tasks.cli.wording import as_command_message
from sandboxes import LAYERS, EvalConfig, Isolation, Limits, Pool, Sandbox, SandboxUnavailable, Verdict, close_pools
from sandboxes.backends.kernel_settings import LAYERS_OF_NAMESPACES, ways_to_allow_namespaces
from sandboxes.backends.local_process import has_extension_module
from sandboxes.languages.base import COMPILE_SECONDS, Language
from sandboxes.languages.programs import build_program
from sandboxes.languages.registry import LANGUAGES, probe_version
from sandboxes.outcome_labels import LABELS, NOT_RUN
from sandboxes.pool.cpus import usable_cpus
from sandboxes.tasks.options import with_mounts
from sandboxes.workers.canaries import unexpected_outcomes

SLOW_FORKS = "programs are forked in Python, which takes longer: "
WATCHED_MEMORY = """\
the kernel does not limit the memory that all processes of a program use together; it is watched, twenty times a second:
"""
NOT_BUILT = """\
when code-eval-sandboxes was installed there was no C compiler, or no Python.h; with both (Debian: gcc, python3-dev),
install it again with pip's --force-reinstall"""

DOCTOR = Door(
    groups=("sandbox", "restricted", "docker"),
    refused={
        "cluster": "the doctor looks at this machine",
        "num_workers": "canaries are few",
        "return_output": "canaries have no output variable",
        "output_variable": "canaries have no output variable",
    },
)


Languages = Annotated[
    bool, typer.Option("--languages", help="Show the version of each language as well, and run a canary in each.")
]


@expand_arguments
def doctor(options: Annotated[GivenOptions, DOCTOR], languages: Languages = False) -> None:
    """Show how programs are isolated on this machine, and run canaries: programs whose verdicts are known."""
    typer.echo(f"{platform.system()} {platform.release()}, Python {platform.python_version()}, {usable_cpus()} CPU(s)")
    try:
        sandbox = EvalConfig.from_options(options, without=DOCTOR.refused).sandbox
        results, isolation = Pool(sandbox).run_canaries()
    except (ValueError, TypeError) as error:
        raise typer.BadParameter(as_command_message(str(error))) from error
    except (SandboxUnavailable, NotImplementedError) as error:
        fail(f"the {options.get('sandbox', 'subprocess')} sandbox can't be used here: {as_command_message(str(error))}")
    finally:
        close_pools()
    show_isolation(sandbox, isolation)
    typer.echo("\nlimits of each program, unless set otherwise")
    for name, value in vars(Limits()).items():
        typer.echo(f"  {name:<20}{'every CPU for wall_seconds' if value is None else value}")
    typer.echo("\ncanaries: a program that ...")
    for canary, result in zip(sandbox.canaries, results, strict=True):
        outcome = result.outcome.label if isinstance(result, Verdict) else f"{LABELS[NOT_RUN]}: {result}"
        typer.echo(f"  {canary.name:<14}{outcome}")
    lines = unexpected_outcomes(sandbox.canaries, results, isolation)
    if languages:
        typer.echo("\nlanguages: a canary in each, and its version")
        lines += show_languages(sandbox)
    if lines:
        fail("\n" + "\n".join(lines))
    typer.echo("\nall is well: programs run here, and the limits hold")


def show_isolation(sandbox: Sandbox, isolation: Isolation) -> None:
    """Print the layers that are on, and those that are missing with the reason."""
    typer.echo(f"\nsandbox {sandbox.name}, which runs programs with Python {isolation.python}")
    for layer in isolation.layers:
        typer.echo(f"  on       {layer:<14}{LAYERS[layer]}")
    for layer, reason in isolation.missing.items():
        typer.echo(f"  missing  {layer:<14}{reason}")
    if LAYERS_OF_NAMESPACES & isolation.missing.keys():
        for line in ways_to_allow_namespaces():
            typer.echo(f"\n{line}")
    if not isolation.forked_in_python:
        typer.echo("\nprograms are forked by the compiled extension")
    elif has_extension_module():
        typer.echo(f"\n{SLOW_FORKS}the extension can't be used there: {isolation.forked_in_python}")
    else:
        typer.echo(f"\n{SLOW_FORKS}{NOT_BUILT}")
    if not isolation.memory_not_held:
        typer.echo("\nthe kernel limits the memory that all processes of a program use together")
    elif "memory" not in isolation.missing:
        # Where no memory is limited, nothing watches it.
        typer.echo(f"\n{WATCHED_MEMORY}{isolation.memory_not_held}")


def show_languages(sandbox: Sandbox) -> list[str]:
    """Print the outcome of each language's canary. Return a line for each that is there and does not work."""
    lines = []
    for name, language in LANGUAGES.items():
        if sandbox.languages is not None and name not in sandbox.languages:
            continue
        try:
            version, verdict = run_canary(language, sandbox)
        except SandboxUnavailable as error:
            typer.echo(f"  {language.label:<14}{LABELS[NOT_RUN]}: {as_command_message(str(error))}")
            continue
        finally:
            close_pools()
        typer.echo(f"  {language.label:<14}{verdict.outcome.label:<10}{version}")
        if not verdict.passed:
            lines.append(f"the canary in {language.label} did not pass: {verdict.detail}")
    return lines


def run_canary(language: Language, sandbox: Sandbox) -> tuple[str, Verdict]:
    """Run a language's canary.

    Returns:
        (version of the language, verdict).

    Raises:
        SandboxUnavailable: if the sandbox does not have the language.
    """
    pool = Pool(with_mounts(sandbox, {language.name}))
    version = probe_version(pool, language.name)
    program = build_program(language.name, *language.canary, Limits(wall_seconds=COMPILE_SECONDS))
    [result] = pool.run_all([program], 1)
    if isinstance(result, SandboxUnavailable):
        raise result
    return version, result
