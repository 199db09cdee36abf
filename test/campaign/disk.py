"""What a file system may hold after a power cut.

A log of the library of faults says what a program did to a folder; Disk replays it and draws states that may be there
when the power goes after some operation. Two kinds of file systems are drawn, both with data that is not synced present,
missing or torn at sectors, in any order:

  loose     as POSIX promises: a name is safe once its folder is synced; other changes of names are there or not, each
            alone, though a rename is whole
  journal   names change in the order in which they were changed, up to some moment; any sync makes all changes of
            names before it safe
"""
import os
from dataclasses import dataclass, field

NEVER = 1 << 60


@dataclass
class Record:
    number: int  # of the operation in its process
    name: str
    result: int
    descriptor: int
    offset: int
    path: str
    target: str
    data: bytes


def read_log(path):
    records = []
    with open(path, "rb") as file:
        while line := file.readline():
            number, name, result, descriptor, offset, length, source, target = line.decode()[:-1].split("\t")
            data = file.read(int(length))
            records.append(Record(int(number), name, int(result), int(descriptor), int(offset), source, target, data))
    return records


@dataclass
class Write:
    at: int  # when
    offset: int
    data: bytes | None  # None: the file is given `offset` bytes
    synced: int = NEVER


@dataclass
class File:
    writes: list = field(default_factory=list)
    size: int = 0


@dataclass
class Folder:
    names: dict = field(default_factory=dict)  # as programs see them
    changes: list = field(default_factory=list)


@dataclass
class Change:
    """Names of a folder that change at once: (name, what it stood for, what it stands for)."""

    at: int
    parts: list
    synced: int = NEVER  # its folder was
    flushed: int = NEVER  # something was


class Disk:
    """The folder `root`, which is empty and safe at first, under the operations of a log."""

    def __init__(self, root, records):
        self.root, self.top, self.open, self.all_changes = root, Folder(), {}, []
        self.length = len(records)
        for at, record in enumerate(records):
            if record.name == "begin":
                self.open = {}
            elif record.result >= 0:
                getattr(self, f"do_{record.name}")(at, record)

    def find(self, path):
        """The folder of a path, and its last name."""
        folder, name = self.top, ""
        parts = [part for part in os.path.relpath(path, self.root).split(os.sep) if part != "."]
        for part in parts[:-1]:
            folder = folder.names[part]
        return folder, parts[-1] if parts else name

    def change(self, at, folder, *parts):
        change = Change(at, list(parts))
        for name, _, now in parts:
            folder.names[name] = now
            if now is None:
                del folder.names[name]
        folder.changes.append(change)
        self.all_changes.append(change)

    def make(self, at, path, node):
        folder, name = self.find(path)
        self.change(at, folder, (name, None, node))
        return node

    def do_mkdir(self, at, record):
        self.make(at, record.path, Folder())

    def do_create(self, at, record):
        self.open[record.descriptor] = self.make(at, record.path, File())

    def do_open(self, at, record):
        folder, name = self.find(record.path)
        self.open[record.descriptor] = folder.names[name] if name else folder

    do_append = do_open

    def do_cut(self, at, record):
        self.do_open(at, record)
        self.open[record.descriptor].writes.append(Write(at, 0, None))

    def do_resize(self, at, record):
        self.open[record.descriptor].writes.append(Write(at, record.offset, None))

    def do_write(self, at, record):
        self.open[record.descriptor].writes.append(Write(at, record.offset, record.data))

    def do_sync(self, at, record):
        node = self.open[record.descriptor]
        for each in node.writes if isinstance(node, File) else node.changes:
            each.synced = min(each.synced, at)
        for change in reversed(self.all_changes):
            if change.flushed != NEVER:
                break
            change.flushed = at

    def do_unlink(self, at, record):
        folder, name = self.find(record.path)
        self.change(at, folder, (name, folder.names[name], None))

    do_rmdir = do_unlink

    def do_rename(self, at, record):
        (folder, name), (other, target) = self.find(record.path), self.find(record.target)
        if folder is not other:
            raise ValueError(f"a rename to another folder: {record}")
        node = folder.names[name]
        self.change(at, folder, (name, node, None), (target, folder.names.get(target), node))

    def do_exchange(self, at, record):
        (folder, name), (_, target) = self.find(record.path), self.find(record.target)
        one, two = folder.names[name], folder.names[target]
        self.change(at, folder, (name, one, two), (target, two, one))

    def do_nothing(self, at, record):
        pass

    do_read = do_list = do_chmod = do_nothing

    # ------------------------------------------------------------------ states

    def state(self, moment, draw):
        """{path: content, or None of a folder} after a power cut behind the operation `moment`."""
        loose = draw.random() < 0.5
        # How much of what is not safe is there: all, nothing, or some.
        share = draw.choice([0.0, 1.0, 0.5, draw.random(), draw.random()])
        data_share = draw.choice([0.0, 1.0, 0.5, share, draw.random()])
        last = moment if share == 1 else -1 if share == 0 else draw.randint(0, moment)

        def happened(change):
            if change.at > moment:
                return False
            if loose:
                return change.synced <= moment or draw.random() < share
            return change.flushed <= moment or change.at <= last

        found = {}

        def walk(folder, path):
            names = {}
            for change in folder.changes:
                if happened(change) and all(names.get(name) is before for name, before, _ in change.parts):
                    names.update({name: now for name, _, now in change.parts})
            for name, node in names.items():
                place = os.path.join(path, name)
                if isinstance(node, Folder):
                    found[place] = None
                    walk(node, place)
                elif node is not None:
                    found[place] = content(node, moment, draw, data_share)

        walk(self.top, "")
        return found


def content(file, moment, draw, share):
    """Bytes of a file after a power cut."""
    data = bytearray()
    for write in file.writes:
        if write.at > moment:
            break
        if write.synced <= moment or draw.random() < share:
            apply(data, write)
        elif write.data and draw.random() < 0.5:
            tear(data, write, draw)
    return bytes(data)


def grow(data, size):
    data.extend(bytes(max(0, size - len(data))))


def apply(data, write):
    if write.data is None:
        del data[write.offset :]
        grow(data, write.offset)
    else:
        grow(data, write.offset + len(write.data))
        data[write.offset : write.offset + len(write.data)] = write.data


def tear(data, write, draw):
    """Some sectors of a write; a file may have got its length before its content."""
    sector, end = draw.choice([512, 4096]), write.offset + len(write.data)
    if draw.random() < 0.5:
        grow(data, end)
    for start in range(write.offset - write.offset % sector, end, sector):
        begin, stop = max(start, write.offset), min(start + sector, end)
        if draw.random() < 0.5:
            grow(data, stop)
            data[begin:stop] = write.data[begin - write.offset : stop - write.offset]
