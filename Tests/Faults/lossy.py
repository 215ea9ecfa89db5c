"""A file system whose power fails.

    lossy.py STATE MOUNTPOINT CALLS FAILING SEED

It starts with the files of the directory STATE and keeps everything in memory. What a program did not have
synchronised is lost in part when the power fails, which is after CALLS changes: of the bytes, sectors by
chance, as a disk writes them in any order; of names that were made, changed and removed in a directory, all
after one by chance, as file systems keep a journal of them. Then STATE has what is left, and the mount point
is dead. Of a thousand times that a file is to be synchronised, FAILING fail; as on Linux it then seems to be
written, and is not, until it is written again.
"""

import errno
import os
import random
import stat
import sys
import time

from fuse import FUSE, FuseOSError, Operations

SECTOR = 512


class File:
    """A file as programs see it, and as it is on the disk."""

    def __init__(self, content=b"", mode=0o644):
        self.content = bytearray(content)
        self.disk = bytearray(content)
        self.dirty = set()
        self.mode = mode
        self.time = time.time()

    def write(self, data, offset):
        end = offset + len(data)
        if len(self.content) < offset:
            self.touch(len(self.content), offset)
            self.content.extend(bytes(offset - len(self.content)))
        self.content[offset:end] = data
        self.touch(offset, end)

    def truncate(self, size):
        if size < len(self.content):
            del self.content[size:]
        else:
            self.touch(len(self.content), size)
            self.content.extend(bytes(size - len(self.content)))

    def touch(self, start, end):
        if end > start:
            self.dirty.update(range(start // SECTOR, (end - 1) // SECTOR + 1))
        self.time = time.time()

    def synchronise(self):
        self.keep(self.dirty, len(self.content))
        self.dirty = set()

    def keep(self, sectors, size):
        """Puts sectors on the disk, in a file of a size."""
        if size < len(self.disk):
            del self.disk[size:]
        else:
            self.disk.extend(bytes(size - len(self.disk)))
        for sector in sectors:
            start = sector * SECTOR
            part = self.content[start:min(start + SECTOR, size)]
            self.disk[start:start + len(part)] = part

    def fail(self, chance):
        """Leaves on the disk what happened to get there."""
        share = chance.random()
        written = {sector for sector in self.dirty if chance.random() < share}
        sizes = [len(self.disk), len(self.content)]
        size = chance.choice(sizes)
        # What is written behind the end makes the file longer.
        size = max([size] + [min((sector + 1) * SECTOR, len(self.content)) for sector in written])
        self.keep({sector for sector in written if sector * SECTOR < size}, size)


class Lossy(Operations):
    """One directory of files; a change of its names is a function that makes it."""

    def __init__(self, state, calls, failing, seed):
        self.state = state
        self.failing = failing
        self.left = calls
        self.chance = random.Random(seed)
        self.files = {}
        for name in os.listdir(state):
            path = os.path.join(state, name)
            with open(path, "rb") as file:
                self.files[name] = File(file.read(), stat.S_IMODE(os.stat(path).st_mode))
        self.disk = dict(self.files)
        self.waiting = []

    # The power.

    def changing(self):
        self.left -= 1
        if self.left < 0:
            self.fail()

    def fail(self):
        for change in self.waiting[:self.chance.randint(0, len(self.waiting))]:
            change(self.disk)
        for name in os.listdir(self.state):
            os.unlink(os.path.join(self.state, name))
        for name, file in self.disk.items():
            file.fail(self.chance)
            with open(os.path.join(self.state, name), "wb") as output:
                output.write(file.disk)
        os._exit(0)

    # Names.

    def change(self, change):
        change(self.files)
        self.waiting.append(change)

    def file(self, path):
        file = self.files.get(path[1:])
        if file is None:
            raise FuseOSError(errno.ENOENT)
        return file

    def getattr(self, path, handle=None):
        if path == "/":
            return dict(st_mode=stat.S_IFDIR | 0o755, st_nlink=2, st_uid=os.getuid(), st_gid=os.getgid())
        file = self.file(path)
        return dict(
            st_mode=stat.S_IFREG | file.mode, st_nlink=1, st_size=len(file.content), st_mtime=file.time,
            st_ctime=file.time, st_atime=file.time, st_uid=os.getuid(), st_gid=os.getgid(),
        )

    def readdir(self, path, handle):
        return [".", ".."] + list(self.files)

    def create(self, path, mode, information=None):
        self.changing()
        file = File(mode=stat.S_IMODE(mode))
        self.change(lambda names: names.__setitem__(path[1:], file))
        return 0

    def unlink(self, path):
        self.changing()
        self.file(path)
        self.change(lambda names: names.pop(path[1:], None))

    def rename(self, old, new):
        self.changing()
        file = self.file(old)

        def change(names):
            names.pop(old[1:], None)
            names[new[1:]] = file

        self.change(change)

    def link(self, new, old):
        self.changing()
        file = self.file(old)
        self.change(lambda names: names.__setitem__(new[1:], file))

    def fsyncdir(self, path, only_data, handle):
        self.changing()
        for change in self.waiting:
            change(self.disk)
        self.waiting = []
        return 0

    # Bytes.

    def open(self, path, flags):
        self.file(path)
        return 0

    def read(self, path, size, offset, handle):
        return bytes(self.file(path).content[offset:offset + size])

    def write(self, path, data, offset, handle):
        self.changing()
        self.file(path).write(data, offset)
        return len(data)

    def truncate(self, path, length, handle=None):
        self.changing()
        self.file(path).truncate(length)

    def fsync(self, path, only_data, handle):
        self.changing()
        if self.chance.randrange(1000) < self.failing:
            self.file(path).dirty = set()
            raise FuseOSError(errno.EIO)
        self.file(path).synchronise()
        return 0

    def chmod(self, path, mode):
        self.file(path).mode = stat.S_IMODE(mode)
        return 0

    def chown(self, path, user, group):
        return 0

    def utimens(self, path, times=None):
        return 0

    def access(self, path, mode):
        return 0


if __name__ == "__main__":
    state, mountpoint, calls, failing, seed = sys.argv[1:]
    FUSE(
        Lossy(state, int(calls), int(failing), int(seed)), mountpoint, foreground=True, nothreads=True, hard_remove=True,
        big_writes=True,
    )
