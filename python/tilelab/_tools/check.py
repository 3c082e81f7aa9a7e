# SPDX-License-Identifier: Apache-2.0
"""Runs one call with every detector at tile level (iterations of T.Parallel), thread level (waits) and flat level (bytes)."""

from .. import _core
from .._compiler import records
from .._compiler.errors import KernelError, raise_if_ended
from .._compiler.kernel_warnings import show_warnings
from .._compiler.source import known_text
from .._kernel import last_failure
from .._kernel.arguments import raise_if_refused
from .._kernel.progress import Progress
from .._kernel.shown import Shown
from .memory import written_memory
from .race_schedules import describe_races

LEVELS = ("tile", "thread", "flat")


SECONDS = 10  # per level: a longer launch is partly checked
ORIGIN_SECONDS = 2  # to find the block where NaN originates
VALUES_SECONDS = 0.15  # for values of blocks that a proof exempts


class Runs(list):
    """[(level, result of Func.run)], and the proof about the blocks that did not run (or None)."""

    proof = None


def run_levels(kernel, described, levels=None, seconds=SECONDS, seed=0):
    """Runs the levels; raises errors that ended a run. `seconds` 0: every block. `seed`: of the sample and the first schedule."""
    levels = levels or LEVELS[LEVELS.index(kernel._func.level):]
    before, runs = written_memory(kernel._func, described), Runs()
    runs.proof = kernel._func.prove(described, seed) if seconds else None
    every_block = not (runs.proof and runs.proof.proved)  # otherwise the blocks of the grid in the source
    for level in levels:
        func = kernel._func if level == kernel._func.level else kernel._at_level(level, blocks_stay=every_block)
        result = run_watched(kernel, func, described, before, seconds=seconds, proof=runs.proof,
                             notes=True, uninitialized=True, races=True, not_finite=True, seed=seed)
        if not runs:
            records.show(func, result)
            raise_if_refused(kernel.name, result)
            show_warnings(result["warnings"], kernel._identity, kernel._func)
        raise_if_ended(kernel.name, result)
        records.report_assertions(func, result)
        if not any(found["findings"] for _, found in runs):  # the first level refers to the user's statements
            last_failure.keep(kernel, level, result)
        runs.append((level, result))
    if runs.proof and runs.proof.proved and not any(result["findings"] for _, result in runs):
        check_values(kernel, described, before, runs)
    if not any(result["findings"] for _, result in runs):
        find_nan_origins(kernel, described, runs)
    else:
        describe_races(kernel, described, before, runs, seed)
    return runs


def run_watched(kernel, func, described, before, **options):
    try:
        with Progress(f"check of {kernel.name} at {func.level} level") as step:
            return func.run(described, progress=step, **options)
    finally:
        before.restore()


def check_values(kernel, described, before, runs):
    """Runs all blocks once without watchers, if that is quick: a proof covers accesses, not values such as NaN."""
    result = run_watched(kernel, kernel._func, described, before, seconds=VALUES_SECONDS, not_finite=True)
    raise_if_ended(kernel.name, result)
    if result["blocks"] == result["all_blocks"]:
        runs[0][1]["not_finite"] = result["not_finite"]
    runs[0][1]["findings"] += result["findings"]


def find_nan_origins(kernel, described, runs):
    """Finds where the first NaN or infinity of each output originates, as a statement of tile level, before or after its passes."""
    if runs[0][0] != "tile":
        return
    for level, result in runs:
        func = kernel._func if level == "tile" else kernel._at_level("tile")
        for one in result["not_finite"]:
            one["way"] = func.origin(described, one["buffer"], one["first"], seconds=ORIGIN_SECONDS, proof=runs.proof)
        if result["not_finite"]:
            return  # other levels repeat it


def found(runs):
    """The findings as dicts, with "levels"; equal ones are merged."""
    out = []
    for run, number, which in _core.views.merged(runs):
        out.append({**runs[run][1]["findings"][number], "levels": [runs[i][0] for i in which]})
    return out


def origins(runs):
    """NaN and infinity in outputs as findings: [{"kind", "where", "levels"}]; the first location is their origin."""
    out = []
    for level, result in runs:
        for one in result["not_finite"]:
            where = [{"span": step["span"], "line_text": _line_text(step["span"])} for step in one["way"][:1]]
            out.append({"kind": "not-finite", "buffer": one["buffer"], "where": where, "levels": [level]})
    return out


def _line_text(span):
    lines = (known_text(span["file"]) or "").split("\n")
    return lines[span["line"] - 1] if 0 < span["line"] <= len(lines) else ""


def report(kernel, runs, name):
    return Shown(_core.views.report(runs, name, kernel._compilation, getattr(runs, "proof", None)))


def check(kernel, described, name, levels=None, seconds=SECONDS, seed=0):
    """The report of a clean call; raises KernelError on findings."""
    runs = run_levels(kernel, described, levels, seconds, seed)
    if findings := found(runs):
        raise KernelError(kernel.name, findings, _core.views.findings(runs))
    return report(kernel, runs, name)
