"""Languages whose tests run apart: in sandboxes without namespaces no attack passes, and verdicts say how they came."""

import importlib
import re
from contextlib import closing

import pytest

from sandboxes import Limits, Pool, open_sandbox
from sandboxes.languages.programs import build_program, reason_for_candidate
from sandboxes.languages.registry import LANGUAGES, VARIANTS
from support.docker_engines import LANGUAGES_IMAGE, WITH_DOCKER, require_image
from support.languages import language_pool
from support.requirements import WALL_SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.languages]

# Debian has one version of Python. TypeScript's programs are JavaScript's. Results that are compared elsewhere need no
# layers.
APART = [
    name
    for name, language in LANGUAGES.items()
    if not reason_for_candidate(name, language.canary[1])
    and language.plain_tests(language.canary[1]) is None
    and (name not in VARIANTS or name == "python3.11")
    and name != "typescript"
]
# The other attacks do the same in every sandbox.
HIDDEN_BY_LAYERS = re.compile("file|folder|read|gem|memory|kill|child|exit when called")
# Tests in Ruby that pass if they see a file of their own.
FILES_LEFT = "raise 'a file' unless Dir.children('.').grep(/tests|runner/).empty? && add(2, 3) == 5\n"
LOOKS = "def add(a, b) = Dir.glob(['./*', '../*', '/work/*']).grep(/tests.rb|runner/).empty? ? a + b : 0\n"


@pytest.fixture(scope="module", params=["off", WITH_DOCKER])
def pool_of(request):
    """Return a function (language) -> a pool of guests without a process namespace and mounts of their own."""
    if request.param == "off":
        yield lambda language: language_pool(language, isolation="off")
        return
    require_image(LANGUAGES_IMAGE)
    with closing(Pool(open_sandbox("docker", image=LANGUAGES_IMAGE, pull="never"))) as containers:
        yield lambda language: containers


@pytest.fixture(scope="module")
def run(pool_of):
    """Return a function that runs programs: (language, [(candidate, tests)]) -> verdicts."""
    limits = Limits(wall_seconds=WALL_SECONDS)

    def run_all(language, programs):
        return list(pool_of(language).run_all([build_program(language, *program, limits) for program in programs], 1))

    return run_all


@pytest.mark.parametrize("language", APART)
def test_no_attack_passes(run, language):
    """No attack on what layers would hide passes, and honest programs do. Verdicts promise no more than that."""
    attacks = importlib.import_module(f"support.attacks_{VARIANTS.get(language, language)}")
    known = {name: attack for name, attack in attacks.ATTACKS.items() if HIDDEN_BY_LAYERS.search(name)}
    programs = {name: (wrong, (*tests, attacks.TESTS)[0]) for name, (wrong, _, *tests) in known.items()}
    # Many attacks have the same honest counterpart.
    honest = {(right, (*tests, attacks.TESTS)[0]): name for name, (_, right, *tests) in known.items()}
    verdicts = run(language, [*programs.values(), *honest])
    wrong, right = verdicts[: len(programs)], verdicts[len(programs) :]
    assert [name for name, verdict in zip(programs, wrong, strict=True) if verdict.passed] == []
    assert [name for name, verdict in zip(honest.values(), right, strict=True) if not verdict.passed] == []
    assert {verdict.grading for verdict in verdicts} == {"shared"}


def test_tests_leave_no_file(run):
    """The files of tests are gone before the candidate is loaded."""
    [verdict] = run("ruby", [(LOOKS, FILES_LEFT)])
    assert verdict.passed, (verdict.detail, verdict.stderr)
