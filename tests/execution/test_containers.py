"""eval-framework's calls that run code: their output, their errors, and the evaluators behind them."""

import pytest

from code_tasks.execution import (
    SandboxTimeoutError,
    close_containers,
    execute_python_code_with_tests,
    get_or_create_pool,
    parse_unittest_output,
    run_python_code,
    unittest_merge_snippets,
)
from code_tasks.execution.containers import built_image
from sandboxes import SandboxUnavailable
from sandboxes.backends.docker.engine import DockerCli
from support.docker_engines import IMAGE, WITH_DOCKER, containers, require_image, wait_until
from support.execution_records import RIGHT, TESTS, WRONG

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def closed():
    """End the warm workers after the last test."""
    yield
    close_containers()


@pytest.fixture(params=["subprocess", WITH_DOCKER])
def options(request):
    """Return the options of a sandbox."""
    if request.param == "docker":
        require_image()
        return {"image": IMAGE, "pull": "never"}
    return {"image": "python:3.12", "sandbox": request.param}


def test_output_of_a_program(options):
    """A program's output is standard error, then standard output, without the blanks around them."""
    code = "import sys\nprint('said')\nprint('warned', file=sys.stderr)\nif __name__ == '__main__':\n    print(2)\n"
    assert run_python_code(code, **options) == "warned\nsaid\n2"


def test_output_of_a_program_that_fails(options):
    """A program that fails has its traceback in its output."""
    assert "ZeroDivisionError: division by zero" in run_python_code("1 / 0", **options)


def test_timeout(options):
    """A program that takes too long is an exception with the timeout."""
    with pytest.raises(SandboxTimeoutError, match="Operation timed out after 1 seconds") as caught:
        run_python_code("import time\ntime.sleep(15)", timeout=1, **options)
    assert caught.value.timeout_duration == 1 and isinstance(caught.value, TimeoutError)


def test_no_timeout(options):
    """A timeout of 0 is none."""
    assert run_python_code("print(1)", timeout=0, **options) == "1"


def test_localhost_and_a_shell(options):
    """Programs of these calls can listen on localhost and use a shell."""
    code = "import os, socket\nwith socket.create_server(('127.0.0.1', 0)):\n    os.system('echo heard')\n"
    assert run_python_code(code, **options) == "heard"


@pytest.mark.parametrize(("code", "success"), [(RIGHT, True), (WRONG, False), ("def add(:", False)])
def test_candidate_with_tests(options, code, success):
    """A candidate is merged with its tests, run, and judged by its output."""
    chosen = {**options, "image": options["image"]}
    found = execute_python_code_with_tests(
        code, TESTS, None, {}, unittest_merge_snippets, chosen.pop("image"), 20, parse_unittest_output, **chosen
    )
    assert found.success is success


def test_arguments_by_name(options):
    """Only the candidate and its tests are needed, and the result is a tuple, as in eval-framework."""
    success, output = execute_python_code_with_tests(code=RIGHT, test_code=TESTS, **options)
    assert (success, output[:3]) == (True, "ran")


def test_no_tests_are_no_success(options):
    """A candidate without tests does not pass, because its program names a module that nobody imported."""
    chosen = dict(options)
    found = execute_python_code_with_tests(
        RIGHT, "", None, {}, unittest_merge_snippets, chosen.pop("image"), 20, parse_unittest_output, **chosen
    )
    assert not found.success and "'unittest' is not defined" in found.output


def test_files_for_a_program(options, tmp_path):
    """A program in a container can read the files that it is given, at the paths that they are given."""
    if options.get("sandbox"):
        pytest.skip("files are for sandboxes with images")
    (tmp_path / "o.txt").write_text("hello!")
    code = "print(open('/data/in.txt').read())"
    assert run_python_code(code, input_files=[(str(tmp_path / "o.txt"), "/data/in.txt")], **options) == "hello!"


@pytest.mark.docker
def test_packages_and_a_dockerfile(tmp_path):
    """A Dockerfile is built into an image, on which packages are installed."""
    require_image()
    (tmp_path / "Dockerfile").write_text(f"FROM {IMAGE}\nENV OF=image\n")
    path = str(tmp_path / "Dockerfile")
    code = "import os\ntry:\n    import six\nexcept ImportError:\n    print('none')\nprint(os.environ['OF'])"
    try:
        assert run_python_code(code, dockerfile=path, pull="never") == "none\nimage"
        assert run_python_code(code, dockerfile=path, packages=["six"], pull="never") == "image"
    finally:
        close_containers()
        DockerCli().query("rmi", "--force", built_image(path, None))


@pytest.mark.docker
def test_broken_dockerfile(tmp_path):
    """A Dockerfile that can't be built is the sandbox's failure."""
    require_image()
    (tmp_path / "Dockerfile").write_text(f"FROM {IMAGE}\nRUN exit 3\n")
    with pytest.raises(SandboxUnavailable, match="can't build"):
        run_python_code("print(1)", dockerfile=str(tmp_path / "Dockerfile"))


@pytest.mark.docker
def test_containers_are_kept_and_closed():
    """Equal calls share one warm container, which `close_containers` ends."""
    require_image()
    close_containers()
    before = set(containers())
    for _ in range(3):
        run_python_code("print(1)", image=IMAGE, pull="never")
    assert len(set(containers()) - before) == 1
    close_containers()
    assert wait_until(lambda: not set(containers()) - before, 30)


def pool_of(**arguments):
    """Return the evaluator of these arguments; nothing is started."""
    return get_or_create_pool(**{"image": "python:3.12", **arguments})


def test_equal_arguments_have_one_pool():
    """Equal images and packages share an evaluator, and no packages are the same as an empty list."""
    assert pool_of(packages=["numpy"]) is pool_of(packages=["numpy"])
    assert pool_of() is pool_of(packages=[]) is pool_of(packages=None)


@pytest.mark.parametrize("other", [{"image": "python:3.13"}, {"packages": ["numpy"]}, {"memory_mb": 100}])
def test_other_arguments_have_another_pool(other):
    """Another image, other packages and other options have an evaluator of their own."""
    assert pool_of(**other) is not pool_of()


@pytest.mark.parametrize("arguments", [{}, {"image": "python:3.12", "dockerfile": "Dockerfile"}])
def test_image_or_dockerfile(arguments):
    """One of an image and a Dockerfile is needed."""
    with pytest.raises(ValueError, match="an image or a dockerfile"):
        get_or_create_pool(**arguments)
