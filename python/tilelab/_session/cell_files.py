# SPDX-License-Identifier: Apache-2.0
"""The files by which a debugger knows cells: a client derives a cell's file name from its text, as Jupyter's debugger protocol says."""

import os

from .pristine import __builtins__  # unaffected by user code

SEED = 0x9747B28C
SUFFIX = ".py"
_MULTIPLIER = 0x5BD1E995
_WORD = 0xFFFFFFFF


def murmur2(data, seed=SEED):
    """MurmurHash2 (Austin Appleby) of bytes, 32 bits, little endian."""
    value = (seed ^ len(data)) & _WORD
    whole = len(data) & ~3
    for (part,) in _words(data[:whole]):
        part = part * _MULTIPLIER & _WORD
        part = (part ^ part >> 24) * _MULTIPLIER & _WORD
        value = value * _MULTIPLIER & _WORD ^ part
    if rest := data[whole:]:
        value = (value ^ int.from_bytes(rest, "little")) * _MULTIPLIER & _WORD
    value = (value ^ value >> 13) * _MULTIPLIER & _WORD
    return value ^ value >> 15


def _words(data):
    import struct

    return struct.iter_unpack("<I", data)


class CellFiles:
    """A private directory with the texts of cells; it is created when the first one is written, and removed at exit."""

    def __init__(self):
        import tempfile

        self.directory = os.path.join(tempfile.gettempdir(), f"tilelab_{os.getpid()}_{os.urandom(6).hex()}")
        self._exists = False

    @property
    def prefix(self):
        return self.directory + os.sep

    def path_of(self, code):
        return f"{self.prefix}{murmur2(code.encode('utf-8', 'replace'))}{SUFFIX}"

    def write(self, code):
        """Writes a cell's text; returns the path."""
        self._create()
        path = self.path_of(code)
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(code)
        return path

    def _create(self):
        if self._exists:
            return
        import atexit

        os.mkdir(self.directory, 0o700)
        self._exists = True
        atexit.register(self._remove, os.getpid())

    def _remove(self, owner):
        import shutil

        if os.getpid() == owner:  # not in a process that a cell has forked
            shutil.rmtree(self.directory, ignore_errors=True)
