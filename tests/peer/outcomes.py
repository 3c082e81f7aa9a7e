# SPDX-License-Identifier: Apache-2.0
"""Results of the tests of other projects: run file by file under tilelab, each failure in a class."""

import os
import pathlib
import re
import subprocess
import tempfile
from collections import Counter
from xml.etree import ElementTree

FILE_LIMIT = 300  # seconds for the tests of one file
REASON = 300  # characters of a reason

# (class, pattern of its messages); the first match counts.
CLASSES = (
    ("planned", r"is planned"),
    ("missing name", r"tilelab has no tilelang|cannot import name|has no attribute|T has no |does not exist --> |"
                     r"No module named '(tilelang|tvm)\b"),
    ("refused for a stated reason", r"error\[|CompileError: warning\[|does not exist in tilelab|ArgumentError|UsageError|is not a target"),
    ("expects another compiler's text", r"DID NOT RAISE|Regex pattern did not match|#include|generated source|[Kk]ernel source|"
                                        r"Expected \w+ .*calls|"
                                        r"assert '.*' in |assert .* in '"),
    ("needs a GPU or matrix unit", r"compute capability|Hopper|Blackwell|Requires? .*GPU|needs an? (AMD|Apple)"),
    ("needs a package", r"No module named|needs the packages|needs LLVM|libcuda\.so"),
    ("not for these values", r"fixture '"),
    ("found by the simulator", r"KernelError|^kernel "),
    ("wrong", r"AssertionError|Mismatched|not close|assert "),
    ("too slow", r"^over \d+ s"),
)


def class_of(reason):
    return next((name for name, pattern in CLASSES if re.search(pattern, reason)), "other")


def run_file(folder, tilelab, nodes, target="sm_90a", limit=FILE_LIMIT):
    """[(outcome, node, reason)] of the tests of one file of a checkout's `folder`."""
    name = nodes[0].partition("::")[0]
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        command = [tilelab, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report.name}", *nodes]
        environment = {**os.environ, "TILELANG_DEFAULT_TARGET": target, "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit, cwd=folder, env=environment)
            cases = list(ElementTree.parse(report.name).iter("testcase"))
        except subprocess.TimeoutExpired:
            return [("timeout", name, f"over {limit} s")]
        except ElementTree.ParseError:
            return [("crash", name, f"exit status {done.returncode}: {(done.stdout + done.stderr)[-REASON:]}")]
    found = []
    for case in cases:
        bad = next((child for child in case if child.tag in ("failure", "error", "skipped")), None)
        reason = "" if bad is None else " ".join(bad.get("message", "").split())
        if reason == "collection failure":  # the message says no more; the text does
            reason = next((line[4:] for line in reversed((bad.text or "").splitlines()) if line.startswith("E   ")), reason)
        found.append(("passed" if bad is None else bad.tag, f"{name}::{case.get('name')}", reason))
    return found


class Table:
    """Counts outcomes; prints a line per test that did not pass, and the count at the end."""

    def __init__(self):
        self.outcomes, self.classes = Counter(), Counter()

    def add(self, found):
        for outcome, node, reason in found:
            self.outcomes[outcome] += 1
            if outcome != "passed":
                kind = class_of(reason)
                self.classes[kind] += 1
                print(f"{outcome} {node}  [{kind}] {reason[:REASON]}", flush=True)

    def show(self):
        print(", ".join(f"{number} {outcome}" for outcome, number in sorted(self.outcomes.items())))
        for kind, number in self.classes.most_common():
            print(f"  {number:4} {kind}")

    @property
    def failed(self):
        return bool(set(self.outcomes) - {"passed", "skipped"})


def files_below(folder, filters):
    """The test files below a folder, as names relative to it."""
    folder = pathlib.Path(folder)
    found = sorted({*folder.rglob("test_*.py"), *folder.rglob("*_test.py")})
    names = [str(path.relative_to(folder)) for path in found]
    return [name for name in names if not filters or any(f in name for f in filters)]
