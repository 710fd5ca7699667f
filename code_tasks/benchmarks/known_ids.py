"""The ids of problems, and hints at those that an unknown id may mean, for readers of samples and for `--task`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from sandboxes.validation import MAX_NEAR, named_near, short_repr

NOT_A_WORD = re.compile(r"[\W_]+")
MAX_SEARCHES = 10
"""Unknown ids for which similar ones are looked for. The search takes long if there are many ids."""


class KnownIds:
    """The ids of all problems."""

    def __init__(self, known: Iterable[str]):
        """Store the ids, in the problems' order."""
        self._known = [*known]
        self._by_form: dict[str, list[str]] = {}
        for name in self._known:
            for form in {normal_id(name), normal_id(name).rpartition("/")[2]}:
                self._by_form.setdefault(form, []).append(name)
        self._searches = 0

    def hint(self, unknown: str) -> str:
        """Return the end of a message about an unknown id: those that may be meant, otherwise how ids look."""
        if len(meant := self._by_form.get(normal_id(unknown), [])) == 1:
            return f"; write {short_repr(meant[0])} if you mean that one"
        if self._searches < MAX_SEARCHES and not meant:
            self._searches += 1
            forms = difflib.get_close_matches(normal_id(unknown), self._by_form, MAX_NEAR)
            meant = [*dict.fromkeys(name for form in forms for name in self._by_form[form])]
        if meant:
            return named_near([*map(short_repr, meant[:MAX_NEAR])])
        return f"; the first of {len(self._known)} is {short_repr(self._known[0])}" if self._known else ""


def normal_id(task_id: str) -> str:
    """Return an id in small letters, with "/" for everything between words."""
    return NOT_A_WORD.sub("/", task_id.lower())
