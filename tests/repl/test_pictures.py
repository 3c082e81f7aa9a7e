# SPDX-License-Identifier: Apache-2.0
"""--svg: views with a picture write it, the others say which have one."""

import base64
import os
import re
import struct
import xml.etree.ElementTree as xml
import zlib

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


def png(rows, filters=(0,), colour=2):
    """A PNG of rows of pixels, each row with the next of the filters: 0 none, 1 left, 2 above, 3 average, 4 Paeth."""
    raw, above = b"", [(0,) * len(rows[0][0])] * len(rows[0])
    for y, row in enumerate(rows):
        kind = filters[y % len(filters)]
        raw += bytes([kind])
        for x, pixel in enumerate(row):
            for c, value in enumerate(pixel):
                a, b, d = row[x - 1][c] if x else 0, above[x][c], above[x - 1][c] if x else 0
                nearest = min((abs(b - d), 0, a), (abs(a - d), 1, b), (abs(a + b - 2 * d), 2, d))[2]
                raw += bytes([(value - (0, a, b, (a + b) // 2, nearest)[kind]) % 256])
        above = row

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


def displayed(program, data, **environment):
    """The bytes and the text of a terminal in which a picture is displayed, as an object and as a result."""
    terminal = Terminal(program, "-q", "--no-pager", environment=environment)
    terminal.prompt()
    with open("picture.png", "wb") as file:
        file.write(data)
    terminal.run("from IPython.display import Image, display; picture = Image(filename='picture.png')")
    text = terminal.run("display(picture)")
    raw = terminal.raw
    terminal.run("picture")
    terminal.run("from tilelab._session.terminal_pictures import png_pixels")
    pixels = terminal.run("print(png_pixels(picture.data).tolist())")
    terminal.type("\x04")
    assert terminal.wait() == 0
    return raw, terminal.raw, text, pixels


def test_pictures_in_a_terminal(program):
    rows = [[(255, 0, 0)] * 5 + [(0, 0, 255)] * 2] * 7
    data = png(rows)
    code = base64.b64encode(data)
    raw, all_raw, _, pixels = displayed(program, data, TERM="xterm-kitty")
    assert b"\x1b_Ga=T,f=100,q=2,m=0;" + code + b"\x1b\\" in raw, raw
    assert all_raw.count(b"\x1b_G") == 2  # the result as well
    assert str([list(p) for p in rows[0]]) in pixels
    raw, *_ = displayed(program, data, TERM_PROGRAM="WezTerm")
    assert b"\x1b]1337;File=inline=1;size=%d:" % len(data) + code + b"\x07" in raw, raw
    raw, *_ = displayed(program, data, TERM="foot")
    assert b'\x1bPq"1;1;7;7#5;2;0;0;100#180;2;100;0;0#5!5?~~$#180!5~??-#5!5?@@$#180!5@??-\x1b\\' in raw, raw
    for environment in ({}, {"TERM": "tmux-256color", "TERM_PROGRAM": "iTerm.app"}):
        raw, _, text, _ = displayed(program, data, **environment)
        name = re.search(r"\S+figure-1\.png", text)[0]
        assert "object>   /" in text and not os.path.exists(name), text  # it ends with its session
    raw, _, text, _ = displayed(program, data, TERM="xterm-kitty", TILELAB_PICTURES="off")
    assert b"\x1b_G" not in raw and "figure-1" not in text and "Image object>" in text


def test_filters_of_pictures(program):
    rows = [[((x * 37 + y * 11) % 256, x * y % 256, (200 - 13 * x) % 256) for x in range(6)] for y in range(10)]
    *_, pixels = displayed(program, png(rows, (0, 1, 2, 3, 4)), TERM="foot")
    assert str([[list(p) for p in row] for row in rows]).replace(" ", "") in pixels.replace("\n", "").replace(" ", ""), pixels
    *_, pixels = displayed(program, png([[(0, 255), (0, 0)]], colour=4), TERM="foot")
    assert "[[[0, 0, 0], [255, 255, 255]]]" in pixels, pixels
