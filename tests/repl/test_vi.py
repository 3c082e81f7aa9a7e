# SPDX-License-Identifier: Apache-2.0
"""Lines of a cell in vi's command mode: keys after a block that was pasted, and the cell afterwards."""

from terminal import Terminal

BLOCK = "def f(a):\r    if a:\r        return 1\r    return 2"
LINES = ["def f(a):", "    if a:", "        return 1", "    return 2"]


def _cell(*lines):
    return "\n".join(lines)


# name: keys in command mode, the cursor in the last line; the cell
CASES = {
    "dd_deletes_a_line": ("kdd", _cell(LINES[0], LINES[1], "    |return 2")),
    "dd_of_the_last_line": ("dd", _cell(LINES[0], LINES[1], "        |return 1")),
    "dd_of_the_only_line_left": ("ggdddddddd", "|"),
    "a_count_and_dd": ("kk2dd", _cell(LINES[0], "    |return 2")),
    "dd_and_undo": ("kddu", _cell(LINES[0], LINES[1], LINES[2] + "|", LINES[3])),
    "dd_and_p": ("kddp", _cell(LINES[0], LINES[1], LINES[3], "        |return 1")),
    "dd_and_P": ("ddP", _cell(LINES[0], LINES[1], "    |return 2", LINES[2])),
    "dd_and_dot": ("ggdd.", _cell("        |return 1", LINES[3])),
    "yy_and_p": ("kyyp", _cell(LINES[0], LINES[1], LINES[2], "        |return 1", LINES[3])),
    "yyP_above": ("ggyyP", _cell("|" + LINES[0], *LINES)),
    "a_word_put_after_lines": ("kyyj0wdwP", _cell(LINES[0], LINES[1], LINES[2], "    return| 2")),
    "a_letter_put_behind_a_quoted_one": ("ggyyx\x16#p", _cell("#e|df f(a):", *LINES[1:])),
    "o_and_dot": ("ggox\x1b.", _cell(LINES[0], "    x", "    |x", *LINES[1:])),
    "O_and_dot": ("kkOx\x1b.", _cell(LINES[0], "    |x", "    x", *LINES[1:])),
    "A_and_dot": ("ggA#\x1bj.", _cell(LINES[0] + "#", LINES[1] + "|#", *LINES[2:])),
    "C_and_dot": ("gg0wCx\x1bjj0w.", _cell("def x", LINES[1], "        |x", LINES[3])),
    "cc_and_dot": ("ggccx\x1bj.", _cell("x", "    |x", *LINES[2:])),
    "S_and_dot": ("ggSx\x1bj.", _cell("x", "    |x", *LINES[2:])),
    "J_and_dot": ("ggjJ.", _cell(LINES[0], "    if a: return 1| return 2")),
    "cw_and_dot": ("gg0cwx\x1bw.", _cell("x |x(a):", *LINES[1:])),
    "a_count_for_dot": ("gg0x3.", _cell("|f(a):", *LINES[1:])),
    "dot_keeps_its_count": ("gg02x.", _cell("|f(a):", *LINES[1:])),
    "dot_of_several_lines": ("ggox = 1\ry = 2\x1b.", _cell(
        LINES[0], *["    x = 1", "    y = 2", "    x = 1", "    y = |2"], *LINES[1:])),
    "dot_behind_motions_and_undo": ("gg0xwwu0.", _cell("|ef f(a):", *LINES[1:])),
    "no_dot_of_what_was_given_up": ("gg0xr\x1b.", _cell("|f f(a):", *LINES[1:])),
    "no_dot_of_what_arrow_keys_are_in": ("gg0xiab\x1b[Dc\x1b.", _cell("a|cbef f(a):", *LINES[1:])),
    "dj_takes_two_lines": ("ggdj", _cell("        |return 1", LINES[3])),
    "dk_takes_two_lines": ("dk", _cell(LINES[0], "    |if a:")),
    "d1j_as_dj": ("ggd1j", _cell("        |return 1", LINES[3])),
    "d2k_takes_three_lines": ("d2k", "|" + LINES[0]),
    "d2d_and_dot": ("ggd2d.", "|"),
    "counts_multiply": ("gg02d1j", _cell("    |return 2")),
    "d2w_and_dot": ("gg0d2w.", _cell("|):", *LINES[1:])),
    "d_a_count_and_no_motion": ("gg0d1+x", _cell("|ef f(a):", *LINES[1:])),
    "dG_takes_the_rest": ("ggjdG", "|" + LINES[0]),
    "cc_keeps_the_indentation": ("kccx = 1", _cell(LINES[0], LINES[1], "        x = 1|", LINES[3])),
    "S_does_as_cc": ("kSx = 1", _cell(LINES[0], LINES[1], "        x = 1|", LINES[3])),
    "D_takes_the_rest_of_the_line": ("kk0wD", _cell(LINES[0], "    |", LINES[2], LINES[3])),
    "dw_and_dot": ("gg0dw.", _cell("|(a):", *LINES[1:])),
    "o_opens_below_and_indents": ("kkox = 1", _cell(LINES[0], LINES[1], "        x = 1|", LINES[2], LINES[3])),
    "O_opens_above": ("kOx = 1", _cell(LINES[0], LINES[1], "        x = 1|", LINES[2], LINES[3])),
    "J_joins_lines": ("kkJ", _cell(LINES[0], "    if a:| return 1", LINES[3])),
    "gg_and_G": ("ggGx", _cell(LINES[0], LINES[1], LINES[2], "    |eturn 2")),
    "a_count_and_G": ("2Gx", _cell(LINES[0], "    |f a:", LINES[2], LINES[3])),
    "S_in_one_line": ("ggdGSx = 1", "x = 1|"),
    "o_after_a_mistake": ("dxox = 1", _cell(*LINES, "x = 1|")),
}


def _shell(program, **environment):
    with open("inputrc", "w") as file:
        file.write("set editing-mode vi\nset keymap vi-command\n\"J\": beginning-of-line\n" if environment
                   else "set editing-mode vi\n")
    terminal = Terminal(program, "-q", watches=True, environment={"INPUTRC": "inputrc", "LC_ALL": "C.UTF-8"})
    terminal.shows("|")
    return terminal


def _case(name):
    keys, wanted = CASES[name]

    def test(program):
        terminal = _shell(program)
        terminal.paste(BLOCK.replace("\r", "\n"))
        terminal.type("\x1b")
        terminal.wait_for_silence()
        terminal.type(keys)
        terminal.shows(wanted)
    return test


for _name in CASES:
    globals()[f"test_vi_{_name}"] = _case(_name)


def test_vi_keys_of_the_users_inputrc_stay(program):
    terminal = _shell(program, own=True)
    terminal.paste(BLOCK.replace("\r", "\n"))
    terminal.type("\x1b")
    terminal.wait_for_silence()
    terminal.type("kJ")
    terminal.shows(_cell(LINES[0], LINES[1], "|" + LINES[2], LINES[3]))


def test_vi_dot_repeats_a_change_of_an_earlier_cell(program):
    terminal = _shell(program)
    terminal.type("ab\x1b0x")
    terminal.shows("|b")
    terminal.interrupt()
    terminal.type("cde\x1b0")
    terminal.shows("|cde")
    terminal.type(".")
    terminal.shows("|de")
