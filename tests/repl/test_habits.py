# SPDX-License-Identifier: Apache-2.0
"""Habits of IPython users."""

import os
import re
import subprocess

from terminal import Terminal

NAMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../session/ipython_names.def")


def _run(program, text):
    return subprocess.run([program, "-q", "--keep-going"], input=text, capture_output=True, text=True, timeout=60)


def test_names_of_ipython_are_ours_or_say_what_is(program):
    rows = re.findall(r"^(SAME|INSTEAD)\((\w+), (.*)\)$", open(NAMES).read(), re.M)
    same = [(name, ours) for kind, name, ours in rows if kind == "SAME"]
    instead = [(name, text.strip('"')) for kind, name, text in rows if kind == "INSTEAD"]
    assert len(same) > 3 and len(instead) > 20
    done = _run(program, "".join(f"%{name} --help\n" for name, _ in same))
    for _, ours in same:
        assert f"%{ours}" in done.stdout, (ours, done)
    done = _run(program, "".join(f"%{name}\n" for name, _ in instead))
    assert done.stderr.splitlines() == [f"unknown command %{name}; {text}" for name, text in instead], done
    for _, text in instead:  # what they name is there
        for command in re.findall(r"(?<!%)%(\w+)", text):
            assert "no command" not in _run(program, f"%{command} --help\n").stderr, command


def test_options_of_ipython_that_say_what_is_instead(program):
    rows = re.findall(r'^OPTION\((\w+), "(-\w)", "(.*)"\)$', open(NAMES).read(), re.M)
    assert len(rows) > 3
    done = _run(program, "".join(f"%{name} {option} x\n" for name, option, _ in rows))
    assert done.stderr.splitlines() == [f"%{name} has no option {option}; {text}" for name, option, text in rows], done


def test_history_to_a_file_a_script_as_a_module_and_directories_by_number(program):
    with open("part.py", "w") as file:
        file.write("found = __name__\n")
    done = _run(program, "1 + 1\n%history -f a.txt -n 1\n%history -f a.txt\n%history -f none/a.txt\n"
                "%run -n part.py\nfound, __name__\n%run -in part.py\nfound, __name__\n%run part.py\nfound\n")
    assert done.stdout.splitlines() == ["2", "wrote a.txt", *["('part', '__main__')"] * 2, "'__main__'"], done
    assert done.stderr.splitlines() == ["a.txt exists; %save -f a.txt overwrites it",
                                        "none/a.txt: No such file or directory"]
    assert open("a.txt").read() == "1:    1 + 1\n"
    here = os.getcwd()
    os.mkdir("one")
    done = _run(program, "%cd one\n%cd -0\n%cd -1\n%cd -9\n_dh = 3\n%cd -0\n")
    assert done.stdout.split() == [f"{here}/one", here, f"{here}/one"], done
    assert done.stderr.splitlines() == ["_dh has no directory 9", "_dh has no directory 0"]


def test_bare_words_of_a_shell(program):
    os.mkdir("folder")
    open("folder/inside.txt", "w").close()
    done = _run(program, "cd folder\nls\npwd\ncd -\nls = 3\nls\ncd = 4\ncd + ls\n")
    here = os.getcwd()
    assert done.stderr == "" and done.stdout.split() == [
        f"{here}/folder", "inside.txt", f"'{here}/folder'", here, "3", "7"], done
    terminal = Terminal(program, "-q")
    terminal.prompt()
    assert "inside.txt\n" in terminal.run("ls folder")


def test_a_screen_is_cleared(program):
    terminal = Terminal(program, "-q", watches=True)
    terminal.prompt()
    for word in ("clear", "cls", "%clear"):
        assert "before" in terminal.run("print('before')")
        assert "before" in "".join(terminal.screen.lines())
        terminal.run(word)
        assert "before" not in "".join(terminal.screen.lines()), word
    terminal.run("clear = 7")
    assert "7\n" in terminal.run("clear")
    done = _run(program, "print(1)\nclear\nprint(2)\n")
    assert done.stdout == "1\n2\n" and done.stderr == "", done


def test_double_marks_wildcards_and_a_lone_question_mark(program):
    done = _run(program, "abc_1 = abd = 2\n!!echo one; echo two\nab*?\nstr.is*r?\nzz*?\n?\n")
    assert done.stdout.startswith("['one', 'two']\nabc_1\nabd\nabs\nstr.isidentifier\nstr.islower\nstr.isupper\n"), done.stdout[:200]
    assert done.stderr == "zz*: no name matches\n" and "Type Python, a kernel, or a command." in done.stdout
