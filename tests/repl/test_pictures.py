# SPDX-License-Identifier: Apache-2.0
"""--svg: views with a picture write it, the others say which have one."""

import os
import re
import xml.etree.ElementTree as xml

from terminal import Terminal

KERNEL = """import numpy as np, tilelang, tilelang.language as T
@T.prim_func
def product(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        a = T.alloc_shared((64, 32), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.clear(c)
        for k in T.Pipelined(2, num_stages=2):
            T.copy(A[0, k * 32], a)
            T.gemm(a, a, c, transpose_B=True)
        T.copy(c, B)
k = tilelang.compile(product, out_idx=[1]); a = np.ones((64, 64), "float16")"""
SVG = "{http://www.w3.org/2000/svg}"


def drawn(name):
    """Elements of the file by their kind."""
    root = xml.parse(name).getroot()
    assert root.tag == SVG + "svg" and float(root.get("width")) > 0 and float(root.get("height")) > 0
    kinds = {}
    for element in root.iter():
        kinds.setdefault(element.tag.replace(SVG, ""), []).append(element)
    assert "script" not in kinds and "foreignObject" not in kinds
    return kinds


def test_pictures_are_written(program):
    terminal = Terminal(program, "-q")
    terminal.prompt()
    terminal.paste(KERNEL)
    terminal.type("\r")
    terminal.prompt()
    assert terminal.run("%layout k.c --svg layout.svg").startswith("the picture is in layout.svg, ")
    assert len(drawn("layout.svg")["rect"]) > 100
    assert terminal.run("%trace k(a) --after schedule_pipelines --svg trace.svg").startswith("the picture is in trace.svg")
    kinds = drawn("trace.svg")
    events = int(terminal.run("k.trace(a, after='schedule_pipelines').count"))
    assert len(kinds["title"]) == events and len(kinds["path"]) > 0, (events, len(kinds["title"]))
    assert "gemm" in "".join(title.text for title in kinds["title"])
    assert terminal.run("%trace k(a) --buffer a --svg parts.svg").startswith("the picture is in parts.svg")
    words = " ".join(t.text for t in drawn("parts.svg")["text"])
    assert "a as it is read" in words and "a as it is written" in words, words
    assert terminal.run("open('same.svg', 'w').write(k.trace(a, buffer='a').svg) > 0") == "True\n"
    with open("same.svg") as one, open("parts.svg") as two:
        assert one.read() == two.read()
    terminal.type("\x04")
    assert terminal.wait() == 0


def test_what_has_no_picture_says_so(program):
    terminal = Terminal(program, "-q")
    terminal.prompt()
    terminal.paste(KERNEL)
    terminal.type("\r")
    terminal.prompt()
    for command in ("%source k", "%passes k", "%check k(a)", "%explain k", "%diff k"):
        said = " ".join(terminal.run(command + " --svg x.svg").split())
        assert said.startswith(command.split()[0] + " has no picture; --svg is an option of %layout, %trace"), said
    assert "a comparison has no picture" in terminal.run("%layout k.c k.c --svg x.svg")
    assert "use --svg without it to draw" in " ".join(terminal.run("%trace k(a) --at 1 --svg x.svg").split())
    assert "cannot be written: No such file or directory" in terminal.run("%layout k.c --svg nowhere/x.svg")
    assert not os.path.exists("x.svg")
    terminal.type("\x04")
    assert terminal.wait() == 0


def test_a_map_on_a_narrow_page_marks_what_is_code(program):
    terminal = Terminal(program, "-q", columns=80)
    terminal.prompt()
    terminal.paste(KERNEL)
    terminal.type("\r")
    terminal.prompt()
    lines = terminal.run("%map k").splitlines()
    code = [line for line in lines if line.startswith("    | ")]
    assert any("tl_" in line for line in code) and not any("tl_" in line for line in lines if line not in code), lines
    assert all(len(line) <= 80 for line in lines), lines
    assert any(re.match(r" +\d+ .*T\.gemm", line) for line in lines), lines
    terminal.type("\x04")
    assert terminal.wait() == 0
