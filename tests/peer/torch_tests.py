#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own tests in plain Python, in a session's script and in a cell of the Jupyter kernel: the outcome of every case must be the same.

usage: torch_tests.py FOLDER TILELAB [--only FRONT_END] [--operators] [--limit SECONDS] NAME...
FOLDER: the folder `test` of a checkout of PyTorch, of the version that is installed. NAME: of a file, or of one of its cases. PYTHONPATH:
torch, pytest and what the tests need (expecttest). --operators: every operator of tilelab.ops is defined in the front ends. Prints a line per case with different outcomes, and counts.

    torch_tests.py pytorch/test build/bin/tilelab test_torch.py test_autograd.py test_dataloader.py test_serialization.py dynamo/test_misc.py
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
from collections import Counter
from xml.etree import ElementTree

JUPYTER = pathlib.Path(__file__).resolve().parents[1] / "jupyter"
CELL = "import os, sys\nos.chdir({folder!r})\nsys.path.insert(0, {folder!r})\nimport pytest\npytest.main({options!r})\n"


def _in_plain_python(tilelab, folder, options, limit):
    subprocess.run([sys.executable, "-m", "pytest", *options], cwd=folder, capture_output=True, timeout=limit)


def _in_a_script(tilelab, folder, options, limit):
    subprocess.run([tilelab, "-m", "pytest", *options], cwd=folder, capture_output=True, timeout=limit)


def _in_the_kernel(tilelab, folder, options, limit):
    sys.path.insert(0, str(JUPYTER))
    import harness

    with harness.Kernel(tilelab) as kernel:
        request = kernel.client.start(CELL.format(folder=folder, options=options))
        kernel.client.reply_to(request, timeout=limit)


FRONT_ENDS = {"plain": _in_plain_python, "script": _in_a_script, "kernel": _in_the_kernel}


def outcomes(run, tilelab, folder, name, limit, plugins=()):
    """{case: outcome} of one file; outcomes are passed, failure, error, skipped."""
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        options = ["-q", *(word for plugin in ("no:cacheprovider", *plugins) for word in ("-p", plugin)), f"--junitxml={report.name}", name]
        try:
            run(tilelab, folder, options, limit)
            cases = list(ElementTree.parse(report.name).iter("testcase"))
        except (subprocess.TimeoutExpired, AssertionError, ElementTree.ParseError) as problem:
            return {name: f"no report: {type(problem).__name__}"}
    found = {}
    for case in cases:
        bad = next((child.tag for child in case if child.tag in ("failure", "error", "skipped")), "passed")
        found[f"{case.get('classname')}::{case.get('name')}"] = bad
    return found


def main():
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2].partition("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("tilelab")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--only", choices=sorted(FRONT_ENDS), help="compare this front end with plain Python, and no other")
    parser.add_argument("--operators", action="store_true", help="define every operator of tilelab.ops in the front ends")
    parser.add_argument("--limit", type=float, default=3600, help="seconds for a file in one front end")
    given = parser.parse_intermixed_args()
    folder, tilelab = os.path.abspath(given.folder), os.path.abspath(given.tilelab)
    counts, different = Counter(), 0
    plugins = ("all_operators",) if given.operators else ()
    os.environ["PYTHONPATH"] = os.pathsep.join((str(pathlib.Path(__file__).parent), os.environ.get("PYTHONPATH", "")))
    for name in given.names:
        plain = outcomes(_in_plain_python, tilelab, folder, name, given.limit)
        counts.update(plain.values())
        print(f"{name}: {len(plain)} cases", flush=True)
        for front_end in [given.only] if given.only else ("script", "kernel"):
            found = outcomes(FRONT_ENDS[front_end], tilelab, folder, name, given.limit, plugins)
            for case in sorted({*plain, *found}):
                if plain.get(case) != found.get(case):
                    different += 1
                    print(f"{front_end} {case}: {found.get(case)}, in plain Python {plain.get(case)}", flush=True)
    print(", ".join(f"{number} {outcome}" for outcome, number in sorted(counts.items())) + f"; {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
