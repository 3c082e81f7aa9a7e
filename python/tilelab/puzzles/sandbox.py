# SPDX-License-Identifier: Apache-2.0
"""Runs an untrusted program: in separate namespaces where Bubblewrap works, watched, and ended with all that it started."""

import contextlib
import itertools
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import time

from .._tools import helper_process
from . import confine, control_group

MOST = 4 << 20                 # bytes of an answer
_PROCESSES, _FILES = 32, 1000  # of a program
MEMORY, _DISK = 2 << 30, 64 << 20  # bytes that they use together
_MUCH_MEMORY = f"the notebook used more than {MEMORY >> 30} GB of memory"
_INTERVAL = 0.25               # seconds between two measurements
_OWN = ("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu", "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/passwd")


class Ended(Exception):
    """The program was ended: `state` of its row, and why."""

    def __init__(self, state, why):
        super().__init__(why)
        self.state = state


def readable():
    """The paths that a program may read: of the system, of Python, and of this package."""
    own = [*helper_process.directories(), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    libraries = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    found = [*_SYSTEM, sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(os.path.realpath(sys.executable)), *own,
             *map(os.path.realpath, own), *filter(os.path.isabs, libraries)]
    kept = []
    for path in sorted(set(found), key=len):
        if not path.startswith(tuple(parent.rstrip("/") + "/" for parent in kept)):
            kept.append(path)
    return kept


def enter(folder, user):
    """Takes all rights from this process but those to read such paths and to write below `folder` (None: nowhere), as that user."""
    confine.drop_rights(user, [*readable(), *_OWN], ["/dev/null", *filter(None, [folder])])


def _bubblewrap(folder):
    """The words that start a program in its own namespaces, with `readable()` and the writable `folder` as its only files."""
    words = ["bwrap", "--die-with-parent", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
             "--proc", "/proc", "--dev", "/dev", "--chdir", "/"]
    if os.geteuid() == 0:
        words += ["--cap-drop", "ALL"]
        for right in ("CAP_SETUID", "CAP_SETGID", "CAP_DAC_READ_SEARCH"):  # confine.py changes the user
            words += ["--cap-add", right]
    else:
        words.append("--unshare-user")
    paths = readable()
    parents = {str(parent) for path in [*paths, folder] for parent in pathlib.PurePath(path).parents}
    for parent in sorted(parents - {"/", *paths}):
        words += ["--perms", "0755", "--dir", parent]  # else only root enters them
    for path in paths:
        words += ["--ro-bind-try", path, path]
    return [*words, "--bind", folder, folder]


def namespaces(folder):
    """The words before a program that give it its own namespaces; none where Bubblewrap is not installed or not allowed to."""
    if shutil.which("bwrap") is None:
        return []
    words = _bubblewrap(folder)
    done = subprocess.run([*words, sys.executable, "-S", "-c", ""], stdin=subprocess.DEVNULL, capture_output=True, cwd="/", check=False)
    return words if done.returncode == 0 else []


def missing():
    """The parts of the sandbox that this machine lacks, each with what provides it."""
    others = confine.missing()
    if not control_group.available():
        others.append("a control group (grade as root, or with systemd-run --user --scope -p Delegate=yes)")
    if namespaces("/usr"):
        return others
    reason = "this system forbids them to Bubblewrap" if shutil.which("bwrap") else "install bubblewrap"
    return [f"namespaces ({reason})", *others]


# The processes that a program started


def _parents():
    """{process: (its parent, its resident bytes)}"""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, IndexError, ValueError):
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
            found[int(name)] = int(fields[1]), int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    return found


def descendants():
    """{process: its resident bytes} of everything below this process, which must have adopted orphans."""
    parents = _parents() if os.path.isdir("/proc/self") else {}
    below, ring = {}, {os.getpid()}
    while ring:
        ring = {pid for pid, (parent, _) in parents.items() if parent in ring and pid not in below}
        below.update((pid, parents[pid][1]) for pid in ring)
    return below


def end_all(group, user):
    """Ends a process group and all descendants. A filtered program cannot leave its group, another user none of his processes: both
    end at once. Without either, this kills what it sees until nothing is left."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
        if user is not None:
            confine.end_user(user)
        left = descendants()
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not left:
            return
        time.sleep(0.005)


def _files(folder):
    """(how many files a folder has, their bytes), counted up to the limit; more than that where a part cannot be listed."""
    count = size = 0
    waiting = [folder]
    while waiting and count <= _FILES:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in itertools.islice(entries, _FILES + 1):
                    count += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
        except FileNotFoundError:  # removed meanwhile
            pass
        except OSError:
            count += _FILES
    return count, size


def remove(folder):
    """Removes a folder of a program that has ended, however deep it is."""
    if rm := shutil.which("rm", path=os.defpath):
        subprocess.run([rm, "-rf", "--", folder], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    shutil.rmtree(folder, ignore_errors=True)


def _check_use(folder):
    """Raises Ended where the programs use more than they may."""
    used = descendants()
    if len(used) > _PROCESSES:
        raise Ended("crashed", f"the notebook started more than {_PROCESSES} processes")
    if sum(used.values()) > MEMORY:
        raise Ended("crashed", _MUCH_MEMORY)
    count, size = _files(folder)
    if count > _FILES or size > _DISK:
        raise Ended("crashed", f"the notebook wrote more than {_FILES} files or {_DISK >> 20} MB")


class Together:
    """Limits for a program and all that it starts, held by the system where it allows this process to make a control group."""

    def __init__(self):
        self._group = control_group.create(MEMORY, confine.TASKS)

    def enter(self):
        """To be called in the program's process before the program starts."""
        if self._group:
            self._group.enter()

    def end(self):
        """Once all has ended; raises Ended if the system has killed a process for its memory."""
        if self._group:
            killed = self._group.ran_out_of_memory()
            self._group.remove()
            if killed:
                raise Ended("crashed", _MUCH_MEMORY)


def answer_of(process, folder, seconds, parent):
    """What a program writes up to its end or the end of its first line. Raises Ended after `seconds`, or if the program writes or uses
    more than it may, or if `parent`, a descriptor, is closed at its other end."""
    said, end, next_check, ended = b"", time.monotonic() + seconds, time.monotonic() + _INTERVAL, False
    while not said.endswith(b"\n"):
        wait = 0.0 if ended else max(0.0, min(_INTERVAL, end - time.monotonic()))
        ready, _, _ = select.select([process.stdout, parent], [], [], wait)
        if parent in ready:
            raise Ended("crashed", "the grading was ended")
        if ready:
            some = os.read(process.stdout.fileno(), 1 << 16)
            said += some
            if not some:
                break
            if len(said) > MOST:
                raise Ended("crashed", f"the notebook made more than {MOST >> 20} MB of kernels")
        elif ended:
            break  # its children may hold the pipe
        if time.monotonic() >= end:
            raise Ended("time", f"the notebook ran for {seconds:g} s")
        if time.monotonic() >= next_check:
            _check_use(folder)
            next_check = time.monotonic() + _INTERVAL
        ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return said
