"""Fixtures of several tests of reports in a browser."""

import pytest

from code_tasks.reports.data import read_report_data
from code_tasks.reports.page import page
from support.report_reader import Reader
from support.run_files import write_lines, write_record


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Provide the folder with the pages; it has the page of a small run."""
    folder = tmp_path_factory.mktemp("reports")
    (folder / "small.html").write_text(page(read_report_data(write_record(folder / "small.jsonl"))), encoding="utf-8")
    return folder


@pytest.fixture
def read(browser, reports):
    """Provide a function that opens the page of these results, or the small page, for a `Reader` without `problems`."""
    readers = []

    def open_page(lines=None, fragment="", **options):
        path = reports / "small.html"
        if lines is not None:
            path = reports / "given.html"
            path.write_text(page(read_report_data(write_lines(reports / "given.jsonl", lines))), encoding="utf-8")
        readers.append(Reader(browser, path, fragment, **options))
        return readers[-1]

    yield open_page
    for reader in readers:
        reader.leave()
    assert not any(reader.problems for reader in readers), [reader.problems for reader in readers]
