# SPDX-License-Identifier: Apache-2.0
"""Commands that show kernels, at a terminal: tests/commands.py has the cells."""

import os
import subprocess
import sys

from terminal import Terminal

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import commands  # noqa: E402


def _paste(terminal, cell):
    terminal.paste(cell)
    terminal.type("\r")
    return terminal.prompt()


def test_what_commands_show(program):
    terminal = Terminal(program, "-q")
    terminal.prompt()
    for cell, texts in commands.CELLS:
        shown = commands.text_in(_paste(terminal, cell))
        for text in texts:
            assert text in shown, (cell, text, shown)
    assert _paste(terminal, commands.AGAIN).count("twice#1@mp_31 ") == 1
    for cell, text in commands.WRONG:
        shown = " ".join(_paste(terminal, cell).split())  # however the terminal broke it
        assert text in shown and "Traceback" not in shown, (cell, text, shown)


def test_views_are_as_wide_as_their_page(program):
    more = ["%passes", "%ir k", "%ir k --level flat --spans", "%source k", "%layout k.x", "%layout k.x[:, 0:30]", "%explain uninitialized", "%help", "%help explain", "%device",
            "%check k(np.zeros((64, 32), np.float32))"]
    # Drawings of the glossary and the code of tutorials and solutions keep their width.
    wide = ("%explain k 7", "k.", "%explain bank", "%tutorial banks", "%puzzle 11 --solution")
    cells = [cell for cell, _ in commands.CELLS if not cell.startswith(wide) and "--latex" not in cell] + more
    for columns in (40, 80, 100, 200):
        done = subprocess.run([program, "-q"], input="\n\n".join(cells) + "\n", text=True, capture_output=True,
                              env={**os.environ, "COLUMNS": str(columns), "NO_COLOR": "1"})
        assert done.returncode == 0, done.stdout + done.stderr
        for line in done.stdout.split("\n"):
            drawing = " | " in line  # source with marks below
            assert len(line) <= columns or " " not in line.strip() or drawing, (columns, line)


def test_prints_and_assertions_say_where_and_what(program):
    terminal = Terminal(program, "-q")
    terminal.prompt()
    _paste(terminal, commands.CELLS[0][0])
    shown = _paste(terminal, commands.ASSERTS)
    assert "BlockIdx=(1, 0, 0), ThreadIdx=(2, 0, 0): dtype=float32 value=6.000000   (cell 2, line 6)" in shown, shown
    assert ("device assert failed: BlockIdx=(1, 0, 0), ThreadIdx=(3, 0, 0): A[bx * 4 + i] = 7.000000"
            "   (cell 2, line 7)") in shown, shown


def test_every_row_of_the_table_has_help_data_and_python(program):
    setup = f"ROWS = {commands.ROWS!r}\nMEASURED = {commands.MEASURED!r}\n"
    cells = f"{commands.CELLS[0][0]}\n\n{setup}\n{commands.ASK_ROWS}"
    done = subprocess.run([program, "-q"], input=cells, text=True, capture_output=True)
    assert done.stdout.endswith(f"rows: {len(commands.ROWS)}\n"), done.stdout + done.stderr


def test_an_empty_ir_cell_is_filled_in(program):
    terminal = Terminal(program, "-q")
    terminal.prompt()
    _paste(terminal, commands.CELLS[0][0])
    terminal.paste("%%ir k --after flatten --as again\n\n")
    terminal.type("\r")
    terminal.expect("the next cell holds the IR of twice#1@mp_31, after flatten")
    terminal.expect(r"%%ir k --after flatten --as again\r?\n.*def twice")
    terminal.wait_for_silence()
    terminal.type("\r\r")
    terminal.expect("again is twice#1@mp_31~1: flat level, 1 pass")


def test_a_pasted_session_runs_cell_by_cell(program):
    terminal = Terminal(program, "-q")
    terminal.prompt()
    terminal.paste("tl[3]> def f(x):\n   ...     return x + 1\n   ...\ntl[4]> f(41)\n42\n"
                   "tl[5]> for i in range(2):\n   ...     print('loop', i)\nloop 0\nloop 1\n")
    terminal.type("\r")
    terminal.expect(r"tl\[2\]> f\(41\)\n42\ntl\[3\]> for i in range\(2\):\n   \.\.\.     print\('loop', i\)\n"
                    r"loop 0\nloop 1\n")
    terminal.prompt()
    assert terminal.text.endswith("tl[4]> ")
    assert terminal.run(">>> f(1)") == "2\n"
    terminal.paste("In [7]: 5 * 5\nOut[7]: 25\n\nIn [8]: def g():\n   ...:     return 6\n   ...:\n\nIn [9]: g()\n")
    terminal.type("\r")
    terminal.expect(r"\n25\n(.*\n)*.*g\(\)\n6\n")
    terminal.prompt()
    terminal.paste(">>> 1/0\n>>> print('not' + 'reached')\n")
    terminal.type("\r")
    terminal.expect("ZeroDivisionError")
    assert "notreached" not in terminal.prompt()
    terminal.type("\x1b[A")  # each cell is an entry of the history
    terminal.expect("1/0")


def test_explain_of_the_last_error(program):
    terminal = Terminal(program, "-q")
    terminal.prompt()
    _paste(terminal, commands.CELLS[0][0])
    assert "the last error is not a tilelab message" in terminal.run("%explain")
    _paste(terminal, commands.CELLS[0][0].replace('r = T.alloc_fragment((32,), "float32")', 'r = T.alloc_fragment((32,), "flaot32")'))
    assert "dtype-unknown  error" in terminal.run("%explain")


VIEWS = ("%passes", "%passes twice", "%ir twice", "%ir twice --level flat", "%layout twice.r", "%kernels",
         "%explain twice", "%map twice", "%source twice", "%diff twice", "%explain copy-shape", "%help",
         "%layout --help", "%who")


def _words(text):
    return "".join(text.split())


def test_views_fit_the_terminal_and_lose_no_word(program):
    shown = {}
    for columns in (40, 80, 200):
        terminal = Terminal(program, "-q", columns=columns, rows=1000)
        terminal.prompt()
        _paste(terminal, commands.CELLS[0][0])
        for view in VIEWS:
            text = terminal.run(view)
            shown[view, columns] = text
            wide = [line for line in text.split("\n") if len(line) > columns and "#include" not in line]
            # Code that is far in may have no place where 40 columns could break it.
            some = text.count("\n") // 20 if view.split()[0] in ("%ir", "%map", "%source", "%diff") else 0
            assert len(wide) <= (some if columns == 40 else 0), (view, columns, wide)
    for view in ("%explain copy-shape", "%layout --help"):
        assert _words(shown[view, 40]) == _words(shown[view, 200]), view
    # A table that has no room for its columns has its heads in every row.
    heads, *rows = shown["%passes", 200].splitlines()
    assert heads.split() == ["#", "pass", "level", "does"]
    assert set(" ".join(rows).split()) <= set(shown["%passes", 40].split())
    assert shown["%passes", 40].count(" level ") == shown["%passes", 40].count(" does ") == len(rows)
    assert any(len(line) > 100 for view in VIEWS for line in shown[view, 200].split("\n"))


def test_values_and_times_fit_a_narrow_terminal(program):
    for columns in (40, 60, 80):
        terminal = Terminal(program, "-q", columns=columns, rows=1000)
        terminal.prompt()
        terminal.run("import numpy as np")
        for cell in ("%lsmagic", "%timeit -n9 -r9 1", "%time 1", "np.ones(99)", "list(range(99))", "{'a': np.zeros(99), 'b': 7}"):
            shown = terminal.run(cell)
            assert shown and all(len(line) <= columns for line in shown.split("\n")), (columns, shown)


def test_messages_fit_the_terminal(program):
    wrong = commands.CELLS[0][0].replace('r = T.alloc_fragment((32,), "float32")', 'r = T.alloc_fragment((32,), "flaot32")')
    for columns in (40, 80, 200):
        terminal = Terminal(program, "-q", columns=columns)
        terminal.prompt()
        terminal.paste(wrong)
        terminal.type("\r")
        terminal.expect("error")
        shown = terminal.prompt()
        assert "flaot32" in shown and all(len(line) <= columns for line in shown.split("\n")), (columns, shown)
