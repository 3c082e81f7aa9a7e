# SPDX-License-Identifier: Apache-2.0
"""Landlock: this process and its children access the listed files only, from Linux 5.13 on (landlock(7))."""

import ctypes
import errno
import os
import stat
import struct
import sys

_libc = ctypes.CDLL(None, use_errno=True)
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # on all architectures
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE, _IOCTL_DEVICE = 1, 2, 4, 8, 1 << 14, 1 << 15
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE
_NO_TCP, _NO_SIGNALS_NOR_SOCKETS = 3, 3  # from versions 4 and 6 on


def _call(number, *words):
    result = _libc.syscall(ctypes.c_long(number), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def version():
    """The version of Landlock in this system; 0 without."""
    if sys.platform != "linux":
        return 0
    try:
        return _call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    except OSError:
        return 0


def _accesses(known):
    """The kinds of access to files that a version knows."""
    return (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(known, 16)) - 1


def _allow(rules, path, access):
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            access &= _OF_FILES
        attribute = ctypes.create_string_buffer(struct.pack("=Qi", access, fd))
        _call(_ADD_RULE, ctypes.c_int(rules), ctypes.c_int(1), attribute, ctypes.c_uint32(0))
    except OSError as error:
        if error.errno != errno.EINVAL:  # a pipe, a socket
            raise
    finally:
        os.close(fd)


def ruleset(read, write):
    """The descriptor of rules by which the files at and below `read` can be read and run, and those of `write` be written, too; None
    without Landlock. Paths that do not exist are left out. From version 4 on no TCP, from version 6 on no signals to others."""
    if not (known := version()):
        return None
    every = _accesses(known)
    words = [every, _NO_TCP, _NO_SIGNALS_NOR_SOCKETS][:1 if known < 4 else 2 if known < 6 else 3]
    attribute = ctypes.create_string_buffer(struct.pack(f"={len(words)}Q", *words))
    rules = _call(_CREATE_RULESET, attribute, ctypes.c_size_t(8 * len(words)), ctypes.c_uint32(0))
    for path in read:
        _allow(rules, path, _READ)
    for path in write:
        _allow(rules, path, every & ~_EXECUTE)
    return rules


def enforce(rules):
    """Applies the rules to this thread and to what it starts."""
    if rules is not None:
        _call(_RESTRICT_SELF, ctypes.c_int(rules), ctypes.c_uint32(0))
        os.close(rules)
