"""Readers of reports in a browser."""

from support.browser import Viewer, expect


class Reader(Viewer):
    """Somebody who has opened a report from a file in a browser, without a network."""

    def __init__(self, browser, path, fragment="", **options):
        """Open the page, and wait until its script has run.

        Args:
            browser: the browser.
            path: the file.
            fragment: the end of the page's address, from "#" on.
            **options: options of the page, such as `color_scheme`.
        """
        super().__init__(browser, **options)
        self._listen(self.page, "console", lambda message: self.problems.append(f"{message.type}: {message.text}"))
        self.page.goto(path.as_uri() + fragment)
        self._listen(self.page, "request", lambda request: self.problems.append(f"request: {request.url}"))
        # The figure that is drawn last, in a page with a script.
        if self.page.locator("#ce-data").count():
            expect(self.page.locator("#ce-memory.js-plotly-plot, #ce-section-memory[hidden]")).to_have_count(1)

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
