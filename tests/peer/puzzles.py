#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The public TileLang puzzles on tilelab: the answers print every check mark, the questions run to their end.

usage: puzzles.py CHECKOUT TILELAB [NUMBER ...]      CHECKOUT: a copy of the puzzles' repository
Exit status 1 if an answer is wrong, a kernel call takes over 1 s, or a file ends in a traceback.
"""
import pathlib
import re
import subprocess
import sys

CALL_LIMIT = 1.0  # seconds, on 2 cores
HERE = pathlib.Path(__file__).resolve().parent


def run(checkout, tilelab, file):
    done = subprocess.run([tilelab, str(HERE / "one_puzzle.py"), checkout, file], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


def main():
    checkout, tilelab, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
    bad = 0
    for folder in ("ans", "puzzles"):
        for path in sorted(pathlib.Path(checkout, folder).glob("*.py")):
            if wanted and path.name[:2] not in wanted:
                continue
            status, text = run(checkout, tilelab, f"{folder}/{path.name}")
            right, wrong = text.count("\N{WHITE HEAVY CHECK MARK}"), text.count("\N{CROSS MARK}")
            slowest = re.search(r"slowest kernel call ([\d.]+) s; all ([\d.]+) s", text)
            call, total = (float(slowest[1]), float(slowest[2])) if slowest else (float("nan"), float("nan"))
            good = status == 0 and "Traceback" not in text and slowest is not None
            if folder == "ans":
                good = good and wrong == 0 and (right > 0 or path.name.startswith("08")) and call <= CALL_LIMIT
            else:
                good = good and wrong > 0  # two questions come solved
            print(f"{'ok ' if good else 'BAD'} {folder}/{path.name:28} {right} right {wrong} wrong  "
                  f"slowest call {call:.3f} s  all {total:.1f} s", flush=True)
            if not good:
                bad += 1
                print("    " + "\n    ".join(text.strip().split("\n")[-12:]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
