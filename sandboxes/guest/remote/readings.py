"""Reads the candidate's objects for the tests, and refuses those whose readings contradict each other."""

from __future__ import annotations

from .control_flow import ControlFlow
from .proxies import ProxyType
from .special_methods import SEARCHING, UNCHANGING
from .stable_view import StableView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

READS = frozenset(("get", "dir", "global"))


class Readings(ControlFlow):
    """Keeps what was read of objects that are not trusted, until a request or the tests may have changed them."""

    def __init__(self, fd: int, tests: str) -> None:
        """Begin with nothing read.

        Args:
            fd: this end of the socket.
            tests: source.
        """
        ControlFlow.__init__(self, fd, tests)
        self.stable_views: dict[int, StableView] = {}
        # ids of the instances that the tests made of the candidate's classes
        self.constructed: set[int] = set()
        # for the number of a method that was read from an object: the object, and the method's name
        self.searchers: dict[int, tuple[Any, str]] = {}

    def request(self, operation: str, subject: int, name: Any, values: list[Any]) -> Any:
        """Have the candidate's process do something, as every Connection does."""
        method = name[0] if operation == "method" else None
        searcher = self.searchers.get(subject) if operation == "call" or method == "__call__" else None
        if method in SEARCHING:
            searcher = (self.imported[subject], method)
        reads = operation in READS or method in UNCHANGING
        if not reads and not searcher:
            self.stable_views.clear()
        result = ControlFlow.request(self, operation, subject, name, values)
        if searcher:
            self.check_search(*searcher, values, result)
        elif operation == "get" and name in SEARCHING and self.is_proxy(result) and callable(result):
            self.searchers[self.references[id(result)][1]] = (self.imported[subject], name)
        return result

    def check_search(self, value: Any, name: str, arguments: list[Any], result: Any) -> None:
        """Refuse the result of a search, such as of `index`, that the items of an object don't bear out.

        The class of an instance that the tests made may count in a way of its own, and find without having items. So
        may an object that has no items at all, such as nodes that are joined to groups. An element of a document finds
        another one, and a tree may say whether it has something.
        """
        has_items = hasattr(type(value), "__iter__") or hasattr(type(value), "__getitem__")
        if not arguments or not has_items or self.trusts(value) or isinstance(value, ProxyType):
            return
        finds = name in ("find", "rfind")
        if finds and (isinstance(result, bool) or not isinstance(result, (int, float))):
            return
        is_made = id(value) in self.constructed
        if is_made and (name == "count" or not hasattr(type(value), "__iter__")):
            return
        if isinstance(result, (int, float)) and hasattr(type(value), "__iter__"):
            self.stable_view(value).find(name, arguments, result)
        else:
            self.refuse("%s of an object that the tests have not made can't be believed; " % name)

    def stable_view(self, value: Any) -> StableView:
        """Return the view of an object that is not trusted: the same one until something may change the object."""
        if self.stable_views and self.shared.have_changed():
            # The tests may have changed a list that the object holds.
            self.stable_views.clear()
        view = self.stable_views.get(id(value))
        if view is None:
            view = self.stable_views[id(value)] = StableView(self, value)
        return view
