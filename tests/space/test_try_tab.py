"""The tab "Try it" in a real browser."""

import re

import pytest

from support.browser import CURVE_POINTS, SIZES, expect
from support.observers import wait_until
from support.space_client import Marked
from support.space_server import serving

pytestmark = pytest.mark.slow

RIGHT = "def double(x):\n    return 2 * x\n"
WRONG = "def double(x):\n    return x\n"
HANGING = "def double(x):\n    while True:\n        pass\n"
TESTS = "assert double(2) == 4\n"
ATTACK = "</pre></details><script>window.broken = 1</script><img src=x onerror='window.broken = 1'>${window.broken = 1}"
SECONDS = 120
# The fourth crashes. If the report of its end comes late, on a busy machine, its outcome is "left early".
EXAMPLE_OUTCOMES = ["passed", "failed", "timed out", re.compile("crashed|left early"), "failed"]


@pytest.fixture(scope="module")
def patient_space():
    """Provide a Space whose programs may run for ten minutes."""
    with serving(CODE_EVAL_MAX_TIMEOUT="600") as server:
        yield server


def test_page_asks_no_other_server(visit):
    """The page sends requests only to its own server, even for figures."""
    visitor = visit()
    visitor.write(RIGHT, WRONG, tests=TESTS)
    visitor.button("Run").click()
    expect(visitor.page.locator(CURVE_POINTS)).to_have_count(2)
    visitor.open_tab("Score a file")
    expect(visitor.button("Score")).to_be_visible()
    visitor.open_tab("About")
    expect(visitor.page.locator(".ce-document:visible").last).to_be_visible()
    assert [problem for problem in visitor.problems if problem.startswith("request")] == []


def test_example_has_its_outcomes(visit):
    """The first example runs with one press, and each candidate has its intended outcome."""
    visitor = visit()
    visitor.button("Run").click()
    expect(visitor.outcomes).to_have_text(EXAMPLE_OUTCOMES)
    expect(visitor.page.locator(".ce-estimate")).to_have_text(["20.0%pass@1"])


def test_curve_is_drawn(visit):
    """pass@k is drawn as a curve if there are several candidates."""
    visitor = visit()
    visitor.write(RIGHT, WRONG, tests=TESTS)
    visitor.button("Run").click()
    expect(visitor.page.locator(CURVE_POINTS)).to_have_count(2)


def test_letters_of_the_bar_are_whole(visit):
    """The bar of outcomes is high enough for the letters in it."""
    visitor = visit()
    visitor.write(RIGHT, WRONG, tests=TESTS)
    visitor.button("Run").click()
    expect(visitor.outcomes).to_have_text(["passed", "failed"])
    assert visitor.page.locator(".ce-part:visible").first.evaluate("(part) => part.scrollHeight <= part.clientHeight")


def test_no_plot_before_results(visit, patient_space):
    """There is no plot before the first run, and none during the next one, until its results are there."""
    visitor = visit(patient_space)
    plot = visitor.page.locator(".ce-curve:visible")
    expect(plot).to_have_count(0)
    visitor.write(RIGHT, WRONG, tests=TESTS)
    visitor.button("Run").click()
    expect(plot).to_have_count(1)
    visitor.write(RIGHT, HANGING)
    visitor.set("Seconds for each candidate", "600")
    visitor.button("Run").click()
    expect(visitor.outcomes).to_have_text(["passed", "no verdict yet"])
    expect(plot).to_have_count(0)
    visitor.button("Cancel").click()
    visitor.write(RIGHT, WRONG)
    visitor.button("Run").click()
    expect(visitor.page.locator(CURVE_POINTS)).to_have_count(2)
    visitor.open_tab("Score a file")
    expect(plot).to_have_count(0)


def test_restricted_example_is_refused(visit):
    """The example for RestrictedPython chooses that sandbox, which refuses two candidates and says why."""
    visitor = visit()
    visitor.button("Refused by RestrictedPython").click()
    expect(visitor.page.get_by_role("radio", name="restricted").and_(visitor.page.locator(":visible"))).to_be_checked()
    visitor.button("Run").click()
    expect(visitor.outcomes).to_have_text(["passed", "compile error", "compile error"])
    expect(visitor.results.nth(1)).to_contain_text("Eval calls are not allowed")


def test_results_come_one_by_one(visit, patient_space):
    """The verdict on a candidate is shown while another candidate is still running."""
    visitor = visit(patient_space)
    visitor.write(RIGHT, HANGING, tests=TESTS)
    visitor.set("Seconds for each candidate", "600")
    visitor.button("Run").click()
    expect(visitor.outcomes).to_have_text(["passed", "no verdict yet"])
    expect(visitor.status).to_contain_text("1 of 2 run")
    visitor.button("Cancel").click()


def test_opened_result_stays_open(visit):
    """A result that a visitor opened stays open while others come in."""
    visitor = visit()
    visitor.write(RIGHT, f"import time\ntime.sleep(2)\n{RIGHT}", tests=TESTS)
    visitor.button("Run").click()
    visitor.results.first.locator("summary").click()
    expect(visitor.outcomes).to_have_text(["passed", "passed"])
    expect(visitor.results.first.get_by_text("It wrote nothing.")).to_be_visible()


def test_cancel_ends_program(visit, patient_space):
    """Cancel ends the program on the server, and the page says what has a verdict and what was not run."""
    visitor, endless = visit(patient_space), Marked("time.sleep(600)")
    visitor.write(RIGHT, endless.source, tests=TESTS)
    visitor.set("Seconds for each candidate", "600")
    visitor.button("Run").click()
    assert wait_until(endless.runs, SECONDS)
    expect(visitor.outcomes).to_have_text(["passed", "no verdict yet"])
    visitor.button("Cancel").click()
    expect(visitor.status).to_contain_text("1 of 2 candidates has a verdict. Not run to the end: candidate 2.")
    expect(visitor.outcomes).to_have_text(["passed", "no verdict yet"])
    assert wait_until(lambda: not endless.runs(), SECONDS)


def test_run_after_cancel(visit, patient_space):
    """After Cancel the next run works."""
    visitor = visit(patient_space)
    visitor.write(HANGING, tests=TESTS)
    visitor.set("Seconds for each candidate", "600")
    visitor.button("Run").click()
    expect(visitor.outcomes).to_have_text(["no verdict yet"])
    visitor.button("Cancel").click()
    visitor.write(RIGHT)
    visitor.button("Run").click()
    expect(visitor.outcomes).to_have_text(["passed"])


def test_ctrl_enter_runs_what_was_just_typed(visit):
    """Ctrl+Enter in an editor runs the text with the last key typed."""
    visitor = visit()
    visitor.write(WRONG, tests=TESTS)
    visitor.editor("Candidate 1").press("Control+End")
    visitor.page.keyboard.type("double = lambda x: x + x")
    visitor.page.keyboard.press("Control+Enter")
    expect(visitor.outcomes).to_have_text(["passed"])


def test_keyboard_alone_runs(visit):
    """Tab, and in editors Escape before it, leads to Run, and Enter presses it."""
    visitor = visit()
    focused = "[document.activeElement.textContent.trim(), document.activeElement.className]"
    for _ in range(60):
        text, classes = visitor.page.evaluate(focused)
        if text == "Run":
            break
        if "cm-content" in classes:
            visitor.page.keyboard.press("Escape")
        visitor.page.keyboard.press("Tab")
    assert text == "Run"
    visitor.page.keyboard.press("Enter")
    expect(visitor.outcomes.first).to_have_text("passed")


def test_evidence_of_a_result(visit):
    """An open result shows the program's output and the traceback."""
    visitor = visit()
    visitor.write("print('from inside')\nraise ValueError('on purpose')", tests=TESTS)
    visitor.button("Run").click()
    visitor.results.first.locator("summary").click()
    texts = visitor.results.first.locator("pre")
    expect(texts).to_have_text([re.compile("Traceback.*ValueError: on purpose", re.DOTALL), "from inside"])


def test_program_taken_out_of_a_chat_answer(visit):
    """An open result of a chat answer shows the program that ran, and how it was read."""
    visitor = visit()
    visitor.write(f"Sure:\n```python\n{RIGHT}```\n", tests=TESTS)
    visitor.button("Run").click()
    expect(visitor.outcomes).to_have_text(["passed"])
    visitor.results.first.locator("summary").click()
    expect(visitor.results.first.locator("h4").first).to_have_text("Program: a block of code")
    expect(visitor.results.first.locator("pre").first).to_have_text(RIGHT)


def test_name_that_all_candidates_lack(visit):
    """The page names what all candidates lack, below their score."""
    visitor = visit()
    visitor.write("def double(x: List): pass\n", "def double(x) -> List: pass\n", tests=TESTS)
    visitor.button("Run").click()
    note = "all samples of 1 task fail with NameError: name 'List' is not defined"
    expect(visitor.page.locator(".ce-notes:visible")).to_have_text(note)


def test_markup_of_a_program_stays_text(visit):
    """Markup in the output and the exception of a candidate is shown as text, and does nothing."""
    visitor = visit()
    visitor.write(f"print({ATTACK!r})\nraise ValueError({ATTACK!r})", tests=TESTS)
    visitor.button("Run").click()
    visitor.results.first.locator("summary").click()
    expect(visitor.results.first.locator(".ce-detail")).to_have_text(f"ValueError: {ATTACK}")
    expect(visitor.results.first.locator("pre").last).to_have_text(ATTACK)
    assert visitor.page.evaluate("window.broken") is None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x", "k must be whole numbers such as 1, 10, not 'x'"),
        ("0", "k must be from 1 to"),
        ("<img/src=x/onerror=window.broken=1>", "not '<img/src=x/onerror=window.broken=1>'"),
    ],
    ids=["a word", "zero", "markup"],
)
def test_invalid_k(visit, space, value, message):
    """An invalid k leads to a message that shows it as text, and to no stack trace in the server's log."""
    visitor = visit()
    visitor.set("k of pass@k", value)
    visitor.button("Run").click()
    expect(visitor.message).to_contain_text(message)
    expect(visitor.status).to_have_text("Nothing was run.")
    assert visitor.page.evaluate("window.broken") is None
    # A stack trace would end with the message. The log is that of all tests, some of which cause stack traces.
    assert message not in space.log()


def test_no_candidate(visit):
    """If all candidates are blank, a message says what to do."""
    visitor = visit()
    visitor.write("  \n")
    visitor.button("Run").click()
    expect(visitor.message).to_contain_text("there is no candidate: write a program into the editor")


def test_candidates_come_and_go(visit):
    """Added candidates are run, and a removed candidate is not."""
    visitor = visit()
    visitor.write(RIGHT, HANGING, WRONG, tests=TESTS)
    visitor.open_candidate(2)
    visitor.button("Remove this one").click()
    expect(visitor.candidate_tabs).to_have_text(["Candidate 1", "Candidate 2"])
    visitor.button("Run").click()
    expect(visitor.outcomes).to_have_text(["passed", "failed"])


def test_visitors_see_their_own(visit):
    """Two visitors who run programs at once each see only the output of their own."""
    visitors = {"alpha": visit(), "beta": visit()}
    for name, visitor in visitors.items():
        visitor.write(f"print('this is {name}')\n{RIGHT}", tests=TESTS)
    for visitor in visitors.values():
        visitor.button("Run").click()
    for name, visitor in visitors.items():
        expect(visitor.outcomes).to_have_text(["passed"])
        visitor.results.first.locator("summary").click()
        expect(visitor.results.first.locator("pre")).to_have_text([f"this is {name}"])


def test_layers_are_shown(visit):
    """The layers of the chosen sandbox are listed beside it."""
    visitor = visit()
    panel = visitor.page.locator(".ce-sandbox:visible")
    expect(panel).to_contain_text("subprocess isolates a program here by")
    panel.locator("summary").click()
    expect(panel.get_by_role("listitem").filter(has_text="rlimits")).to_be_visible()


def test_run_covers_nothing(visit):
    """In each tab, wherever the page is scrolled, no part of the left column lies beneath the button that runs."""
    for size in SIZES.values():
        visitor = visit(viewport=size)
        for tab, name in (("Try it", "Run"), ("Score a file", "Score")):
            visitor.open_tab(tab)
            button = visitor.button(name)
            panels = visitor.page.locator(".ce-sandbox:visible, .ce-refused:visible")
            expect(panels.first).to_be_visible()
            for panel in panels.all():
                panel.scroll_into_view_if_needed()
                noted, pressed = panel.bounding_box(), button.bounding_box()
                assert pressed["y"] + pressed["height"] <= noted["y"] or noted["y"] + noted["height"] <= pressed["y"]


def test_unusable_sandbox_cannot_be_chosen(visit):
    """A sandbox that can't be used is no choice, and the reason stands beside the choices."""
    with serving(CODE_EVAL_DOCKER_IMAGE="code-eval-no-such-image") as server:
        visitor = visit(server)
        choices = visitor.page.get_by_role("radio").and_(visitor.page.locator(":visible"))
        expect(choices).to_have_count(2)
        expect(visitor.page.locator(".ce-refused:visible")).to_contain_text("The sandbox docker can't be used here: ")
        visitor.context.close()


def test_page_says_what_to_set(visit):
    """Without HF_ALLOW_CODE_EVAL both the page and the message after Run say that it must be set."""
    with serving(HF_ALLOW_CODE_EVAL=None) as server:
        visitor = visit(server)
        expect(visitor.page.locator(".ce-message-warning").first).to_contain_text("HF_ALLOW_CODE_EVAL=1")
        visitor.button("Run").click()
        expect(visitor.message).to_contain_text("HF_ALLOW_CODE_EVAL=1")
        visitor.context.close()
