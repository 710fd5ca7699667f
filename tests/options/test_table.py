"""The one table of options defines the metric's arguments, the tables of docs/options.md and the commands' options."""

import inspect
import pkgutil
import re

import pytest
from typer.testing import CliRunner

import sandboxes
from code_eval import NOT_OF_STREAMS
from code_tasks.adapters.trl import NOT_OF_REWARDS
from code_tasks.cli.correctness import CORRECTNESS
from code_tasks.cli.docker import PRUNE
from code_tasks.cli.doctor import DOCTOR
from code_tasks.cli.main import COMMANDS, app
from code_tasks.cli.options import Door, parse_packages, parse_variables, parse_volumes
from code_tasks.cli.run import RUN
from code_tasks.cli.solve import SOLVE
from code_tasks.cli.wording import as_command_message, as_command_text
from code_tasks.correctness.checker import NOT_OF_CORRECTNESS
from code_tasks.execution.metric import NOT_OF_EXECUTION
from sandboxes.options.backend_options import DOCKER, RESTRICTED
from sandboxes.options.docs import argument_list, markdown_table, with_tables
from sandboxes.options.table import GROUPS, OPTIONS, REUSE_OPTIONS, TASK_OPTIONS
from space.service_requests import REFUSED
from support.metric_and_command import ROOT, load_metric

DOORS = {"run": RUN, "solve": SOLVE, "correctness": CORRECTNESS, "doctor": DOCTOR, "docker prune": PRUNE}


def test_names_are_unique():
    """Each option has one row in the table."""
    assert len(OPTIONS) == sum(len(group.options) for group in GROUPS)


def test_texts_are_unique():
    """No two options have the same text."""
    texts = [option.help for option in OPTIONS.values()]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.name)
def test_texts_are_sentences(option):
    """A text has sentences of at most 25 words, a list of values apart. The default is a value or in words."""
    assert option.help.endswith(".")
    text = re.sub(r'(`"\w+"`, )+', "", option.help)
    assert max(len(sentence.split()) for sentence in re.split(r"[.:] ", text)) <= 25
    assert (option.default is None) <= bool(option.default_text)


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.name)
def test_defaults_are_valid(option):
    """An option's own default passes its check."""
    if option.default is not None:
        assert option.checked(option.default) == option.default


def test_own_options_of_sandboxes():
    """The groups of "restricted" and "docker" hold exactly the options that these sandboxes take."""
    assert RESTRICTED.names == sandboxes.BACKENDS["restricted"].own_options
    assert DOCKER.names == sandboxes.BACKENDS["docker"].own_options


def test_options_of_the_metric(monkeypatch):
    """`compute` takes the options of the table and no others."""
    with pytest.raises(TypeError, match="no option 'no_such_option'; the options are (.*)") as raised:
        load_metric().compute(predictions=[["x"]], references=["x"], no_such_option=1)
    assert set(str(raised.value).partition("the options are ")[2].split(", ")) == set(OPTIONS)


def test_argument_list_of_the_metric():
    """The metric's description lists each option, with its default."""
    description = load_metric().inputs_description
    assert argument_list() in description
    named = re.findall(r"^    (\w+): ", description.partition("Returns:")[0], re.MULTILINE)
    assert named == ["predictions", "references", *OPTIONS]
    assert "    tolerance: float, > 0: The largest" in description and "Default: 1e-06.\n" in description


def test_tables():
    """docs/options.md has the table of each group; `sandboxes.options.docs` tells how to write it again."""
    page = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
    assert with_tables(page) == page
    assert [group.name for group in GROUPS if markdown_table(group) not in page] == []


def help_of(command):
    """Return the help of a command, as one line of text without frames."""
    done = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "400", "TERMINAL_WIDTH": "400"})
    assert done.exit_code == 0, done.output
    return " ".join(done.output.replace("│", " ").split())


@pytest.mark.parametrize("command", DOORS)
def test_help_of_commands(command, monkeypatch):
    """A command's help has each of its options, with text and default, below the title of the option's group."""
    monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", 400)
    text, door = help_of(command), DOORS[command]
    assert door.options
    for option, panel in door.options.values():
        assert panel in text
        assert as_command_text(option.help) in text
        assert [flag for flag in option.spellings if flag not in text] == []
        default = door.default(option)
        if isinstance(default, int | float | str) and not isinstance(default, bool):
            assert re.search(rf"\[default: \(?{re.escape(str(default))}\)?[;\]]", text)


@pytest.mark.parametrize("command", DOORS)
def test_refused_options(command):
    """An option that a command refuses is in the table, has a reason, and is not in the command's help."""
    text, door = help_of(command), DOORS[command]
    assert set(door.refused) <= set(OPTIONS) and all(door.refused.values())
    assert [name for name in door.refused if re.search(rf"(?<!\S){OPTIONS[name].spellings[0]}\b[^-]", text)] == []


@pytest.mark.parametrize(
    "names", [NOT_OF_CORRECTNESS, NOT_OF_EXECUTION, NOT_OF_REWARDS, NOT_OF_STREAMS, REFUSED], ids=len
)
def test_what_other_doors_refuse(names):
    """Options that other entry points refuse are in the table, so a renamed option is not let in."""
    assert set(names) <= set(OPTIONS)


@pytest.mark.parametrize("command", ["run", "solve", "correctness", "doctor"])
def test_commands_are_short(command):
    """The function of a command has few lines and few parameters, because its options come from the table."""
    function = pkgutil.resolve_name(f"code_tasks.cli.{COMMANDS[command][0]}")
    lines, _ = inspect.getsourcelines(inspect.unwrap(function))
    assert len(lines) < 60
    assert len(inspect.signature(inspect.unwrap(function), follow_wrapped=False).parameters) <= 7


@pytest.mark.parametrize(
    ("message", "spelled"),
    [
        ("grading must be one of a, b, not 'x'", "--grading must be one of a, b, not 'x'"),
        ("read_only_paths: there is no '/x'", "--read-only-path: there is no '/x'"),
        ('image is an option of sandbox="docker"', "--image is an option of --sandbox docker"),
        ("it needs return_output=True", "it needs --return-output"),
        ("unknown sandbox 'dokcer'", "--sandbox: unknown sandbox 'dokcer'"),
        ("on_solver_error must be one of", "--on-solver-error must be one of"),
        ("the policy of the network", "the policy of the network"),
        ("not 'cache_mb' nor x.cache_mb", "not 'cache_mb' nor x.cache_mb"),
    ],
)
def test_messages_of_commands(message, spelled):
    """A command's error names options as its users write them, and leaves other words alone."""
    assert as_command_message(message) == spelled


def test_what_is_given():
    """A command passes on limits and options that differ from their defaults, and parses pairs of values."""
    door = Door(groups=("limits", "docker"), defaults={"timeout": 30.0})
    arguments = {name: None for name in door.options} | {"timeout": 30.0, "memory_mb": 5, "packages": ["numpy"]}
    assert door.given(arguments) == {"timeout": 30.0, "memory_mb": 5, "packages": ["numpy"]}
    assert door.given(arguments | {"compile_timeout": 30.0}) == door.given(arguments)
    assert parse_packages(["cv2:opencv-python>=4", "yaml:pyyaml"]) == {"cv2": "opencv-python>=4", "yaml": "pyyaml"}
    assert parse_volumes(["/a", "/b:/c"]) == {"/a": "/a", "/b": "/c"}
    assert parse_variables(["A=1=2", "B="]) == {"A": "1=2", "B": ""}


@pytest.mark.parametrize(
    ("parse", "texts", "message"),
    [
        (parse_variables, ["A"], "--env must be NAME=VALUE, not 'A'"),
        (parse_packages, ["numpy", "cv2:opencv-python"], "IMPORT:REQUIREMENT for all packages, or for none"),
    ],
)
def test_pairs_that_can_not_be_read(parse, texts, message):
    """A text that is not a pair is a usage error that names the expected form."""
    with pytest.raises(Exception, match=message):
        parse(texts)


def test_groups_of_tasks_and_reuse():
    """The options of `TaskOptions` and `ReuseOptions` are in the table."""
    assert {*TASK_OPTIONS, *REUSE_OPTIONS} <= set(OPTIONS)
