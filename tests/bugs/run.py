# SPDX-License-Identifier: Apache-2.0
"""run.py [--bless] [FILTER...]: each file here has one kernel in two versions. make(True) has a race,
an access out of bounds or an uninitialised read: the simulator must find it and name the lines, at
tile level or after the passes at thread and flat level (tile level runs statements of threads in
lockstep and does not see that a T.sync_threads is missing); what each level says stands at the
file's end as `#> ` lines. make(False) is the correct twin: nothing may be found at any level."""
import os
import sys
import time
import traceback
import warnings

import numpy as np
import tilelab
import tilelab._session_import
from tilelab import _arguments

tilelab._session_import.install()
warnings.simplefilter("ignore", tilelab.TilelabWarning)
HERE = os.path.dirname(os.path.abspath(__file__))
LEVELS = ("tile", "thread", "flat")


def findings(kernel, level, values):
    """The findings of a run at `level` with every watcher on, as text; "" if there is none."""
    values = [v.copy() for v in values]
    described, _, _ = _arguments.describe(kernel.name, kernel._raw_params, [], values)
    func = kernel._func if level == "tile" else kernel._at_level(level)
    try:
        kernel._run(described, func=func, notes=True, uninitialized=True, races=True, threads=1)
    except tilelab.KernelError as error:
        return str(error).strip()
    return ""


def what_is_found(name, text):
    """What all levels say about the wrong version; raises on a finding in the correct one."""
    space = {"__name__": "bug"}
    exec(compile(text, name, "exec"), space)
    values = space["arrays"](np.random.default_rng(5))
    right, wrong = (tilelab.compile(space["make"](bug)) for bug in (False, True))
    said = []
    for level in LEVELS:
        alarm = findings(right, level, values)
        assert not alarm, f"the correct twin at {level} level: {alarm}"
        found = findings(wrong, level, values)
        assert not found or f"{name}, line " in found, f"no line is named at {level} level: {found}"
        said.append(f"{level} level: {found or 'nothing is found'}")
    assert any("nothing is found" not in text for text in said), "nothing is found at any level"
    return "\n".join(line.rstrip() for line in "\n".join(said).splitlines())


def check_file(name, bless):
    with open(name, encoding="utf-8") as file:
        lines = file.read().splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#>")) + "\n"
    expected = "\n".join(line[2:].removeprefix(" ") for line in lines if line.startswith("#>"))
    try:
        said = what_is_found(name, text)
    except AssertionError as error:
        return f"FAILED {name}: {error}"
    except Exception:
        return f"FAILED {name}\n{traceback.format_exc()}"
    if said == expected:
        return ""
    if bless:
        with open(name, "w", encoding="utf-8") as file:
            file.write(text + "".join(f"#> {line}".rstrip() + "\n" for line in said.splitlines()))
        return ""
    return f"FAILED {name}\n--- expected\n{expected}\n--- said\n{said}"


def main(arguments):
    os.chdir(HERE)
    filters = [a for a in arguments if a != "--bless"]
    start, failed, count = time.time(), 0, 0
    for name in sorted(os.listdir(".")):
        if not name.endswith(".py") or name == "run.py" or filters and not any(f in name for f in filters):
            continue
        count += 1
        said = check_file(name, "--bless" in arguments)
        if said:
            failed += 1
            print(said)
    print(f"{count} seeded bugs at {len(LEVELS)} levels, each with its correct twin; {failed} failed; "
          f"{time.time() - start:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
