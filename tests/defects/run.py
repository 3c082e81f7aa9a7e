# SPDX-License-Identifier: Apache-2.0
"""run.py [-v] [FILTER...]: seeded defects. Every function of bounds.py, values.py and order.py gives one kernel right and
with a defect, what %check has to call it, and arguments; the lines that a finding has to name are marked `# <--`.
waits.py takes single waits, fences and arrivals out of compiled kernels with engines, rings and roles. The right kernels
show nothing. -v: what each shows."""
import contextlib
import io
import os
import sys
import warnings

import numpy as np
import tilelab
import tilelab._session.imports
from tilelab._compiler import arguments
from tilelab._kernel import check

HERE = os.path.dirname(os.path.abspath(__file__))
MARK = "# <--"
tilelab._session.imports.install()
warnings.simplefilter("ignore", tilelab.TilelabWarning)


def made_of(file):
    """The file's names, and by function the lines that it marks."""
    path = os.path.join(HERE, file)
    text = open(path).read()
    space = {"__name__": file}
    exec(compile(text, path, "exec"), space)
    lines, marks, owner = text.split("\n"), {}, None
    for number, line in enumerate(lines, 1):
        if line.startswith("def "):
            owner = line[4:line.index("(")]
        if line.endswith(MARK):
            marks.setdefault(owner, set()).add(number)
    return space, marks


def shown(func, kinds, values):
    """[(kind, lines that are named)] of a check, and its text. Where elements are to be missed the call makes the output."""
    if "unwritten" in kinds:
        kernel, values = tilelab.compile(func, out_idx=[-1]), values[:-1]
    else:
        kernel = tilelab.compile(func)
    described, *memory = arguments.describe(kernel.name, kernel._raw_params, kernel._outputs, values)
    runs = check.run_levels(kernel, described)
    out = [(f["kind"], {side["span"]["line"] for side in f["where"]}) for f in check.found(runs)]
    for _, result in runs:
        out += [("not finite", {step["span"]["line"] for step in one["way"][:1]}) for one in result["not_finite"]]
        out += [("unwritten", set()) for one in result["unwritten"]]
    del memory
    return out, str(check.report(kernel, runs, "main"))


def problem_of(make, marks):
    """What is wrong with how %check takes both versions, or "", and what it shows of the defect."""
    with contextlib.redirect_stdout(io.StringIO()):
        right, kinds, values = make(False)
        found, text = shown(right, kinds, values(np.random.default_rng(3)))
        if found:
            return f"the right kernel: {text}", text
        wrong, kinds, values = make(True)
        found, text = shown(wrong, kinds, values(np.random.default_rng(3)))
    wanted = [lines for kind, lines in found if kind in kinds]
    if not wanted:
        return f"not called {kinds}: {text}", text
    return "" if set().union(*wanted) & marks else f"no line of {sorted(marks)} is named: {text}", text


# A zero from behind the edge that goes to memory of the block is padding to %check, meant or not.
MISSED = {"bounds.mask_of_columns"}


def defects():
    """(name, how to try it)"""
    for file in ("bounds.py", "values.py", "order.py"):
        space, marks = made_of(file)
        for name, lines in marks.items():
            yield f"{file[:-3]}.{name}", lambda make=space[name], lines=lines: problem_of(make, lines)
    sys.path.insert(0, HERE)
    import waits

    yield from waits.defects()


def main(arguments):
    verbose = "-v" in arguments
    filters, tried, missed, failed = [a for a in arguments if a != "-v"], 0, 0, []
    for name, attempt in defects():
        if filters and not any(f in name for f in filters):
            continue
        tried += 1
        problem, text = attempt()
        if name in MISSED:
            assert problem.startswith("not called"), f"{name} is found now: {text}"
            missed += 1
        elif problem:
            failed.append(name)
            print(f"FAILED {name}: {problem}")
        elif verbose:
            print(f"--- {name}\n{text}")
    print(f"{tried} seeded defects, each with its right twin: {missed} known to be missed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
