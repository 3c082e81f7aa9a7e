# SPDX-License-Identifier: Apache-2.0
"""Habits of IPython users: test_habits.py KERNEL [unittest options]"""

import os
import pathlib
import tempfile
import time
import unittest

from case import BINARY, Own, Shared
from harness import Kernel


class Habits(Shared):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = directory.name

    def value(self, code):
        return self.check(code).of("execute_result")[0]["data"]["text/plain"]

    def display(self, code):
        return self.check(code).of("display_data")[0]["data"]

    def failing(self, code, text):
        run = self.client.execute(code)
        self.assertEqual(run.reply["status"], "error")
        self.assertIn(text, "\n".join(run.reply["traceback"]))

    def test_previous_inputs(self):
        self.check("a = 1")
        count = self.check("a = 2").reply["execution_count"]
        self.assertEqual(self.value(f"_i, _ii, _i{count - 1}"), "('a = 2', 'a = 1', 'a = 1')")
        self.assertNotIn("_i", self.display("%who")["text/plain"].split())

    def test_shells(self):
        self.assertEqual(self.check("%%bash\nfor i in 1 2; do echo $i {x}; done").text(), "1 {x}\n2 {x}\n")
        self.assertEqual(self.check("%%sh -e\necho $0 $-").text().split()[0], "sh")
        self.assertEqual(self.check("%%script python3 -\nprint(6 * 7)").text(), "42\n")
        self.failing("%%bash\nexit 3", "bash ended with status 3")
        self.failing("%%script no_such_program\nx", "no_such_program: No such file")
        self.failing("%%script", "needs a program")

    def test_markup(self):
        for name, mime in (("html", "text/html"), ("markdown", "text/markdown"), ("latex", "text/latex"),
                           ("svg", "image/svg+xml"), ("javascript", "application/javascript")):
            self.assertEqual(self.display(f"%%{name}\n<b>{{x}}</b>\n")[mime].strip(), "<b>{x}</b>")

    def test_writefile(self):
        file = os.path.join(self.path, "a.py")
        self.assertIn("wrote " + file, self.display(f"%%writefile {file}\nx = {{1}}\n")["text/plain"])
        self.check(f"%%writefile -a {file}\ny = 2")
        with open(file) as text:
            self.assertEqual(text.read(), "x = {1}\ny = 2\n")
        self.failing(f"%%writefile {self.path}/no/a.py\nx", "No such file")
        self.failing("%%writefile\nx", "takes one file")

    def test_capture(self):
        run = self.check("%%capture c\nimport sys\nprint('out'); print('err', file=sys.stderr)\ndisplay(1)\n6 * 7")
        self.assertEqual(run.types, ["status", "execute_input", "status"])
        self.assertEqual(self.value("c.stdout, c.stderr, c.outputs"), r"('out\n', 'err\n', [1, 42])")
        run = self.check("c.show()")
        self.assertEqual((run.text(), run.text("stderr"), len(run.of("display_data"))), ("out\n", "err\n", 2))
        self.assertEqual(self.client.execute("%%capture --no-stdout c\nprint('seen')\n1/0").text(), "seen\n")
        self.assertEqual(self.check("print('back')").text(), "back\n")

    def test_config(self):
        self.check("%config InlineBackend.figure_format = 'retina'")
        self.check("%config InlineBackend.figure_formats = ['svg', 'png']")
        self.assertIn("['svg', 'png']", self.display("%config InlineBackend.figure_formats")["text/plain"])
        self.failing("%config InlineBackend.figure_format = 'gif'", "figures are png")
        self.assertIn("no effect", self.display("%config IPCompleter.use_jedi = False")["text/plain"])
        self.failing("%config NoSuchClass.x = 1", "unknown option NoSuchClass.x")
        self.check("%config InlineBackend.figure_format = 'png'")

    def test_names_files_commands(self):
        self.check("first = 1.5")
        self.assertIn("first", self.display("%whos float")["text/plain"])
        open(os.path.join(self.path, "seen file"), "w").close()
        self.assertIn("seen file", self.check(f"%ls {self.path}").text())
        self.assertIn("total", self.check(f"%ls -l {self.path}").text())
        names = self.display("%lsmagic")["text/plain"]
        self.assertIn("%%capture", names)
        self.assertIn("%autoreload", names)

    def test_pip_and_a_pipe(self):
        self.assertEqual(self.check("%pip --version | cut -c1-3").text(), "pip\n")
        self.assertEqual(self.check("%pip list 2>/dev/null | head -0").text(), "")

    def test_profile(self):
        run = self.check("%%prun -l 4 -s cumulative\ndef slow(): return sum(range(1000))\nslow()")
        page = run.reply["payload"][0]["data"]["text/plain"]
        self.assertIn("slow", page)
        self.assertEqual(self.check("p = %prun -q -r sum([1])").reply["payload"], [])
        self.assertIn("Stats", self.value("type(p).__name__"))
        self.failing("%prun -s nothing 1", "-s takes")

    def ask(self, code, *answers):
        """Runs a cell that asks; gives its text."""
        msg_id = self.client.start(code)
        for answer in answers:
            self.client.wait_for("stdin", "input_request")
            self.client.send("input_reply", {"value": answer}, "stdin")
        return self.client.finish(msg_id)

    def test_debugger(self):
        self.client.execute("def f(x):\n    y = x + 1\n    return y / 0\nf(41)")
        text = self.ask("%debug", "p y", "l", "q").text()
        self.assertIn("42", text)
        self.assertIn("-> return y / 0", text)
        self.assertEqual(self.client.execute("%debug", allow_stdin=False).reply["status"], "error")
        self.assertIn("the debugger opens", self.display("%pdb on")["text/plain"])
        run = self.ask("f(1)", "p y * 100", "q")
        self.assertEqual((run.reply["ename"], "200" in run.text()), ("ZeroDivisionError", True))
        self.assertEqual(self.client.execute("f(1)", allow_stdin=False).reply["ename"], "ZeroDivisionError")
        self.check("%pdb off")
        self.assertEqual(self.client.execute("f(1)").reply["ename"], "ZeroDivisionError")
        self.assertIn("42", self.ask("%debug f(41)", "s", "n", "n", "p y", "q").text())

    def test_an_interrupt_after_the_debugger_ends_the_cell(self):
        for cell in ("breakpoint()", "import pdb\npdb.set_trace()"):
            self.assertEqual(self.ask(cell, "c").reply["status"], "ok")
            msg_id = self.client.start("import time\nprint('waiting', flush=True)\ntime.sleep(30)", allow_stdin=False)
            self.client.wait_for("iopub", "stream")
            self.kernel.interrupt()
            self.assertEqual(self.client.finish(msg_id).reply["ename"], "KeyboardInterrupt")

    def test_get_ipython(self):
        self.assertEqual(self.value("get_ipython().__class__.__name__"), "'ZMQInteractiveShell'")
        self.assertEqual(self.value("from IPython import get_ipython\nget_ipython() is not None"), "True")
        self.assertEqual(self.value("get_ipython().run_line_magic('pwd', '')"), repr(os.getcwd()))
        self.assertEqual(self.value("get_ipython().getoutput('echo a; echo b')"), "['a', 'b']")
        self.assertEqual(self.check("get_ipython().run_cell_magic('bash', '', 'echo x')").text(), "x\n")
        self.assertEqual(self.value("get_ipython().user_ns is globals()"), "True")
        self.check("def hook(): print('before')\nget_ipython().events.register('pre_run_cell', hook)")
        self.assertEqual(self.check("print('cell')").text(), "before\ncell\n")
        self.check("get_ipython().events.unregister('pre_run_cell', hook)")
        self.assertEqual(self.check("print('cell')").text(), "cell\n")

    def test_ipython_without_ipython(self):
        """The imports that notebooks have, where the package is not there."""
        self.check("from IPython.core.magic import register_line_magic, register_cell_magic, register_line_cell_magic\n"
                   "@register_line_magic\ndef twice(line): return line * 2\n"
                   "@register_line_cell_magic('both')\ndef f(line, cell=None): return line, cell\n"
                   "@register_cell_magic\ndef count(line, cell): return len(cell)")
        self.assertEqual(self.value("x = %twice ab\nx"), "'abab'")
        self.assertEqual(self.value("x = %both a\nx"), "('a', None)")
        self.check("%%count\nabc")
        self.check("from IPython.core.display import HTML, display")
        for code, part in (("IFrame('https://a.b/?x', 10, 20)", 'src="https://a.b/?x"'),
                           ("YouTubeVideo('abc')", "youtube.com/embed/abc"),
                           ("Audio([0.0, 0.5, -0.5], rate=8000)", "data:audio/x-wav;base64,UklGR"),
                           ("Video('https://a.b/c.mp4')", '<video src="https://a.b/c.mp4" controls'),
                           ("FileLink('/proc/version')", 'href="/proc/version"'), ("Code('a < b')", "a &lt; b")):
            name = code.partition("(")[0]
            run = self.check(f"from IPython.display import {name}\n{code}")
            self.assertIn(part, run.of("execute_result")[0]["data"]["text/html"])
        self.failing("from IPython.display import Nothing", "ImportError")
        self.failing("from IPython.core import completer", "ImportError")
        self.failing("import IPython\nIPython.terminal", "AttributeError")
        self.check("import IPython\nIPython.display.clear_output()\nIPython.core.display.HTML('')")

    def test_other_commands_of_ipython(self):
        """Notebooks made elsewhere have them in their first cells."""
        for line in ("%autosave 60", "%xmode Verbose", "%colors Linux", "%gui", "%matplotlib widget", "%matplotlib notebook"):
            self.assertIn("note: ", self.display(line)["text/plain"], line)
        self.assertEqual(self.value("x = %sx printf 'a\\nb'\nx"), "['a', 'b']")
        self.assertEqual(self.value("%system echo a"), "['a']")
        self.assertEqual(self.check(f"%mkdir -p {self.path}/made\n%cat /dev/null").text(), "")
        self.assertTrue(os.path.isdir(self.path + "/made"))
        self.assertEqual(self.check("%%python3\nprint(6 * 7)").text(), "42\n")
        self.assertIn("text/html", self.display("%%HTML\n<b>b</b>"))
        self.check(f"%%file {self.path}/made/f.txt\ncontent")
        with open(self.path + "/made/f.txt") as file:
            self.assertEqual(file.read(), "content\n")
        self.client.execute("1 / 0")
        self.assertIn("ZeroDivisionError: division by zero", self.display("%tb")["text/plain"])
        self.assertIn("Prints", self.check("%pdoc print").reply["payload"][0]["data"]["text/plain"])
        self.failing("%pycat f.py", "unknown command %pycat; NAME?? shows a source")

    def test_every_name_of_ipython_display(self):
        """As IPython 8 and 9 export them."""
        names = """Audio Code DisplayHandle DisplayObject FileLink FileLinks GeoJSON HTML IFrame Image JSON Javascript Latex
            Markdown Math Pretty ProgressBar SVG ScribdDocument TextDisplayObject Video VimeoVideo YouTubeVideo clear_output
            display display_html display_javascript display_jpeg display_json display_latex display_markdown display_pdf
            display_png display_pretty display_svg publish_display_data set_matplotlib_close set_matplotlib_formats
            update_display""".split()
        self.check(f"from IPython.display import {', '.join(names)}")
        run = self.check("class Both:\n    def _repr_html_(self): return '<b>b</b>'\n    def _repr_latex_(self): return '$b$'\n"
                         "display_latex(Both()); display_html('<i>i</i>', raw=True)")
        first, second = (c["data"] for c in run.of("display_data"))
        self.assertEqual((set(first), set(second)), ({"text/plain", "text/latex"}, {"text/html"}))
        run = self.check("print([i for i in ProgressBar(3)])")
        self.assertEqual((run.text(), len(run.of("update_display_data"))), ("[0, 1, 2]\n", 3))
        self.assertIn('value="2"', run.of("update_display_data")[-1]["data"]["text/html"])
        os.makedirs(os.path.join(self.path, "tree", "sub"))
        open(os.path.join(self.path, "tree", "sub", "leaf.txt"), "w").close()
        run = self.check(f"FileLinks({self.path + '/tree'!r})").of("execute_result")[0]["data"]
        self.assertIn("sub/leaf.txt</a>", run["text/html"])
        self.assertIn("  leaf.txt", run["text/plain"])
        # The browser gets a linked picture: the kernel may have no network.
        run = self.check("Image('https://a.invalid/x.png', width=9, alt='a \"b\"')").of("execute_result")[0]["data"]
        self.assertEqual(run["text/html"], '<img src="https://a.invalid/x.png" width="9" alt="a &quot;b&quot;"/>')
        self.failing("set_matplotlib_formats('gif')", "ValueError")
        self.check("set_matplotlib_formats('png')")

    def shown(self, code):
        """The texts of all results of a cell."""
        return [c["data"]["text/plain"] for c in self.check(code).of("execute_result")]

    def test_which_values_of_a_cell_are_shown(self):
        kernel = self.client.execute("1\n2\nx = 3").of("execute_result")
        self.assertEqual(kernel, [])
        self.check("from IPython.core.interactiveshell import InteractiveShell\n"
                   "InteractiveShell.ast_node_interactivity = 'all'")
        self.assertEqual(self.shown("1\nx = 3\nx\nfor i in [5]: i\n4"), ["1", "3", "4"])
        self.assertEqual(self.shown("1\nawait __import__('asyncio').sleep(0, 'two')\n4;"), ["1", "'two'"])
        run = self.client.execute("1\n1 / 0\n2").reply
        self.assertIn("----> 2 1 / 0", "\n".join(run["traceback"]))
        self.check("del InteractiveShell.ast_node_interactivity")
        self.check("%config InteractiveShell.ast_node_interactivity = 'last_expr_or_assign'")
        self.assertEqual(self.shown("1\nx = 3"), ["3"])
        self.assertEqual(self.shown("x = 3;"), [])
        self.check("get_ipython().ast_node_interactivity = 'none'")
        self.assertEqual(self.shown("5"), [])
        self.failing("%config InteractiveShell.ast_node_interactivity = 'some'", "last_expr_or_assign")
        self.check("%config InteractiveShell.ast_node_interactivity = 'last_expr'")
        self.assertEqual(self.shown("4\n5"), ["5"])

    def test_values_for_later_sessions(self):
        self.check("kept, odd, file = {'a': [1, 2]}, lambda: 0, ['l1', 'l2']\n%store -z\n%store kept file\ndel kept, file")
        self.failing("%store odd", "odd cannot be stored")
        self.failing("%store undefined", "undefined is not defined here")
        self.failing("%store ../x", "%store takes names")
        self.assertIn("kept", self.display("%store")["text/plain"])
        with Kernel(BINARY, env={"XDG_STATE_HOME": self.kernel.dir.name}) as later:
            run = later.client.execute("%store -r\nkept, file")
            self.assertEqual(run.of("execute_result")[0]["data"]["text/plain"], "({'a': [1, 2]}, ['l1', 'l2'])")
        self.check(f"%store -r file\n%store file > {self.path}/f.txt\n%store -d kept")
        with open(self.path + "/f.txt") as text:
            self.assertEqual(text.read(), "l1\nl2\n")
        self.failing("%store -r kept", "no stored kept; file")
        self.check("%store -z")
        self.assertIn("nothing is stored", self.display("%store")["text/plain"])

    def test_objects_that_show_themselves(self):
        self.check("class D:\n    def _ipython_display_(self): print('by itself')\n    def __repr__(self): return 'D'\n"
                   "class N(D):\n    def _ipython_display_(self): raise NotImplementedError\n"
                   "class F(D):\n    def _ipython_display_(self): 1 / 0\n"
                   "class P:\n    def _repr_pretty_(self, p, cycle):\n        with p.group(2, 'P(', ')'):\n"
                   "            p.text('x='); p.pretty([1]); p.breakable(); p.text(cycle)")
        for code in ("D()", "display(D())"):
            run = self.check(code)
            self.assertEqual((run.text(), run.types[2:-1]), ("by itself\n", ["stream"]), code)
        self.assertEqual((self.value("N()"), self.value("F()"), self.value("P()")), ("D", "D", "P(x=[1] False)"))
        self.assertIn("F._ipython_display_ failed", self.check("F()").text("stderr"))
        self.assertEqual(self.check("D()\n%who_ls nothing").text(), "")
        self.assertEqual(self.value("Out[max(Out)] is _"), "True")

    def test_a_representation_that_fails_takes_no_other_along(self):
        self.check("class B:\n    def __repr__(self): return 'plain'\n    def _repr_html_(self): raise ValueError('no html')\n"
                   "    def _repr_markdown_(self): raise NotImplementedError\n    def _repr_latex_(self): return '$b$'")
        run = self.check("B()")
        self.assertEqual(run.of("execute_result")[0]["data"], {"text/plain": "plain", "text/latex": "$b$"})
        self.assertIn("B._repr_html_ failed and is omitted:", run.text("stderr"))
        self.assertIn("ValueError: no html", run.text("stderr"))
        self.assertNotIn("markdown", run.text("stderr"))

    def test_functions_registered_for_types(self):
        self.check("f = get_ipython().display_formatter.formatters\nclass Z: pass\nclass Y(Z): pass\n"
                   "f['text/html'].for_type(Z, lambda z: '<i>z</i>')\nf['text/plain'].for_type(int, lambda n, p, cycle: p.text(hex(n)))\n"
                   "f['text/plain'].for_type_by_name('fractions', 'Fraction', lambda n, p, cycle: p.text('1:2'))")
        self.assertEqual(self.check("Y()").of("execute_result")[0]["data"]["text/html"], "<i>z</i>")
        self.assertEqual(self.value("from fractions import Fraction\nFraction(1, 2)"), "1:2")
        self.assertEqual(self.value("255"), "0xff")
        self.check("f['text/plain'].pop(int)\nf['text/html'].pop(Z)")
        self.assertEqual(self.value("255"), "255")
        self.assertEqual(self.value("get_ipython().display_formatter.format(5)"), "({'text/plain': '5'}, {})")

    def test_lists_of_lines(self):
        self.check("files = !printf 'a 1\\nb 2\\n/dev/null 3 4\\n'")
        self.assertEqual(self.value("files.l == files, files.n[:4], files.s[:4], files.grep('B'), files.grep('b', prune=True)[0]"),
                         r"(True, 'a 1\n', 'a 1 ', ['b 2'], 'a 1')")
        self.assertEqual(self.value("files.fields(1), files.fields(0, 2)[-1], files.fields()[0], files.grep('2', field=1)"),
                         "(['1', '2', '3'], '/dev/null 4', ['a', '1'], ['b 2'])")
        self.assertEqual(self.value("files = !echo /dev/null\nfiles.p"), "[PosixPath('/dev/null')]")

    def test_outputs_and_ways_of_scripts(self):
        self.assertEqual(self.check("%%bash --out out --err err -e\necho one; echo two >&2").types, ["status", "execute_input", "status"])
        self.assertEqual(self.value("out, err"), r"('one\n', 'two\n')")
        self.assertEqual(self.check("%%script --no-raise-error sh\nexit 3").reply["status"], "ok")
        self.check(f"%%bash --bg\nuntil [ -e {self.path}/go ]; do sleep .02; done; touch {self.path}/done")
        self.assertFalse(os.path.exists(self.path + "/done"))
        begun = time.monotonic()
        pathlib.Path(self.path, "go").touch()
        while not os.path.exists(self.path + "/done"):
            self.assertLess(time.monotonic() - begun, 20)
            time.sleep(0.05)
        # A program that reads nothing of a cell larger than a pipe.
        run = self.client.start("%%script sleep 60\n" + "x" * 300_000)
        time.sleep(0.5)
        self.client.send("interrupt_request", channel="control")
        self.assertEqual(self.client.finish(run).reply["ename"], "KeyboardInterrupt")
        self.assertEqual(self.display("%%html --isolated\n<b>"), {"text/html": "<b>", "text/plain": "<IPython.core.display.HTML object>"})

    def test_options_one_after_the_other(self):
        self.assertIn("runs of 2 loops", self.display("%timeit -n2 -r3 1")["text/plain"])
        self.assertEqual(self.check("t = %timeit -qon2 -r1 1").of("display_data"), [])
        self.assertIn("1 run of 2 loops", self.value("t"))
        self.assertTrue(self.display("%hist -no 1")["text/plain"].startswith("1:    "))
        self.failing("%history -nz", "has no option -nz")
        self.failing("%timeit -qn", "-n needs a value")

    def test_what_can_not_be_asked_does_not_wait(self):
        file = os.path.join(self.path, "kept.py")
        self.check(f"1\n%save {file}")
        for code, text in ((f"%save {file}", "%save -f overwrites it"), ("%reset", "use %reset -f")):
            run = self.client.execute(code, allow_stdin=False)
            self.assertIn(text, run.reply["evalue"])
        self.check("import os; os.environ.pop('VISUAL', None); os.environ['EDITOR'] = 'vi'")
        self.failing("%edit", "vi needs a terminal")

    def test_names_of_the_session(self):
        self.check(f"%reset -f\n%cd {self.path}\n%cd -")
        self.assertEqual(self.value("_ih is In, _oh is Out, _dh[1:]"), f"(True, True, [{self.path!r}, {os.getcwd()!r}])")
        self.check("one, two = 1, '2'")
        self.assertEqual(self.value("%who_ls"), "['one', 'two']")
        self.assertEqual(self.value("names = %who_ls int\nnames"), "['one']")
        self.assertEqual(self.value("get_ipython().find_line_magic('time') is None, get_ipython().find_cell_magic('nothing')"),
                         "(False, None)")

    def test_text_from_elsewhere(self):
        """From Windows, from inside of a block, from a page with margins."""
        self.assertEqual(self.check("if 1:\r\n    print('crlf')\r\nelse:\r\n    print('no')\r\n").text(), "crlf\n")
        self.check("x = 1\r\nx?\r\n")
        self.assertEqual(self.value("    y = '''a\n    b'''\n    y"), r"'a\nb'")
        self.assertEqual(self.value("\n\t%who_ls nothing\n"), "[]")
        self.assertEqual(self.check("  %%time\n  print('in')\n").text(), "in\n")
        self.failing("x = 1\n  y = 2", "unexpected indent")
        trace = self.client.execute("\n    a = 1\n    1 / 0").reply["traceback"]
        self.assertIn("----> 3 1 / 0", "\n".join(trace))
        for code, status in (("    x = 1", "complete"), ("    if x:", "incomplete"), ("    if x:\n        y", "incomplete")):
            self.assertEqual(self.client.request("is_complete_request", {"code": code})["status"], status)

    def test_values_in_command_lines(self):
        self.check(f"import os\nplace, word, flag = {self.path!r}, 'two words', '--version'")
        self.assertEqual(self.value("%cd -q $place\nx = os.getcwd() == place\n%cd -q -\nx"), "True")
        self.assertEqual(self.check("%env MINE=$word\n!echo $$MINE").text(), "two words\n")
        self.assertEqual(self.check("%env MINE=a b\n!echo {{x}} {word} '${HOMELESS}'").text(), "{x} two words ${HOMELESS}\n")
        self.assertEqual(self.check("def f(inner):\n    !echo {inner} $inner\n    lines = !echo $inner {word}\n    print(lines)\n"
                                    "f('deep')").text(), "deep deep\n['deep two words']\n")
        self.assertIn("runs code many times", self.display("%%timeit?")["text/plain"])
        self.assertIn("pip 2", self.check("%pip {flag}").text())

    def test_what_children_print_is_captured(self):
        run = self.check("%%capture c\n!echo out; echo err >&2\n%ls /dev/null")
        self.assertEqual(run.text(), "")
        self.assertEqual(self.value("c.stdout, c.stderr"), r"('out\n/dev/null\n', 'err\n')")
        self.check("import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as taken:\n    !echo taken")
        self.assertEqual(self.value("taken.getvalue()"), r"'taken\n'")

    def test_json_of_commands_is_captured_too(self):
        self.check("%%capture c\n%who --json")
        self.assertIn("application/json", self.value("c.outputs[0].data"))

    def test_extensions(self):
        with open(os.path.join(self.path, "my_ext.py"), "w") as file:
            file.write("def load_ipython_extension(ip):\n"
                       "    ip.register_magic_function(lambda line: line.upper(), 'line', 'shout')\n"
                       "    ip.register_magic_function(lambda line, cell: print(line, len(cell)), 'cell', 'measure')\n")
        self.check(f"import sys; sys.path.insert(0, {self.path!r})\n%load_ext my_ext")
        self.assertEqual(self.value("x = %shout abc\nx"), "'ABC'")
        self.assertEqual(self.check("%%measure of it\n1234").text(), "of it 4\n")
        self.failing("%load_ext nothing_of_this_name", "unknown extension nothing_of_this_name")
        self.failing("%load_ext json", "is not an extension")
        self.failing("%unload_ext my_ext", "has no unload_ipython_extension")
        self.check("my_ext = sys.modules['my_ext']\nmy_ext.unload_ipython_extension = lambda ip: print('left')")
        self.assertEqual(self.check("%unload_ext my_ext").text(), "left\n")
        self.failing("%unload_ext my_ext", "is not loaded")


class Reloading(Own):
    OLD = """STEP = 1
def f(): return 1
class A:
    def who(self): return "old"
    def gone(self): pass
class B(A):
    def who(self): return "B of " + super().who()
def make(n):
    def inner(): return n + STEP
    return inner
"""
    NEW = OLD.replace("return 1", "return 2").replace('"old"', '"new"').replace("    def gone(self): pass\n", "").replace(
        '"B of "', '"the B of "').replace("STEP = 1", "STEP = 10")

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path, self.time = directory.name, 1_000_000_000
        self.client = self.start(env={"PYTHONPATH": self.path, "PYTHONDONTWRITEBYTECODE": "1"}).client

    def write(self, text, name="mine"):
        path = os.path.join(self.path, name + ".py")
        with open(path, "w") as file:
            file.write(text)
        self.time += 10
        os.utime(path, (self.time, self.time))

    def values(self, code):
        run = self.client.execute(code)
        self.assertEqual(run.reply["status"], "ok", run.reply.get("traceback"))
        return run.of("execute_result")[0]["data"]["text/plain"]

    def test_what_a_cell_has_of_a_module_goes_along(self):
        self.write(self.OLD)
        self.values("%load_ext autoreload\n%autoreload 2\nimport mine\nfrom mine import A, B, STEP, f\n"
                    "a, b, g, inner = A(), B(), f, mine.make(1)\n1")
        see = "f(), g(), mine.f(), a.who(), b.who(), isinstance(a, mine.A), A is mine.A, STEP, inner(), hasattr(a, 'gone')"
        self.assertEqual(self.values(see), "(1, 1, 1, 'old', 'B of old', True, True, 1, 2, True)")
        self.write(self.NEW)
        self.assertEqual(self.values(see), "(2, 2, 2, 'new', 'the B of new', True, True, 10, 11, False)")

    def test_a_kernel_of_a_module(self):
        text = """import tilelang, tilelang.language as T
@tilelang.jit(out_idx=[-1])
def add(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=32) as bx:
            for i in T.Parallel(n):
                B[i] = A[i] + 1.0
    return main
"""
        self.write(text, "kernels")
        self.values("%load_ext autoreload\n%autoreload 2\nimport numpy as np\nfrom kernels import add\n1")
        run = "add(32)(np.zeros(32, 'float32'))[0]"
        self.assertIn("1.0", self.values(run))
        self.write(text.replace("1.0", "5.0"), "kernels")
        self.assertIn("5.0", self.values(run))

    def test_a_broken_file_changes_nothing_and_is_said_once(self):
        self.write(self.OLD)
        self.values("%load_ext autoreload\n%autoreload 2\nimport mine\n1")
        self.write("def f(: pass")
        run = self.client.execute("mine.f()")
        self.assertIn("mine is unchanged: SyntaxError", run.text("stderr"))
        self.assertEqual(run.of("execute_result")[0]["data"]["text/plain"], "1")
        self.assertEqual(self.client.execute("1").text("stderr"), "")
        self.write(self.NEW)
        self.assertEqual(self.values("mine.f()"), "2")

    def test_modes(self):
        self.write(self.OLD)
        self.values("import mine\n1")
        self.write(self.NEW)
        self.assertEqual(self.values("mine.f()"), "1")
        self.values("%load_ext autoreload\n%autoreload 1\n%aimport mine\n1")
        self.write(self.OLD)
        self.assertEqual(self.values("mine.f()"), "1")
        self.write(self.NEW)
        self.assertEqual(self.values("mine.f()"), "2")
        self.values("%autoreload 0\n1")
        self.write(self.OLD)
        self.assertEqual(self.values("mine.f()"), "2")
        self.assertEqual(self.values("%autoreload now\nmine.f()"), "1")
        self.assertEqual(self.client.execute("%autoreload 7").reply["status"], "error")


if __name__ == "__main__":
    unittest.main()
