"""Everything that decides a verdict is in its cache key, and nothing that is drawn anew each time."""

import os
import pickle
import shutil
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes import Isolation, Limits, Pool, Program, _version, open_sandbox
from sandboxes._version import package_digest
from sandboxes.cluster import actors
from sandboxes.errors import NotCacheable
from sandboxes.languages.programs import build_program
from sandboxes.pool.environment import cache_is_protected
from sandboxes.reuse.cache_keys import ProgramHasher, verdict_key
from sandboxes.workers.messages import encode_request

TEXT = st.text(st.characters(), max_size=20)
LIMITS = st.builds(Limits, st.floats(0.1, 9), st.none() | st.floats(0.1, 9), *[st.integers(1, 1 << 20)] * 6)
PROGRAMS = st.builds(
    Program, TEXT, TEXT, LIMITS, st.sampled_from(["shared", "separate"]), st.sampled_from(["python", "java"])
)
PLAIN = Program("x = 1", "assert x", Limits())


class FakePool(Pool):
    """A pool whose guests enforce given layers."""

    def __init__(self, sandbox, layers=("mount",), python="3.11.7"):
        super().__init__(sandbox)
        self.isolation = Isolation(tuple(layers), {}, python)

    def preflight(self):
        """Return the given isolation."""
        return self.isolation


def key(program):
    """Return a program's key, from an object that has seen no other program."""
    return ProgramHasher().key(program)


def around(layers=("mount",), python="3.11.7", name="subprocess", **options):
    """Return the surroundings that decide besides a Python program, in a sandbox with these options."""
    return FakePool(open_sandbox(name, **options), layers, python).environment_key("python")


@given(PROGRAMS, PROGRAMS)
def test_different_programs(one, other):
    """Two keys are equal exactly if candidate, tests, limits, grading and language are equal."""
    assert (key(one) == key(other)) == (one == other)


@given(TEXT, TEXT, TEXT)
def test_where_texts_meet(first, second, third):
    """The boundary between tests and candidate is part of the key."""
    one, other = Program(second + third, first), Program(third, first + second)
    assert (key(one) == key(other)) == (one == other)


@given(st.lists(PROGRAMS, max_size=6))
def test_keys_of_neighbours(programs):
    """A program's key does not depend on the program before it."""
    keys = ProgramHasher()
    assert [keys.key(program) for program in [*programs, *programs]] == [key(program) for program in programs] * 2


@pytest.mark.parametrize("field", [field.name for field in fields(Limits)])
def test_each_limit(field):
    """Each limit changes the key."""
    value = getattr(Limits(), field)
    changed = replace(PLAIN, limits=replace(Limits(), **{field: 4.75 if value is None else value * 2 // 3}))
    assert key(PLAIN) != key(changed)


def test_how_tests_were_given():
    """The text that tests were made from changes no key by itself."""
    assert key(PLAIN) == key(replace(PLAIN, reference="check"))


@given(PROGRAMS, st.booleans())
def test_a_request_from_a_key(program, same_tests):
    """A request is the same whether its program has a key, which encoded its texts, or not."""
    without = encode_request(3, program, same_tests)
    key(program)
    assert program.encoded is not None
    assert encode_request(3, program, same_tests) == without


def test_encoded_tests_are_shared():
    """Neighbours with the same tests share the encoded tests, and a pickle does not have them."""
    programs = [Program(f"x = {number}", PLAIN.tests, PLAIN.limits) for number in range(3)]
    keys = ProgramHasher()
    for program in programs:
        keys.key(program)
    assert len({id(program.encoded.tests) for program in programs}) == 1
    assert pickle.loads(pickle.dumps(programs[0])).encoded is None


def test_completion_token():
    """The randomly drawn completion token of a program in another language is in no key. Its source is."""
    one, same = (build_program("cpp", "int x;", "int main() {}", Limits()) for _ in range(2))
    assert one.candidate != same.candidate
    assert key(one) == key(same)
    assert key(one) != key(build_program("cpp", 'int x; // , "token": ', "int main() {}", Limits()))
    assert key(one) != key(build_program("cpp", "int x;", "int main() {}", Limits(), compile_seconds=7))


def test_surroundings_decide():
    """A key holds the program's surroundings too."""
    assert verdict_key(b"a" * 32, key(PLAIN)) != verdict_key(b"b" * 32, key(PLAIN))


DIFFERENT = {
    "layers": {"layers": ["mount", "net"]},
    "python": {"python": "3.11.8"},
    "isolation": {"isolation": "off"},
    "env": {"env": {"X": "1"}},
    "preload": {"preload": ["numpy"]},
    "read_only_paths": {"read_only_paths": [__file__]},
    "backend": {"name": "restricted"},
    "allowed imports": {"name": "restricted", "allowed_imports": ["math"]},
    "names": {"name": "restricted", "additional_globals": {"x": 1}},
    "other names": {"name": "restricted", "additional_globals": {"x": 2}},
    "policy": {"name": "restricted", "policy": "strict"},
    "original policy": {"name": "restricted", "policy": "original"},
}


def test_each_option_decides():
    """Different options, layers or Python versions make different keys; equal ones make equal keys."""
    seen = [around(), *(around(**options) for options in DIFFERENT.values())]
    assert len(set(seen)) == len(seen)
    assert seen == [around(), *(around(**options) for options in DIFFERENT.values())]


def test_files_that_programs_see(tmp_path):
    """A change of a file that programs can read changes the key, even deep in a folder."""
    path = tmp_path / "deep" / "data"
    path.parent.mkdir()
    path.write_text("1")
    before = around(read_only_paths=[tmp_path])
    os.utime(path, ns=(0, 0))
    touched = around(read_only_paths=[tmp_path])
    path.write_text("22")
    os.utime(path, ns=(0, 0))
    assert len({before, touched, around(read_only_paths=[tmp_path])}) == 3


UNKNOWN = {
    "network": {"network": True},
    "docker's network": {"name": "docker", "network": True},
    "volumes elsewhere": {"name": "docker", "docker_host": "tcp://192.0.2.1:2375", "volumes": ["/data"]},
    "code as a name": {"name": "restricted", "additional_globals": {"x": os.path.join}},
    "a trusted name": {"name": "restricted", "additional_globals": {"x": lambda: 0}, "trusted_globals": True},
    "a reference": {"name": "restricted", "additional_globals": {"x": "json:dumps"}},
    "builtins of one's own": {"name": "restricted", "custom_builtins": {"x": len}},
    "a policy of one's own": {"name": "restricted", "policy": "RestrictedPython:RestrictingNodeTransformer"},
}


@pytest.mark.parametrize("options", UNKNOWN.values(), ids=UNKNOWN)
def test_not_cacheable(options):
    """Programs have no key if an unknown influence decides their verdict."""
    with pytest.raises(NotCacheable):
        around(**options)


@pytest.mark.parametrize(
    ("layers", "user", "refused"),
    [
        (["mount", "user"], 1000, False),
        (["container"], 1000, False),
        (["user", "seccomp"], 1000, True),
        (["seccomp", "rlimits"], 1000, True),
        (["user", "seccomp"], 0, False),
        (["capabilities"], 0, False),
        (["rlimits"], 0, True),
    ],
    ids=str,
)
def test_programs_that_can_write_the_cache(monkeypatch, layers, user, refused):
    """Programs have no key if they could forge verdicts: as the cache's owner, with its folder in sight."""
    monkeypatch.setattr("os.geteuid", lambda: user)
    assert cache_is_protected(layers) != refused
    if refused:
        with pytest.raises(NotCacheable, match="can write your files"):
            around(layers)


def test_too_many_files(tmp_path, monkeypatch):
    """Programs have no key if they see a folder with too many files to examine in each call."""
    monkeypatch.setattr("sandboxes.backends.host_state.MAX_FILES", 10)
    for number in range(12):
        (tmp_path / str(number)).touch()
    with pytest.raises(NotCacheable, match="more than 10 files"):
        around(read_only_paths=[tmp_path])


@pytest.mark.parametrize(
    "name",
    [
        "guest/__main__.py",
        "guest/runners/in_process.py",
        "guest/forkserver/_forking.c",
        "guest/forkserver/_forking.h",
        "guest/forkserver/child.c",
        "guest/forkserver/_forking.abi3.so",
    ],
)
def test_each_of_our_files_decides(tmp_path, monkeypatch, name):
    """A changed or missing file of ours changes the key, compiled files included."""
    package = tmp_path / "sandboxes"
    shutil.copytree(Path(_version.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(_version, "__file__", str(package / "_version.py"))
    path = package / name
    path.touch()
    seen = [package_digest.__wrapped__()]
    path.write_bytes(path.read_bytes() + b"\n")
    seen.append(package_digest.__wrapped__())
    path.unlink()
    seen.append(package_digest.__wrapped__())
    assert len(set(seen)) == 3


def test_nodes_of_a_cluster_are_told_by_the_same():
    """Nodes of a cluster are compared by the same surroundings that are in keys."""
    assert actors.package_digest is package_digest
