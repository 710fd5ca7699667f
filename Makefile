.PHONY: install check test test-all site

# An environment for development: the package from this folder, and all that its tests need.
install:
	pip install -e ".[test]"

check:
	ruff check .
	ruff format --check .
	mypy
	codespell

# The quick suite.
test:
	pytest

# All tests, as CI runs them: Debian packages, images and environments are made if they are missing.
test-all:
	.ci/run

site:
	mkdocs build --strict --site-dir build/site
