"""The backend "subprocess": guests are processes of this machine, behind resource limits, namespaces and seccomp."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from sandboxes import guest
from sandboxes.backends.confinement import Confinement, checked_path
from sandboxes.backends.host_state import PROGRAM_PATH, QUICK_FOLDERS, file_states, installed_packages
from sandboxes.backends.import_paths import site_folders
from sandboxes.contract import Isolation
from sandboxes.errors import SandboxUnavailable
from sandboxes.sessions.limits import SessionLimits
from sandboxes.workers.canaries import CANARIES, Canary
from sandboxes.workers.worker import Worker, start_process

GUEST_FILE = Path(guest.__file__).with_name("__main__.py")
# Environment variables that programs have in every backend.
PROGRAM_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    # A library that starts a thread per core reserves more address space than a program may have.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
# The variable with the folders in which the dynamic loader looks for libraries.
LIBRARY_PATH = "DYLD_LIBRARY_PATH" if sys.platform == "darwin" else "LD_LIBRARY_PATH"
EXTENSION_MODULE = "sandboxes.guest.forkserver._forking"


@dataclass(frozen=True)
class SubprocessSandbox:
    """A backend whose guests run this process's interpreter, each with a scratch folder of its own."""

    confinement: Confinement = Confinement()
    """The isolation options."""

    session: SessionLimits | None = field(default=None, kw_only=True)
    """The limits of the session that guests hold. None: guests run programs."""

    name: ClassVar[str] = "subprocess"
    languages: ClassVar[frozenset[str] | None] = None
    has_policy: ClassVar[bool] = False
    uses_host_files: ClassVar[bool] = True
    own_options: ClassVar[tuple[str, ...]] = ()
    """Options that not every backend takes."""

    limit_options: ClassVar[tuple[str, ...]] = ()
    """Limits of programs that the backend needs before any program runs."""

    @classmethod
    def checked(cls, **options: Any) -> Self:
        """Return a sandbox with the options that a user gives: those of `Confinement.checked`, and the backend's own.

        Raises:
            ValueError, TypeError: if an option is invalid; the message names the value.
        """
        return cls(Confinement.checked(**options))

    def __post_init__(self) -> None:
        """Raise NotImplementedError where there is no fork."""
        if os.name != "posix":
            raise NotImplementedError(
                "the subprocess sandbox needs fork, which this system does not have; "
                "run under WSL, or in a Linux container (Docker Desktop)"
            )

    @property
    def canaries(self) -> tuple[Canary, ...]:
        """The programs that show whether the sandbox works here."""
        return CANARIES

    @property
    def has_network(self) -> bool:
        """True if programs may use a network."""
        return self.confinement.network

    @property
    def isolation_mode(self) -> str:
        """The isolation that the user chose: "auto", "strict" or "off"."""
        return self.confinement.isolation

    @property
    def auto_grading(self) -> str:
        """The meaning of the grading "auto": the tests decide."""
        return "auto"

    @property
    def extra_fields(self) -> tuple[str, ...]:
        """Fields of results that only this sandbox adds."""
        return ()

    @property
    def verdicts_repeat(self) -> bool:
        """True if a deterministic program has the same verdict every time."""
        return not self.has_network

    def with_mounts(self, paths: Sequence[str]) -> Self:
        """Return this sandbox with additional files and folders that programs can read."""
        # In order and without duplicates, so that a sandbox that has these paths already stays equal.
        read_only_paths = tuple(dict.fromkeys((*self.confinement.read_only_paths, *map(checked_path, paths))))
        return replace(self, confinement=replace(self.confinement, read_only_paths=read_only_paths))

    def for_session(self, limits: SessionLimits) -> Self:
        """Return this sandbox for a session, whose commands have a shell."""
        return replace(self, session=limits)

    def for_sources(self, sources: Iterable[str]) -> Self:
        """Return this sandbox: programs have the packages that are installed here, whatever they import."""
        return self

    def cache_key(self) -> Mapping[str, Any]:
        """Return all that decides verdicts here beside the programs and their language.

        Raises:
            NotCacheable: if programs see too many files.
        """
        paths = (*self.confinement.read_only_paths, *self.confinement.import_paths)
        deciding = [path for path in paths if not os.path.basename(path).startswith(QUICK_FOLDERS)]
        return {
            "options": asdict(self),
            "seen": list(file_states(deciding)),
            "interpreter": sys.version,
            "packages": installed_packages(),
        }

    def start_worker(self) -> Worker:
        """Start a guest.

        Raises:
            SandboxUnavailable: if the guest's folder can't be made, or the interpreter can't be started.
        """
        if not sys.executable:
            raise SandboxUnavailable("the subprocess sandbox needs sys.executable, which this Python does not know")
        try:
            scratch = tempfile.mkdtemp(prefix="code-eval-")
        except OSError as error:
            raise SandboxUnavailable(
                f"can't make a folder for programs: {error}; set TMPDIR to a folder that can be written"
            ) from error
        # -I: otherwise our folder and the caller's PYTHON* variables reach the candidates. -S: the modules that site
        # imports and the environment's .pth files would slow every fork. -X utf8: files are UTF-8 in every locale.
        command = [sys.executable, "-I", "-S", "-X", "utf8", str(GUEST_FILE), scratch]
        try:
            process = start_process(command, scratch, guest_environment(self.session is not None))
        except BaseException as error:
            shutil.rmtree(scratch, ignore_errors=True)
            if isinstance(error, OSError):
                raise SandboxUnavailable(f"can't start {sys.executable}: {error}") from error
            raise
        worker = Worker(process, scratch)
        worker.send_options(self.guest_options())
        return worker

    def guest_options(self) -> dict[str, Any]:
        """Return the options of a guest. Its scratch folder is an argument of its command instead."""
        return {
            "site_folders": [*site_folders(), *self.confinement.import_paths],
            "needed_folders": [os.path.dirname(os.__file__), *site_folders(), *self.confinement.import_paths],
            "shown_paths": [*interpreter_paths(), *self.confinement.read_only_paths, *self.confinement.import_paths],
            "isolated": self.confinement.isolation != "off",
            "network": self.confinement.network,
            "loopback": bool(self.confinement.loopback),
            "shell": self.confinement.shell or self.session is not None,
            "env": dict(self.confinement.env),
            "hash_seed": self.confinement.hash_seed,
            "preload": self.confinement.preload,
            "folders": (),
            "policy": None,
            "session": self.session.for_guest() if self.session else None,
        }

    def accept(self, isolation: Isolation) -> None:
        """Raise SandboxUnavailable if a guest lacks a layer that the user demands. Warn once of missing layers."""
        self.confinement.accept(isolation)


def has_extension_module() -> bool:
    """Return whether the guest's C extension was built. Without it guests do the same in Python, more slowly."""
    return importlib.util.find_spec(EXTENSION_MODULE) is not None


def guest_environment(has_commands: bool = False) -> dict[str, str]:
    """Return all environment variables of programs, but for the folders that the guest sets.

    Args:
        has_commands: whether users call commands by name, and `python` among them.
    """
    # Without "..", because programs may not see the folders on the way.
    path = f"{os.path.dirname(os.path.abspath(sys.executable))}:{PROGRAM_PATH}" if has_commands else PROGRAM_PATH
    return {"PATH": path, **PROGRAM_ENVIRONMENT, "LD_BIND_NOW": "1", **library_path()}


def library_path() -> dict[str, str]:
    """Return the variable by which this process found the library of its interpreter; empty if it needs none.

    The guest needs it too to start. It keeps the variable from programs.
    """
    if not (folders := os.environ.get(LIBRARY_PATH)) or not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        return {}
    library = sysconfig.get_config_var("INSTSONAME")
    found = [folder for folder in folders.split(os.pathsep) if folder and os.path.exists(os.path.join(folder, library))]
    return {LIBRARY_PATH: os.pathsep.join(found)} if found else {}


def interpreter_paths() -> list[str]:
    """Return the files and folders of the interpreter, with its installed packages."""
    homes = {os.getcwd(), os.path.expanduser("~")}
    paths = [os.path.dirname(os.__file__), os.path.dirname(os.path.realpath(sys.executable)), *site_folders()]
    for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix):
        if any(os.path.commonpath([prefix, home]) == prefix for home in homes):
            # The prefix holds the user's own files too, so only the interpreter's parts of it are shown.
            paths += [os.path.join(prefix, name) for name in ("bin", "lib", "lib64", "pyvenv.cfg")]
        else:
            paths.append(prefix)
    return [path for path in paths if os.path.exists(path)]
