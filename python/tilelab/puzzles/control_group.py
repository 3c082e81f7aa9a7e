# SPDX-License-Identifier: Apache-2.0
"""Control groups of Linux (version 2, or 1): limits of memory and tasks for a program with all that it starts, held by the system."""

import contextlib
import os
import time

_MOUNTS = ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")  # of version 2: alone, or beside version 1


def _read(path):
    with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:
        return file.read()
    return ""


def _write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        file.write(str(value))


def _own():
    """{controller, or "" for version 2: the path of this process's group}"""
    rows = (line.split(":", 2) for line in _read("/proc/self/cgroup").splitlines())
    return {name: path for _, names, path in rows for name in names.split(",")}


def _parents(memory, tasks):
    """[(the directory of a group that may have groups below it, {file: value} of the limits)]: one of version 2, or two of version 1."""
    own = _own()
    for mount in _MOUNTS if "" in own else ():
        here = mount + own[""].rstrip("/")
        for parent in (here, os.path.dirname(here)):  # a group that has processes may not limit groups below it
            if {"memory", "pids"} <= set(_read(f"{parent}/cgroup.subtree_control").split()):
                return [(parent, {"memory.max": memory, "pids.max": tasks})]
    if "memory" in own and "pids" in own:
        return [(f"/sys/fs/cgroup/memory{own['memory']}", {"memory.limit_in_bytes": memory}),
                (f"/sys/fs/cgroup/pids{own['pids']}", {"pids.max": tasks})]
    return []


class Group:
    """A group, which is one directory, or with version 1 two."""

    def __init__(self):
        self._directories = []

    def create_in(self, parent, limits):
        directory = f"{parent.rstrip('/')}/tilelab-{os.getpid()}"
        os.mkdir(directory)
        self._directories.append(directory)
        for name, value in limits.items():
            _write(f"{directory}/{name}", value)
        with contextlib.suppress(OSError):  # the system may have no swap
            _write(f"{directory}/memory.swap.max", 0)

    def enter(self):
        """Moves this process into the group, and so what it starts from then on."""
        for directory in self._directories:
            _write(f"{directory}/cgroup.procs", 0)

    def ran_out_of_memory(self):
        """Whether the system has killed a process of the group for its memory."""
        for directory in self._directories:
            for name in ("memory.events", "memory.oom_control"):
                counts = dict(line.split() for line in _read(f"{directory}/{name}").splitlines())
                if int(counts.get("oom_kill", 0)):
                    return True
        return False

    def remove(self):
        """Removes the group, whose processes have ended or end now."""
        for directory in self._directories:
            with contextlib.suppress(OSError):
                _write(f"{directory}/cgroup.kill", 1)  # of version 2, from Linux 5.14 on
            for _ in range(100):
                with contextlib.suppress(OSError):
                    os.rmdir(directory)
                    break
                time.sleep(0.01)


def create(memory, tasks):
    """A group with these limits, for which a trial process has shown that it can be entered; None where the system allows none."""
    group = Group()
    try:
        for parent, limits in (parents := _parents(memory, tasks)):
            group.create_in(parent, limits)
        if parents and _can_enter(group):
            return group
    except OSError:
        pass
    group.remove()
    return None


def _can_enter(group):
    child = os.fork()
    if child == 0:
        with contextlib.suppress(OSError):
            group.enter()
            os._exit(0)
        os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def available():
    if group := create(1 << 30, 64):
        group.remove()
    return group is not None
