"""CodeCorrectness on a real engine: images with the tools that records need, and images without them."""

import sys
import sysconfig

import pytest

from code_tasks.correctness import CorrectnessChecker, Record
from sandboxes import Pool, SandboxUnavailable, open_sandbox
from support.correctness_programs import JAVA, JUNIT_5, LEAVING, MOCKITO, PYTHON, PYTHON_TEST, RIGHT, SHOP
from support.docker_engines import IMAGE, LANGUAGES_IMAGE, require_image
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def engine():
    """Skip these tests if there is no engine."""
    require_image()


def check(*records, **options):
    """Return the result of one run of each record."""
    options = {"image": IMAGE, "pull": "never", "timeout": 6 * WALL_SECONDS, "progress": False, **options}
    return CorrectnessChecker("docker", **options).check(records)


@pytest.mark.parametrize(
    ("language", "code", "test_code", "message"),
    [
        ("python", PYTHON, PYTHON_TEST, "python records need pytest.*packages="),
        ("java", JAVA, JUNIT_5, "java records need javac.*openjdk"),
    ],
)
def test_missing_tools(language, code, test_code, message):
    """A tool that an image lacks is the sandbox's fault, and the error says how to get it."""
    with pytest.raises(SandboxUnavailable, match=message):
        check(Record("1", code, test_code, language, "success"))


def test_python():
    """An image with pytest judges records like the other sandboxes."""
    pool = Pool(open_sandbox("docker", image=IMAGE, pull="never"))
    isolation = pool.preflight()
    pool.close()
    version = "{}.{}".format(*sys.version_info)
    if not isolation.python.startswith(f"{version}."):
        pytest.skip(f"the image has Python {isolation.python}, and so can't use this one's pytest")
    volumes = {sysconfig.get_path("purelib"): f"/usr/local/lib/python{version}/dist-packages"}
    pairs = [(PYTHON, PYTHON_TEST), *LEAVING["python"]]
    records = [Record(str(number), *pair, "python", "") for number, pair in enumerate(pairs)]
    assert [each.label for each in check(*records, volumes=volumes)] == [
        "success",
        *["failed"] * len(LEAVING["python"]),
    ]


@pytest.mark.languages("go")  # Go's tools are this machine's.
def test_java_and_go():
    """An image with Go, the JDK, JUnit and Mockito judges records in Go and Java like the other sandboxes."""
    require_image(LANGUAGES_IMAGE)
    records = [
        Record(f"Mockito {framework} {label}", SHOP, test_code, "java", label)
        for framework, tests in MOCKITO.items()
        for label, test_code in tests.items()
    ]
    records += [
        Record(f"{language} {label} {number}", *pair, language, label)
        for language in ("java", "go")
        for label, pairs in (("success", RIGHT[language]), ("failed", LEAVING[language]))
        for number, pair in enumerate(pairs)
    ]
    checked = check(*records, image=LANGUAGES_IMAGE)
    assert [(each.record.id, each.label) for each in checked] == [(each.id, each.label) for each in records]
