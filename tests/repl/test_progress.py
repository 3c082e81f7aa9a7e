# SPDX-License-Identifier: Apache-2.0
"""The display of a long-running kernel: one line that counts, and is gone at the end."""

import os
import subprocess
import time

from terminal import Terminal

SLOW = """import numpy as np, tilelang, tilelang.language as T
@T.prim_func
def slow(A: T.Tensor((64,), "int32"), turns: T.int32):
    with T.Kernel(64, threads=32) as bx:
        if T.get_thread_binding() == 0:
            for i in T.serial(turns):
                A[bx] = A[bx] + (i & 1)
k, a = tilelang.compile(slow), np.zeros(64, "int32")
"""
FAST_ENOUGH = "k(a, 5000); import time; t = time.perf_counter(); k(a, 5000); each = (time.perf_counter() - t) / 5000\n"
LONG = "turns = int(5 / each); "  # some seconds, whatever the machine does meanwhile
LINE = r"kernel slow, simulated: \d+ of 64 blocks, \d+ s"


def on_screen(raw):
    """The last line that a terminal would show, of what came after the last newline."""
    line = ""
    for part in raw.decode().rsplit("\n", 1)[-1].split("\r"):
        line = part + line[len(part):]
    return line


def slow_kernel_in(program):
    """A shell that knows the kernel `k` and its arguments."""
    terminal = Terminal(program, "-q")
    terminal.prompt()
    terminal.paste(SLOW + FAST_ENOUGH + LONG + 'print("ready")')
    terminal.type("\r")
    terminal.expect(r"ready\n", 30)
    terminal.prompt()
    return terminal


def test_a_line_counts_blocks_and_goes_away(program):
    terminal = slow_kernel_in(program)
    terminal.type('k(a, turns); print("over")\r')
    first = terminal.expect(LINE, 30).group()
    while terminal.expect(LINE, 30).group() == first:
        pass  # it counts, sooner or later
    terminal.expect("over", 60)
    before = terminal.raw[:terminal.raw.rindex(b"over")]
    assert on_screen(before).strip() == "", on_screen(before)
    terminal.prompt()
    terminal.type("\x04")
    assert terminal.wait() == 0


def test_check_says_its_level(program):
    terminal = slow_kernel_in(program)
    terminal.type("%check k(a, turns) --all\r")
    terminal.expect(r"check of slow at tile level, simulated: \d+ of 64 blocks", 60)
    terminal.type("\x03")
    terminal.expect("KeyboardInterrupt", 10)


def test_a_pipe_is_clean(program):
    code = SLOW + FAST_ENOUGH + LONG + 'k(a, turns); print("over")'
    made = subprocess.run([program, "-c", code], capture_output=True, text=True)
    assert made.stdout == "over\n" and made.stderr == "", made


COMPILED = """import os, numpy as np, tilelang, tilelang.language as T
def made(factor):
    @T.prim_func
    def scaled(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(64):
                A[i] = A[i] * factor
    return tilelang.compile(scaled, target="c")
a = np.ones(64, "float32")"""
COMPILING = r"kernel scaled, compiled by the C\+\+ compiler: \d+ s"


def with_slow_compiler(program, seconds):
    """A shell whose C++ compiler sleeps first; it writes its number into a file."""
    with open("slow-c++", "w") as file:
        file.write(f"#!/bin/sh\necho $$ > compiler.pid\nsleep {seconds}\nexec c++ \"$@\"\n")
    os.chmod("slow-c++", 0o755)
    terminal = Terminal(program, "-q", environment={"TILELAB_CXX": os.path.abspath("slow-c++")})
    terminal.prompt()
    terminal.paste(COMPILED)
    terminal.type("\r")
    terminal.prompt()
    return terminal


def test_a_compilation_says_how_long_it_takes(program):
    terminal = with_slow_compiler(program, 2)
    terminal.type('made(2.0)(a); print("over", a[0])\r')
    terminal.expect(COMPILING, 30)
    terminal.expect(r"over 2\.0", 60)
    before = terminal.raw[:terminal.raw.rindex(b"over")]
    assert on_screen(before).strip() == "", on_screen(before)
    terminal.prompt()
    terminal.type('made(3.0)(a); print("again", a[0])\r')
    terminal.expect(COMPILING + r", about \d+ s more", 30)  # as long as the last
    terminal.expect(r"again 6\.0", 60)
    terminal.prompt()
    terminal.type("\x04")
    assert terminal.wait() == 0


def test_ctrl_c_ends_a_compiler(program):
    terminal = with_slow_compiler(program, 100)
    terminal.type("k = made(2.0); k(a)\r")
    terminal.expect(COMPILING, 30)
    begun = time.monotonic()
    terminal.type("\x03")
    terminal.expect("KeyboardInterrupt: while compiling kernel scaled", 10)
    assert time.monotonic() - begun < 5
    terminal.prompt()
    with open("compiler.pid") as file:
        number = int(file.read())
    while os.path.exists(f"/proc/{number}"):
        assert time.monotonic() - begun < 10, "the compiler runs on"
        time.sleep(0.05)
    terminal.run('os.environ["TILELAB_CXX"] = "c++"')
    assert terminal.run("k(a); float(a[0])").endswith("2.0\n")
    terminal.type("\x04")
    assert terminal.wait() == 0
