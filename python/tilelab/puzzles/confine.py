# SPDX-License-Identifier: Apache-2.0
"""Takes rights from this process for good, before it runs code or reads data of others: its user, files, sockets, signals, memory.
Linux; each part is used where the system has it; missing() lists the others."""

import contextlib
import ctypes
import os
import resource
import signal
import sys

from . import landlock, system_calls

MEMORY, _FILE, _DESCRIPTORS = 4 << 30, 8 << 20, 64  # bytes of a process and of one of its files; its open files
_TASKS = 64  # processes and threads of a notebook
TASKS = 4 * _TASKS  # of its user, who may run the grading, too
_libc = ctypes.CDLL(None, use_errno=True)
_SET_PDEATHSIG, _SET_DUMPABLE, _SET_KEEPCAPS, _SET_SUBREAPER, _SET_NO_NEW_PRIVS = 1, 4, 8, 36, 38
_READ_SEARCH, _CHANGE_USER = 2, 1 << 0 | 1 << 6 | 1 << 7  # CAP_DAC_READ_SEARCH; a mask of CAP_CHOWN, CAP_SETGID, CAP_SETUID


def _called(function, *words):
    """The result of a C function; OSError if it is negative."""
    if (result := function(*words)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _prctl(option, value):
    with contextlib.suppress(OSError, AttributeError):  # no Linux
        _called(_libc.prctl, option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))


def hide_this_process():
    """Closes /proc/PID of this process, its memory and its descriptors, to other processes of its user."""
    _prctl(_SET_DUMPABLE, 0)


def adopt_orphans():
    """Makes this process the parent of all orphans below it."""
    _prctl(_SET_SUBREAPER, 1)


def end_with_parent():
    """Ends this process when its parent ends."""
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)


# A user: root runs each notebook with a separate user number.


def own_user():
    """A user number for the children of this process, in the upper half of those that the system has; None without the right to it."""
    try:
        with open("/proc/self/status") as file:
            rights = int(next(line for line in file if line.startswith("CapEff:")).split()[1], 16)
        with open("/proc/self/uid_map") as file:
            first, _, count = max((tuple(map(int, line.split())) for line in file), key=lambda row: row[2])
    except (OSError, ValueError, StopIteration):
        return None
    if os.geteuid() != 0 or rights & _CHANGE_USER != _CHANGE_USER or count < 1 << 15:
        return None
    return first + count // 2 + os.getpid() % (count // 2 - 1)


def end_user(user):
    """Kills every process of a user number at once."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(OSError):
            os.setresuid(user, user, user)
            os.kill(-1, signal.SIGKILL)
        os._exit(0)
    os.waitpid(child, 0)


def _set_capabilities(mask):
    if sys.platform == "linux":
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        data = (ctypes.c_uint32 * 6)(mask, mask, 0, 0, 0, 0)
        _called(_libc.capset, header, data)


def _become(user, read):
    """Switches to a user number without capabilities; where only root can read one of `read`, such as below /root, with the one for
    reading, which Landlock narrows to those paths."""
    if user is None:
        _set_capabilities(0)
        return
    os.setgroups([])
    os.setresgid(user, user, user)
    os.seteuid(user)
    closed = [path for path in read if not os.access(path, os.R_OK, effective_ids=True)]
    os.seteuid(0)
    closed = [path for path in closed if os.path.exists(path)]
    if closed and not landlock.version():
        raise PermissionError(f"only root can read {closed[0]}: install bubblewrap, or grade as another user")
    _prctl(_SET_KEEPCAPS, 1)
    os.setresuid(user, user, user)
    _set_capabilities(1 << _READ_SEARCH if closed else 0)


def _tasks_of(user):
    """How many threads a user has."""
    count = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{name}").st_uid == user:
                count += len(os.listdir(f"/proc/{name}/task"))
    return count


def _limit(what, most):
    hard = resource.getrlimit(what)[1]
    resource.setrlimit(what, (most if hard < 0 else min(most, hard),) * 2)


def limit_resources(seconds, user):
    """Limits of a notebook's process: time, memory, files, and the threads of its user. `user` None: of a user that has other processes."""
    _limit(resource.RLIMIT_CPU, int(seconds) + 1)
    _limit(resource.RLIMIT_AS, MEMORY)
    _limit(resource.RLIMIT_FSIZE, _FILE)
    _limit(resource.RLIMIT_NOFILE, _DESCRIPTORS)
    if sys.platform == "linux":
        _limit(resource.RLIMIT_MSGQUEUE, 0)
        _limit(resource.RLIMIT_NPROC, _TASKS if user is not None else _tasks_of(os.getuid()) + TASKS)


def limit_memory(most):
    """Limits what this process allocates, in bytes, whatever it reserves for its threads."""
    _limit(resource.RLIMIT_DATA, most)


def drop_rights(user, read, write):
    """From now on this process reads the paths of `read` and writes below those of `write` only, is the user `user` (None: stays the
    one it is), opens no sockets, signals and traces no other process, and stays in its process group, and so do its children. Call it
    before the first thread starts. Raises OSError if a part that the system has fails."""
    rules = landlock.ruleset(read, write)
    _become(user, [*read, *write])
    _prctl(_SET_NO_NEW_PRIVS, 1)
    landlock.enforce(rules)
    system_calls.forbid()


def missing():
    """The parts that this system lacks, each with what provides it."""
    parts = [(system_calls.available(), "a filter of system calls (install libseccomp2)"),
             (landlock.version(), "rules for files (Landlock, of Linux 5.13 or later)"),
             (os.geteuid() != 0 or own_user(), "a user for each notebook (this root has one user number only)")]
    return [text for there, text in parts if not there]
