"""Compiled crates of Rust's programs: programs find them, also if they are compiled later, and in containers."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from sandboxes import Limits, Outcome, Pool, Program, SandboxUnavailable, open_sandbox
from sandboxes.languages.compilers import rust_crates
from sandboxes.languages.programs import build_program
from sandboxes.languages.registry import required_paths
from support.docker_engines import LANGUAGES_IMAGE, require_image
from support.languages import require_languages
from support.observers import passes
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

LIMITS = Limits(wall_seconds=WALL_SECONDS)
USES_A_CRATE = 'fn add(a: i32, b: i32) -> i32 { if regex::Regex::new("a").is_ok() { a + b } else { 0 } }'
IMPORTS = f"use regex::Regex as _;\n{USES_A_CRATE}"
TESTS = "fn main() { assert_eq!(add(2, 3), 5); }"
CHOOSES = f"//@ aux-crate:regex\n{TESTS}"


@pytest.fixture(scope="module")
def crates():
    """Compile the crates, and return the folder that has them for all versions of the compiler."""
    require_languages("rust")
    return rust_crates.compiled_crates().parent


@pytest.fixture(scope="module")
def containers():
    """Return the options of containers with Rust."""
    require_image(LANGUAGES_IMAGE)
    return {"image": LANGUAGES_IMAGE, "pull": "never"}


def test_crates_that_are_compiled_later_are_found(folder, monkeypatch):
    """Programs of a pool that has been started see the crates that another program needs first."""
    monkeypatch.setenv("XDG_CACHE_HOME", folder)
    with closing(Pool(open_sandbox("subprocess", read_only_paths=required_paths({"rust"})))) as pool:
        pool.preflight()
        compiled = Path(folder, "code-eval", rust_crates.FOLDER, "digest")
        compiled.mkdir()
        passes(pool.run_all([Program("import os", f"assert os.path.isdir({str(compiled)!r})", LIMITS)], 1)[0])


def test_other_users_can_read_the_crates(folder, monkeypatch):
    """The folder of the crates can be read by programs of another user, whatever the umask is."""
    monkeypatch.setenv("XDG_CACHE_HOME", folder)
    before = os.umask(0o077)
    try:
        [crates] = rust_crates.crates_folder()
    finally:
        os.umask(before)
    assert os.stat(crates).st_mode & 0o777 == 0o755


def test_a_cache_that_can_not_be_written_has_no_crates(folder, monkeypatch):
    """Where no folder can be made, Rust's programs run without crates."""
    Path(folder, "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", f"{folder}/file")
    assert required_paths({"rust"}) == []


@pytest.mark.docker
def test_a_container_without_the_crates_that_tests_choose_is_broken(crates, containers):
    """Tests that choose a crate end the run in a container that does not have it."""
    program = build_program("rust", USES_A_CRATE, CHOOSES, LIMITS)
    with closing(Pool(open_sandbox("docker", **containers))) as pool, pytest.raises(SandboxUnavailable, match="regex"):
        pool.run_all([program], 1)


@pytest.mark.docker
def test_a_candidate_can_not_end_a_run_in_containers(crates, containers):
    """A candidate that imports a crate which its container does not have fails alone."""
    with closing(Pool(open_sandbox("docker", **containers))) as pool:
        [verdict] = pool.run_all([build_program("rust", IMPORTS, TESTS, LIMITS)], 1)
    assert (verdict.outcome, "regex" in verdict.detail) == (Outcome.COMPILE_ERROR, True), verdict


@pytest.mark.docker
def test_crates_as_a_volume(crates, containers):
    """A container whose compiler is of this machine's version can use this machine's crates."""
    with closing(Pool(open_sandbox("docker", **containers, volumes=[str(crates)]))) as pool:
        passes(pool.run_all([build_program("rust", USES_A_CRATE, CHOOSES, LIMITS)], 1)[0])
