# SPDX-License-Identifier: Apache-2.0
"""A kernel is compiled when it is made: what is refused never runs, warnings are shown once, there."""

import contextlib
import io
import linecache
import unittest
import warnings

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab._core as core
from tilelab._compiler import settings

WARNS = '''
import tilelab as tilelang, tilelab.language as T
SCALE = 2.0
@tilelang.jit
def last(A, B):
    N = T.const("N")
    A: T.Tensor((N,), "float32")
    B: T.Tensor((1,), "float32")
    with T.Kernel(1, threads=32):
        for i in T.Parallel(N):
            B[0] = A[i] * SCALE
'''
REFUSED = {
    "shared memory": "        s = T.alloc_shared((512, 1024), 'float32')\n        T.clear(s)\n        T.copy(s[0, 0:64], B)\n",
    "layout": "        f = T.alloc_fragment((64, 64), 'float32')\n        T.clear(f)\n"
              "        for i, j in T.Parallel(64, 64):\n            f[i, j] = f[j, i] + 1.0\n        T.copy(f[0, 0:64], B)\n",
    "barrier": "        s = T.alloc_shared((64,), 'float32')\n        t = T.get_thread_binding()\n"
               "        if A[t] > 0.0:\n            T.copy(A, s)\n        T.copy(s, B)\n",
}
count = 0


def names_of(text):
    """The names that a text makes, as of a unique file."""
    global count
    count += 1
    file = f"<made {count}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {}
    exec(compile(text, file, "exec"), names)
    return names


def said(work):
    """The stderr output of `work`."""
    with contextlib.redirect_stderr(io.StringIO()) as err:
        work()
    return err.getvalue()


class Refused(unittest.TestCase):
    def test_what_the_target_cannot_hold_is_refused_where_it_is_made(self):
        for what, body in REFUSED.items():
            text = ("import tilelab.language as T\n@T.prim_func\ndef f(A: T.Tensor((64,), 'float32'), "
                    "B: T.Tensor((64,), 'float32')):\n    with T.Kernel(1, threads=64):\n" + body)
            func = names_of(text)["f"]
            for device in ("auto", "sim:tile", "sim:thread"):
                settings.device = device
                try:
                    with self.subTest(what), self.assertRaises(tilelang.CompileError):
                        tilelang.compile(func)
                finally:
                    settings.device = "auto"


class Warned(unittest.TestCase):
    def setUp(self):
        self.a, self.b = np.ones(64, "float32"), np.zeros(1, "float32")

    def fresh(self, extra=""):
        """The kernel of a source that no other test has."""
        text = WARNS.replace("SCALE", f"SCALE_{id(self)}_{self._testMethodName}")
        return names_of(text + extra)

    def test_once_and_in_our_own_form(self):
        names = self.fresh()
        text = said(lambda: names["last"](self.a, self.b))
        self.assertTrue(text.startswith("warning[parallel-same-element]: iterations of this"), text)
        self.assertNotIn("TilelabWarning", text)
        self.assertEqual(text.count("warning["), 1)
        self.assertEqual(self.b[0], 2)

        def again():
            names["last"](self.a, self.b)
            kernel = names["last"].compile(N=64)
            kernel.ir("simplify"), kernel.source(), kernel.get_kernel_source(), repr(kernel.passes())
            names["last"].compile(N=128)  # another specialisation of the same text
            self.fresh()["last"](self.a, self.b)  # the same text, run again
        self.assertEqual(said(again), "")

    def test_another_source_warns_again(self):
        first = said(lambda: self.fresh()["last"](self.a, self.b))
        other = said(lambda: names_of(WARNS.replace("SCALE", "FACTOR"))["last"](self.a, self.b))
        self.assertEqual((first.count("warning["), other.count("warning[")), (1, 1))

    def test_python_filters_rule(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tilelang.TilelabWarning)
            self.assertEqual(said(lambda: self.fresh()["last"](self.a, self.b)), "")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            names_of(WARNS.replace("SCALE", "RECORDED"))["last"](self.a, self.b)
        self.assertEqual([w.category for w in caught], [tilelang.TilelabWarning])
        with warnings.catch_warnings():
            warnings.simplefilter("error", tilelang.TilelabWarning)
            with self.assertRaises(tilelang.TilelabWarning):
                names_of(WARNS.replace("SCALE", "RAISED"))["last"](self.a, self.b)


class Kept(unittest.TestCase):
    def test_views_run_no_pass_again(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kernel = names_of(WARNS)["last"].compile(N=64)
        plain, runs = core.Func.compile, []
        core.Func.compile = lambda func: runs.append(func) or plain(func)
        try:
            kernel.passes(), str(kernel.passes()), kernel.ir("flatten"), str(kernel.diff()), kernel.source()
            self.assertEqual(runs, [])
            self.assertIs(kernel.passes()[3]["func"], kernel.passes("select_instructions")[3]["func"])
        finally:
            core.Func.compile = plain


if __name__ == "__main__":
    unittest.main()
