# SPDX-License-Identifier: Apache-2.0
"""Build times of a maintainer: cold debug builds without ccache, the core's tests, a build after an edit of one pass."""

import functools
import os
import pathlib
import resource
import subprocess
import tempfile
import time

from measure import ROOT, Measured, Missing

EDITED = "core/CMakeFiles/tilelab_core.dir/passes/insert_barriers/insert_barriers.cpp.o"


class Folder:
    """A build folder of a preset, empty at first and deleted at the end of the process."""

    def __init__(self, preset):
        self.holder = tempfile.TemporaryDirectory(prefix=f"tilelab-{preset}-")
        self.path = pathlib.Path(self.holder.name)
        self.env = {**os.environ, "CCACHE_DISABLE": "1"}
        self.configuring = self.seconds("cmake", "--preset", preset, "-B", str(self.path))

    def seconds(self, *command):
        """(wall clock, CPU time of all processes) of a command that must succeed."""
        begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, cwd=ROOT, env=self.env, capture_output=True, text=True)
        wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {(done.stdout + done.stderr).strip()[-300:]}")
        return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def build(self, *targets):
        return self.seconds("ninja", "-C", str(self.path), "-j", "2", *targets)


@functools.cache
def core():
    """Times of one build of the core preset: configuring, the library, the test programs, the tests."""
    folder = Folder("core")
    return {"configure": folder.configuring, "library": folder.build("tilelab_core"), "programs": folder.build(),
            "tests": folder.seconds("ctest", "--test-dir", str(folder.path), "-j", "2")}


@functools.cache
def everything():
    folder = Folder("dev")
    whole = folder.build()
    (folder.path / EDITED).unlink()
    return {"configure": folder.configuring, "build": whole, "edit": folder.build()}


def total(times, *parts):
    """A row: the sum of the parts' wall clocks."""
    each = ", ".join(f"{part} {times[part][0]:.1f}" for part in parts)
    cpu = sum(times[part][1] for part in parts)
    return Measured(sum(times[part][0] for part in parts), None, "", f"{each}; CPU {cpu:.0f} s, of two idle cores {cpu / 2:.0f}")


def row(times, *parts):
    def measure(setup):
        if setup.quick:
            raise Missing("it takes minutes; run without --quick")
        return total(times(), *parts)
    return measure


core_library = row(core, "configure", "library")
core_tested = row(core, "configure", "library", "programs", "tests")
whole = row(everything, "configure", "build")
after_an_edit = row(everything, "edit")
