# SPDX-License-Identifier: Apache-2.0
"""Threads beside the prompt: one thread at a time reads the keyboard, and nothing that they do ends the shell."""

import contextlib
import itertools
import os
import random
import re
import subprocess
import sys

from terminal import Terminal

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import late_actions  # noqa: E402

ASKING = ["input('q> ')", "__import__('getpass').getpass('q> ')", "__import__('sys').stdin.readline()", "breakpoint()",
          "__import__('pdb').set_trace()"]
KEYS = ["\r\x03", "\x03\x03", "\x04\x03", "a\r\x03", "ab\x03\r", "\x12a\x03", "1+1\r\x03", "x = input('mine> ')\r\x03\r"]


def _shell(program):
    terminal = Terminal(program, "-q")
    terminal.prompt()
    terminal.run("import sys, threading, time; kept = 7")
    return terminal


def _answer(terminal):
    """Ends the questions and debuggers of threads: with an empty line at the prompt the next one gets the keyboard."""
    terminal.type("\x03")
    at_prompt = 0
    for _ in range(200):
        terminal.wait_for_silence()
        last = terminal.text.rsplit("\n", 1)[-1]
        at_prompt = at_prompt + 1 if re.search(r"tl\[\d+\]> $", last) else 0
        if at_prompt == 3:
            return
        terminal.type("c\r" if "(Pdb)" in last else "\r")


def _lives(terminal, what):
    for tries_left in reversed(range(5)):
        _answer(terminal)
        terminal.type("print('k' + f'ept {kept}')\r")
        try:
            terminal.expect(r"\nkept 7\n")
            return terminal.prompt()
        except AssertionError as error:
            # The debugger of a slow thread may take the keyboard, and answers the line.
            if not tries_left or "(Pdb) " not in terminal.text:
                raise AssertionError(f"{what}: {error}") from None


def test_a_thread_that_asks_gets_the_keyboard_after_the_prompt(program):
    terminal = _shell(program)
    terminal.run("threading.Timer(.05, lambda: sys.stdout.write('got ' + input('mine> ') + '\\n')).start()")
    terminal.wait_for_silence()
    terminal.type("\r")
    terminal.expect("mine> $")
    terminal.type("abc\r")
    terminal.expect("got abc\n")
    terminal.prompt()
    assert terminal.run("kept") == "7\n"


def test_threads_of_a_cell_ask_while_it_waits(program):
    terminal = _shell(program)
    terminal.type("import asyncio; await asyncio.gather(*[asyncio.to_thread(input, f'{n}> ') for n in 'ab'])\r")
    for answer in "xy":
        terminal.expect("[ab]> $")
        terminal.type(answer + "\r")
    assert terminal.prompt().splitlines()[-1] in ("['x', 'y']", "['y', 'x']")


def test_a_thread_that_asks_at_the_end_is_answered(program):
    terminal = _shell(program)
    terminal.run("threading.Timer(.05, lambda: sys.stdout.write('got ' + input('mine> ') + '\\n')).start()")
    terminal.type("\x04")
    terminal.expect("mine> $")
    terminal.type("abc\r")
    terminal.expect("got abc\n")
    assert terminal.wait() == 0
    terminal = _shell(program)
    terminal.type("threading.Thread(target=input, args=('mine> ',), daemon=True).start(); time.sleep(.2); exit()\r")
    assert terminal.wait() == 0


def test_no_keys_end_a_shell_whose_thread_asks(program):
    every = list(itertools.product(ASKING, KEYS))
    for body, keys in every if late_actions.LONG else random.Random(late_actions.SEED).sample(every, 4):
        terminal = _shell(program)
        terminal.run(f"threading.Timer(.05, lambda: {body}).start()")
        for key in keys:
            terminal.wait_for_silence()
            terminal.type(key)
        for _ in range(3 if "\x04" in keys else 0):  # debuggers continue after Ctrl-C
            terminal.wait_for_silence()
            with contextlib.suppress(OSError):
                terminal.type("c\r")
        if "\x04" in keys:
            assert terminal.wait() == 0, (late_actions.SEED, body, keys)
        else:
            _lives(terminal, (late_actions.SEED, body, keys))


def test_what_is_done_between_cells_works_or_raises(program):
    ends = {"exit()", "import sys; sys.exit(3)"}  # of a thread of Python's own these end the thread
    for n, programs in enumerate(late_actions.programs([t for t in late_actions.TRIGGERS if t != "pool"], 8, 1600)):
        if n % late_actions.PER_SESSION == 0:
            terminal = _shell(program)
            terminal.run("late = []")
        code, name = late_actions.cell(programs, n)
        terminal.paste(code)
        terminal.type("\r")
        terminal.wait_for_silence()
        if not ends & {action for _, action in programs}:
            terminal.type(f"{name}.\t")
        _lives(terminal, (late_actions.SEED, *programs))
        terminal.forget()


def test_a_replaced_descriptor_0_ends_the_shell_as_the_end_of_its_input(program):
    for path in ("/dev/null", "/dev/zero"):
        terminal = _shell(program)
        terminal.type(f"import os; os.dup2(os.open('{path}', 0), 0)\r")
        assert terminal.wait() == 0, path


def test_no_thread_that_interrupts_is_started_at_exit(program):
    """It would run while Python is finalized: one session in some hundreds ended by SIGSEGV."""
    cell = "import sys\nclass Q:\n    def __del__(self): print(sys.unraisablehook is sys.__unraisablehook__)\nq = Q()\n"
    done = subprocess.run([program, "-q"], input=cell, capture_output=True, text=True, timeout=60)
    assert done.stdout == "True\n" and done.returncode == 0, done
