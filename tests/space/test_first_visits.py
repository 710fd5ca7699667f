"""Each visitor of these tests is new to the Space, although one gets the page that another has left."""

import pytest

from support.browser import Visitor

pytestmark = pytest.mark.slow

TRACES = """async () => ({
  cookies: document.cookie, local: {...localStorage}, session: {...sessionStorage}, name: window.name,
  databases: (await indexedDB.databases()).map(({ name }) => name), caches: await caches.keys(),
  entries: history.length, place: (await navigator.permissions.query({ name: 'geolocation' })).state,
  dark: matchMedia('(prefers-color-scheme: dark)').matches, width: innerWidth,
  pointed: document.querySelectorAll(':hover').length,
})"""
LEAVE_TRACES = """async () => {
  document.cookie = 'trace=1';
  localStorage.trace = sessionStorage.trace = window.name = 'trace';
  await Promise.all([caches.open('trace'), new Promise((done) => (indexedDB.open('trace').onsuccess = done))]);
  history.pushState({}, '', '#trace');
  setInterval(() => sessionStorage.setItem('trace', 'late'), 1);
}"""


def test_next_visitor_finds_no_trace(browser, space):
    """A visitor who gets the page of another finds no storage, cookie, permission, history or choice of theirs."""
    first = Visitor(browser, space.url)
    fresh = first.page.evaluate(TRACES)
    first.page.evaluate(LEAVE_TRACES)
    first.context.grant_permissions(["geolocation"])
    first.page.emulate_media(color_scheme="dark")
    first.page.set_viewport_size({"width": 500, "height": 500})
    first.button("Run").hover()
    assert all(value != first.page.evaluate(TRACES)[name] for name, value in fresh.items())
    first.leave()
    second = Visitor(browser, space.url)
    assert second.page == first.page
    assert second.page.evaluate(TRACES) == fresh
    second.leave()


def test_visitors_share_nothing(visit):
    """Two visitors who are there at once have browser contexts of their own."""
    first, second = visit(), visit()
    first.page.evaluate("localStorage.trace = document.cookie = 'trace=1'")
    assert second.page.evaluate("[localStorage.trace ?? '', document.cookie]") == ["", ""]
