"""The open files, folders and sockets that one program leaves to the next, and their cleaning in between."""

from __future__ import annotations

import os

from ..forkserver.extension import forking
from .scratch import MountedScratch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any, TypeVar

    from .program_pipes import OpenFile
    from .scratch import PlainScratch
    from .sockets import SocketWatch
    from .unflushed_output import UnflushedOutput

    T = TypeVar("T")


class Surroundings:
    """The surroundings of all programs of one fork server. Make them before its first program."""

    def __init__(
        self,
        files: Sequence[OpenFile],
        unflushed: UnflushedOutput,
        scratch: MountedScratch | PlainScratch,
        sockets: SocketWatch | None,
    ) -> None:
        """Note how the files and folders are now.

        Args:
            files: open files that programs inherit.
            unflushed: what they have printed and not flushed.
            scratch: their folders.
            sockets: of their network; None if they have no sockets with names.
        """
        self.files, self.unflushed, self.scratch, self.sockets = files, unflushed, scratch, sockets
        unflushed.clear()
        folders: tuple[tuple[int, ...], ...] = ((), ())
        if isinstance(scratch, MountedScratch):
            folders = tuple(scratch.folders), tuple(scratch.file_systems)
        self.inspected = (tuple(file.fd for file in files), *folders)
        self.as_found = self.inspect()

    def inspect(self) -> list[int] | None:
        """Return what programs can change of open files and mounted folders; None without the extension.

        Locks of the files are removed.
        """
        return None if forking is None else forking.unlock_and_inspect(*self.inspected)

    def tidy(self, keeping: Collection[str] = ()) -> None:
        """Restore files and folders for the next program.

        Args:
            keeping: names in the programs' workplace that stay.
        """
        self.unflushed.clear()
        is_as_found = self.as_found is not None and self.inspect() == self.as_found
        if not is_as_found:
            for file in self.files:
                file.tidy()
        if self.sockets is not None:
            self.sockets.wait_until_free()
        if not is_as_found or not isinstance(self.scratch, MountedScratch):
            self.scratch.tidy(keeping)

    def call_in_workplace(self, function: Callable[..., T], *arguments: Any) -> T:
        """Return the result of a function that is called with a descriptor of the programs' workplace."""
        workplace = self.scratch.open_workplace()
        try:
            return function(workplace, *arguments)
        finally:
            os.close(workplace)

    def remove(self) -> None:
        """Remove the folders, once no program can use them any more."""
        self.scratch.remove()
        if self.sockets is not None:
            self.sockets.close()
