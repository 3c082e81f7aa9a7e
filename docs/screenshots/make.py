# SPDX-License-Identifier: Apache-2.0
"""make.py TILELAB [NAME...]: makes the pictures of README.md anew, beside this file.

The shell's are SVG, from what it writes to a terminal; the notebook's is a PNG of JupyterLab in Chromium, which
needs a Python with both (pip install jupyterlab nbformat playwright)."""

import html
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "tests", room) for room in ("repl", "fronts")]
from screen import Screen  # noqa: E402
from terminal import Terminal, end_all  # noqa: E402

COLUMNS = 106
START = "import numpy as np, tilelang, tilelang.language as T"
GEMM = """@tilelang.jit(out_idx=[-1])
def gemm(M, N, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"),
             C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[k * 32, bx * 64], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 64])
    return main"""
SHIFT = """@tilelang.jit(out_idx=[-1])
def shift(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=N) as bx:
            s = T.alloc_shared((N,), "float32")
            T.copy(A, s)
            for i in T.Parallel(N):
                s[i] = s[(i + 1) % N]
            T.copy(s, B)
    return main"""
ONES = 'np.ones((256, 256), "float16")'
# NAME: (cells that are run before, cells that the picture shows)
SCENES = {"shell": ([START], [GEMM, "k = gemm(256, 256, 256)", f"k({ONES}, {ONES})", "%passes k"]),
          "layout": ([START, GEMM, "k = gemm(256, 256, 256)"], ["%layout k.a", "%layout k.c[17, 40]"]),
          "finding": ([START], [SHIFT, "%check shift(64)(np.arange(64, dtype='float32'))"])}
NOTEBOOK = [START + "\n\n" + GEMM + "\n\nk = gemm(256, 256, 256)", "%layout k.c"]

BASIC = ["#2e3436", "#ef5350", "#8bc34a", "#ffca28", "#64b5f6", "#ce93d8", "#4dd0e1", "#d3d7cf",
         "#8a8f98", "#ff8a80", "#b2ff59", "#ffe57f", "#90caf9", "#ea80fc", "#84ffff", "#ffffff"]
GROUND, TEXT = "#1e2127", "#d6d9df"
WIDTH, HEIGHT = 8.4, 18  # of a character


def palette(number):
    """A colour of the 256 of xterm."""
    if number < 16:
        return BASIC[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    steps = (0, 95, 135, 175, 215, 255)
    number -= 16
    return "#" + "".join(f"{steps[part]:02x}" for part in (number // 36, number // 6 % 6, number % 6))


class Colours:
    """What a run of escape sequences sets."""

    def __init__(self, style):
        self.front, self.back, self.bold, self.dim, self.line, self.slant = TEXT, None, False, False, False, False
        codes = [int(code) for code in style.split(";") if code]
        while codes:
            code = codes.pop(0)
            if code in (38, 48):
                kind = codes.pop(0)
                colour = palette(codes.pop(0)) if kind == 5 else "#%02x%02x%02x" % tuple(codes.pop(0) for _ in range(3))
                self._set(code == 38, colour)
            elif code % 10 < 8 and code // 10 in (3, 4, 9, 10):
                self._set(code // 10 in (3, 9), BASIC[code % 10 + (8 if code >= 90 else 0)])
            elif code in (39, 49):
                self._set(code == 39, TEXT if code == 39 else None)
            elif code == 7:
                self.front, self.back = self.back or GROUND, self.front
            else:
                self.bold |= code == 1
                self.dim |= code == 2
                self.slant |= code == 3
                self.line |= code == 4
                if code == 22:
                    self.bold = self.dim = False

    def _set(self, front, colour):
        if front:
            self.front = colour
        else:
            self.back = colour

    def attributes(self):
        return (f'fill="{self.front}"' + ' font-weight="bold"' * self.bold + ' opacity="0.6"' * self.dim +
                ' font-style="italic"' * self.slant + ' text-decoration="underline"' * self.line)


class Coloured(Screen):
    """A screen whose styles can be told apart again."""

    def _command(self, letter, arguments):
        if letter == "m" and arguments not in ("", "0"):
            self.style += ";" + arguments
        else:
            super()._command(letter, arguments)


def svg(screen, first, last):
    """The rows of a screen as a picture."""
    out = []
    for row in range(first, last):
        column, y = 0, 14 + (row - first) * HEIGHT + 10
        for text, style in screen.styles(row):
            colours, x = Colours(style), 12 + column * WIDTH
            if colours.back:
                out.append(f'<rect x="{x:.1f}" y="{y - 13}" width="{len(text) * WIDTH:.1f}" height="{HEIGHT}" fill="{colours.back}"/>')
            for word in re.finditer(r"\S+(?: \S+)*", text):  # pictures don't keep several blanks
                out.append(f'<text x="{x + word.start() * WIDTH:.1f}" y="{y}" textLength="{len(word[0]) * WIDTH:.1f}" '
                           f'{colours.attributes()}>{html.escape(word[0], quote=False)}</text>')
            column += len(text)
    width, height = COLUMNS * WIDTH + 24, (last - first) * HEIGHT + 24
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" '
            f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">\n'
            f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>\n' + "\n".join(out) + "\n</svg>\n")


def shell_picture(program, before, cells):
    with tempfile.TemporaryDirectory() as home:
        terminal = Terminal(program, "-q", columns=COLUMNS, rows=70, watches=True, environment={
            "NO_COLOR": "", "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "HOME": home, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home})
        terminal.screen = Coloured(70, COLUMNS)
        terminal.prompt()
        for cell in before:
            run(terminal, cell)
        first = terminal.screen.row
        for cell in cells:
            run(terminal, cell)
        last = terminal.screen.row
        end_all()
    return svg(terminal.screen, first, last)


def run(terminal, cell):
    """Typed and run; the screen holds all of what was shown since."""
    terminal.paste(cell)
    terminal.wait_for_silence()
    terminal.type("\r")
    terminal.prompt()
    terminal.wait_for_silence()


def notebook_picture():
    import place as rooms
    from playwright.sync_api import sync_playwright

    rooms.NAME, rooms.PATIENCE = "tilelab", 200
    place = rooms.Place()
    place.notebook(*NOTEBOOK, name="gemm.ipynb")
    with rooms.Server(place, "jupyterlab", "--IdentityProvider.token=", "--allow-root", "--no-browser",
                "--ServerApp.disable_check_xsrf=True", f"--ServerApp.root_dir={place.path}") as url, sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1000, "height": 980})
        page.set_default_timeout(60000)
        page.goto(url + "/lab/tree/gemm.ipynb")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        page.wait_for_selector("text=tilelab | Idle")  # in the status bar
        page.keyboard.press("Control+B")  # the browser of files goes
        page.click(".lm-MenuBar-itemLabel >> text=Run")
        page.click(".lm-Menu-itemLabel >> text=Run All Cells")
        page.wait_for_selector(".jp-OutputArea-output td")
        page.click(".Toastify button:text-is('No')")  # to news
        page.wait_for_timeout(3000)
        picture = page.screenshot()
        browser.close()
    place.close()
    return picture


def main():
    """Names of pictures choose among them."""
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    for name, (before, cells) in SCENES.items():
        if not names or name in names:
            with open(os.path.join(HERE, name + ".svg"), "w", encoding="utf-8") as file:
                file.write(shell_picture(program, before, cells))
    if not names or "notebook" in names:
        picture = notebook_picture()
        with open(os.path.join(HERE, "notebook.png"), "wb") as file:
            file.write(picture)


if __name__ == "__main__":
    main()
