# SPDX-License-Identifier: Apache-2.0
"""T as users see it: signatures, what completion offers, in which order."""

import inspect
import types
import unittest

import support  # noqa: F401

import tilelab.language as T
from tilelab._compiler.builtin import Builtin
from tilelab._session.complete import complete


def offered(code):
    shell = types.SimpleNamespace(ns={"T": T})
    return [(text, signature) for text, _, signature in complete(shell, code, len(code))["matches"]]


class Signatures(unittest.TestCase):
    def test_every_function_has_one(self):
        for name, function in Builtin.table.items():
            text = str(inspect.signature(function))
            self.assertEqual(text.count("="), function.signature.count("="), name)
            for word in filter(None, (part.split("=")[0].strip(" *") for part in function.signature.split(","))):
                self.assertIn(word, text, name)

    def test_keywords_complete(self):
        texts = [text for text, _ in offered("T.gemm(a, b, c, tr")]
        self.assertEqual(texts[:2], ["transpose_A=", "transpose_B="])
        self.assertIn(("copy", str(inspect.signature(T.copy))), offered("T.cop"))

    def test_what_works_comes_first(self):
        texts = [text for text, _ in offered("T.")]
        self.assertLess(texts.index("vectorized"), texts.index("float16"))
        self.assertLess(texts.index("float16"), texts.index("annotate_compile_flags"))
        for absent in ("ldexp", "alloc_cluster_barrier", "Symbolic", "TensorType", "written", "Add"):
            self.assertNotIn(absent, texts)
        for name, function in Builtin.table.items():
            if not name.startswith("_") and getattr(T, name) is function:
                self.assertEqual(name in texts, function.status in ("works", "accepted"), name)


if __name__ == "__main__":
    unittest.main()
