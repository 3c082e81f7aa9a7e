#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TileLang's examples and puzzles with every detector on: right kernels have no finding and no warning of what is rarely meant.

usage: checked.py TILELANG PUZZLES TILELAB [FILTER ...]      TILELANG, PUZZLES: copies of the two repositories
Prints a line per program: its kernels by verdict, and each finding; then the count of kernels. Exit status 1 if one has a
finding or such a warning, or if fewer than EXPECTED kernels were checked and no FILTER was given. What a program prints
goes to /dev/null.
"""
import pathlib
import re
import subprocess
import sys
import time
from collections import Counter

import examples

EXPECTED = 60
LIMIT = 600  # seconds for one program
# The last line of a kernel's report, or the one after its name if that is long.
VERDICT = re.compile(r"^\S.*?:(?:\n  | )(?:\d+ (finding)s? in|(clean|not all numbers|not all written|partly checked|not checked):)",
                     re.M)
DOUBT = re.compile(r"^warning\[(?:out-of-bounds|barrier-never-awaited|block-race|redundant-block-sum|accumulator-reset-in-loop|off-by-one-guard"
                   r"|padding-in-reduction|reduce-overwritten|reduced-index|unread-elements|unwritten-elements|mismatched-tile-index"
                   r"|dead-store-in-loop|parallel-read-write-race|non-atomic-update|value-unused)\]: .*(?:\n.+)*", re.M)
FINDING = re.compile(r"^[a-z-]+: .*(?:\n  .*)+", re.M)


def programs(tilelang, puzzles):
    for path, call in examples.rows([]):
        yield f"{path} {call}", ["one_example.py", str(pathlib.Path(tilelang, "examples", path)), call]
    for path in sorted(pathlib.Path(puzzles, "ans").glob("*.py")):
        yield f"ans/{path.name}", ["one_puzzle.py", str(puzzles), f"ans/{path.name}"]


def checked(tilelab, words):
    """(Counter of verdicts by kernel, texts of findings, how the program ended)"""
    command = [tilelab, "check", str(examples.HERE / words[0]), *words[1:]]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return Counter(), [], f"over {LIMIT} s"
    verdicts, found = Counter(), []
    for verdict in VERDICT.finditer(done.stdout):
        verdicts[verdict.group(2) or "findings"] += 1
    if verdicts["findings"]:
        found = FINDING.findall(done.stdout)
    doubts = DOUBT.findall(done.stderr)  # warnings of what is rarely meant
    if doubts:
        verdicts["doubted"], found = len(doubts), found + doubts
    agreed = "example: agreed" in done.stdout or "@@ " in done.stdout
    return verdicts, found, "" if agreed else (done.stderr.strip().splitlines() or ["no reason"])[-1][:120]


def main():
    tilelang, puzzles, tilelab, filters = sys.argv[1], sys.argv[2], str(pathlib.Path(sys.argv[3]).resolve()), sys.argv[4:]
    count = Counter()
    for name, words in programs(tilelang, puzzles):
        if filters and not any(f in name for f in filters):
            continue
        start = time.monotonic()
        verdicts, found, ended = checked(tilelab, words)
        count += verdicts
        shown = ", ".join(f"{n} {verdict}" for verdict, n in verdicts.items()) or "no kernel was checked"
        print(f"{name}: {shown}; {time.monotonic() - start:.0f} s  {ended}", flush=True)
        for text in found:
            print("    " + text.replace("\n", "\n    "), flush=True)
    print(f"{sum(count.values())} kernels: " + ", ".join(f"{n} {verdict}" for verdict, n in count.most_common()))
    return 1 if count["findings"] or count["doubted"] or (not filters and sum(count.values()) < EXPECTED) else 0


if __name__ == "__main__":
    sys.exit(main())
