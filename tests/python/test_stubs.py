# SPDX-License-Identifier: Apache-2.0
"""The stub of the language, from which editors and type checkers know its names."""
import ast
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import support  # noqa: F401
import tilelab.language as T
from tilelab._compiler import stubs

USER = """import tilelab.language as T

def kernel(A: T.Tensor, n: T.int32):
    T.gem
    T.gemm(
"""


class Stub(unittest.TestCase):
    def test_has_every_name_that_is_offered(self):
        tree = ast.parse(stubs.language())
        defined = {getattr(node, "name", None) for node in tree.body}
        defined |= {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
        defined |= {alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
        self.assertEqual(set(dir(T)) - defined, set())
        gemm = next(node for node in tree.body if getattr(node, "name", "") == "gemm")
        self.assertEqual([a.arg for a in gemm.args.args][:3], ["A", "B", "C"])
        self.assertIn("clear_accum", ast.get_docstring(gemm))

    def test_an_editor_completes_and_explains(self):
        """jedi, from a folder that has the stub and no built module."""
        try:
            import jedi
        except ImportError:
            self.skipTest("jedi is not installed")
        with tempfile.TemporaryDirectory() as folder:
            for name in ("tilelab/__init__.py", "tilelab/language/__init__.py"):
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                pathlib.Path(folder, name).touch()
            subprocess.run([sys.executable, "-m", "tilelab._compiler.stubs", f"{folder}/tilelab/language/__init__.pyi"], check=True)
            script = jedi.Script(USER, project=jedi.Project(folder, sys_path=[folder]))
            self.assertIn("gemm", [c.name for c in script.complete(4, 9)])
            found = script.get_signatures(5, 11)[0]
            self.assertEqual([p.name for p in found.params][:4], ["A", "B", "C", "transpose_A"])
            self.assertIn("C += A B", found.docstring())


if __name__ == "__main__":
    unittest.main()
