# SPDX-License-Identifier: Apache-2.0
"""The shell and the notebook kernel: start, round trips, memory, interrupts; beside IPython's and xeus-python's."""

import functools
import os
import pathlib
import statistics
import sys
import tempfile
import time

from measure import ROOT, Measured, Missing, child, has_module, median_and_best

sys.path.insert(0, str(ROOT / "tests" / "repl"))
import terminal  # noqa: E402

IPYTHON_PROMPT = r"In \[1\]: "


def prompt_time(argv, pattern, folder):
    """Milliseconds from the start of a program to its first prompt."""
    home = {"HOME": folder, "IPYTHONDIR": folder, "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder}
    begun = time.perf_counter()
    shell = terminal.Terminal(*argv, environment=home)
    try:
        shell.expect(pattern, timeout=20)
        return (time.perf_counter() - begun) * 1e3
    finally:
        terminal.end_all()


def prompt(setup):
    with tempfile.TemporaryDirectory() as folder:
        def times(argv, pattern, repeats):
            prompt_time(argv, pattern, folder)  # files that a first start writes
            return [prompt_time(argv, pattern, folder) for _ in range(repeats)]
        ours = times([setup.binary], terminal.PROMPT, setup.repeats(20))
        peer = None
        if has_module(setup.peer_python, "IPython"):
            argv = [setup.peer_python, "-m", "IPython", "--no-confirm-exit"]
            peer = statistics.median(times(argv, IPYTHON_PROMPT, setup.repeats(8)))
    return Measured(statistics.median(ours), peer, "IPython", median_and_best(ours))


def _commands(setup):
    """Kernels by name: ours first."""
    found = {"tilelab": [setup.binary, "kernel", "-f", "{file}"]}
    if has_module(setup.peer_python, "ipykernel"):
        found["ipykernel"] = [setup.peer_python, "-m", "ipykernel_launcher", "-f", "{file}"]
    if has_module(setup.peer_python, "xpython_launcher"):
        found["xeus-python"] = [setup.peer_python, "-m", "xpython_launcher", "-f", "{file}"]
    return found


@functools.lru_cache(maxsize=None)
def _measured(binary, python, peer_python, quick, what, repeats):
    """{kernel: times}; each kind of measurement runs once for all of its rows."""
    from measure import Setup

    setup = Setup(binary, python, peer_python, quick)
    return {name: child(setup, "notebook.py", setup.repeats(repeats), what, *command)
            for name, command in _commands(setup).items()}


def _row(setup, what, key, repeats):
    found = _measured(setup.binary, setup.python, setup.peer_python, setup.quick, what, repeats)
    ours, peer, peer_name, others = found["tilelab"][key], None, "", []
    for name, times in found.items():
        if name == "tilelab" or key not in times:
            continue
        value = times[key] if isinstance(times[key], float) else statistics.median(times[key])
        others.append(f"{name} {value:.3g}")
        if peer is None or value < peer:
            peer, peer_name = value, name
    if isinstance(ours, float):
        return Measured(ours, peer, peer_name, "; ".join(others))
    spread = "; ".join([median_and_best(ours), *others])
    return Measured(statistics.median(ours), peer, peer_name, spread)


def kernel_info(setup):
    return _row(setup, "start", "info", 15)


def first_cell(setup):
    return _row(setup, "start", "cell", 15)


def empty_cell(setup):
    return _row(setup, "cells", "empty", 300)


def completion(setup):
    return _row(setup, "cells", "complete", 300)


def long_completion(setup):
    return _row(setup, "cells", "complete_long", 300)


@functools.lru_cache(maxsize=None)
def _views(binary, python, quick):
    from measure import Setup

    setup = Setup(binary, python, python, quick)
    times = child(setup, "notebook.py", setup.repeats(10), "views", *_commands(setup)["tilelab"])
    return {view: statistics.median(of) for view, of in times.items()}


def views(wanted):
    """The slowest of the views that begin so."""
    def measure(setup):
        times = {view: t for view, t in _views(setup.binary, setup.python, setup.quick).items() if view.startswith(wanted)}
        slowest = sorted(times, key=times.get)[::-1]
        return Measured(times[slowest[0]], None, "", "; ".join(f"{view} {times[view]:.3g}" for view in slowest[:4]))
    return measure


def idle_memory(setup):
    return _row(setup, "cells", "idle", 300)


def interrupt(key):
    return lambda setup: _row(setup, "interrupts", key, 15)
