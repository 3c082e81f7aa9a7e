#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The public TileLang puzzles on tilelab: the answers print every check mark, the questions run to their end.

usage: puzzles.py CHECKOUT TILELAB [--strict] [NUMBER ...]      CHECKOUT: a copy of the puzzles' repository
--strict: the answers 06 and 07 with tight tolerances, and their errors in figures.
Exit status 1 if an answer is wrong, a kernel call takes over 1 s, or a file ends in a traceback. A call's time is the wall
clock or, where other programs hold the cores, its CPU time over two of them; both are printed.
"""
import pathlib
import re
import subprocess
import sys

CALL_LIMIT = 1.0  # seconds, on 2 cores
HERE = pathlib.Path(__file__).resolve().parent


def run(checkout, tilelab, file, *options):
    done = subprocess.run([tilelab, str(HERE / "one_puzzle.py"), checkout, file, *options], capture_output=True, text=True,
                          timeout=600)
    return done.returncode, done.stdout + done.stderr


def main():
    checkout, tilelab, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    wanted = [o for o in options if o != "--strict"]
    bad = 0
    for folder in ("ans", "puzzles"):
        for path in sorted(pathlib.Path(checkout, folder).glob("*.py")):
            if wanted and path.name[:2] not in wanted:
                continue
            status, text = run(checkout, tilelab, f"{folder}/{path.name}",
                               *(["--strict"] if "--strict" in options and folder == "ans" else []))
            right, wrong = text.count("\N{WHITE HEAVY CHECK MARK}"), text.count("\N{CROSS MARK}")
            slowest = re.search(r"slowest kernel call ([\d.]+) s, CPU ([\d.]+) s; all ([\d.]+) s", text)
            wall, cpu, total = map(float, slowest.groups()) if slowest else [float("nan")] * 3
            call = min(wall, cpu / 2)
            good = status == 0 and "Traceback" not in text and slowest is not None
            if folder == "ans":
                good = good and wrong == 0 and (right > 0 or path.name.startswith("08")) and call <= CALL_LIMIT
            else:
                good = good and wrong > 0  # two questions come solved
            print(f"{'ok ' if good else 'BAD'} {folder}/{path.name:28} {right} right {wrong} wrong  "
                  f"slowest call {wall:.3f} s, CPU/2 {cpu / 2:.3f} s  all {total:.1f} s", flush=True)
            for line in re.findall(r"^@@ strict: (.*)$", text, re.M):
                print("    " + line)
            if not good:
                bad += 1
                print("    " + "\n    ".join(text.strip().split("\n")[-12:]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
