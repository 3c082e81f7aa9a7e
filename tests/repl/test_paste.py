# SPDX-License-Identifier: Apache-2.0
"""Text that comes in one piece, between a terminal's marks and without them."""

import subprocess

from terminal import Terminal

BLOCK = """def g(x):
    y = 1
    if x:
        y = 2

        z = 3
    else:
        y = 4
    return y

class A:
\tdef m(self):
\t\treturn 10

\tdef n(self):
\t\treturn 20
g(1) + A().n()
"""

IPYTHON = """In [3]: def f(x):
   ...:     y = x + 1
   ...:
   ...:     return y
   ...:

In [4]: f(3)
Out[4]: 4

In [5]: for i in range(2):
   ...:     print("line", i)
   ...: else:
   ...:     print("done")
   ...:
line 0
line 1
done

In [6]: f(10) + \\
   ...:   1
Out[6]: array([99])

"""
PYTHON = ">>> def f(x):\n...     return x + 1\n...\n>>> f(6)\n7\n>>> f(40)\n41\n"
OURS = "tl[1]> def f(x):\n   ...     return x + 1\ntl[2]> f(6)\n7\ntl[3]> f(40)\n41\n"

MARKS = {"with_marks": ("\x1b[200~", "\x1b[201~\r"), "without_marks": ("", "")}
ENDS = {"": "\r", "_of_windows": "\r\n", "_doubled": "\r\r"}


def _pasted(program, text, marks, end, **environment):
    terminal = Terminal(program, "-q", environment=environment)
    terminal.prompt()
    before, after = MARKS[marks]
    terminal.type(before + text.replace("\n", end) + after)
    return terminal


def _last_value(program, text, value, marks, end, **environment):
    terminal = _pasted(program, text, marks, end, **environment)
    terminal.expect(rf"\n{value}\n")
    terminal.wait_for_silence()
    assert "Error" not in terminal.text, terminal.text
    terminal.type("'the' + ' end'\r")  # nothing of the paste waits
    terminal.expect("\n'the end'\n")
    return terminal


def _test(text, value, marks, end):
    return lambda program: _last_value(program, text, value, marks, end) and None


for _marks in MARKS:
    for _name, _end in ENDS.items():
        if _marks == "without_marks" and _name:
            continue  # the keys of Enter end each line
        globals().update({
            f"test_a_block{_name}_{_marks}": _test(BLOCK, 22, _marks, _end),
            f"test_cells_of_ipython{_name}_{_marks}": _test(IPYTHON, 12, _marks, _end),
            f"test_cells_of_python{_name}_{_marks}": _test(PYTHON, 41, _marks, _end),
            f"test_our_cells{_name}_{_marks}": _test(OURS, 41, _marks, _end)})


def test_a_block_without_marks_where_lines_are_read(program):
    _last_value(program, "def f(x):\n    if x:\n        return 5\n    return 4\n\nf(1)\n", 5, "without_marks", "\r", TERM="dumb")


def test_cells_of_typeahead_run_one_by_one(program):
    terminal = Terminal(program, "-q")
    terminal.prompt()
    terminal.type("a = 1\rprint('first', a)\r\rif a:\rprint('typed', a)\r\rprint('last', a)\r")
    terminal.expect("\nfirst 1\n")
    terminal.expect("\ntyped 1\n")
    terminal.expect("\nlast 1\n")


def test_five_thousand_lines_without_marks(program):
    lines = [f"    x{i} = [{i}, 'text', (1 + 2) * 3]  # comment {i}" for i in range(5000)]
    terminal = Terminal(program, "-q")
    terminal.prompt()
    text = "def big():\r" + "\r".join(lines) + "\r    return x4999\rbig()\r"
    for at in range(0, len(text), 1000):  # a terminal's buffer holds no more than a few thousand
        terminal.type(text[at:at + 1000])
        terminal._read(0)
    terminal.expect(r"\n\[4999, 'text', 9\]\n", timeout=60)


_GROWING = r"""
import random
from tilelab._session import completeness as asked
compiled, real = [], asked._compile_status
asked._compile_status = lambda text: compiled.append(len(text)) or real(text)
TEXTS = {"string": ["s = " + "'" * 3] + ["it's text"] * 999 + ["'" * 3, "s"],
         "pairs": ["d = {"] + ["'a b': [1, (2, 3)],  # c"] * 999 + ["}", "d"],
         "both": ["d = ["] + ["    " + '"' * 3 + "x", "  ]" + '"' * 3 + ", (", "4),", ""] * 250 + ["    ]", "d"]}
for name, lines in TEXTS.items():
    compiled.clear()
    answers = [asked.is_complete("\n".join(lines[:n])) for n in range(1, len(lines) + 1)]
    assert {status for status, _ in answers[:-2]} == {"incomplete"} and answers[-2] == answers[-1] == ("complete", ""), name
    assert len(compiled) < 250, (name, len(compiled))
    for n in random.sample(range(1, len(lines)), 30):  # in any order, as somebody who edits asks
        fresh = asked.is_complete("\n".join(lines[:n]))
        assert fresh == answers[n - 1], (name, n, fresh, answers[n - 1])
        assert asked.is_complete("\n".join(lines[:n]) + "'") is not None
print("asked")
"""


def test_lines_in_an_open_string_or_bracket_are_compiled_once(program):
    done = subprocess.run([program, "-c", _GROWING], capture_output=True, text=True, timeout=120)
    assert done.stdout == "asked\n", done.stderr


def test_a_bracket_that_closes_after_its_indentation_ends_the_cell(program):
    terminal = Terminal(program, "-q")
    terminal.prompt()
    terminal.type("x = [\r1,\r(2,\r)\r]\rprint('list', x)\r")
    terminal.expect(r"\nlist \[1, \(2,\)\]\n")
    terminal.prompt()
    terminal.type("if x:\rprint('in',\r'block')\rprint('still')\r\r")
    terminal.expect("\nin block\nstill\n")


def test_a_paste_in_vis_command_mode_is_text(program):
    with open("inputrc", "w") as file:
        file.write("set editing-mode vi\n")
    terminal = Terminal(program, "-q", environment={"INPUTRC": "inputrc"})
    terminal.prompt()
    terminal.type("\x1b")
    terminal.wait_for_silence()
    terminal.paste("6 * 7")
    terminal.type("\r")
    terminal.expect("\n42\n")
