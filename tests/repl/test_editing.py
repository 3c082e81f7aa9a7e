# SPDX-License-Identifier: Apache-2.0
"""Each key of the editor, at three widths, with and without colours and UTF-8: what the cell is afterwards.

In the texts | is the cursor. A case begins at an empty prompt of a shell that others have used.
"""

from terminal import Terminal, keep

UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
HOME, END, DELETE, BACKSPACE, ALT_ENTER = "\x1b[H", "\x1b[F", "\x1b[3~", "\x7f", "\x1b\r"
CTRL = {letter: chr(ord(letter) & 31) for letter in "abcdefghijklmnopqrstuvwxyz]"}

HISTORY = ("alpha = 1", "def double(x):\r\n    y = x + x\r\n    return y\r", "beta = 22", "alpha_2 = 3")
DOUBLE = "def double(x):\n    y = x + x\n    return y"
BLOCK = "def f(a):\rif a:\rreturn 1"

# name: keys, the cell
CASES = {
    "enter_in_a_block_indents": (BLOCK, "def f(a):\n    if a:\n        return 1|"),
    "enter_after_return_goes_back": (BLOCK + "\r", "def f(a):\n    if a:\n        return 1\n    |"),
    "enter_in_open_brackets_goes_on": ("x = [\r1,\r2", "x = [\n    1,\n    2|"),
    "enter_in_the_middle_breaks_the_line": ("if x:\ra = 1; b = 2" + LEFT * 5 + "\r",
                                           "if x:\n    a = 1;\n    |b = 2"),
    "enter_above_the_last_line_begins_a_line": ("if x:\ra = 1" + UP + END + "\r", "if x:\n    |\n    a = 1"),
    "enter_in_an_indentation_moves_the_line": ("if x:\ra = 1" + HOME + RIGHT * 4 + "\r",
                                              "if x:\n\n    |a = 1"),
    "alt_enter_begins_a_line_in_a_complete_cell": ("a = 1" + ALT_ENTER + "b = 2", "a = 1\nb = 2|"),
    "up_moves_in_the_cell": (BLOCK + UP, "def f(a):\n    if a:|\n        return 1"),
    "up_keeps_the_column": ("a = [\r111111,\r2" + UP * 2 + DOWN, "a = [\n    1|11111,\n    2"),
    "down_moves_in_the_cell": (BLOCK + UP * 2 + DOWN, "def f(a):\n    if a:|\n        return 1"),
    "up_at_the_first_line_is_the_history": (UP, "alpha_2 = 3|"),
    "up_up_recalls_older_entries": (UP * 2, "beta = 22|"),
    "up_recalls_a_whole_block": (UP * 3, DOUBLE + "|"),
    "up_walks_through_a_recalled_block": (UP * 5, DOUBLE.replace(":", ":|", 1).replace("def double(x):|",
                                                                                    "def double(x|):")),
    "up_leaves_a_recalled_block_at_its_top": (UP * 6, "alpha = 1|"),
    "down_enters_a_block_at_its_first_line": (UP * 6 + DOWN, DOUBLE.replace(":", ":|", 1)),
    "down_comes_back_to_what_was_typed": ("al" + UP * 2 + DOWN * 2, "al|"),
    "a_prefix_and_up_searches": ("al" + UP, "alpha_2 = 3|"),
    "a_prefix_and_up_searches_on": ("al" + UP * 2, "alpha = 1|"),
    "a_changed_entry_keeps_its_changes": (UP + "4" + UP + DOWN, "alpha_2 = 34|"),
    "page_up_searches_and_stays": ("be\x1b[5~", "be|ta = 22"),
    "ctrl_p_and_ctrl_n": (CTRL["p"] * 2 + CTRL["n"], "alpha_2 = 3|"),
    "alt_less_is_the_oldest": ("\x1b<", "alpha = 1|"),
    "alt_greater_is_the_newest": ("new" + "\x1b<" + "\x1b>", "new|"),
    "home_is_of_the_line": (BLOCK + HOME, "def f(a):\n    if a:\n|        return 1"),
    "end_is_of_the_line": (BLOCK + UP + HOME + END, "def f(a):\n    if a:|\n        return 1"),
    "ctrl_a_ctrl_e": ("if x:\rab" + CTRL["a"] + CTRL["e"] + "c", "if x:\n    abc|"),
    "ctrl_k_kills_to_the_end_of_the_line": (BLOCK + UP + HOME + CTRL["k"], "def f(a):\n|\n        return 1"),
    "ctrl_k_joins_at_the_end": ("(a\rb" + UP + END + CTRL["k"], "(a|b"),
    "ctrl_u_kills_to_the_begin_of_the_line": (BLOCK + UP + CTRL["u"], "def f(a):\n|\n        return 1"),
    "ctrl_y_yanks": ("one two" + LEFT + RIGHT + CTRL["w"] + CTRL["y"] * 2, "one twotwo|"),
    "undo": ("abc def" + CTRL["w"] + "\x1f", "abc def|"),
    "backspace_takes_an_indentation": ("if x:\r" + BACKSPACE, "if x:\n|"),
    "backspace_takes_one_step_of_it": (BLOCK[:-8] + BACKSPACE, "def f(a):\n    if a:\n    |"),
    "backspace_goes_to_the_step_before": ("if x:\r  " + BACKSPACE, "if x:\n    |"),
    "backspace_takes_a_character_in_text": ("if x:\rab" + BACKSPACE, "if x:\n    a|"),
    "backspace_joins_lines": ("(a\rb" + HOME + BACKSPACE * 2, "(|b"),
    "delete_joins_lines": ("(a\rb" + UP + END + DELETE, "(a|b"),
    "tab_indents": ("if x:\r\ty", "if x:\n        y|"),
    "else_goes_under_its_if": ("if x:\ry = 1\relse:", "if x:\n    y = 1\nelse:|"),
    "elif_goes_under_its_if": ("if x:\ry = 1\relif z:", "if x:\n    y = 1\nelif z:|"),
    "else_goes_under_the_inner_if": ("if x:\rif y:\rz = 1\relse:",
                                     "if x:\n    if y:\n        z = 1\n    else:|"),
    "a_second_else_goes_under_the_outer_if": ("if x:\rif y:\rz = 1\relse:\rz = 2\relse:",
                                              "if x:\n    if y:\n        z = 1\n    else:\n        z = 2\nelse:|"),
    "except_goes_under_its_try": ("try:\ry = 1\rexcept E:", "try:\n    y = 1\nexcept E:|"),
    "finally_goes_under_its_try": ("try:\ry = 1\rexcept:\rpass\rfinally:",
                                   "try:\n    y = 1\nexcept:\n    pass\nfinally:|"),
    "else_of_a_for": ("for i in x:\ry = 1\relse:", "for i in x:\n    y = 1\nelse:|"),
    "a_colon_elsewhere_moves_nothing": ("if x:\ry = {1:", "if x:\n    y = {1:|"),
    "else_in_an_expression_stays": ("if x:\ry = 1 if z else {1:", "if x:\n    y = 1 if z else {1:|"),
    "ctrl_r_finds": (CTRL["r"] + "bet\x1b", "|beta = 22"),
    "ctrl_r_again_finds_an_older_one": (CTRL["r"] + "alpha" + CTRL["r"] + END, "alpha = 1|"),
    "ctrl_r_and_backspace_goes_back": (CTRL["r"] + "alpha_" + BACKSPACE * 2 + "a" + END, "alpha_2 = 3|"),
    "ctrl_r_and_ctrl_g_is_as_before": ("typed" + CTRL["r"] + "alpha" + CTRL["g"], "typed|"),
    "ctrl_r_finds_in_a_block": (CTRL["r"] + "return y" + CTRL["e"], DOUBLE + "|"),
    "ctrl_s_searches_forward": (CTRL["r"] + "alpha" + CTRL["r"] + CTRL["s"] + END, "alpha_2 = 3|"),
    "ctrl_bracket_goes_to_a_character": ("a, b" + CTRL["a"] + CTRL["]"] + ",", "a|, b"),
    "ctrl_l_clears_and_keeps_the_cell": (BLOCK + CTRL["l"], "def f(a):\n    if a:\n        return 1|"),
    "a_paste_keeps_its_lines": ("\x1b[200~def f():\r\treturn 1\r\rx = 2\x1b[201~",
                               "def f():\n        return 1\n\nx = 2|"),
    "a_paste_into_a_block": ("if x:\r\x1b[200~    a = 1\r    b = 2\x1b[201~", "if x:\n    a = 1\n    b = 2|"),
    "completion_in_a_later_line": ("if x:\risinstanc\t", "if x:\n    isinstance|"),
    "completion_in_the_middle_of_a_word": ("isinstance(1)" + LEFT * 7 + "\t", "isinstance|(1)"),
    "wide_characters": ("# 漢字é" + LEFT * 2 + "x", "# 漢x|字é"),
    "alt_f_and_alt_b": ("one two" + "\x1bb\x1bb\x1bf", "one| two"),
    "quoted_insert": ("a" + CTRL["v"] + CTRL["b"], "a^B|"),
}

_shared = {}


def _shell(program, columns, color=False, rows=40, **environment):
    """A shell at an empty prompt with the given HISTORY."""
    terminal = Terminal(program, "-q", columns=columns, rows=rows, watches=True,
                        environment={"NO_COLOR": "" if color else "1", "LC_ALL": "C.UTF-8", **environment})
    terminal.shows("|")
    for line in HISTORY:
        terminal.type("\x1b[200~" + line.replace("\r\n", "\r") + "\x1b[201~\r")
        terminal.prompt()
        terminal.shows("|")
    return terminal


# Ways to start a shell.
KINDS = {"at_40": {"columns": 40}, "at_80": {"columns": 80}, "at_200": {"columns": 200},
         "in_colours": {"columns": 80, "color": True}, "without_utf8": {"columns": 80, "LC_ALL": "C"}}


def _shared_shell(program, kind):
    """One that many cases use; none of them may run anything."""
    if kind not in _shared:
        _shared[kind] = _shell(program, **KINDS[kind])
        keep(_shared[kind])
    terminal = _shared[kind]
    terminal.type("\x03")
    terminal.expect(r"\^C")  # keys typed before the next prompt would be echoed raw
    terminal.prompt()
    terminal.shows("|")
    return terminal


def _case(name, kind):
    keys, wanted = CASES[name]

    def test(program):
        terminal = _shared_shell(program, kind)
        terminal.type(keys)
        if keys.endswith("\x1b"):
            terminal.wait_for_silence()
        try:
            terminal.shows(wanted, suggested="color" in KINDS[kind])
        except AssertionError:
            del _shared[kind]
            raise
    return test


for _name, (_keys, _) in CASES.items():
    for _kind in KINDS:
        if _keys.isascii() or _kind != "without_utf8":
            globals()[f"test_{_name}_{_kind}"] = _case(_name, _kind)


GREY = "90"


def _greyed(terminal):
    return "".join(text for text, style in terminal.screen.styles(terminal.screen.row) if style == GREY)


def test_right_takes_the_suggestion_and_alt_f_a_word_of_it(program):
    terminal = _shell(program, 80, color=True)
    for key, taken in ((RIGHT, "alpha_2 = 3|"), (END, "alpha_2 = 3|"), (CTRL["f"], "alpha_2 = 3|"),
                       (CTRL["e"], "alpha_2 = 3|"), ("\x1bf", "alpha_2| = 3")):
        terminal.type("al")
        terminal.shows("al|pha_2 = 3")
        assert _greyed(terminal) == "pha_2 = 3"
        terminal.type(key)
        terminal.shows(taken)
        terminal.type("\x03")
        terminal.shows("|")
    terminal.type("al" + LEFT)  # only past the end
    terminal.shows("a|l")
    terminal.type("\x03")
    terminal.shows("|")
    terminal.type("if x:\r" + BACKSPACE + "    y =")
    terminal.shows("if x:\n    y =| x + x")  # a line of a block of the history
    terminal.type("\r\r")
    terminal.expect("SyntaxError")
    assert "y = x" not in "\n".join(terminal.screen.lines()[-8:])  # what was not taken is gone


def test_without_colours_nothing_is_suggested_or_taken(program):
    terminal = _shell(program, 80)
    terminal.type("al" + RIGHT + "x")
    terminal.shows("alx|")
    assert not any(style for row in range(40) for _, style in terminal.screen.styles(row))


def _ink(terminal, text):
    """The colour of the first piece of the cursor's row that is `text`."""
    styles = [style for piece, style in terminal.screen.styles(terminal.screen.row) if piece.strip() == text]
    return styles[0] if styles else None


def test_colours_while_typing(program):
    for columns in (40, 80, 200):
        terminal = _shell(program, columns, color=True)
        terminal.type("def g(x): return 'a' # c")
        terminal.shows("def g(x): return 'a' # c|")
        assert [_ink(terminal, word) for word in ("def", "g", "return", "'a'", "# c")] == \
            ["35", "36", "35", "33", "90"], terminal.screen.styles(terminal.screen.row)
        terminal.type("\x03")
        terminal.shows("|")
        terminal.type("%time 12\x01")
        terminal.shows("|%time 12")
        assert (_ink(terminal, "%time"), _ink(terminal, "12")) == ("36", "34")
        terminal.type("\x03")
        terminal.shows("|")
        terminal.type('"""a\rdef')
        terminal.shows('"""a\ndef| double(x):')
        assert _ink(terminal, "def") == "33"  # inside of the string


def test_the_bracket_at_the_cursor_and_its_partner_are_marked(program):
    terminal = _shell(program, 80, color=True)

    def marked():
        return [text for text, style in terminal.screen.styles(terminal.screen.row) if style.startswith("1;4")]
    for keys, shown, wanted in (("f([1], '(')", "f([1], '(')|", ["(", ")"]),
                                (LEFT * 4, "f([1], |'(')", []), (LEFT * 2, "f([1]|, '(')", ["[", "]"]),
                                (CTRL["a"] + RIGHT, "f|([1], '(')", ["(", ")"])):
        terminal.type(keys)
        terminal.shows(shown)
        assert marked() == wanted, (keys, marked())
    terminal.type("\x03")
    terminal.shows("|")
    terminal.type("(]")
    terminal.shows("(]|")
    assert marked() == []


def test_a_cell_that_is_wider_and_higher_than_the_terminal(program):
    terminal = _shell(program, 40, rows=8)
    terminal.type("x" * 33)  # fills the row after the prompt
    terminal.wait_for_silence()
    assert (terminal.screen.row, terminal.screen.column) == (len(HISTORY) + 3, 0)
    terminal.type("yz" + CTRL["a"])
    terminal.shows("|" + "x" * 33 + "\n")
    assert "yz" in terminal.screen.lines()
    terminal.type("\x03")
    terminal.shows("|")
    terminal.paste("\n".join(f"v{i} = {i}" for i in range(30)))
    terminal.wait_for_silence()
    assert terminal.screen.lines() == [f"   ... v{i} = {i}" for i in range(22, 30)]
    terminal.type(UP * 10)
    terminal.wait_for_silence()
    assert terminal.screen.lines()[0] == "   ... v19 = 19" and terminal.screen.row == 0
    terminal.type("# here" + DOWN * 20 + "\r")  # runs it; all of it remains
    terminal.prompt()
    assert "v0 = 0" in terminal.text and terminal.screen.lines()[-2] == "   ... v29 = 29"
    assert terminal.run("v0, v29") == "(0, 29)\n"


def test_a_resize_shows_the_cell_again(program):
    for columns in (40, 80, 200):
        terminal = _shell(program, columns)
        terminal.type("def f(a):\rreturn a")
        terminal.shows("def f(a):\n    return a|")
        terminal.resize(24, columns // 2)
        terminal.type(" + 1")
        terminal.wait_for_silence()
        shown = [line for line in terminal.screen.lines() if line][-3:]
        assert shown[-2:] == (["   ...     return a", "+ 1"] if columns == 40 else
                              ["tl[5]> def f(a):", "   ...     return a + 1"]), shown


def test_vi_keys_and_the_users_inputrc(program):
    with open("inputrc", "w") as file:
        file.write("set editing-mode vi\nset keyseq-timeout 50\nset show-mode-in-prompt on\n"
                   "set vi-ins-mode-string (i)\nset vi-cmd-mode-string (c)\n"
                   "$if tilelab\n\"\\C-t\": \"own\"\n$endif\n")
    terminal = Terminal(program, "-q", columns=80, watches=True, environment={"INPUTRC": "inputrc"})
    terminal.expect(r"\(i\)tl\[1\]> $")
    terminal.type("if x:\rab = 1")
    terminal.expect("ab = 1")
    for keys, line in (("\x1b", "(c)tl[1]> if x:"), ("k$", "(c)tl[1]> if x:"), ("A # c\x1b", "(c)tl[1]> if x: # c"),
                       ("0D", "(c)tl[1]>"), ("j0iz\x1b", "   ... z    ab = 1")):
        terminal.type(keys)
        terminal.wait_for_silence()
        assert line in terminal.screen.lines(), (keys, terminal.screen.lines()[:4])
    terminal.type("\x03")
    terminal.expect(r"\(i\)tl\[1\]> $")
    terminal.type(CTRL["t"])
    terminal.expect("own")


def test_vi_searches_the_history_and_long_entries_cost_nothing(program):
    with open("inputrc", "w") as file:
        file.write("set editing-mode vi\nset keyseq-timeout 50\n")
    for columns in (40, 80, 200):
        terminal = Terminal(program, "-q", columns=columns, watches=True, environment={"INPUTRC": "inputrc"})
        terminal.prompt()
        for line in ("a_one = 1", "b = 'é*[' * 2", "# " + "z" * 100000, "a_two = 2"):
            terminal.paste(line)
            terminal.type("\r")
            terminal.prompt()
        terminal.type("\x1b")
        terminal.wait_for_silence()
        for keys, shown in (("/a_\r", "|a_two = 2"), ("n", "|a_one = 1"), ("N", "|a_two = 2"), ("?one\x7f\x7f\x7f*\r", "|a_two = 2"),
                            ("/é*[\r", "b = '|é*[' * 2"), ("/^a\r", "|a_one = 1"), ("/absent\r", "|a_one = 1"),
                            ("/two\x1b", "|a_one = 1")):
            terminal.type(keys)
            terminal.shows(shown)
        terminal.type("/tw")
        terminal.expect("/tw")
        terminal.type("\x03")
        terminal.prompt()
        terminal.type("6 * 7\r")
        terminal.expect("\n42\n")


def test_keys_that_the_user_has_bound_stay(program):
    with open("inputrc", "w") as file:
        file.write('"\\e\\C-m": "bound"\n":": "colon"\n"\\C-x\\C-e": "mine"\n')
    terminal = _shell(program, 80, INPUTRC="inputrc")
    terminal.type(ALT_ENTER + ":" + CTRL["x"] + CTRL["e"])
    terminal.shows("boundcolonmine|")


def test_ctrl_o_runs_and_offers_the_next(program):
    terminal = _shell(program, 80)
    terminal.type(UP * 2 + CTRL["o"])
    terminal.shows("alpha_2 = 3|")


def test_alt_enter_runs_from_the_middle_of_a_block(program):
    terminal = _shell(program, 80)
    terminal.type("if True:\rprint('ran')" + UP + ALT_ENTER)
    terminal.expect(r"\nran\n")


def test_ctrl_r_and_enter_leave_no_text(program):
    for columns in (40, 80, 200):
        terminal = _shell(program, columns)
        terminal.type(CTRL["r"] + "alpha = ")
        terminal.expect(r"i-search `alpha = '")
        terminal.type("\r")
        terminal.prompt()
        lines = [line for line in terminal.screen.lines() if line]
        assert lines[-2:] == ["tl[5]> alpha = 1", "tl[6]>"], lines


def test_after_an_end_of_input_nothing_is_printed_first(program):
    terminal = _shell(program, 80)
    terminal.type("input('? ')\r")
    terminal.expect(r"\n\? ")
    terminal.type("\x04")
    terminal.expect("EOFError")
    terminal.prompt()
    terminal.type("if x:\r")
    terminal.shows("if x:\n    |")
    terminal.type("\x04")
    terminal.shows("|")
    for _ in range(2):
        terminal.type("print(5)\r")
        terminal.expect(r"print\(5\)")
        assert terminal.prompt() == "\n5\n"


def test_a_terminal_without_cursor_movement_reads_lines(program):
    terminal = Terminal(program, "-q", environment={"TERM": "dumb"})
    terminal.prompt()
    terminal.type("if 1:\r")
    terminal.expect(r"\n   \.\.\.     ?$")
    terminal.type("print('dumb')\r\r")
    terminal.expect(r"\ndumb\n")
    terminal.prompt()
    assert terminal.run("6 * 7") == "42\n"


def test_bytes_that_a_locale_without_utf8_cannot_show(program):
    terminal = _shell(program, 80, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    terminal.paste("x = 'é'")
    terminal.type("\r")
    terminal.prompt()
    assert terminal.run("len(x)") in ("1\n", "2\n")


def test_the_empty_line_that_ended_a_block_is_not_recalled(program):
    terminal = _shell(program, 80)
    terminal.type("for i in range(2):\rj = i\r\r")
    terminal.prompt()
    terminal.type(UP)
    terminal.shows("for i in range(2):\n    j = i|")
