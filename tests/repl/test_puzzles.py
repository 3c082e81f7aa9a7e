# SPDX-License-Identifier: Apache-2.0
"""Puzzles at a terminal: the page, the cell at the prompt, hints, the verdict."""

import json
import os
import re
import subprocess

from terminal import Terminal, limits_memory

CELL = """%%puzzle 1
@tilelang.jit
def copy(A, TILE: int):
    N = T.const("N")
    A: T.Tensor((N,), "float16")
    B = T.empty((N,), "float16")
    # your kernel: with T.Kernel(blocks, threads=128) as block: ...
    return B"""
KERNEL = """    with T.Kernel(T.ceildiv(N, TILE), threads=128) as block:
        T.copy(A[block * TILE:(block + 1) * TILE], B[block * TILE:(block + 1) * TILE])"""


def _solved(kernel=KERNEL):
    lines = CELL.split("\n")
    return "\n".join([*lines[:6], kernel, lines[7]])


def _answer(terminal):
    """The output up to the next prompt, on one line."""
    return " ".join(terminal.prompt().split())


def test_a_puzzle_is_solved_at_the_prompt(program):
    terminal = Terminal(program, "puzzle", "1", columns=80, watches=True)
    terminal.expect("Puzzle 1: Copy a vector")
    terminal.shows(CELL + "|", 10)
    terminal.expect(r"return B")
    terminal.type("\r")
    assert "it has no T.Kernel" in _answer(terminal)
    assert "Hint 1 of 3, puzzle 1" in terminal.run("%hint")
    terminal.paste(_solved(KERNEL.replace("A[block * TILE:(block + 1) * TILE]", "A[0:TILE]")))
    terminal.type("\r")
    wrong = _answer(terminal)
    assert "copy(N=8, TILE=4): B[4] is " in wrong and "of block (1, 0) wrote it, in line 8" in wrong, wrong
    terminal.paste(_solved())
    terminal.type("\r")
    right = _answer(terminal)
    assert "puzzle 1 is solved" in right and "within the budget; %puzzle 2 is next" in right, right
    terminal.paste(_solved().replace("def copy", "def copied"))
    terminal.type("\r")
    renamed = _answer(terminal)  # the copy of the cell before is not what was meant
    assert "no function copy; the cell of the puzzle defines it (is it copied?" in renamed, renamed
    listed = terminal.run("%puzzle")
    assert "1 of 22 solved; %puzzle 2 is next" in listed
    assert re.search(r"\n   1  Copy a vector {20,}within budget +4 +1\n", listed), listed
    with open(os.environ["XDG_STATE_HOME"] + "/tilelab/puzzles.json") as file:
        assert json.load(file)["1"] == {"tries": 4, "hints": 1, "solved": True, "within": True}


def test_hints_are_for_the_puzzle_at_hand(program):
    terminal = Terminal(program, "-q", columns=80)
    terminal.prompt()
    assert "puzzle 1:" in terminal.run("%hint")
    terminal.paste("%%puzzle 11\nx = 1")
    terminal.type("\r")
    assert "no function backwards" in _answer(terminal)
    assert "Hint 1 of 3, puzzle 11:" in terminal.run("%hint")


def test_a_line_of_a_puzzles_cell_is_indented(program):
    terminal = Terminal(program, "-q", columns=100, watches=True)
    terminal.prompt()
    terminal.type("%%puzzle 1\rdef copy(A):\r")
    terminal.shows("%%puzzle 1\ndef copy(A):\n    |")


def test_pages_fit_the_terminal(program):
    for columns in (40, 80):
        terminal = Terminal(program, "-q", columns=columns)
        terminal.prompt()
        for number in (1, 5, 20):
            terminal.type(f"%puzzle {number}\r")
            start = terminal.seen
            end = terminal.expect(r"tl\[\d+\]> %%puzzle").start()
            shown = terminal.text[start:end]
            prose = shown[shown.index("Puzzle"):shown.index("In NumPy")] + shown[shown.index("Budget"):]
            assert all(len(line) <= columns for line in prose.split("\n")), (columns, shown)
            terminal.wait_for_silence()
            terminal.type("\x03")
            terminal.prompt()


def _ran(program, *words, **options):
    return subprocess.run([program, "puzzle", *words], capture_output=True, text=True, timeout=60, **options)


def test_without_a_terminal(program):
    page = _ran(program, "2")
    assert page.returncode == 0 and "Puzzle 2:" in page.stdout and "%%puzzle 2\n@tilelang.jit" in page.stdout
    assert json.loads(_ran(program, "--json").stdout)[0]["puzzle"] == 1
    assert json.loads(_ran(program, "2", "--hint", "--json").stdout)["step"] == 1
    for words, said in ((["99"], "unknown puzzle 99; use 1 to 22"), (["--hint"], "which puzzle?")):
        done = _ran(program, *words)
        assert done.returncode == 2 and said in done.stderr, done


@limits_memory
def test_files_are_checked_and_written(program):
    with open("mine.py", "w") as file:
        file.write(_solved().partition("\n")[2])
    assert _ran(program, "1", "--check", "mine.py").stdout.startswith("puzzle 1 is solved")
    assert "wrote mine.ipynb" in _ran(program, "1", "--notebook", "mine.ipynb").stdout
    unsolved = _ran(program, "1", "--check", "mine.ipynb")
    assert unsolved.returncode == 1 and "it has no T.Kernel" in unsolved.stdout, unsolved
    again = _ran(program, "1", "--notebook", "mine.ipynb")
    assert again.returncode == 1 and "mine.ipynb: File exists" in again.stderr
    assert len(_ran(program, "-o", "all").stdout.strip().split("\n")) == 22
    graded = json.loads(_ran(program, "--grade", ".", "--json").stdout)
    assert [(row["notebook"], row["state"]) for row in graded] == [("mine.ipynb", "unsolved")]
