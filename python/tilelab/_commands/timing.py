# SPDX-License-Identifier: Apache-2.0
"""%time and %timeit."""

import ast
import gc
import itertools
import time

import _tilelab_host as host

from .._compiler.cell_syntax import transform
from .._kernel import progress
from .._kernel.progress import time_text
from .._session.source import register
from .._session.view import View, reject_if


LONG = 0.5  # seconds; a longer simulated call is not repeated


def _code(call, name):
    text = call.cell if call.cell is not None else (call.args[0] if call.args else "")
    reject_if(not text.strip(), f"%{name} needs code to run")
    return text


def command_time(shell, call):
    """Returns the value of the code and prints the times."""
    text = _code(call, "time")
    wall, cpu, before = time.perf_counter(), time.process_time(), progress.launches
    try:
        value = shell.run_body(text, call.lines_above if call.cell is not None else 0)
    finally:
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        note = "; kernels were simulated" if progress.launches > before else ""
        View(_fitted(f"time {time_text(wall)}, {time_text(cpu)} of it on the CPU{note}\n")).show()
    return value


def _fitted(text):
    """The text, wrapped to the page."""
    if len(text) <= (host.width() or 80):
        return text
    from .. import _core

    return _core.views.hanging(text)


class TimeitResult:
    """The result of %timeit -o: seconds per loop of each run."""

    def __init__(self, loops, runs, simulated=False):
        self.loops, self.all_runs = loops, runs
        self.simulated = simulated  # kernels ran on a simulated device
        self.best, self.worst = min(runs), max(runs)
        self.average = sum(runs) / len(runs)
        self.stdev = (sum((r - self.average) ** 2 for r in runs) / len(runs)) ** 0.5

    def __repr__(self):
        return (f"{time_text(self.average)} ± {time_text(self.stdev)}, best {time_text(self.best)} "
                f"({len(self.all_runs)} run{'s' if len(self.all_runs) != 1 else ''} of {self.loops} loop{'s' if self.loops != 1 else ''})"
                + (", simulated" if self.simulated else ""))


def _timer(shell, statement, setup):
    """Compiles the statement into a function of the number of loops that returns the seconds; names resolve as in a function."""
    body = ast.parse(transform(statement)).body
    reject_if(not body, "%timeit needs code to run")
    module = ast.parse("def _timed(_loops, _clock):\n  pass\n  _start = _clock()\n  for _ in _loops:\n    pass\n"
                       "  return _clock() - _start\n")
    function = module.body[0]
    function.body[2].body = body
    function.body[0:1] = ast.parse(transform(setup)).body or [ast.Pass()]
    ast.fix_missing_locations(module)
    name = register("%timeit", statement)
    names = {}
    exec(compile(module, name, "exec", shell.flags, True), shell.ns, names)
    return lambda loops: names["_timed"](itertools.repeat(None, loops), time.perf_counter)


def command_timeit(shell, call):
    """As in IPython: with %%timeit the line is the set-up, the cell is timed."""
    line = call.args[0] if call.args else ""
    statement, setup = (call.cell, line) if call.cell is not None else (_code(call, "timeit"), "")
    run = _timer(shell, statement, setup)
    runs = call.number("-r", 7, 1)
    loops = call.number("-n", 0, 1)
    before = progress.launches
    first = 0
    if not loops:
        loops, seconds = 1, run(1)
        first = seconds
        while seconds < 0.2 and loops < 10**9:
            loops *= 10
            if seconds * 10 > 2:  # the next try would take over two seconds
                break
            seconds = run(loops)
    if progress.launches > before and first > LONG and not call.has("-r"):  # more runs would not add information
        return _timed(call, TimeitResult(1, [first], True))
    collecting = gc.isenabled()
    gc.disable()
    try:
        result = TimeitResult(loops, [run(loops) / loops for _ in range(runs)], progress.launches > before)
    finally:
        if collecting:
            gc.enable()
    return _timed(call, result)


def _timed(call, result):
    if not call.has("-q"):
        View(_fitted(repr(result) + "\n"), None, vars(result)).show()
    return result if call.has("-o") else None
