"""Readers of reports in a browser, each with their own browser context."""

from support.browser import WAIT_MS, expect


class Reader:
    """Somebody who has opened a report from a file in a browser, without a network."""

    def __init__(self, browser, path, fragment="", **options):
        """Open the page, and wait until its script has run.

        Args:
            browser: the browser.
            path: the file.
            fragment: the end of the page's address, from "#" on.
            **options: options of the browser's context, such as `color_scheme`.
        """
        self.problems = []
        """Actions that no page may take: a request, a dialog, an error or a warning."""
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.context.set_default_timeout(WAIT_MS)
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("console", lambda message: self.problems.append(f"{message.type}: {message.text}"))
        self.page.on("dialog", self._dismiss)
        self.page.goto(path.as_uri() + fragment)
        self.page.on("request", lambda request: self.problems.append(f"request: {request.url}"))
        # The figure that is drawn last, in a page with a script.
        if self.page.locator("#ce-data").count():
            expect(self.page.locator("#ce-memory.js-plotly-plot, #ce-section-memory[hidden]")).to_have_count(1)

    def _dismiss(self, dialog):
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    @property
    def samples(self):
        """The visible failing samples."""
        return self.page.locator("#ce-samples > details:visible")

    @property
    def map(self):
        """The map of outcomes."""
        return self.page.get_by_role("listbox", name="Tasks and the outcomes of their samples")

    @property
    def described_cell(self):
        """The text about the map's cell under the cursor or the mouse."""
        return self.page.locator("#ce-cell")

    @property
    def count(self):
        """The text with the number of visible samples."""
        return self.page.locator("#ce-count")
