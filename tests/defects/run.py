# SPDX-License-Identifier: Apache-2.0
"""run.py [-v] [FILTER...]: seeded defects. Every function of bounds.py, values.py, precision.py, order.py and hangs.py gives one
kernel right and with a defect, what %check has to call it, and arguments: what is read first is of that kind, and names
just the lines that are marked `# <--`. Those of against.py have results that are finite and wrong: %bisect beside the right
kernel names the line. waits.py changes single waits, fences, arrivals, counts and phases of compiled kernels with engines,
rings and roles. The right kernels, all of whose sizes leave tails, show nothing. -v: what each shows."""
import contextlib
import io
import os
import sys
import warnings

import numpy as np
import tilelab
import tilelab._session.imports
from tilelab._kernel import arguments
from tilelab._tools import check

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


def run_of(func, kinds, values):
    """(findings of a check as (kind, lines that are named), in the order in which they are read; its text). Where elements
    are to be missed the call makes the output."""
    if "unwritten" in kinds:
        kernel, values = tilelab.compile(func, out_idx=[-1]), values[:-1]
    else:
        kernel = tilelab.compile(func)
    described, *memory = arguments.describe(kernel, values)
    runs = check.run_levels(kernel, described)
    out = [(f["kind"], lines_of(f)) for f in check.found(runs)]
    for _, result in runs:
        out += [("not finite", {step["span"]["line"] for step in one["way"][:1]}) for one in result["not_finite"]]
        out += [("left", set()) for one in result["unwritten"]]
    del memory
    return out, str(check.report(kernel, runs, "main"))


def lines_of(finding):
    """The agents that access the memory; for an output that is not written, those that write its remainder."""
    sides = finding["related"] if finding["kind"] == "unwritten" else finding["where"]
    return {side["span"]["line"] for side in sides} - {0}  # 0: what the compiler made has no line


def problem_of(make, marks):
    """(problem of %check's result for both versions or "", its output for the defect)."""
    with contextlib.redirect_stdout(io.StringIO()):
        right, kinds, values = make(False)
        found, text = run_of(right, kinds, values(np.random.default_rng(3)))
        if found:
            return f"the right kernel: {text}", text
        wrong, kinds, values = make(True)
        found, text = run_of(wrong, kinds, values(np.random.default_rng(3)))
    if not found or found[0][0] not in kinds:
        return f"not called {kinds}: {text}", text
    named = found[0][1]
    return "" if named == marks else f"lines {sorted(named)} are named, not {sorted(marks)}: {text}", text


def problem_against(make, marks):
    """The same of a kernel that is compared with a right one."""
    (right, values), (wrong, _) = make(False), make(True)
    wrong, right = tilelab.compile(wrong), tilelab.compile(right)
    given = [values(np.random.default_rng(3)) for _ in range(2)]
    found, text = run_of(make(False)[0], "", given[0])
    if found:
        return f"the right kernel: {text}", text
    with contextlib.redirect_stdout(io.StringIO()):
        same, parted = right.bisect(*given[1], other=right), right.bisect(*given[1], other=wrong)
    if same.difference or not parted.statement:
        return f"does not part: {parted}", str(parted)
    return "" if {parted.statement.line} == marks else f"line {parted.statement.line} is named: {parted}", str(parted)


def defects():
    """(name, how to try it)"""
    for file in ("bounds.py", "values.py", "precision.py", "order.py", "hangs.py", "against.py"):
        space, marks = made_of(file)
        tried = problem_against if file == "against.py" else problem_of
        for name, lines in marks.items():
            yield f"{file[:-3]}.{name}", lambda tried=tried, make=space[name], lines=lines: tried(make, lines)
    sys.path.insert(0, HERE)
    import waits

    yield from waits.defects()


def main(arguments):
    verbose = "-v" in arguments
    filters, tried, failed = [a for a in arguments if a != "-v"], 0, []
    for name, attempt in defects():
        if filters and not any(f in name for f in filters):
            continue
        tried += 1
        problem, text = attempt()
        if problem:
            failed.append(name)
            print(f"FAILED {name}: {problem}")
        elif verbose:
            print(f"--- {name}\n{text}")
    print(f"{tried} seeded defects, each with its right twin: {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
