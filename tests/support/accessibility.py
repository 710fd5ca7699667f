"""The accessibility check of pages: axe-core, which runs inside a page that a browser has open."""

IMPACTS = ("serious", "critical")


def violations(page):
    """Return what axe-core finds in a page that is serious or critical: a line for each element.

    Args:
        page: a page of Playwright's synchronous interface. Its policy may refuse the scripts of others.
    """
    # The other tests run where neither a browser nor axe-core is installed.
    from axe_playwright_python.sync_playwright import Axe

    return [
        f"{violation['id']} ({violation['impact']}): {node['html'][:200]}: {node['failureSummary']}"
        for violation in Axe().run(page).response["violations"]
        if violation["impact"] in IMPACTS
        for node in violation["nodes"]
    ]
