"""The connection as proxies know it. Only the type checker reads this file; `Importer` has the methods."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, NoReturn, Protocol, Sequence


class ObjectView(Protocol):
    """The parts of an object that were read, because this process does not trust it."""

    def length(self) -> Any:
        """Return its length."""

    def items(self) -> Iterator[Any]:
        """Yield its items."""

    def end_at(self, index: int) -> None:
        """Note that it has no item at an index."""

    def kept(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Return what a special method says."""

    def note_item(self, key: Any, value: Any) -> None:
        """Note what it has under a key, an index or a slice."""


class ProxyConnection(Protocol):
    """The connection that turns each operation on a proxy into a request."""

    metaclasses: dict[frozenset[str], type]

    def request(self, operation: str, subject: int, name: Any, values: list[Any]) -> Any:
        """Have the other end do something."""

    def request_on(self, operation: str, value: Any, name: Any, values: list[Any]) -> Any:
        """Have the other process do something with one of its objects."""

    def request_method(self, value: Any, name: str, arguments: Iterable[Any], keywords: dict[str, Any]) -> Any:
        """Have the other process call a method of one of its objects."""

    def construct(self, kind: Any, arguments: Iterable[Any], keywords: dict[str, Any]) -> Any:
        """Have the other process make an instance of one of its classes."""

    def exit_context(self, value: Any, name: str, kind: Any, error: Any) -> Any:
        """Have the other process leave a context manager."""

    def dataclass_fields(self, kind: Any) -> dict[str, Any]:
        """Return the fields of a proxy for a dataclass."""

    def trusts_name(self, name: str) -> bool:
        """Return whether a class of this name may decide operations of its instances and this process's data."""

    def trusts(self, value: Any) -> bool:
        """Return whether an object may decide operations of itself and this process's data."""

    def may_decide(self, value: Any, other: Any) -> bool:
        """Return whether the other process may decide an operator of these two values."""

    def decide_remotely(self, value: Any, name: str, others: Sequence[Any]) -> Any:
        """Have the other process decide an operator, and return the result."""

    def refuse_operator(self, value: Any, name: str, other: Any) -> Any:
        """Return the result of an operator that the other process may not decide."""

    def stable_view(self, value: Any) -> ObjectView:
        """Return the view of an object that this process does not trust."""

    def refuse(self, reason: str) -> NoReturn:
        """Refuse an operation that is possible only in one process."""
