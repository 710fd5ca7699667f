"""A browser, and visitors of the Space, each with a browser context that no other visitor has at that time."""

import contextlib
import re
import shutil
import time
from pathlib import Path

from support.requirements import unavailable

try:
    from playwright.sync_api import Error as BrowserError
    from playwright.sync_api import TimeoutError as WaitError
    from playwright.sync_api import expect, sync_playwright
except ImportError:
    expect = sync_playwright = BrowserError = WaitError = None

SCREENSHOTS = Path(__file__).parents[1] / "screenshots"
SIZES = {"wide": {"width": 1280, "height": 900}, "narrow": {"width": 390, "height": 844}}
# The first one takes three fifths of the time of the others to open a page, because it has no window.
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser")
# A control in the accessibility tree without a name.
NAMELESS = re.compile(r"^\s*- (?:button|textbox|combobox|radio|slider|spinbutton|searchbox|tab|link)(?: \[.*\])?:?$")
# Far more than any step needs, so that a busy machine fails no test.
WAIT_MS = 180_000
# How often to look whether a page is there.
LOOK_MS = 20
# How the browser fails the requests that wait for a connection when the machine gets another address. A container that
# starts may do that.
NETWORK_CHANGED = "net::ERR_NETWORK_CHANGED"
# Time in which the other errors of such a page arrive.
ERRORS_MS = 1_000
# Time in which a part of the page that appeared gets its first value, and how often to fill it until then.
SETTLE_MS, FILLS = 400, 100
# Time in which a click on a table is answered unless the table was just being drawn anew, and how often to click.
ANSWER_MS, CLICKS = 15_000, 10
# The marks of pass@k in the curve, which a page draws once its results are there.
CURVE_POINTS = ".js-plotly-plot .scatterlayer .point:visible"
CHROMIUM_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # No name of another server is found. Requests that pass through this process instead would cost a page a seventh of
    # its time.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
BLANK = "about:blank"
# A script of the page that runs later can't write again.
FORGET = """() => {
  Storage.prototype.setItem = () => {};
  sessionStorage.clear();
  window.name = "";
  return location.origin;
}"""
ELSEWHERE = re.compile(r"^(?!(http://127\.0\.0\.1:\d+/|data:|blob:))")


def missing():
    """Return what browser tests need and this machine lacks; empty if it lacks nothing."""
    if sync_playwright is None:
        return "Playwright is not installed: pip install playwright"
    return "" if chromium_path() else f"there is no Chromium: apt-get install {CHROMIUMS[0]}"


def require_chromium():
    """Skip a test unless it can start a browser. Under CI it fails."""
    if reason := missing():
        unavailable(reason)


def chromium_path():
    """Return the path of the system's Chromium, or None."""
    return next(filter(None, map(shutil.which, CHROMIUMS)), None)


@contextlib.contextmanager
def chromium():
    """Yield a browser. Until the block is left, nothing in this thread can use asyncio."""
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=list(CHROMIUM_OPTIONS))
        yield browser
        browser.close()


class Viewer:
    """Somebody who opens a page in a browser without a history: no cookies, storage or permissions."""

    def __init__(self, browser, viewport=SIZES["wide"], color_scheme="light", reduced_motion="no-preference"):
        """Take a page, which is empty yet.

        It may be one that somebody else has left: its process has compiled the scripts already, which takes half the
        time of opening the Space.
        """
        self.problems = []
        """Actions that no page may take, such as a dialog, or an error of its script."""
        left = (context for context in browser.contexts if [page.url for page in context.pages] == [BLANK])
        self.context = next(left, None) or new_context(browser)
        [self.page] = self.context.pages
        self.page.set_viewport_size(viewport)
        self.page.emulate_media(media="screen", color_scheme=color_scheme, reduced_motion=reduced_motion)
        self._listeners = []
        self._listen(self.page, "pageerror", lambda error: self.problems.append(f"error: {error}"))
        self._listen(self.page, "dialog", self._dismiss)

    def _listen(self, source, event, listener):
        source.on(event, listener)
        self._listeners.append((source, event, listener))

    def _dismiss(self, dialog):
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def leave(self):
        """Leave the page, unless its context is closed, to somebody else, who finds nothing of this visit."""
        if self.page.is_closed():
            return
        try:
            self._clear()
        except BrowserError:
            # Nobody gets a page that is only half cleared.
            self.context.close()
            raise

    def _clear(self):
        for page in self.context.pages[1:]:
            page.close()
        origin = self.page.evaluate(FORGET)
        self.page.goto(BLANK)
        # Until here, whatever the page did is noted.
        for source, event, listener in self._listeners:
            source.remove_listener(event, listener)
        # Nothing on the next page is below the mouse.
        self.page.mouse.move(-1, -1)
        self.context.clear_cookies()
        self.context.clear_permissions()
        tools = self.context.new_cdp_session(self.page)
        tools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        tools.send("Page.resetNavigationHistory")
        tools.detach()


def new_context(browser):
    """Return a browser context with an empty page."""
    context = browser.new_context()
    context.set_default_timeout(WAIT_MS)
    context.new_page()
    return context


class Visitor(Viewer):
    """Somebody who has the Space open."""

    def __init__(self, browser, url, **options):
        """Open the page, and wait until it is there. Its requests reach no other server.

        Args:
            browser: the browser.
            url: the address of the Space, perhaps that of a link.
            **options: options of the page, such as `color_scheme`.
        """
        # A browser without a screen draws each step of a movement on the processor.
        super().__init__(browser, **options, reduced_motion="reduce")
        self._listen(self.context, "request", self._note)
        self._answers, self._interruptions = [], []
        self._listen(self.context, "response", self._note_answer)
        self._listen(self.context, "requestfailed", self._note_failure)
        self._load(lambda: self._open(url))
        # The page is built from the top. Once its last parts are there, it reacts to events.
        expect(self.button("Run")).to_be_visible()
        expect(self.page.get_by_text("Choose an example")).to_be_visible()

    def reload(self):
        """Refresh the page, and wait until it is there."""
        self._load(self.page.reload)

    def _open(self, url):
        # An address with the same part after its "#" would not be loaded again.
        self.page.goto(BLANK)
        self.page.goto(url)

    def _load(self, go):
        """Load the page until its first two requests are answered, again if a change of the network interrupts it.

        The answers change controls. Values that are set before may be lost.
        """
        end = time.monotonic() + WAIT_MS / 1000
        self._answers.clear()
        self._interruptions.clear()
        while len(self._answers) < 2:
            try:
                go()
            except BrowserError as error:
                if NETWORK_CHANGED not in error.message:
                    raise
                self._interruptions.append(error.message)
            while len(self._answers) < 2 and not self._interruptions:
                self._wait(LOOK_MS, end)
            if self._interruptions:
                self._wait(ERRORS_MS, end)
                for notes in (self.problems, self._answers, self._interruptions):
                    notes.clear()

    def _wait(self, milliseconds, end):
        assert time.monotonic() < end, f"the page is not ready: {self._answers}, {self._interruptions}, {self.problems}"
        self.page.wait_for_timeout(milliseconds)

    def _note_answer(self, answer):
        if "/run/predict" in answer.url:
            self._answers.append(answer.url)

    def _note_failure(self, request):
        if request.failure == NETWORK_CHANGED:
            self._interruptions.append(request.url)

    def _note(self, request):
        if ELSEWHERE.match(request.url):
            self.problems.append(f"request: {request.url}")

    def button(self, name):
        """Return a visible button."""
        return self.page.get_by_role("button", name=name, exact=True)

    def open_tab(self, name):
        """Open a tab of the page."""
        self.page.get_by_role("tab", name=name, exact=True).click()

    @property
    def candidate_tabs(self):
        """The tabs of the candidates."""
        return self.page.get_by_role("tab", name=re.compile("^Candidate "))

    def open_candidate(self, number):
        """Open a candidate's tab, and wait until the server knows it."""
        with self.page.expect_response("**/run/predict"):
            self.candidate_tabs.nth(number - 1).click()

    def editor(self, label):
        """Return the visible editor with this label."""
        return self.page.get_by_role("textbox", name=f"{label}. Escape")

    def write(self, *candidates, tests=None):
        """Leave only these candidates on the page, and write the tests if there are any."""
        expect(self.candidate_tabs.first).to_be_visible()
        for left in reversed(range(1, self.candidate_tabs.count())):
            self.button("Remove this one").click()
            expect(self.candidate_tabs).to_have_count(left)
        for number, candidate in enumerate(candidates, start=1):
            if number > 1:
                self.button("Add a candidate").click()
                expect(self.candidate_tabs).to_have_count(number)
            self._fill_editor(f"Candidate {number}", candidate)
        if tests is not None:
            self._fill_editor("Tests", tests)

    def settle(self):
        """Wait until whatever appears, opens or changes its colours gradually has done so."""
        # A loading symbol never ends.
        self.page.wait_for_function(
            "document.getAnimations().every(({ effect, playState }) =>"
            " playState !== 'running' || effect.getComputedTiming().endTime === Infinity)"
        )

    def _fill_editor(self, label, text):
        editor = self.editor(label)
        self._fill(editor, text, editor.inner_text)

    def _fill(self, field, value, read):
        """Fill a field until it keeps the value: Gradio may still be writing the first value of a new part."""
        for _ in range(FILLS):
            field.fill(value)
            self.page.wait_for_timeout(SETTLE_MS)
            if read().split() == value.split():
                return
        raise AssertionError(f"{field} does not keep {value!r}, but has {read()!r}")

    def set(self, label, value):
        """Set a field below "Grading and limits"."""
        field = self.page.get_by_label(label).and_(self.page.locator("input:visible")).first
        if not field.is_visible():
            self.page.get_by_role("button", name=re.compile("^Grading and limits")).click()
        self._fill(field, value, field.input_value)
        field.blur()

    def upload(self, label, name, content):
        """Choose a file."""
        block = self.page.locator(".block:visible").filter(has=self.page.locator(f'label:text-is("{label}")'))
        block.locator("input[type=file]").set_input_files(
            {"name": name, "mimeType": "application/octet-stream", "buffer": content.encode()}
        )
        expect(block.get_by_role("row")).to_be_visible()

    def open_sample(self, outcome):
        """Open the result of the table's first sample with this outcome."""
        opened = self.page.locator(".ce-opened .ce-result")
        for _ in range(CLICKS):
            self.page.get_by_role("gridcell", name=outcome).first.click()
            try:
                opened.wait_for(timeout=ANSWER_MS)
            except WaitError:
                continue
            return
        raise AssertionError(f"no click opens a sample whose outcome is {outcome}")

    @property
    def status(self):
        """The text about the progress of the run."""
        return self.page.locator(".block.ce-status:visible")

    @property
    def results(self):
        """The candidates' results."""
        return self.page.locator(".ce-result:visible")

    @property
    def outcomes(self):
        """The candidates' outcomes."""
        return self.page.locator(".ce-line:visible .ce-badge")

    @property
    def message(self):
        """The message that pops up."""
        return self.page.get_by_test_id("toast-body")
