"""smolagents' own CodeAgent runs its blocks of code in a session."""

import base64
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from support.frameworks import framework

framework("smolagents", "frameworks")

from smolagents import CodeAgent, FinalAnswerTool, LogLevel, Tool, tool  # noqa: E402
from smolagents.local_python_executor import InterpreterError, LocalPythonExecutor  # noqa: E402
from smolagents.memory import CallbackRegistry  # noqa: E402

from code_tasks.adapters.smolagents import MAX_UNORDERED, SandboxBroken, SandboxExecutor  # noqa: E402
from sandboxes import SandboxUnavailable, SessionLimits  # noqa: E402
from support.metric_and_command import ROOT  # noqa: E402
from support.observers import all_gone, wait_until  # noqa: E402
from support.pages import blocks_of  # noqa: E402
from support.requirements import WALL_SECONDS  # noqa: E402
from support.scripted_model import ScriptedModel  # noqa: E402

pytestmark = pytest.mark.slow


@tool
def double(number: int) -> int:
    """Double a number.

    Args:
        number: the number.
    """
    return 2 * number


class Greeter(Tool):
    name = "greet"
    description = "Greets somebody."
    inputs = {"name": {"type": "string", "description": "who"}}
    output_type = "string"
    punctuation = "!"

    def forward(self, name: str) -> str:
        import textwrap

        return textwrap.dedent(f"  Hello {name}{self.punctuation}")


def run(*blocks, tools=(), arguments=None, **options):
    """Run an agent whose model writes these blocks, and return its answer and the error and logs of each step."""
    executor = SandboxExecutor(**{"timeout_seconds": WALL_SECONDS, **options})
    model = ScriptedModel(*blocks)
    with CodeAgent(list(tools), model, executor=executor, verbosity_level=LogLevel.OFF, max_steps=len(blocks)) as agent:
        answer = agent.run("do it", additional_args=arguments)
        steps = [step for step in agent.memory.steps if hasattr(step, "code_action")]
    return answer, steps


def test_an_agent_works_with_tools_variables_and_state():
    """Tools of both kinds, arguments of the run, and variables of earlier blocks are there."""
    answer, steps = run(
        "total = double(numbers[0])\nprint('total', total)\ntotal",
        "import os\nopen('kept', 'w').write(greet('Ada'))",
        "final_answer([total, numbers[1], open('kept').read()])",
        tools=[double, Greeter()],
        arguments={"numbers": (21, {"deep": [1.5, None]})},
    )
    assert answer == [42, {"deep": [1.5, None]}, "Hello Ada!"]
    assert [step.error for step in steps] == [None] * 3
    assert steps[0].observations == "Execution logs:\ntotal 42\nLast output from code snippet:\n42"


def test_a_second_run_keeps_variables_and_sends_tools_again():
    """An agent that runs again finds what its code has left, and tools can be sent any number of times."""
    executor = SandboxExecutor()
    with CodeAgent([double], ScriptedModel("x = 1\nfinal_answer(x)"), executor=executor, verbosity_level=0) as agent:
        assert agent.run("first", additional_args={"n": 1}) == 1
        for n in (2, 3):
            agent.model.blocks = ["final_answer(double(x) + n)"]
            assert agent.run("again", reset=False, additional_args={"n": n}) == 2 + n


def test_errors_are_what_the_model_sees():
    """A failing block is an AgentExecutionError with its traceback, and its output is an observation."""
    answer, steps = run("print('before')\n1 / 0", "def broken(:", "final_answer('done')")
    assert answer == "done"
    error, invalid = (step.error.dict() for step in steps[:2])
    assert error["type"] == "AgentExecutionError"
    assert "ZeroDivisionError: division by zero" in error["message"] and "line 2" in error["message"]
    assert steps[0].observations == "Execution logs:\nbefore\n"
    assert "SyntaxError" in invalid["message"]


def test_the_last_expression_and_a_long_output():
    """The last expression is shown as its repr, and a long output is cut in its middle."""
    _, steps = run("'text'", "print('x' * 5000)", "raise ValueError('y' * 5000)", max_print_outputs_length=100)
    assert steps[0].action_output == "'text'"
    assert len(steps[1].observations) < 400 and len(steps[2].error.message) < 400


ANSWERS = [
    "{'a': (1, 2.5), 'b': {3}, 4: frozenset([5]), 'c': b'\\x00\\xff', 'd': 1j}",
    "[True, None, 'ä \\U0001f9ea', {'__type__': 'of my own'}, {}]",
    "__import__('datetime').datetime(2026, 1, 2, 3, 4)",
    "__import__('decimal').Decimal('1.10')",
]


@pytest.mark.parametrize("answer", ANSWERS)
def test_final_answers_are_values(answer):
    """A final answer is the value that the code gave, of each type that smolagents' serializer knows."""
    assert run(f"final_answer({answer})")[0] == eval(answer)


def test_arrays_and_images():
    """Arrays and images cross too, if the sandbox has numpy and Pillow."""
    numpy, image = framework("numpy", "frameworks"), framework("PIL.Image", "frameworks")
    answer, _ = run(
        "import numpy\nfinal_answer([table + 1, numpy.array(['a', 'b']), picture.size, picture])",
        arguments={"table": numpy.array([[1, 2]]), "picture": image.new("RGB", (3, 2))},
    )
    assert answer[0].tolist() == [[2, 3]] and answer[1:3] == [["a", "b"], (3, 2)]
    assert answer[3].size == (3, 2) and answer[3].format == "PNG"


def test_a_time_out_keeps_the_variables():
    """A block that takes too long and can be interrupted loses nothing."""
    _, steps = run("x = 1\nprint('begun')\nwhile True: pass", "final_answer(x)", timeout_seconds=1)
    assert "ran for more than 1 s. It was interrupted, and the variables are kept." in steps[0].error.message
    assert steps[0].observations == "Execution logs:\nbegun\n"
    assert steps[1].action_output == 1


LOSING = {
    "a block that can't be interrupted": "x = 1\nimport signal\nsignal.signal(2, signal.SIG_IGN)\nwhile True: pass",
    "an exit": "x = 1\nimport os\nos._exit(0)",
    "the memory of several processes": """
import os, signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
for _ in range(3): os.fork()
x = b'x' * (60 << 20)
time.sleep(600)
""",
    "a signal to its group": "x = 1\nimport os\nos.kill(0, 9)",
}


@pytest.mark.parametrize("name", LOSING)
def test_lost_variables_are_told_and_tools_come_back(name):
    """Where the process ends, the model is told so, and the next block has tools and arguments again."""
    answer, steps = run(
        "kept = open('kept', 'w').write('kept')",
        LOSING[name],
        "'x' in globals()",
        "final_answer([double(n), open('kept').read()])",
        tools=[double],
        arguments={"n": 4},
        timeout_seconds=5,
        memory_mb=256,
    )
    assert "the variables are lost" in steps[1].error.message
    assert steps[2].action_output == "False"
    assert answer == [8, "kept"]


def test_a_process_that_ends_between_blocks():
    """A block that runs in a new process says that its variables are gone, and the one after it has its tools."""
    answer, steps = run(
        "import os, threading\nthreading.Timer(0.2, os._exit, [0]).start()",
        "import time\ntime.sleep(1)",
        "final_answer(double(2))",
        tools=[double],
    )
    assert answer == 4
    assert "variables are lost" in f"{steps[1].error} {steps[1].observations}"


FORK_BOMB = """
import os, time
while True:
    try:
        if os.fork() == 0:
            os.setsid()
            while True: time.sleep(98161)
    except OSError:
        os.kill(os.getpid(), 9)
"""


def test_processes_that_stay_do_not_stop_the_agent():
    """If what code has left behind keeps the next block from starting, another session takes its place."""
    answer, steps = run(FORK_BOMB, "final_answer(double(2))", tools=[double], max_processes=16)
    assert steps[0].error is not None
    assert answer == 4
    assert all_gone("98161")


UNPICKLED = Path(tempfile.gettempdir(), f"unpickled-{os.getpid()}")
PICKLE = base64.b64encode(f"cos\nsystem\n(S'touch {UNPICKLED}'\ntR.".encode()).decode()
PAYLOADS = {
    "a pickle": f"pickle:{PICKLE}",
    "a pickle without a prefix": PICKLE,
    "no JSON": "safe:{",
    "deep JSON": "safe:" + "[" * 100_000,
    "an array of huge elements": 'safe:{"__type__": "ndarray", "data": [[1], 2], "dtype": "float64"}',
    "an array without a type": 'safe:{"__type__": "ndarray"}',
    "an image that is none": 'safe:{"__type__": "PIL.Image", "data": "JSFQUy1BZG9iZS0zLjA="}',
    "a set of lists": 'safe:{"__type__": "set", "data": [[1]]}',
    "a long number": "safe:" + "9" * 10_000,
    "an endless time": 'safe:{"__type__": "timedelta", "total_seconds": 1e308}',
    "numbers of one hash": "safe:"
    + json.dumps({"__type__": "set", "data": [n * (2**61 - 1) for n in range(MAX_UNORDERED + 1)]}),
}
FORGED = "class FinalAnswerException(BaseException): pass\nraise FinalAnswerException(open('payload').read())"


@pytest.mark.parametrize("name", PAYLOADS)
def test_no_final_answer_hurts_the_caller(name):
    """A forged final answer is never unpickled. The model is told that it can't be read, and the agent goes on."""
    # Another framework in this process may have taken the limit of numbers away.
    sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)
    executor = SandboxExecutor()
    executor._session.write_file("payload", PAYLOADS[name])
    with CodeAgent([], ScriptedModel(FORGED, "final_answer(1)"), executor=executor, verbosity_level=0) as agent:
        assert agent.run("do it") == 1
        assert "The final answer can't be read" in agent.memory.steps[1].error.message
    assert not UNPICKLED.exists()


def test_a_final_answer_can_be_printed():
    """Lone surrogates would end the agent when it logs its answer."""
    assert run("final_answer(['\\ud800', {'\\udc80': 1}])")[0] == ["?", {"?": 1}]


def test_an_answer_of_huge_elements_takes_no_memory():
    """The type of an array in a final answer does not decide how much memory its elements take."""
    executor = SandboxExecutor()
    executor._session.write_file("payload", 'safe:{"__type__": "ndarray", "data": [1], "dtype": "S4000000000"}')
    assert executor(FORGED).output == [1]
    executor.cleanup()


HOSTILE = [
    "import os\nprint(os.listdir('/home'), os.path.exists('/work'))\nopen('/etc/shadow').read()",
    "import socket\nsocket.create_connection(('127.0.0.1', 22))",
    "import sys\nfor name in list(sys.modules): del sys.modules[name]\n1 / 0",
    "import builtins\nbuiltins.repr = builtins.str = None\nraise ValueError",
    "import os\nfor fd in range(3, 99):\n    try: os.write(fd, b'D' * 9999)\n    except OSError: pass\n1 / 0",
    "final_answer(object())",
    "import os\nos.kill(os.getppid(), 9)\n1 / 0",
    "import os\nos.kill(1, 9)\nos.kill(-1, 9)",
]


@pytest.mark.parametrize("code", HOSTILE)
def test_hostile_code_is_an_error_of_its_step(code):
    """Code that attacks what is around it fails, and the agent answers in a later step."""
    answer, steps = run(code, "import os\nos._exit(1)", "final_answer('well')")
    assert answer == "well"
    assert steps[0].error.dict()["type"] == "AgentExecutionError"


def test_a_broken_sandbox_ends_the_run():
    """A sandbox that breaks is raised, and not shown to the model as its mistake."""
    executor = SandboxExecutor()
    model = ScriptedModel("x = 1", "x", "final_answer(x)")

    def break_sandbox(step, agent):
        if step.step_number == 1:
            psutil.Process(executor._session._calls.connection.worker.process.pid).kill()

    with CodeAgent([], model, executor=executor, verbosity_level=0, step_callbacks=[break_sandbox]) as agent:
        with pytest.raises(SandboxBroken, match="its guest broke"):
            agent.run("do it")
        assert len(model.shown) == 2
        model.blocks = ["pass", "final_answer('again')"]
        agent.step_callbacks = CallbackRegistry()
        assert agent.run("do it") == "again"


def test_a_sandbox_that_does_not_start_ends_the_run(monkeypatch):
    """A session that can't be opened is an error of the run, before the model is asked."""
    monkeypatch.setattr("sandboxes.sessions.connection.START_TIMEOUT_SECONDS", 0)
    model = ScriptedModel("final_answer(1)")
    with CodeAgent([], model, executor=SandboxExecutor(), verbosity_level=0) as agent:
        with pytest.raises(SandboxUnavailable, match="does not start"):
            agent.run("do it")
    assert model.shown == []


def test_nothing_is_left():
    """The agent's end takes with it all that its code has started."""
    executor = SandboxExecutor()
    code = "import subprocess\nsubprocess.Popen(['sleep', '98163'], start_new_session=True)\nfinal_answer(1)"
    with CodeAgent([], ScriptedModel(code), executor=executor, verbosity_level=0) as agent:
        agent.run("do it")
        guest = psutil.Process(executor._session._calls.connection.worker.process.pid)
        processes = [guest, *guest.children(recursive=True)]
    assert all_gone("98163")
    assert wait_until(lambda: not any(process.is_running() for process in processes), WALL_SECONDS)


def test_what_can_not_be_sent_is_named():
    """A variable without a safe form, a managed agent, and a tool without source are refused by their names."""
    executor = SandboxExecutor()
    with pytest.raises(TypeError, match="variable 'handle' can't be sent into the sandbox"):
        executor.send_variables({"handle": object()})
    helper = CodeAgent([], ScriptedModel(), executor=executor, name="helper", description="helps", verbosity_level=0)
    agent = CodeAgent([], ScriptedModel(), executor=executor, managed_agents=[helper], verbosity_level=0)
    with pytest.raises(TypeError, match="'helper' can't be sent into the sandbox: a CodeAgent runs in your process"):
        agent.run("do it")
    made = Greeter()
    made.__class__ = type("Made", (Greeter,), {"forward": lambda self, name: name})
    with pytest.raises(ValueError, match="tool 'greet' can't be sent into the sandbox"):
        executor.send_tools({"greet": made})
    with pytest.raises(InterpreterError, match="the sandbox does not have no_such_module"):
        SandboxExecutor(["no_such_module.inner", "*"]).send_tools({"final_answer": FinalAnswerTool()})


def test_arguments_are_checked():
    """An invalid argument is one error that names it."""
    with pytest.raises(TypeError, match="there is no option 'timeout' here"):
        SandboxExecutor(timeout=3)
    with pytest.raises(TypeError, match="must be a list, not 'numpy'"):
        SandboxExecutor("numpy")
    with pytest.raises(ValueError, match="max_print_outputs_length"):
        SandboxExecutor(max_print_outputs_length=0)
    with pytest.raises(ValueError, match="timeout_seconds"):
        SandboxExecutor(timeout_seconds=0)
    with pytest.raises(ValueError, match="dokcer"):
        SandboxExecutor(sandbox="dokcer")
    assert SandboxExecutor(limits=SessionLimits(processes=7))._session.limits.processes == 7


def test_consent(monkeypatch):
    """Without consent there is no executor."""
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL")
    with pytest.raises(ValueError, match="HF_ALLOW_CODE_EVAL"):
        SandboxExecutor()


def test_a_loaded_agent_has_lost_its_executor_and_its_tools_source():
    """The page's warning is true: a loaded agent runs locally, and its tools can't be sent."""
    saved = CodeAgent([double], ScriptedModel(), executor=SandboxExecutor(), verbosity_level=0).to_dict()
    saved["model"] = {"class": "InferenceClientModel", "data": {}}
    assert type(CodeAgent.from_dict(saved, model=ScriptedModel()).python_executor) is LocalPythonExecutor
    loaded = CodeAgent.from_dict(saved, model=ScriptedModel(), executor=SandboxExecutor())
    with pytest.raises(ValueError, match="can't be sent into the sandbox: could not get source code"):
        loaded.run("do it")


def test_the_page():
    """The lines of docs/integrations/smolagents.md run."""
    page = (ROOT / "docs" / "integrations" / "smolagents.md").read_text(encoding="utf-8")
    [block] = blocks_of(page, "python")
    names = {"tools": [double], "model": ScriptedModel("final_answer(double(last))")}
    exec(block.code, names)
    assert names["answer"] == 200


def test_the_example():
    """The example runs by itself."""
    example = ROOT / "examples" / "integrations" / "smolagents_agent.py"
    done = subprocess.run([sys.executable, "-W", "ignore", example], capture_output=True, text=True, check=True)
    assert "answer: 5050" in done.stdout
