"""The page about clients of other services has the table of languages, and names every endpoint."""

from code_tasks.server.app import create_app
from code_tasks.server.protocols.languages import (
    FUSION_FENCES,
    FUSION_LANGUAGES,
    FUSION_UNAVAILABLE,
    JUDGING_RUNTIMES,
    NOTEBOOK_LANGUAGES,
    PISTON_RUNTIMES,
    TEST_COMMANDS,
    find_runtime,
    language_table,
)
from code_tasks.server.settings import ServerSettings
from sandboxes.languages.registry import NAMES, VARIANTS
from support.metric_and_command import ROOT

PAGE = (ROOT / "docs" / "server-clients.md").read_text(encoding="utf-8")


def test_the_table_of_languages():
    """The page's table is the one that the server's names make."""
    assert language_table() in PAGE


def test_names_of_languages():
    """Each name stands for a language of ours, and no two runtimes of piston share one."""
    ours = {foreign.language for foreign in FUSION_LANGUAGES.values()} | {*NOTEBOOK_LANGUAGES.values()}
    ours |= {runtime.language for runtime in (*PISTON_RUNTIMES, *JUDGING_RUNTIMES)}
    assert ours == {*NAMES} - {*VARIANTS}
    assert not set(FUSION_LANGUAGES) & set(FUSION_UNAVAILABLE)
    assert set(FUSION_FENCES) <= set(FUSION_LANGUAGES)
    assert {foreign.test_command for foreign in FUSION_LANGUAGES.values()} == {"", *TEST_COMMANDS}
    for runtime in (*PISTON_RUNTIMES, *JUDGING_RUNTIMES):
        assert all(find_runtime(name) is runtime for name in (runtime.name, *runtime.aliases))


def test_the_endpoints():
    """The page names each endpoint of SandboxFusion, piston, open-r1 and sessions."""
    tags = {"SandboxFusion", "piston", "open-r1", "sessions"}
    described = create_app(ServerSettings()).openapi()["paths"]
    paths = [path for path, operations in described.items() for one in operations.values() if tags & {*one["tags"]}]
    assert len(paths) > 15
    for path in paths:
        name = path.replace("{session_id}", "ID").replace("{path}", "PATH")
        for prefix in ("/api/v2/piston", "/api/v2"):
            name = name.removeprefix(prefix)
        assert name in PAGE, path
