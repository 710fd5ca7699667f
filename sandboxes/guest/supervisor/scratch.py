"""Folders that programs may write to, which are emptied after each program."""

from __future__ import annotations

import os

from ..common.files import remove_folder, remove_tree
from ..isolation.extended_attributes import list_attributes, remove_attribute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

# Others may pass through the folder to a program's own one, which only the program may use.
SCRATCH_MODE = 0o711
FOLDER_MODE = 0o700
PLAIN_NAME = "run"


def extended_attributes(folder: int | str) -> list[str]:
    """Return the names of a folder's extended attributes; none where the system has no such thing."""
    try:
        return list_attributes(folder)
    except OSError:
        return []


def set_folder_mode(folder: int) -> int:
    """Set a folder's mode for all programs, and return it. Another user's folder keeps the mode that it has.

    A container engine's folder may belong to root and let everybody write.
    """
    status = os.fstat(folder)
    if status.st_uid != os.geteuid():
        return status.st_mode & 0o7777
    os.fchmod(folder, FOLDER_MODE)
    return FOLDER_MODE


class MountedScratch:
    """Folders on small file systems in memory, which disappear with the last process that sees them."""

    def __init__(self, folders: Sequence[int]) -> None:
        """Take descriptors of the folders, which hold mount points and nothing else."""
        self.folders = {folder: set(os.listdir(folder)) for folder in folders}
        self.workplace = folders[0]
        self.modes = {folder: set_folder_mode(folder) for folder in folders}
        # One folder of each file system.
        self.file_systems = list({os.fstat(folder).st_dev: folder for folder in folders}.values())
        self.free_files = self.count_free_files()

    def count_free_files(self) -> list[int]:
        """Return how many more files fit on each file system."""
        return [os.fstatvfs(folder).f_ffree for folder in self.file_systems]

    def open_workplace(self) -> int:
        """Return a new descriptor of the folder that programs begin in."""
        return os.dup(self.workplace)

    def tidy(self, keeping: Collection[str] = ()) -> None:
        """Empty the folders for the next program.

        Args:
            keeping: names in the workplace that stay.
        """
        # The number of free files answers for all folders of a file system whether a file was added.
        is_untouched = self.count_free_files() == self.free_files
        for folder, mounted in self.folders.items():
            if os.fstat(folder).st_mode & 0o7777 != self.modes[folder]:
                os.fchmod(folder, self.modes[folder])
            for attribute in extended_attributes(folder):
                # A default access list, for one, could keep the next program from opening its own files.
                remove_attribute(folder, attribute)
            if not is_untouched:
                kept = keeping if folder == self.workplace else ()
                for name in set(os.listdir(folder)).difference(mounted, kept):
                    remove_tree(folder, name)

    def remove(self) -> None:
        """Close the folders, which the kernel then removes."""
        for folder in self.folders:
            os.close(folder)


class PlainScratch:
    """A folder of the machine's file system, with one in it for programs."""

    def __init__(self, path: str, owner: int | None) -> None:
        """Make the programs' folder.

        Args:
            path: the folder around it.
            owner: user id of programs; None if they have this process's user.
        """
        self.path, self.workplace = path, os.path.join(path, PLAIN_NAME)
        self.owner = owner
        # Held open, because a program of the same user can rename it.
        self.folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        self.make_workplace()

    def open_workplace(self) -> int:
        """Return a new descriptor of the folder that programs begin in."""
        return os.open(self.workplace, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)

    def make_workplace(self) -> None:
        """Make a new, empty folder for programs."""
        os.fchmod(self.folder, SCRATCH_MODE)
        os.mkdir(self.workplace, FOLDER_MODE)
        if self.owner is not None:
            os.chown(self.workplace, self.owner, self.owner)
        self.made = os.lstat(self.workplace)

    def tidy(self, keeping: Collection[str] = ()) -> None:
        """Empty the programs' folder for the next program.

        Args:
            keeping: names in it that stay.
        """
        if self.is_tidy(keeping):
            return
        os.fchmod(self.folder, SCRATCH_MODE)
        if keeping and self.is_in_place():
            for name in set(os.listdir(self.folder)) - {PLAIN_NAME}:
                remove_tree(self.folder, name)
            workplace = self.open_workplace()
            try:
                for name in set(os.listdir(workplace)).difference(keeping):
                    remove_tree(workplace, name)
            finally:
                os.close(workplace)
            return
        for name in os.listdir(self.folder):
            remove_tree(self.folder, name)
        self.make_workplace()

    def is_tidy(self, keeping: Collection[str] = ()) -> bool:
        """Return whether the last program left its folder as it found it, apart from the names in `keeping`."""
        try:
            names = set(os.listdir(self.workplace)).difference(keeping)
            return self.is_in_place() and os.listdir(self.folder) == [PLAIN_NAME] and not names
        except OSError:
            return False

    def is_in_place(self) -> bool:
        """Return whether the programs' folder is the one that was made, as it was made."""
        try:
            status, made = os.lstat(self.workplace), self.made
            is_same = (status.st_ino, status.st_mode, status.st_uid) == (made.st_ino, made.st_mode, made.st_uid)
            return is_same and not extended_attributes(self.workplace)
        except OSError:
            return False

    def remove(self) -> None:
        """Remove the folder with everything in it, wherever a program moved it."""
        try:
            path = os.readlink("/proc/self/fd/%d" % self.folder)
        except OSError:
            path = self.path
        os.fchmod(self.folder, SCRATCH_MODE)
        remove_folder(path)
