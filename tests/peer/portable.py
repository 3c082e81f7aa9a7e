#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TileLang's own tests on tilelab: the nodes of a list, file by file, each file in a process of its own.

usage: portable.py CHECKOUT TILELAB LIST [FILTER ...]
CHECKOUT: a copy of TileLang's repository.  LIST: lines of CLASS <tab> NODE, where NODE is a file or
file::test below testing/python; classes cpu, cpu-slow and diag are run.  FILTER: part of a node.
Prints a line per test that did not pass with the beginning of its error, and a count at the end.
"""
import pathlib
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from xml.etree import ElementTree

CLASSES = ("cpu", "diag")
FILE_LIMIT = 300  # seconds for the tests of one file
REASON = 400  # characters of a reason


def nodes_by_file(listing, filters):
    files = defaultdict(list)
    for line in pathlib.Path(listing).read_text(encoding="utf-8").splitlines():
        fields = line.split("\t")
        if len(fields) > 1 and fields[0] in CLASSES and (not filters or any(f in fields[1] for f in filters)):
            files[fields[1].partition("::")[0]].append(fields[1])
    return files


def run_file(checkout, tilelab, nodes):
    """[(outcome, node, reason)] of the tests of one file."""
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        command = [tilelab, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report.name}", *nodes]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=FILE_LIMIT,
                                  cwd=pathlib.Path(checkout, "testing/python"))
            cases = list(ElementTree.parse(report.name).iter("testcase"))
        except subprocess.TimeoutExpired:
            return [("timeout", nodes[0], f"over {FILE_LIMIT} s")]
        except ElementTree.ParseError:
            return [("crash", nodes[0], f"exit status {done.returncode}: {(done.stdout + done.stderr)[-300:]}")]
    found = []
    for case in cases:
        bad = next((child for child in case if child.tag in ("failure", "error", "skipped")), None)
        reason = "" if bad is None else " ".join(bad.get("message", "").split())
        if reason == "collection failure":  # the message says no more; the text does
            reason = next((line[4:] for line in reversed((bad.text or "").splitlines()) if line.startswith("E   ")), reason)
        found.append(("passed" if bad is None else bad.tag, f"{nodes[0].partition('::')[0]}::{case.get('name')}", reason))
    return found


def main():
    checkout, tilelab, listing, filters = *sys.argv[1:4], sys.argv[4:]
    tilelab = str(pathlib.Path(tilelab).resolve())
    count = Counter()
    for nodes in nodes_by_file(listing, filters).values():
        for outcome, node, reason in run_file(checkout, tilelab, nodes):
            count[outcome] += 1
            if outcome != "passed":
                print(f"{outcome} {node}  {reason[:REASON]}", flush=True)
    print(", ".join(f"{number} {outcome}" for outcome, number in sorted(count.items())))
    return 1 if set(count) - {"passed", "skipped"} else 0


if __name__ == "__main__":
    sys.exit(main())
