"""The folders that programs may write to, and how they are emptied after each."""

import os

from .endings import remove_folder, remove_tree

# Others may pass through it to a program's folder, which is the program's alone.
SCRATCH_MODE = 0o711
FOLDER_MODE = 0o700
PLAIN_NAME = "run"


def extended_attributes(folder):
    """Names of a folder's attributes besides its mode; none where there is no such thing."""
    try:
        return os.listxattr(folder)
    except (AttributeError, OSError):
        return []


def settled_mode(folder):
    """(folder, its mode for all programs): an engine's may be root's, who lets all write to them."""
    found = os.fstat(folder)
    if found.st_uid != os.geteuid():
        return folder, found.st_mode & 0o7777
    os.fchmod(folder, FOLDER_MODE)
    return folder, FOLDER_MODE


class MountedScratch:
    """Folders on small file systems in memory, which go with the last process that sees them."""

    def __init__(self, folders):
        """Takes descriptors of them, with what is mounted there and nothing else."""
        self.folders = {folder: set(os.listdir(folder)) for folder in folders}
        self.workplace = folders[0]
        self.modes = dict(map(settled_mode, folders))
        # One folder of each file system.
        self.systems = list({os.fstat(folder).st_dev: folder for folder in folders}.values())
        self.free_files = self.count_free_files()

    def count_free_files(self):
        return [os.fstatvfs(folder).f_ffree for folder in self.systems]

    def open_workplace(self):
        """A new descriptor of the folder that programs begin in."""
        return os.dup(self.workplace)

    def tidy(self, keeping=()):
        """Gives the next program empty folders, but for the names in its workplace that are to stay."""
        # One question answers for all folders of a file system: whether there is a file more than there was.
        untouched = self.count_free_files() == self.free_files
        for folder, mounted in self.folders.items():
            if os.fstat(folder).st_mode & 0o7777 != self.modes[folder]:
                os.fchmod(folder, self.modes[folder])
            for attribute in extended_attributes(folder):
                # Such as a default access list, by which the next program could not open its own files.
                os.removexattr(folder, attribute)
            if not untouched:
                stay = keeping if folder == self.workplace else ()
                for name in set(os.listdir(folder)).difference(mounted, stay):
                    remove_tree(folder, name)

    def remove(self):
        """Lets go of them; all else the kernel does."""
        for folder in self.folders:
            os.close(folder)


class PlainScratch:
    """A folder of the machine's, with one in it for programs."""

    def __init__(self, path, owner):
        """Makes the programs' folder in the one at `path`, for the user `owner`, or for this one if that is None."""
        self.path, self.workplace = path, os.path.join(path, PLAIN_NAME)
        self.owner = owner
        # Held open, because a program that shares our user can rename it.
        self.folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        self.make_workplace()

    def open_workplace(self):
        """A new descriptor of the folder that programs begin in."""
        return os.open(self.workplace, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)

    def make_workplace(self):
        os.fchmod(self.folder, SCRATCH_MODE)
        os.mkdir(self.workplace, FOLDER_MODE)
        if self.owner is not None:
            os.chown(self.workplace, self.owner, self.owner)
        self.made = os.lstat(self.workplace)

    def tidy(self, keeping=()):
        """Gives the next program an empty folder, but for the names that are to stay in it."""
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

    def is_tidy(self, keeping=()):
        """Whether the last program left its folder as it found it."""
        try:
            names = set(os.listdir(self.workplace)).difference(keeping)
            return self.is_in_place() and os.listdir(self.folder) == [PLAIN_NAME] and not names
        except OSError:
            return False

    def is_in_place(self):
        """Whether programs' folder is the one that was made, as it was made."""
        try:
            found, made = os.lstat(self.workplace), self.made
            same = (found.st_ino, found.st_mode, found.st_uid) == (made.st_ino, made.st_mode, made.st_uid)
            return same and not extended_attributes(self.workplace)
        except OSError:
            return False

    def remove(self):
        """Removes the folder with all in it, wherever a program moved it."""
        try:
            path = os.readlink("/proc/self/fd/%d" % self.folder)
        except OSError:
            path = self.path
        os.fchmod(self.folder, SCRATCH_MODE)
        remove_folder(path)
