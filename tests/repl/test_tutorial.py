# SPDX-License-Identifier: Apache-2.0
"""%tutorial: a tutorial cell by cell, its answers, and a copy of its notebook."""

import json
import os

from terminal import Terminal


def test_a_tutorial_cell_by_cell(program):
    terminal = Terminal(program, "-q", "--no-pager")
    terminal.prompt()
    terminal.type("%tutorial layouts\r")
    shown = terminal.expect(r"import tilelang\.language as T").string
    assert "Layouts: which thread holds it" in shown and "[layouts, step 1 of 18: run the cell, then %tutorial next]" in shown, shown
    terminal.type("\r")  # the cell is typed at the prompt
    terminal.prompt()
    terminal.type("%tutorial next\r")
    terminal.expect(r"%layout rows")
    terminal.type("\r")
    assert "bank of each element" in terminal.prompt()
    terminal.type("\x04")
    assert terminal.wait() == 0


def test_texts_answers_and_copies(program):
    terminal = Terminal(program, "-q", "--no-pager")
    terminal.prompt()
    assert "no tutorial is open: %tutorial NAME opens one" in terminal.run("%tutorial next")
    text = terminal.run("%tutorial 3 --text")
    assert "(%tutorial --answers shows the answer.)" in text and "def histogram" not in text and "<details>" not in text, text
    assert "Exercise 1:" in (answers := terminal.run("%tutorial --answers")) and "def histogram" in answers, answers
    assert "banks has no exercises" in terminal.run("%tutorial banks --answers")
    assert "mine.ipynb is a copy of the tutorial" in terminal.run("%tutorial from-cuda --notebook mine.ipynb")
    with open("mine.ipynb", encoding="utf-8") as file:
        assert len(json.load(file)["cells"]) > 10
    assert "mine.ipynb cannot be written: File exists" in terminal.run("%tutorial banks --notebook mine.ipynb")
    assert [name for name in os.listdir() if name.endswith(".ipynb")] == ["mine.ipynb"]
    terminal.type("\x04")
    assert terminal.wait() == 0
