# SPDX-License-Identifier: Apache-2.0
"""run.py [--bless] [FILTER...]: each file here has one kernel in two versions. make(True) has a race,
an access out of bounds or an uninitialised read: the simulator must find it and name the lines, at
tile level or after the passes at thread and flat level (tile level runs statements of threads in
lockstep and does not see that a T.sync_threads is missing); the output of each level is at the
file's end as `#> ` lines. make(False) is the correct twin: nothing may be found at any level. TARGET, if it is given, is the target of both."""
import os
import sys
import warnings

import numpy as np
import tilelab
import tilelab._session.imports
from tilelab._kernel import arguments
from tilelab._kernel.kernel import launch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import golden

tilelab._session.imports.install()
warnings.simplefilter("ignore", tilelab.TilelabWarning)
LEVELS = ("tile", "thread", "flat")


def findings(kernel, level, values):
    """The findings of a run at `level` with every watcher on, as text; "" if there is none."""
    values = [v.copy() for v in values]
    described, _, _ = arguments.describe(kernel, values)
    func = kernel._func if level == "tile" else kernel._at_level(level)
    try:
        launch(kernel, described, func=func, notes=True, uninitialized=True, races=True, threads=1)
    except tilelab.KernelError as error:
        return str(error).strip()
    return ""


def what_is_found(name, text):
    """The findings of all levels for the wrong version; raises on a finding in the correct one."""
    space = {"__name__": "bug"}
    exec(compile(text, name, "exec"), space)
    values = space["arrays"](np.random.default_rng(5))
    options = {"target": space["TARGET"]} if "TARGET" in space else {}
    right, wrong = (tilelab.compile(space["make"](bug), **options) for bug in (False, True))
    said = []
    for level in LEVELS:
        alarm = findings(right, level, values)
        assert not alarm, f"the correct twin at {level} level: {alarm}"
        found = findings(wrong, level, values)
        assert not found or f"{name}, line " in found, f"no line is named at {level} level: {found}"
        said.append(f"{level} level:\n{found}" if found else f"{level} level: nothing is found")
    assert any("nothing is found" not in text for text in said), "nothing is found at any level"
    return "\n".join(said)


if __name__ == "__main__":
    sys.exit(golden.main(HERE, what_is_found, f"seeded bugs at {len(LEVELS)} levels, each with its correct twin"))
