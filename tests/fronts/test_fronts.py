# SPDX-License-Identifier: Apache-2.0
"""The kernel under common front ends: PYTHON test_fronts.py KERNEL [unittest options].

PYTHON has the front ends (pip install jupyterlab notebook jupyter-console nbconvert papermill jupyter-kernel-gateway
ipywidgets tqdm matplotlib pandas playwright); what it lacks is skipped, with a line that says so."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from place import NAME, PATIENCE, PROGRAM, Place, Server
from rest import Rest, talk

KERNEL = """import numpy as np, tilelang, tilelang.language as T
@tilelang.jit(out_idx=[-1])
def twice(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=32) as bx:
            x = T.alloc_fragment((n,), "float32")
            T.copy(A, x)
            for i in T.Parallel(n):
                x[i] = x[i] * 2.0
            T.copy(x, B)
    return main
k = twice(64)
print("sum", k(np.ones(64, "float32")).sum())"""


def needs(*modules):
    missing = [m for m in modules if importlib.util.find_spec(m) is None]
    return unittest.skipIf(missing, f"{sys.executable} has no {', '.join(missing)}")


class Front(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.close)


class Batch(Front):
    @needs("nbclient")
    def test_nbclient(self):
        import nbclient
        import nbformat

        path = self.place.notebook(KERNEL, "%passes k", "await __import__('asyncio').sleep(0)\n6 * 7", "1/0", "print('on')")
        book = nbformat.read(path, 4)
        nbclient.NotebookClient(book, kernel_name=NAME, allow_errors=True).execute()
        outputs = [cell.outputs for cell in book.cells]
        self.assertEqual(outputs[0][0].text, "sum 128.0\n")
        self.assertIn("canonicalize", outputs[1][0].data["text/plain"])
        self.assertEqual(outputs[2][0].data["text/plain"], "42")
        self.assertEqual((outputs[3][0].ename, outputs[4][0].text), ("ZeroDivisionError", "on\n"))
        with self.assertRaises(nbclient.exceptions.CellExecutionError):
            nbclient.NotebookClient(nbformat.read(path, 4), kernel_name=NAME).execute()

    @needs("nbconvert")
    def test_nbconvert(self):
        self.place.notebook(KERNEL, "%ir k", "k.nope", "%layout k.x", "raise ValueError('as expected')",
                            "%matplotlib inline", "%cd /tmp", "!echo child", "x?", "%puzzle 2", "%explain k")
        for kind, texts in (("html", ["sum 128.0", "font-family:monospace", "child", "as expected"]),
                            ("latex", ["sum 128.0", "child", "\\colorbox[HTML]{", "A[N] ------> a[TILE] ----+"]), ("markdown", ["sum 128.0"]),
                            ("script", ["get_ipython().run_line_magic('ir', 'k')"])):
            with self.subTest(kind):
                made = self.place.run("nbconvert", "--to", kind, "--execute", "--allow-errors", "test.ipynb",
                                      "--output", "made-" + kind)
                self.assertEqual(made.returncode, 0, made.stdout[-2000:])
                name = next(n for n in os.listdir(self.place.path) if n.startswith("made-" + kind) and "_files" not in n)
                with open(os.path.join(self.place.path, name)) as file:
                    text = file.read()
                for part in texts:
                    self.assertIn(part, text)
                if kind == "html":
                    for output in re.findall(r'<div class="jp-RenderedHTMLCommon[^>]*>(.*?)</div>\n</div>', text, re.S):
                        for pre in re.findall(r"<pre[^>]*>", output):
                            self.assertIn("font-family:monospace", pre)

    @needs("nbconvert")
    @unittest.skipUnless(shutil.which("xelatex") and shutil.which("pandoc"), "there is no LaTeX")
    def test_a_pdf(self):
        self.place.notebook(KERNEL, "%trace k(np.ones(64, 'float32')) --buffer x", "%layout k.x", "%puzzle 2", "%map k", "1/0")
        made = self.place.run("nbconvert", "--to", "pdf", "--execute", "--allow-errors", "test.ipynb")
        self.assertEqual(made.returncode, 0, made.stdout[-2000:])
        self.assertGreater(os.path.getsize(os.path.join(self.place.path, "test.pdf")), 10_000)

    def test_a_script_made_of_a_notebook_runs(self):
        self.place.notebook("%matplotlib inline\nimport numpy as np", "!echo child", "get_ipython().run_line_magic('pwd', '')",
                            "%time sum(range(10))", "print('done')")
        self.assertEqual(self.place.run("nbconvert", "--to", "script", "test.ipynb").returncode, 0)
        run = subprocess.run([PROGRAM, "test.py"], cwd=self.place.path, env=self.place.env, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("child", run.stdout)
        self.assertIn("done", run.stdout)

    @needs("IPython")
    def test_beside_an_installed_ipython(self):
        import nbclient
        import nbformat

        path = self.place.notebook(
            "from IPython.core.magic import register_line_magic\n@register_line_magic\ndef shout(line): return line.upper()",
            "x = %shout abc\nx", "from IPython.display import ProgressBar, display\nlen(list(ProgressBar(2)))",
            "from IPython import get_ipython\nget_ipython().user_ns is globals()",
            "from IPython.core.magic import Magics, magics_class, line_magic\n@magics_class\nclass M(Magics):\n"
            "    @line_magic\n    def mine(self, line): return 'mine ' + line\nget_ipython().register_magics(M)",
            "x = %mine a\nx")
        book = nbformat.read(path, 4)
        nbclient.NotebookClient(book, kernel_name=NAME).execute()
        values = [cell.outputs[-1].data["text/plain"] for cell in book.cells if cell.outputs]
        self.assertEqual(values, ["'ABC'", "2", "True", "'mine a'"])

    def test_encryption(self):
        from jupyter_client.manager import KernelManager

        if not hasattr(KernelManager, "transport_encryption"):
            self.skipTest("this jupyter_client can't encrypt")
        manager = KernelManager(kernel_name=NAME, transport_encryption="required")
        manager.start_kernel()
        self.addCleanup(manager.shutdown_kernel, now=True)
        client = manager.blocking_client()
        client.start_channels()
        self.addCleanup(client.stop_channels)
        client.wait_for_ready(timeout=PATIENCE)
        self.assertTrue(client.curve_publickey)
        self.assertEqual(client.execute_interactive("1 + 1", timeout=PATIENCE)["content"]["status"], "ok")
        self.assertTrue(client.is_alive())

    @needs("papermill")
    def test_papermill(self):
        import nbformat

        path = self.place.notebook("n = 1", KERNEL.replace("twice(64)", "twice(n)").replace("ones(64", "ones(n"))
        book = nbformat.read(path, 4)
        book.cells[0].metadata["tags"] = ["parameters"]
        nbformat.write(book, path)
        made = self.place.run("papermill", "test.ipynb", "out.ipynb", "-p", "n", "32", "-k", NAME)
        self.assertEqual(made.returncode, 0, made.stdout[-2000:])
        book = nbformat.read(os.path.join(self.place.path, "out.ipynb"), 4)
        self.assertEqual(book.cells[-1].outputs[0].text, "sum 64.0\n")
        # docs/deploy.md describes notebooks that name neither kernel nor language.
        book = nbformat.read(path, 4)
        book.metadata = nbformat.NotebookNode()
        nbformat.write(book, path)
        bare = ("papermill", "test.ipynb", "out.ipynb", "-p", "n", "32", "-k", NAME)
        self.assertIn("No language found in notebook", self.place.run(*bare).stdout)
        self.assertEqual(self.place.run(*bare, "--language", "python").returncode, 0)

    @needs("matplotlib", "pandas")
    def test_libraries(self):
        import nbclient
        import nbformat

        path = self.place.notebook(
            "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()\nprint('after')",
            "%config InlineBackend.figure_format = 'retina'\nplt.plot([1, 2]);", "import pandas as pd\npd.DataFrame({'a': [1]})",
            "from IPython.display import HTML, Image, Markdown, display\ndisplay(HTML('<b>x</b>'), Markdown('**x**'))")
        book = nbformat.read(path, 4)
        nbclient.NotebookClient(book, kernel_name=NAME).execute()
        first, second, third, fourth = (cell.outputs for cell in book.cells)
        self.assertEqual([o.output_type for o in first], ["display_data", "stream"])
        self.assertIn("image/png", first[0].data)
        self.assertEqual(set(second[0].metadata["image/png"]), {"width", "height"})
        self.assertIn("<table", third[0].data["text/html"])
        self.assertEqual(fourth[1].data["text/markdown"], "**x**")


class Console(Front):
    def test_jupyter_run(self):
        for name, text in (("a.py", "x = 6 * 7\nprint('x is', x)"), ("b.py", "print('then', x)\n%target")):
            with open(os.path.join(self.place.path, name), "w") as file:
                file.write(text)
        run = self.place.run("jupyter_client.runapp", f"--kernel={NAME}", "a.py", "b.py")
        self.assertEqual((run.returncode, run.stdout.split("\n")[:2]), (0, ["x is 42", "then 42"]), run.stdout)
        self.assertIn("mp_31", run.stdout)

    @needs("jupyter_console", "pexpect")
    def test_cells_completion_interrupt_input(self):
        import pexpect

        child = pexpect.spawn(sys.executable, ["-m", "jupyter_console", "--kernel", NAME, "--simple-prompt"],
                              env=self.place.env, timeout=PATIENCE, encoding="utf-8", dimensions=(40, 120))
        self.addCleanup(child.close, True)
        child.expect("In \\[1\\]: ")
        child.sendline("6 * 7")
        child.expect("Out\\[1\\]: 42")
        child.sendline("def f(): return 5")
        child.sendline("")
        child.sendline("print('value', f())")
        child.expect("value 5")
        child.sendline("x = input('name? ')")
        child.expect("name\\? ")
        child.sendline("Ada")
        child.sendline("'is ' + x")
        child.expect("'is Ada'")
        child.sendline("import time; print('be' + 'gun', flush=True); time.sleep(60)")
        child.expect("begun")
        child.sendintr()
        child.expect("KeyboardInterrupt")
        child.sendline("%target")
        child.expect("mp_31")
        child.sendline("exit()")
        child.expect(pexpect.EOF)


class Servers(Front):
    """REST and WebSocket."""

    @needs("jupyter_server", "websocket")
    def test_jupyter_server(self):
        with Server(self.place, "jupyter_server", "--IdentityProvider.token=", "--allow-root",
                    "--ServerApp.disable_check_xsrf=True", "--ServerApp.open_browser=False") as url:
            specs = Server.get(url + "/api/kernelspecs")["kernelspecs"]
            self.assertIn("logo-svg", specs[NAME]["resources"])
            talk(self, Rest(url))

    @needs("kernel_gateway", "websocket")
    def test_kernel_gateway(self):
        with Server(self.place, "kernel_gateway", "--JupyterWebsocketPersonality.list_kernels=True",
                    "--KernelGatewayApp.allow_origin=*") as url:
            talk(self, Rest(url))


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
LAB = ["--IdentityProvider.token=", "--allow-root", "--no-browser", "--ServerApp.disable_check_xsrf=True"]
PAGES = {"jupyterlab": "/lab/tree/test.ipynb", "notebook": "/notebooks/test.ipynb"}
# Contents of a page at the end: text in its outputs, and elements that must be there.
CELLS = [KERNEL, "%layout k.x", "import ipywidgets as w\ns = w.IntSlider(value=3, description='size')\ns",
         "from tqdm.notebook import tqdm\nfor i in tqdm(range(3), desc='bar'): pass", "print('all cells ran')\nk.nope"]


@needs("playwright")
@unittest.skipUnless(CHROMIUM, "there is no Chromium")
class Browsers(Front):
    def open_and_run(self, module):
        from playwright.sync_api import sync_playwright

        self.place.notebook(*CELLS)
        shots = os.environ.get("TILELAB_SCREENSHOTS")
        with Server(self.place, module, *LAB, f"--ServerApp.root_dir={self.place.path}") as url, \
                sync_playwright() as play:
            browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1200, "height": 2600})
            page.set_default_timeout(PATIENCE * 1000)
            page.goto(url + PAGES[module])
            page.wait_for_selector(".jp-Notebook .jp-CodeCell")
            page.wait_for_selector("text=tilelab")
            page.click(".lm-MenuBar-itemLabel >> text=Run")
            page.click(".lm-Menu-itemLabel >> text=Run All Cells")
            try:
                page.wait_for_selector(".jp-OutputArea >> text=all cells ran")
                page.wait_for_selector(".jp-OutputArea .noUi-handle")  # the slider
                page.wait_for_selector(".jp-OutputArea .progress-bar")
                page.wait_for_selector(".jp-OutputArea >> text=AttributeError")
                text = page.inner_text(".jp-Notebook")
                colours = page.eval_on_selector_all(
                    ".jp-OutputArea td", "cells => new Set(cells.map(c => getComputedStyle(c).backgroundColor)).size")
            finally:
                if shots:
                    page.screenshot(path=os.path.join(shots, module + ".png"))
            browser.close()
        self.assertIn("sum 128.0", text)
        self.assertNotIn("Error displaying widget", text)
        self.assertGreater(colours, 10)

    VIEWS = [KERNEL, "%passes k", "%ir k", "%diff k", "%layout k.x", "%source k", "%map k", "%explain k", "%explain race",
             "%check k(np.ones(64, 'float32'))", "%kernels", "%who", "print(1)\nk.nope", "T.copy?", "%help", "k",
             "T.Fragment((8, 8), forward_thread_fn=lambda i, j: i, forward_index_fn=lambda i, j: j)",
             "k(np.ones(63, 'float32'))", KERNEL.replace("T.copy(A, x)", "T.copy(A[0:65], x)"),
             "1 +* 2", "def f(): return 1 / 0\nf()"]
    # [contrast, text] of the texts of all outputs, the worst first, by the formula of WCAG 2.
    CONTRASTS = """() => {
      const parse = c => (c.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
      const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(
        v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4
      ).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
      const ground = e => {  // translucent backgrounds are blended with the parent's
        if (!e) return [255, 255, 255];
        const c = parse(getComputedStyle(e).backgroundColor), a = c.length === 3 ? 1 : c[3];
        return a === 1 ? c : ground(e.parentElement).map((below, i) => c[i] * a + below * (1 - a)); };
      const out = [];
      for (const area of document.querySelectorAll('.jp-OutputArea-output')) {
        const walk = document.createTreeWalker(area, NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) {
          const text = walk.currentNode.textContent.trim(), e = walk.currentNode.parentElement;
          if (!text || !e.getClientRects().length) continue;
          const a = light(parse(getComputedStyle(e).color)), b = light(ground(e));
          out.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), text.slice(0, 40)]);
        }
      }
      return out.sort((x, y) => x[0] - y[0]);
    }"""

    @needs("jupyterlab", "nbclient")
    def test_views_are_readable_untrusted_and_on_dark_ground(self):
        import nbclient
        import nbformat
        from playwright.sync_api import sync_playwright

        path = self.place.notebook(*self.VIEWS)
        book = nbformat.read(path, 4)
        nbclient.NotebookClient(book, kernel_name=NAME, allow_errors=True).execute()
        nbformat.write(book, path)
        settings = os.path.join(self.place.path, "settings", "@jupyterlab", "apputils-extension")
        os.makedirs(settings)
        self.place.env["JUPYTERLAB_SETTINGS_DIR"] = os.path.join(self.place.path, "settings")
        for theme in ("JupyterLab Light", "JupyterLab Dark"):
            with open(os.path.join(settings, "themes.jupyterlab-settings"), "w") as file:
                json.dump({"theme": theme}, file)
            with Server(self.place, "jupyterlab", *LAB, f"--ServerApp.root_dir={self.place.path}") as url, \
                    sync_playwright() as play:
                browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": 1200, "height": 12000})
                page.set_default_timeout(PATIENCE * 1000)
                page.goto(url + PAGES["jupyterlab"])
                page.wait_for_selector(f"body[data-jp-theme-name='{theme}']", state="attached")
                page.wait_for_selector(".jp-OutputArea >> text=AttributeError")
                page.wait_for_selector(".jp-OutputArea >> text=sum 128.0")
                contrasts = page.evaluate(self.CONTRASTS)
                if shots := os.environ.get("TILELAB_SCREENSHOTS"):
                    page.screenshot(path=os.path.join(shots, theme.replace(" ", "-") + ".png"))
                proportional = page.eval_on_selector_all(
                    ".jp-OutputArea-output pre", "all => all.filter(e => !/mono/i.test(getComputedStyle(e).fontFamily)).length")
                browser.close()
            with self.subTest(theme):
                self.assertGreater(len(contrasts), 300)
                self.assertEqual([c for c in contrasts if c[0] < 3][:10], [])
                self.assertEqual(proportional, 0)

    @needs("jupyterlab")
    def test_jupyterlab(self):
        self.open_and_run("jupyterlab")

    @needs("notebook")
    def test_notebook_7(self):
        self.open_and_run("notebook")


if __name__ == "__main__":
    unittest.main()
