# SPDX-License-Identifier: Apache-2.0
"""The tutorials in the shell: test_transcripts.py TILELAB [NAME...]. Each notebook of tutorials/ has its transcript, what the shell
shows at 80 columns; TILELAB_BLESS=1 writes it. The answers of exercises run as well, if they are whole statements. A notebook that
imports torch runs only where torch is installed."""

import glob
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

import tutorial

FOLDER = os.path.join(tutorial.ROOT, "tutorials")
END = "that was a cell"
# Text that varies between runs and machines; the width of a column of times varies, too.
VARIES = [(re.compile(r"\d+(?:\.\d+)? (ms|us|s)\b"), r"# \1"), (re.compile(r"this machine, by \S+"), "this machine, by c++")]
# Lines of T.print and T.device_assert have TileLang's format, which is not wrapped.
TILELANGS = ("msg=", "device assert failed")
TORCH = importlib.util.find_spec("torch") is not None


def cells_of(path):
    """(the cells, the code in texts that is not an indented fragment)"""
    with open(path) as file:
        cells = [(cell["cell_type"], "".join(cell["source"])) for cell in json.load(file)["cells"]]
    texts = "\n".join(source for kind, source in cells if kind == "markdown")
    return [source for kind, source in cells if kind == "code"], re.findall(r"```python\n(\S.*?)\n```", texts, re.S)


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
    text = "\n".join(out)
    for pattern, instead in VARIES:
        text = pattern.sub(instead, text)
    return text


def same(one, other):
    """Whether two transcripts are equal; where times were measured, in their words."""
    return one == other or "# ms" in one and one.split() == other.split()


def notebooks(names):
    """The paths of all notebooks, or of those with the given names."""
    paths = sorted(glob.glob(os.path.join(FOLDER, "**", "*.ipynb"), recursive=True))
    return [path for path in paths if not names or os.path.basename(path)[:-len(".ipynb")] in names]


def main():
    program, failed, skipped = os.path.abspath(sys.argv[1]), 0, 0
    chosen = notebooks([word for word in sys.argv[2:] if os.sep not in word])
    for path in chosen:
        cells, more = cells_of(path)
        if not TORCH and any("import torch" in cell for cell in cells):
            print(f"{os.path.basename(path)}: skipped: torch is not installed")
            skipped += 1
            continue
        shown, said = answers(program, cells + more)
        made, beside = transcript(cells, shown), path.replace(".ipynb", ".txt")
        wide = [line for line in "".join(shown).splitlines() if len(line) > 80 and not line.startswith(TILELANGS)]
        problem = "not all cells and answers ran" if len(shown) < len(cells + more) else "an error" if "Error" in said or "error:" in made else \
            f"wider than 80 columns: {wide[0]}" if wide else ""
        if os.environ.get("TILELAB_BLESS") and not problem:
            with open(beside, "w") as file:
                file.write(made)
        if not problem and not (os.path.exists(beside) and same(made, open(beside).read())):
            problem = "the transcript beside it is another one; TILELAB_BLESS=1 writes this:"
        if problem:
            failed += 1
            print(f"{os.path.basename(path)}: {problem}\n{made}{said}")
    print(f"{len(chosen)} tutorials, {failed} failed, {skipped} skipped")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
