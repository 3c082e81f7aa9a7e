# SPDX-License-Identifier: Apache-2.0
"""Much output: what a page shows of it, and where the rest is. test_output.py KERNEL [unittest options]"""

import os
import re
import time
import unittest

from case import BINARY, Own, Shared


class Limits(Shared):
    def cut(self, code):
        """(the whole shown text, the content of the file that has the rest)"""
        run = self.client.execute(code)
        text = run.text()
        path = re.search(r"^\.\.\. more than .*: all of it goes to (\S+); the end follows", text, re.M)
        self.assertTrue(path, text[-500:])
        with open(path[1], errors="replace") as file:
            return text, file.read()

    def test_lines_of_python(self):
        text, whole = self.cut("for i in range(200000): print(i)")
        self.assertEqual(whole, "".join(f"{i}\n" for i in range(200000)))
        self.assertTrue(text.startswith("0\n1\n2\n"))
        self.assertLess(text.count("\n"), 10100)
        self.assertIn("... 200000 lines, 1 MB in ", text)
        self.assertTrue(text.endswith("".join(f"{i}\n" for i in range(199980, 200000))), text[-300:])

    def test_output_of_c_code_and_children(self):
        code = "import os\nfor i in range(2000): os.write(1, b'x' * 999 + b'\\n')\nos.system('echo child')"
        text, whole = self.cut(code)
        self.assertEqual(whole, ("x" * 999 + "\n") * 2000 + "child\n")
        self.assertLess(len(text), 1_100_000)
        self.assertTrue(text.endswith("child\n"))

    def test_fifty_megabytes(self):
        for code in ("for i in range(500): print('x' * 99999)", "print('x' * 50_000_000)"):
            text, whole = self.cut(code)
            self.assertEqual(len(whole), 50_000_000 + code.count("print('x' * 50"))
            self.assertLess(len(text), 1_100_000)
        self.assertEqual(self.check("1 + 1").of("execute_result")[0]["data"]["text/plain"], "2")

    def test_both_streams_count_and_an_error_comes_last(self):
        run = self.client.execute("import sys\nfor i in range(8000):\n    print(i)\n    print(i, file=sys.stderr)\n1/0")
        self.assertEqual(run.types[-2:], ["error", "status"])
        self.assertIn("... 16000 lines", run.text())

    def test_many_lines_in_few_messages(self):
        run = self.check("for i in range(9999): print(i)")
        self.assertEqual(run.text(), "".join(f"{i}\n" for i in range(9999)))
        self.assertLess(len(run.of("stream")), 30)

    def test_progress_bars_and_cleared_pages_are_not_cut(self):
        run = self.check("for i in range(30000): print(f'\\r{i:6} of 30000 ' + '.' * 60, end='')")
        self.assertNotIn("more than", run.text())
        run = self.check("from IPython.display import clear_output\nfor i in range(5):\n    clear_output(wait=True)\n"
                         "    print('line\\n' * 3000)")
        self.assertNotIn("more than", run.text())

    def test_what_comes_between_cells_counts_for_itself(self):
        self.check("import threading, time\ndef late():\n    time.sleep(0.2)\n    print('late\\n' * 9000)\n"
                   "threading.Thread(target=late).start()\nprint('x\\n' * 9000)")
        time.sleep(0.5)
        self.assertEqual(self.check("print('y')").text(), "y\n")
        self.check("threading.Thread(target=lambda: (time.sleep(0.2), print('late\\n' * 20000))).start()")
        time.sleep(0.7)
        text = self.check("print('y')").text()
        self.assertIn("... 20001 lines", text)  # complete output
        self.assertTrue(text.endswith("late\n\ny\n"), text[-100:])


class Switch(Own):
    def test_the_limit_is_a_setting(self):
        kernel = self.start(env={"TILELAB_OUTPUT_LINES": "0"})
        self.assertEqual(len(kernel.client.execute("for i in range(500): print('x' * 99999)").text()), 50_000_000)
        kernel = self.start(env={"TILELAB_OUTPUT_LINES": "5"})
        self.assertIn("more than 5 lines", kernel.client.execute("print('x\\n' * 50)").text())

    def test_files_do_not_pile_up(self):
        kernel = self.start()
        for _ in range(13):
            kernel.client.execute("print('x\\n' * 10001)")
        self.assertEqual(len(os.listdir(os.path.join(kernel.dir.name, "tilelab", "outputs"))), 10)

    def test_without_a_place_for_the_file_it_is_said(self):
        kernel = self.start(env={"XDG_STATE_HOME": "/proc"})
        self.assertIn("it is not kept", kernel.client.execute("print('x\\n' * 10001)").text())


class Values(Shared):
    def shown(self, code):
        return self.check(code).of("execute_result")[0]["data"]["text/plain"]

    def test_displays_of_any_size_are_whole(self):
        for mime in ("text/html", "image/svg+xml", "application/javascript", "application/vnd.plotly.v1+json", "text/markdown"):
            data = "{'data': ['x' * 300_000]}" if mime.endswith("json") else "'x' * 300_000"
            run = self.check(f"from IPython.display import display\ndisplay({{'{mime}': {data}, 'text/plain': 'y' * 300_000}}, raw=True)")
            shown = run.of("display_data")[0]["data"]
            self.assertGreaterEqual(len(str(shown[mime])), 300_000, mime)
            self.assertLess(len(shown["text/plain"]), 210_000)

    def test_containers_without_end_are_cut(self):
        for code, end in (("list(range(100000))", "...]"), ("tuple(range(100000))", "...)"),
                          ("set(range(100000))", "...}"), ("{i: i for i in range(100000)}", "...: ...}"),
                          ("[0] * 100000", "...]")):
            text = self.shown(code)
            self.assertLess(len(text), 20000, code)
            self.assertTrue(text.endswith(end + "\n# 100000 elements"), text[-60:])
        self.assertIn("...]", self.shown("{'a': list(range(5000))}"))
        self.assertEqual(self.shown("list(range(20))"), str(list(range(20))))
        self.assertEqual(self.shown("x = []; x.append(x); x"), "[[...]]")

    def test_precision(self):
        self.check("%precision 3")
        self.assertEqual(self.shown("[1.23456, {'a': (2.0,)}]"), "[1.235, {'a': (2.000,)}]")
        self.assertEqual(self.shown("1 / 3"), "0.333")
        self.check("%precision %.2e")
        self.assertEqual(self.shown("1 / 3"), "3.33e-01")
        self.check("%precision")
        self.assertEqual(self.shown("1 / 3"), "0.3333333333333333")
        self.assertEqual(self.client.execute("%precision x").reply["status"], "error")


class Errors(Own):
    CODE = "def f(x):\n    y = 0\n    return x / y\n\nf(1)"

    def test_lines_around(self):
        lines = self.start().client.execute(self.CODE).reply["traceback"]
        self.assertEqual(lines[1:], [
            "  cell 1, line 5", "      3     return x / y", "      4", "----> 5 f(1)",
            "  cell 1, line 3, in f", "      1 def f(x):", "      2     y = 0", "----> 3     return x / y",
            "                   ^^^^^", "      4", "      5 f(1)", "ZeroDivisionError: division by zero"])

    def test_groups_show_their_members(self):
        kernel = self.start()
        lines = kernel.client.execute(
            "import asyncio\nasync def bad(n): raise ValueError(n)\nasync with asyncio.TaskGroup() as g:\n"
            "    g.create_task(bad(1)); g.create_task(bad(2))").reply["traceback"]
        first, second = lines.index("  1 of 2:"), lines.index("  2 of 2:")
        self.assertEqual(lines[first - 1], "ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)")
        self.assertEqual(lines[first + 1:first + 3], ["    Traceback (most recent call last):", "      cell 1, line 2, in bad"])
        self.assertEqual((lines[second - 1], lines[-1]), ("    ValueError: 1", "    ValueError: 2"))
        lines = kernel.client.execute("g = ValueError(0)\nfor i in range(99): g = ExceptionGroup('g', [g] * 12)\nraise g").reply["traceback"]
        self.assertLess(len(lines), 10_000)
        self.assertEqual(lines[-1], "  [2 more]")

    def test_colours(self):
        kernel = self.start(env={"NO_COLOR": ""})
        reply = kernel.client.execute(self.CODE).reply
        self.assertIn("\x1b[1;38;5;196m----> 3\x1b[0m", "\n".join(reply["traceback"]))
        self.assertNotIn("\x1b", reply["ename"] + reply["evalue"])
        reply = kernel.client.execute(
            "import tilelang, tilelang.language as T\n@T.prim_func\n"
            "def f(A: T.Tensor((64, 64), 'float32')):\n    with T.Kernel(1, threads=64) as bx:\n"
            "        s = T.alloc_shared((8, 8), 'float32')\n        T.copy(A[0:9, 0:3], s[0:4, 0:4])\n"
            "tilelang.compile(f)").reply
        self.assertIn("\x1b[1merror[copy-shape]", "\n".join(reply["traceback"]))
        self.assertIn("\x1b[1;38;5;65mhelp", "\n".join(reply["traceback"]))
        self.assertNotIn("\x1b", reply["evalue"])


if __name__ == "__main__":
    unittest.main()
