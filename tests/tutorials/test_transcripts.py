# SPDX-License-Identifier: Apache-2.0
"""The tutorials of the debugger in the shell: test_transcripts.py TILELAB. Each notebook of tutorials/debugger has
its transcript, what the shell answers at 80 columns; TILELAB_BLESS=1 writes it."""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import tutorial

FOLDER = os.path.join(tutorial.ROOT, "tutorials", "debugger")
END = "that was a cell"
# Text that varies between runs.
MEASURED = re.compile(r"\d+(\.\d+)? (ms|us|s)\b")


def cells_of(path):
    with open(path) as file:
        cells = json.load(file)["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def answers(program, cells):
    """The shell's output for each cell."""
    text = "".join(f"{cell}\n\nprint({END!r})\n" for cell in cells)
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run([program, "-q"], input=text, text=True, capture_output=True, cwd=home,
                              env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "XDG_STATE_HOME": home,
                                   "XDG_CONFIG_HOME": home})
    return done.stdout.split(END + "\n")[:-1], done.stderr


def transcript(cells, shown):
    out = []
    for number, (cell, answer) in enumerate(zip(cells, shown), 1):
        head = f"tl[{number}]> "
        out.append(head + cell.replace("\n", "\n" + "... ".rjust(len(head))) + "\n" + answer.rstrip() + "\n" * bool(answer))
    return MEASURED.sub(r"# \2", "\n".join(out))


def main():
    program, failed = os.path.abspath(sys.argv[1]), 0
    notebooks = sorted(glob.glob(os.path.join(FOLDER, "*.ipynb")))
    for path in notebooks:
        cells = cells_of(path)
        shown, said = answers(program, cells)
        made, beside = transcript(cells, shown), path.replace(".ipynb", ".txt")
        wide = [line for line in "".join(shown).splitlines() if len(line) > 80]
        problem = "not all cells ran" if len(shown) < len(cells) else "an error" if "Error" in said or "error:" in made else \
            f"wider than 80 columns: {wide[0]}" if wide else ""
        if os.environ.get("TILELAB_BLESS") and not problem:
            with open(beside, "w") as file:
                file.write(made)
        if not problem and (not os.path.exists(beside) or open(beside).read() != made):
            problem = "the transcript beside it is another one; TILELAB_BLESS=1 writes this:"
        if problem:
            failed += 1
            print(f"{os.path.basename(path)}: {problem}\n{made}{said}")
    print(f"{len(notebooks)} tutorials, {failed} failed")
    return 1 if failed or not notebooks else 0


if __name__ == "__main__":
    sys.exit(main())
