"""The state of a server, as a load balancer and Prometheus ask for it."""

import re

import pytest

from support.server_client import serving


@pytest.fixture(scope="module")
def client():
    """Serve with the defaults."""
    with serving() as client:
        yield client


def test_health(client):
    """A server that accepts programs is healthy."""
    answer = client.get("/health")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_the_documentation_needs_no_other_server(client):
    """The page of documentation takes its script and its style from this server."""
    page = client.get("/docs").text
    sources = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(sources) >= 3
    assert all(source.startswith("/") and client.get(source).status_code == 200 for source in sources)


def test_metrics_are_prometheus_text(client):
    """The figures are text that Prometheus reads."""
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    assert "code_eval_results_total" in answer.text
