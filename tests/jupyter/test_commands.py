# SPDX-License-Identifier: Apache-2.0
"""Commands that show kernels, in a notebook: test_commands.py KERNEL [unittest options]. tests/commands.py has the
cells; what has HTML shows the same there."""

import html
import os
import re
import sys
import unittest

from case import BINARY, Shared
from harness import Kernel

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import commands  # noqa: E402


class Commands(Shared):
    def test_what_commands_show(self):
        with_html = 0
        for cell, texts in commands.CELLS:
            run = self.check(cell)
            bundles = [m["data"] for m in run.of("display_data") + run.of("execute_result")]
            plain = commands.text_in(run.text() + "".join(b["text/plain"] for b in bundles))
            marked = "".join(b.get("text/html", "") for b in bundles)
            bare = commands.text_in(html.unescape(re.sub(r"<[^>]*>", "", marked)))
            for text in texts:
                self.assertIn(text, plain)
                if marked:
                    self.assertIn(" ".join(text.split()), " ".join(bare.split()))
            self.assertNotIn("<script", marked)
            with_html += bool(marked)
        self.assertGreaterEqual(with_html, 9)

    def test_constants_that_leave_a_choice(self):
        self.check(commands.CELLS[0][0])
        self.check(next(cell for cell, _ in commands.CELLS if "made = chosen" in cell))
        for name, expected in (("chosen[N=8]", "note: chosen[N=8] is chosen#1[N=8, M=16]@mp_31, the latest of 2 matches\n"),
                               ("chosen[N=8, M=8]", ""), ("chosen[M=8]", ""), ("chosen", "")):
            self.assertEqual(self.check(f"x = %ir {name}").text("stderr"), expected, name)

    def test_wrong_ones_say_why(self):
        for cell in commands.CELLS[0][0], *(cell for cell, _ in commands.CELLS if "def leaned" in cell or "byted =" in cell):
            self.check(cell)
        for cell, text in commands.WRONG:
            run = self.client.execute(cell)
            self.assertEqual(run.reply["status"], "error")
            traceback = "\n".join(run.of("error")[0]["traceback"])
            self.assertIn(text, traceback)
            self.assertNotIn("During its handling", traceback)

    def test_a_tutorial_is_copied_beside_the_notebook(self):
        self.check("import os, tempfile; before = os.getcwd(); os.chdir(tempfile.mkdtemp())")
        for words in ("is a copy of the tutorial", "is already in this folder"):
            shown = self.check("%tutorial layouts").of("display_data")[0]["data"]["text/html"]
            self.assertIn('<a href="02-layouts.ipynb" target="_blank">', shown)
            self.assertIn(words, shown)
        self.assertEqual(self.check("print(os.listdir()); os.chdir(before)").text(), "['02-layouts.ipynb']\n")

    def test_prints_and_assertions_say_where_and_what(self):
        self.check(commands.CELLS[0][0])
        run = self.client.execute(commands.ASSERTS)
        self.assertRegex(run.text(), r"ThreadIdx=\(2, 0, 0\): dtype=float32 value=6.000000   \(cell \d+, line 6\)")
        self.assertRegex(run.text(), r"device assert failed: .*A\[bx \* 4 \+ i\] = 7.000000   \(cell \d+, line 7\)")

    def test_stepping_asks_as_pdb_does(self):
        self.check(commands.CELLS[0][0])
        cell = "%dbg k(np.ones((64, 32), np.float32))"
        started = self.client.start(cell)
        for answer in ("s", "p r.shape", "back", "q"):
            question = self.client.wait_for("stdin", "input_request")["content"]
            self.assertEqual(question["prompt"], "(dbg) ")
            self.client.send("input_reply", {"value": answer}, "stdin")
        run = self.client.finish(started)
        self.assertEqual(run.reply["status"], "ok")
        for text in ("0: line 7:", "1: line 9:", "(32,)"):
            self.assertIn(text, run.text())
        # Each stop shows the source around it, and what changed.
        self.assertIn("->    9         T.reduce_sum(x, r, dim=1)\n     10         T.copy(r, B[bx * 32])", run.text())
        self.assertRegex(run.text(), r"changed +where +before +now\n")
        self.assertRegex(run.text(), r"\n +x +\[0, 0\] and 1023 more +not written +1\n")
        self.assertNotIn("->    9", self.check(cell + ' -c "s"').text())
        self.assertEqual(self.client.execute(cell, allow_stdin=False).reply["status"], "error")

    def test_what_is_shown_in_a_browser_and_in_a_pdf(self):
        """Fonts of LaTeX have no frames; pages without a style may have proportional <pre>."""
        shown = self.check("%puzzle 2").of("display_data")[0]["data"]
        self.assertIn("A[N] ──────▶ a[TILE] ────┐", shown["text/plain"])
        self.assertIn("A[N] ------> a[TILE] ----+", shown["text/latex"])
        self.assertTrue(shown["text/latex"].isascii())
        for part in ("<code>for i in T.Parallel(TILE)</code>", "%%puzzle 2 checks it", "In NumPy:", "Budget:"):
            self.assertIn(part, shown["text/html"])
        self.assertNotIn("<pre>", shown["text/html"])
        with Kernel(BINARY, env={"NO_COLOR": ""}) as kernel:
            cell = kernel.client.execute("%puzzle 1").reply["payload"][0]["text"].replace("# your kernel", "T.nothing()  #")
            shown = kernel.client.execute(cell).of("display_data")[0]["data"]
        self.assertIn('<span style="color:#d9453d">^^^^^^^^^</span>', shown["text/html"])
        self.assertNotIn("\x1b", shown["text/html"] + shown["text/plain"])
        self.check(commands.CELLS[0][0])
        shown = self.check("%passes twice").of("display_data")[0]["data"]
        self.assertEqual(shown["text/latex"], "\\begin{Verbatim}[fontsize=\\scriptsize]\n" + shown["text/plain"] +
                         "\n\\end{Verbatim}\n")

    def test_what_fills_an_empty_ir_cell(self):
        self.check(commands.CELLS[0][0])
        run = self.check("%%ir k --after simplify --as again\n")
        self.assertIn("this cell holds the IR of", run.of("display_data")[0]["data"]["text/plain"])
        payload = run.reply["payload"]
        self.assertEqual([(p["source"], p["replace"]) for p in payload], [("set_next_input", True)])
        self.assertIn('with kernel("twice_k0"', payload[0]["text"])
        shown = self.check(payload[0]["text"]).of("display_data")[0]["data"]["text/plain"]
        self.assertRegex(shown, r"again is twice#\d+@mp_31~1: flat level, no pass remains")

    def test_completion(self):
        self.check(commands.CELLS[0][0])
        before = self.check("%kernels --json").of("display_data")[0]["data"]["application/json"]
        of_rows = [completed for _, completed, _ in commands.ROWS.values()]
        for code, wanted in of_rows + [("%exp", "%explain"), ("%ma", "%map"), ("%explain copy-sh", "copy-shape"),
                             ("%explain twi", "twice"), ("%map k --after lower", "lower_tile_ops"),
                             ("%%i", "%%ir"), ("%%ir k --a", "--as")]:
            reply = self.client.request("complete_request", {"code": code, "cursor_pos": len(code)})
            self.assertIn(wanted, reply["matches"], code)
        after = self.check("%kernels --json").of("display_data")[0]["data"]["application/json"]
        self.assertEqual(before, after, "completion compiles nothing")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[1:])
