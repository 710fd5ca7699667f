"""The settings of the Space's owner, and the sandboxes that the Space then offers."""

import dataclasses
import re

import pytest

from sandboxes import Isolation, SandboxUnavailable
from sandboxes.consent import has_consent
from sandboxes.validation import hide_paths
from space import available_sandboxes
from space.available_sandboxes import (
    SandboxAvailability,
    default_sandbox,
    probe,
    probe_sandboxes,
    strongest,
)
from space.service_requests import NOT_ALLOWED
from space.settings import Settings
from support.metric_and_command import ROOT

NUMBERS = [each.name for each in dataclasses.fields(Settings) if each.name.startswith("max_")]


def variable(name):
    """Return the environment variable of a setting."""
    return f"CODE_EVAL_{name.upper()}"


def isolated(*missing):
    """Return an isolation that lacks these layers."""
    return Isolation(("rlimits",), dict.fromkeys(missing, "forbidden here"), "3.11.2")


def usable(name, *missing):
    """Return a sandbox that lacks these layers."""
    return SandboxAvailability(name, object(), isolated(*missing))


@pytest.mark.parametrize("name", NUMBERS)
def test_each_limit_is_set_by_its_variable(name):
    """The environment sets each limit, and leaves the others as they are."""
    expected = dataclasses.replace(Settings(), **{name: 7})
    assert Settings.from_environment({variable(name): " 7 "}) == expected


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("text", ["many", "0", "-1", "nan", "inf", "1e999", "0x10", "1,5"])
def test_wrong_limit_names_its_variable(name, text):
    """An invalid limit stops the start, with a message that names the variable."""
    with pytest.raises(ValueError, match=variable(name)):
        Settings.from_environment({variable(name): text})


@pytest.mark.parametrize("name", [name for name in NUMBERS if not name.endswith(("timeout", "seconds"))])
def test_what_is_counted_is_whole(name):
    """A limit that is not in seconds must be a whole number."""
    with pytest.raises(ValueError, match=f"{variable(name)} must be a whole number"):
        Settings.from_environment({variable(name): "1.5"})


def test_seconds_may_be_broken():
    """A limit in seconds may be a fraction."""
    assert Settings.from_environment({"CODE_EVAL_MAX_TIMEOUT": "0.5"}).max_timeout == 0.5


@pytest.mark.parametrize("value", ["", "  "])
def test_empty_variable_is_none(value):
    """An empty variable leaves the default: a Space's settings page can't always take one away."""
    assert Settings.from_environment({variable(name): value for name in NUMBERS}) == Settings()


def test_datasets_are_named_without_their_folder():
    """A dataset in a folder of the server has the folder's name for visitors; one of the Hub has its own."""
    settings = Settings.from_environment({"CODE_EVAL_DATASETS": "a/b, /srv/data/mine,"})
    assert settings.datasets == {"a/b": "a/b", "mine": "/srv/data/mine"}


def test_benchmarks_are_listed():
    """The datasets for `/predict` stand with commas between them, each a name, or a name with its file."""
    settings = Settings.from_environment({"CODE_EVAL_BENCHMARKS": "bigcodebench=/srv/b.jsonl, bigcodebench-hard,"})
    assert settings.benchmarks == ("bigcodebench=/srv/b.jsonl", "bigcodebench-hard")


@pytest.mark.parametrize(("environment", "is_public"), [({"SPACE_ID": "me/it"}, True), ({"SPACE_ID": ""}, False)])
def test_a_space_on_the_hub_is_public(environment, is_public):
    """SPACE_ID, which the Hub sets, makes a Space public, and no other variable does."""
    assert Settings.from_environment({**environment, "CODE_EVAL_IS_PUBLIC": "1"}).is_public is is_public


def test_every_limit_is_in_the_documentation():
    """The table of docs/space.md has each variable with its default."""
    page = (ROOT / "docs" / "space.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(CODE_EVAL_\w+)` \| (.+?) \|", page, re.MULTILINE))
    assert set(rows) == {variable(each.name) for each in dataclasses.fields(Settings)} - {"CODE_EVAL_IS_PUBLIC"}
    numbers = {name: getattr(Settings(), name) for name in NUMBERS if rows[variable(name)].isdigit()}
    assert {name: int(rows[variable(name)]) for name in numbers} == numbers
    assert len(numbers) == len(NUMBERS) - 1


def test_not_allowed_says_what_to_set(monkeypatch):
    """Programs run only with HF_ALLOW_CODE_EVAL=1; the message says so."""
    for value, allowed in (("1", True), ("0", False), ("", False), ("true", False)):
        monkeypatch.setenv("HF_ALLOW_CODE_EVAL", value)
        assert has_consent() is allowed
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL")
    assert not has_consent()
    assert "HF_ALLOW_CODE_EVAL=1" in NOT_ALLOWED


def test_a_public_space_runs_only_what_lacks_least():
    """A public Space refuses a sandbox that lacks more layers than another one, and says which layers it lacks."""
    found = strongest(
        {"a": usable("a", "pid", "net"), "b": usable("b", "pid"), "c": SandboxAvailability("c", refused="not there")}
    )
    assert found["b"].sandbox is not None
    assert found["a"].sandbox is None
    assert found["a"].refused.endswith("this one lacks pid, net")
    assert found["c"].refused == "not there"


def test_all_equal_are_offered():
    """Sandboxes that lack the same number of layers are all offered."""
    found = strongest({"a": usable("a", "pid"), "b": usable("b", "net")})
    assert [each.refused for each in found.values()] == ["", ""]


def test_no_sandbox_at_all():
    """If no sandbox works, each gives its reason, and there still is a default to show."""
    refused = {name: SandboxAvailability(name, refused="not here") for name in ("subprocess", "restricted", "docker")}
    assert strongest(refused) == refused
    assert default_sandbox(refused, Settings()) == "subprocess"


@pytest.mark.parametrize(("is_public", "expected"), [(False, "subprocess"), (True, "docker")])
def test_default_sandbox(is_public, expected):
    """The default is the first usable sandbox of the backends, and on a public Space the strongest usable one."""
    found = {name: usable(name) for name in ("subprocess", "restricted", "docker")}
    settings = Settings(is_public=is_public)
    assert default_sandbox(found, settings) == expected
    found[expected] = SandboxAvailability(expected, refused="not here")
    assert default_sandbox(found, settings) == ("subprocess" if is_public else "restricted")


def test_sandbox_that_can_not_be_had_says_why(monkeypatch):
    """A backend that does not work here is refused with its reason, without the server's paths."""

    def unavailable(name, **options):
        raise SandboxUnavailable("no engine at unix:///var/run/docker.sock: start it")

    monkeypatch.setattr(available_sandboxes, "open_sandbox", unavailable)
    found = probe("docker", Settings())
    assert (found.sandbox, found.isolation) == (None, None)
    assert found.refused == "no engine at unix:…: start it"


def test_each_backend_is_looked_at():
    """Every backend is either usable, with the layers that it has, or refused with the reason."""
    found = probe_sandboxes(Settings())
    assert list(found) == ["subprocess", "restricted", "docker"]
    for name, each in found.items():
        assert each.name == name
        assert bool(each.refused) == (each.sandbox is None) == (each.isolation is None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("can't read /home/me/secret.txt: no", "can't read …: no"),
        ("'/a b' and and/or 1/2", "'… b' and and/or 1/2"),
        ("file:///etc/passwd, (/tmp)", "file:…, (…)"),
        ("see https://example.org/docs/x and /x", "see https://example.org/docs/x and …"),
        ("/", "…"),
        ("//srv//x/y.py:12: no", "…:12: no"),
        ("nothing", "nothing"),
    ],
)
def test_messages_lose_their_paths(text, expected):
    """A path in a message becomes three dots, and other words with a slash stay."""
    assert hide_paths(text) == expected
