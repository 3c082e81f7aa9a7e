# SPDX-License-Identifier: Apache-2.0
"""Random block programs against NumPy; with TILELAB_LONG many more, and against Triton's interpreter where it is installed."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest

import random_programs
import support

LONG = bool(os.environ.get("TILELAB_LONG"))
SEED = int(os.environ.get("TILELAB_SEED", "0"))


class Random(support.Case):
    def test_against_numpy(self):
        self.assertEqual(random_programs.check(400 if LONG else 20, SEED, random_programs.run_numpy), 0)

    @unittest.skipUnless(LONG and importlib.util.find_spec("torch"), "TILELAB_LONG, with torch and triton")
    def test_against_triton(self):
        script = pathlib.Path(random_programs.__file__)
        environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": str(pathlib.Path(sys.modules["tilelab"].__file__).parents[1])}
        subprocess.run([sys.executable, str(script), "300", str(SEED), "--triton"], check=True, env=environment)


if __name__ == "__main__":
    unittest.main()
