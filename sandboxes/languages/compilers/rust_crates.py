"""The crates that HumanEval-X and HumanEvalPack import in every Rust program: rand, regex and md5. Used by `rust`.

Cargo compiles them once, from the sources in Debian's packages. Programs are then linked with them by `rustc` alone.
Their compiler has to be the one that programs find, so the search path is the same.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from sandboxes.backends.host_state import PROGRAM_PATH
from sandboxes.errors import SandboxUnavailable
from sandboxes.languages.compilers.compiled_libraries import COMPILE_TIMEOUT_SECONDS, cache_folder, kept_folder

logger = logging.getLogger("code_eval")

REGISTRY = "/usr/share/cargo/registry"
"""The folder of the crates' sources in Debian's packages."""

CRATES = {"rand": "0.8", "regex": "1", "md5": "0.7"}
"""Versions by crate."""

PACKAGES = "cargo, librust-rand-dev, librust-regex-dev and librust-md5-dev"
USED_CRATE = re.compile(rf"^\s*(?:pub\s+)?(?:use|extern\s+crate)\s+(?:::)?({'|'.join(CRATES)})\b", re.MULTILINE)
FOLDER = "rust-crates"
"""The folder of compiled crates, in the folder of compiled libraries. Each version of the compiler has one in it."""

MANIFEST = '[package]\nname = "crates"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n' + "".join(
    f'{name} = "{version}"\n' for name, version in CRATES.items()
)
# Less than full optimisation halves the time, and candidates spend theirs in their own code.
SETTINGS = {"CARGO_PROFILE_RELEASE_OPT_LEVEL": "1"}
OFFLINE = (
    "--offline",
    "--config=source.crates-io.replace-with='installed'",
    f"--config=source.installed.directory='{REGISTRY}'",
)


def crates_used(source: str) -> list[str]:
    """Return the crates that a program imports, if they work here. A module of the same name is no crate."""
    used = {match[1] for match in USED_CRATE.finditer(source)}
    used = {name for name in used if not re.search(rf"\bmod\s+{name}\b", source)}
    return sorted(used) if used and have_crates() else []


@lru_cache(maxsize=1)
def have_crates() -> bool:
    """Return whether programs can be linked with crates here."""
    try:
        compiled_crates()
    except SandboxUnavailable:
        # A candidate that names a crate must not be able to end a run. The compiler tells it what is missing.
        return False
    return True


def crates_folder() -> tuple[str, ...]:
    """Return the folder of compiled crates, which programs must see. It is empty until a program needs crates.

    A sandbox is given it from the start, so that programs find crates that are compiled while it runs.
    """
    folder = cache_folder() / FOLDER
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o755)
    except OSError as error:
        logger.info("Rust's programs have no crates: %s", error)
        return ()
    return (str(folder),)


def crate_arguments(names: Sequence[str]) -> list[str]:
    """Return the compiler's arguments for programs that use crates. The first call compiles all crates.

    Raises:
        SandboxUnavailable: if the crates are not installed, or can't be compiled.
    """
    if unknown := [name for name in names if name not in CRATES]:
        raise SandboxUnavailable(f"there is no crate {unknown[0]!r} for programs; there are {', '.join(CRATES)}")
    folder = compiled_crates()
    return [*(f"--extern={name}={folder}/lib{name}.rlib" for name in names), f"-Ldependency={folder}"]


@lru_cache(maxsize=1)
def compiled_crates() -> Path:
    """Return the folder of the compiled crates.

    Raises:
        SandboxUnavailable: as `crate_arguments` does.
    """
    version = run("rustc", "--version", "--verbose")
    missing = [name for name in CRATES if not any(Path(REGISTRY).glob(f"{name}-[0-9]*"))]
    if missing:
        raise SandboxUnavailable(
            f"Rust programs that use the crate {missing[0]} need the sources of crates: "
            f"install Debian's packages {PACKAGES}"
        )
    digest = hashlib.sha256(repr((version, sorted(os.listdir(REGISTRY)), MANIFEST, SETTINGS)).encode()).hexdigest()
    crates_folder()
    return kept_folder(f"{FOLDER}/{digest[:12]}", compile_crates)


def compile_crates(partial: Path, folder: Path) -> None:
    """Compile the crates into a folder. Crates that programs name are there without the hash in their names."""
    with tempfile.TemporaryDirectory() as work:
        Path(work, "Cargo.toml").write_text(MANIFEST)
        Path(work, "src").mkdir()
        Path(work, "src", "lib.rs").touch()
        run("cargo", "build", "--release", "--quiet", *OFFLINE, folder=work)
        for path in Path(work, "target", "release", "deps").glob("*.rlib"):
            name = path.name.partition("-")[0].removeprefix("lib")
            shutil.copyfile(path, partial / (f"lib{name}.rlib" if name in CRATES else path.name))


def run(*command: str, folder: str = "/") -> str:
    """Return the output of a tool.

    Raises:
        SandboxUnavailable: if the tool is not installed, or fails.
    """
    environment = {"PATH": PROGRAM_PATH, "HOME": folder, "CARGO_HOME": f"{folder}/home", **SETTINGS}
    try:
        completed = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=COMPILE_TIMEOUT_SECONDS,
            check=True,
        )
    except FileNotFoundError as error:
        raise SandboxUnavailable(
            f"Rust programs with crates need {command[0]}: install Debian's packages {PACKAGES}"
        ) from error
    except (subprocess.SubprocessError, OSError) as error:
        reason = getattr(error, "stderr", None) or str(error)
        raise SandboxUnavailable(f"the crates of Rust programs can't be compiled: {reason.strip()[:500]}") from error
    return completed.stdout
