# SPDX-License-Identifier: Apache-2.0
"""No typed, pasted or sent input ends a shell or loses a variable."""

import os
import random
import re
import signal
import subprocess
import time

from terminal import Terminal, embeds_python

SEED = int(os.environ.get("TILELAB_SEED", "0") or 0) or random.SystemRandom().randrange(1 << 30)


def _shell(program, *arguments, **options):
    terminal = Terminal(program, "-q", *arguments, **options)
    terminal.prompt()
    return terminal


def _leave(terminal):
    terminal.type("\x04")
    assert terminal.wait() == 0


def _alive(terminal, mark):
    """The shell answers: a prompt comes and the next cell runs."""
    terminal.interrupt()
    terminal.type(f"print('m' + 'ark {mark}')\r")
    terminal.expect(rf"\nmark {mark}\n")
    terminal.prompt()


def test_interrupts_at_random_moments_end_no_shell_and_cost_no_variable(program):
    rng = random.Random(SEED)
    terminal = _shell(program)
    terminal.run("kept = [1, 2, 3]")
    cells = ["1+1", "total = sum(range(10**5))", "def f():\r  return 1\r\r", "import colorsys, importlib; importlib.reload(colorsys)", "1/0",
             "%target", "kept", "while True: pass"]
    for i in range(60):
        terminal.type(rng.choice(cells) + "\r")
        time.sleep(rng.choice((0.0, 0.001, 0.003, 0.01)) * rng.random())
        terminal.type("\x03")
        if i % 5 == 4:
            time.sleep(0.02)
            _alive(terminal, i)
    assert terminal.run("kept") == "[1, 2, 3]\n", SEED
    _leave(terminal)


def test_an_interrupt_just_after_a_key_is_not_slept_through(program):
    rng = random.Random(SEED)
    terminal = _shell(program)
    for number in range(30):
        terminal.type(rng.choice(("\r", "\r\r", "ab\r", "\x12\x18\r\r")))
        time.sleep(rng.random() * 0.0005)
        _alive(terminal, f"{SEED} {number}")
    _leave(terminal)


def test_an_interrupt_just_after_a_long_paste_gives_it_up(program):
    terminal = _shell(program)
    terminal.run("kept = 7")
    text = "\n".join(f"v{i} = {i}" for i in range(6000))
    for delay in (0.0, 0.01, 0.03):
        terminal.paste(text)
        terminal.expect("v5999 = 5999", 60)
        terminal.type("\r")
        time.sleep(delay)
        terminal.type("\x03")
        _alive(terminal, f"{delay}")
    assert terminal.run("kept") == "7\n"
    _leave(terminal)


@embeds_python
def test_interrupts_while_it_starts_wait_for_the_prompt(program):
    rng = random.Random(SEED)
    for _ in range(8):
        terminal = Terminal(program, "-q")
        time.sleep(0.02 + 0.1 * rng.random())
        terminal.type("\x03")
        try:
            terminal.prompt()
        except AssertionError:
            # Before its first line ran, it died as every program does.
            assert terminal.wait() == -signal.SIGINT, (SEED, terminal.text)
            continue
        _alive(terminal, 1)
        _leave(terminal)


def test_an_interrupted_pipe_ends_with_130_at_any_moment(program):
    rng = random.Random(SEED)
    cells = "print('go', flush=True)\n" + "x = 1\nif x:\n  pass\n" * 3000
    for _ in range(4):
        child = subprocess.Popen([program], stdin=subprocess.PIPE, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        child.stdin.write(cells)
        child.stdin.flush()
        assert child.stdout.readline() == "go\n"
        time.sleep(rng.random() * 0.1)
        child.send_signal(signal.SIGINT)
        _, error = child.communicate(timeout=30)
        assert child.returncode == 130, (SEED, child.returncode, error)


def test_a_line_too_deep_for_python_is_an_error(program):
    lines = {"1" + "+1" * 3000: "RecursionError", "-" * 4000 + "1": "RecursionError",
             "(" * 500: "too many nested", "[" * 150 + "]" * 150: ""}
    terminal = _shell(program)
    terminal.run("kept = 7")
    for line, error in lines.items():
        terminal.paste(line)
        terminal.type("\r")
        if error:
            terminal.expect(error)
        terminal.prompt()
    assert terminal.run("kept") == "7\n"
    _leave(terminal)
    for line, error in lines.items():
        done = subprocess.run([program, "--keep-going"], input=line + "\nprint('on')\n", text=True,
                              capture_output=True, timeout=60)
        assert error in done.stderr and "a bug" not in done.stderr, done.stderr[-300:]
        assert error.startswith("too many") or done.stdout.endswith("on\n"), done.stdout[-300:]


def test_a_search_that_ends_in_a_prefix_key(program):
    terminal = _shell(program)
    terminal.run("1+1")
    terminal.type("\x12\x18\r\r")
    _alive(terminal, 1)
    terminal.type("\x12" + "1\x18\x18\x1b\x18\r\r\x12\x12\r")
    _alive(terminal, 2)
    _leave(terminal)


def test_a_search_that_ends_in_a_paste_an_argument_or_a_macro(program):
    terminal = _shell(program)
    terminal.run("kept = 7")
    for number, keys in enumerate((("\x03\x01\x12", "\x1b\x18\x1b[200~n", "\x1b[201~"), ("\x12k\x1b3", "\x12\x1b\x1b[200~k\x1b[201~"),
                                   ("\x18(ab\x12\x18)", "\x18e\x12\x18e"), ("\x1b1\x1b2\x12", "\x18\x1b[200~", "1\x1b[201~"))):
        for part in keys:
            terminal.type(part)
            time.sleep(0.05)
        _alive(terminal, number)
    assert terminal.run("kept") == "7\n"
    _leave(terminal)


def test_an_interrupt_gives_up_what_waits_for_a_key(program):
    """A search, a paste without an end, an argument, half a key sequence, a macro that is being made."""
    terminal = _shell(program)
    for number, keys in enumerate(("1\x12p", "\x1b[200~12", "1\x1b3", "1\x18", "\x18(1", "1\x1d", "imp\x12\x12\x13\x12")):
        terminal.type(keys)
        time.sleep(0.05)
        terminal.type("\x03")
        terminal.expect(r"\^C")
        terminal.prompt()
        _alive(terminal, number)
    assert terminal.text.isascii()  # nothing past the end of a paste was shown
    _leave(terminal)


def _stuck_in_a_vi_search(program):
    with open("inputrc", "w") as file:
        file.write("set editing-mode vi\n")
    terminal = _shell(program, environment={"INPUTRC": os.path.abspath("inputrc")})
    terminal.run("1+1")
    terminal.type("\x1b")
    time.sleep(0.7)  # readline waits for the rest of a sequence
    terminal.type("/abc")
    time.sleep(0.2)
    return terminal


def test_a_shell_in_a_search_ends_with_its_terminal_and_by_sigterm(program):
    for end in (signal.SIGTERM, signal.SIGHUP):
        terminal = _stuck_in_a_vi_search(program)
        os.kill(terminal.pid, end)
        assert terminal.wait(5) == -end
    terminal = _stuck_in_a_vi_search(program)
    gone, terminal.fd = terminal.fd, os.open("/dev/null", os.O_RDONLY)
    os.close(gone)
    assert terminal.wait(5) in (-signal.SIGHUP, 0)


def test_the_editors_file_is_private_and_goes(program):
    with open("editor", "w") as file:
        file.write("#!/bin/sh\necho \"$1\" > seen; stat -c %a \"$(dirname $1)\" >> seen\n"
                   "echo '6 * 7' > $1\n")
    os.chmod("editor", 0o755)
    os.makedirs("run")
    env = {"VISUAL": os.path.abspath("editor"), "XDG_RUNTIME_DIR": os.path.abspath("run")}
    terminal = _shell(program, environment=env)
    terminal.type("1\x18\x05")
    terminal.expect(r"6 \* 7")
    terminal.type("\r")
    assert terminal.prompt().endswith("42\n")
    path, mode = open("seen").read().split()
    assert mode == "700" and not os.path.exists(path)
    dead = subprocess.Popen(["true"])
    dead.wait()
    left = os.path.join(os.path.dirname(path), f"{dead.pid}.py")
    open(left, "w").close()
    terminal.type("1\x18\x05")
    terminal.expect(r"6 \* 7")
    assert not os.path.exists(left)
    terminal.type("\r")
    terminal.prompt()
    _leave(terminal)


def test_a_clause_on_its_own_line_after_one_in_a_pipe(program):
    text = ("x = 1\nif not x: pass\nelif x: print('elif')\nif (not x and\n    x): pass\n# why\n\n"
            "else: print('else')\nfor i in (): pass\nelse: print('for')\ntry: pass\n"
            "except E: pass\nfinally: print('finally')\nif not x:\n  pass\nelif x:\n  print('own')\n")
    ours = subprocess.run([program], input=text, capture_output=True, text=True, timeout=60)
    theirs = subprocess.run(["/usr/bin/python3"], input=text, capture_output=True, text=True)
    assert (ours.stdout, ours.stderr) == (theirs.stdout, ""), ours
    assert re.fullmatch(r"elif\nelse\nfor\nfinally\nown\n", ours.stdout)
    wrong = subprocess.run([program, "--keep-going"], input="if x pass\nprint(2)\n", text=True,
                           capture_output=True, timeout=60)
    assert wrong.stdout == "2\n"


def test_ctrl_c_counts_where_a_script_ignored_the_signal(program):
    terminal = Terminal("/bin/sh", "-c", f"trap '' INT; exec {program} -q")
    terminal.prompt()
    terminal.type("while True: pass\r")
    terminal.expect(r"\n")
    time.sleep(0.3)
    terminal.type("\x03")
    terminal.expect("KeyboardInterrupt")
    terminal.prompt()
    _leave(terminal)


def test_a_search_by_prefix_among_edited_lines(program):
    terminal = _shell(program)
    for line in ("xa = 1", "ya = 2", "xb = 3"):
        terminal.run(line)
    terminal.type("x\x1b[5~\x1b[5~\r")  # the second entry with this prefix
    terminal.expect("a = 1")
    terminal.prompt()
    for end in ("\r", "\x03"):
        for key in ("y", "\x1b[A", "\x1b[5~", "\x1b[B", "\x1b[A", "x\x7f", "\x1b[5~", "\x1b[B", "\x1bp", "q", end):
            terminal.type(key)
            time.sleep(0.02)
        _alive(terminal, 1)
    _leave(terminal)


def test_a_search_for_a_character_that_is_given_up(program):
    terminal = _shell(program)
    for keys in ("\x1d\x1b[201~xy", "abc\x1d\x03", "abc\x1b\x1d\x1b", "abc\x1d\x07"):
        terminal.type(keys)
        terminal.wait_for_silence()
        _alive(terminal, 1)
    terminal.type("1, 4\x01\x1d,\x04\x04* \r")  # finds the comma, puts * in its place
    assert terminal.prompt().endswith("4\n")
    _leave(terminal)


def test_a_question_of_many_rows(program):
    """Readline writes past its buffer for 256 rows of a prompt."""
    for columns in (3, 40):
        terminal = Terminal(program, "-q")
        terminal.prompt()
        terminal.resize(12, columns)
        terminal.wait_for_silence()
        terminal.type("a = input('ab' * 10000 + 'end')\r")
        terminal.wait_for_silence()
        terminal.type("xy\r")
        terminal.wait_for_silence()
        terminal.resize(40, 100)
        terminal.forget()
        terminal.type("a * 3\r")
        terminal.expect("'xyxyxy'")


def test_a_question_of_some_rows_is_shown_whole(program):
    terminal = Terminal(program, "-q", columns=40, watches=True)
    terminal.shows("|")
    terminal.type("a = input('one\\n' + '0123456789' * 30 + '? ')\r")
    terminal.expect(r"\? $")
    terminal.wait_for_silence()
    terminal.type("x")
    terminal.wait_for_silence()
    lines = [line.rstrip() for line in terminal.screen.lines()]
    first = lines.index("one")
    assert lines[first + 1:first + 9] == ["0123456789" * 4] * 7 + ["0123456789" * 2 + "? x"], lines
