"""An interpreter that finds its library through LD_LIBRARY_PATH, as those of environment modules and of Spack do."""

import json
import os
import subprocess
import sys
import sysconfig

import pytest

from sandboxes.backends.local_process import LIBRARY_PATH, guest_environment
from support.metric_and_command import ROOT, environment
from support.other_pythons import VERSIONS, find_python

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="the linker's path is Linux's")]

OLDEST = "3.11"
DESCRIBE = "import json, sysconfig as s; print(json.dumps([s.get_config_var(n) for n in ('INSTSONAME', 'LIBDIR')]))"
SCRIPT = """
import json
from sandboxes import Pool, Program, Session, open_sandbox
candidate = "import os\\ndef f(): return os.environ.get('LD_LIBRARY_PATH')\\n"
pool = Pool(open_sandbox("subprocess"))
programs = [Program(candidate, "assert f() is None", grading=grading) for grading in ("shared", "separate")]
said = [[verdict.outcome.value, verdict.detail] for verdict in pool.run_all(programs, 1)]
pool.close()
with Session() as session:
    said.append(session.run_cell("import os; os.environ.get('LD_LIBRARY_PATH', 'none')").value)
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def lost(tmp_path_factory):
    """Provide an interpreter that does not find its library by itself: (its path, the library's folder)."""
    newest_first = [version for version in reversed(VERSIONS) if VERSIONS.index(version) >= VERSIONS.index(OLDEST)]
    for python in (found[1] for version in newest_first if (found := find_python(version))):
        library, folder = json.loads(subprocess.check_output([python, "-I", "-c", DESCRIBE]))
        if not library or not os.path.exists(f"{folder}/{library}"):
            continue
        environment_folder = tmp_path_factory.mktemp("lost")
        subprocess.run([python, "-m", "venv", "--copies", "--without-pip", environment_folder], check=True)
        copy = environment_folder / "bin" / "python"
        binary = copy.read_bytes()
        copy.write_bytes(binary.replace(folder.encode() + b"\0", bytes(len(folder) + 1)))
        if subprocess.run([copy, "-c", ""], capture_output=True).returncode != 0:
            return copy, folder
    pytest.skip("no Python of 3.11 or newer is here that was built with --enable-shared, such as pyenv's")


def test_programs_run_without_the_variable(lost):
    """The guest starts with the folder of the library, and neither programs nor sessions see the variable."""
    python, folder = lost
    done = subprocess.run(
        [python, "-c", SCRIPT],
        env=environment(LD_LIBRARY_PATH=f"/nothing{os.pathsep}{folder}"),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [["passed", ""], ["passed", ""], "'none'"]


def test_an_interpreter_that_needs_no_variable_gets_none(monkeypatch):
    """Folders of other libraries, such as CUDA's, do not reach the guest."""
    monkeypatch.setenv(LIBRARY_PATH, sysconfig.get_path("stdlib"))
    assert LIBRARY_PATH not in guest_environment()
