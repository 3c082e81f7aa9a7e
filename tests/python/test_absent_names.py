# SPDX-License-Identifier: Apache-2.0
"""Names of TileLang and TVM: those that moved are found, those that are absent can be imported and
say so by name when they are used."""

import importlib
import unittest

import support  # noqa: F401  (the path to the package)
import tilelab
import tilelab.language as T
from tilelab.names import NotHere, StandIn, table


class Absent(unittest.TestCase):
    def test_every_row_can_be_imported(self):
        for name, (status, reason) in table.ROWS.items():
            with self.subTest(name):
                self.assertIn(status, ("planned", "refused"))
                module = importlib.import_module(f"tilelab.{name}")
                made = getattr(module, "SomethingOfTileLang", None)
                self.assertIsInstance(made, StandIn)
                with self.assertRaises(NotHere) as raised:
                    made(1)
                self.assertIn("SomethingOfTileLang", str(raised.exception))
                self.assertIn(reason, str(raised.exception))

    def test_every_name_that_moved_is_there(self):
        def at(name):
            module, _, last = f"tilelab.{name}".rpartition(".")
            try:
                parent = importlib.import_module(module)
            except ModuleNotFoundError:  # of a class
                return getattr(at(module.partition(".")[2]), last)
            return getattr(parent, last) if hasattr(parent, last) else importlib.import_module(f"{module}.{last}")

        for name, place in table.MOVED.items():
            with self.subTest(name):
                old, new = at(name), at(place)
                self.assertNotIsInstance(old, StandIn)
                if old is not new:  # a module of which all moved
                    self.assertEqual({n: getattr(old, n) for n in new.__all__}, {n: getattr(new, n) for n in new.__all__})

    def test_stand_ins_bend_but_do_not_answer(self):
        from tilelab.cuda.intrinsics.macro.wgmma_macro_generator import WGMMATensorCoreIntrinEmitter

        def annotated(x: WGMMATensorCoreIntrinEmitter | None, y: WGMMATensorCoreIntrinEmitter[int]):
            return x, y

        class Mine(WGMMATensorCoreIntrinEmitter):
            pass

        self.assertFalse(isinstance(annotated, WGMMATensorCoreIntrinEmitter))
        for use in (Mine, WGMMATensorCoreIntrinEmitter, WGMMATensorCoreIntrinEmitter.mma):
            with self.assertRaisesRegex(NotHere, r"tilelang\.cuda.*WGMMATensorCoreIntrinEmitter.*planned"):
                use()

    def test_names_of_other_libraries_say_what_does_it_here(self):
        with self.assertRaisesRegex(AttributeError, r"T has no where; `T\.if_then_else\(condition, a, b\)` does this"):
            T.where

    def test_misspelt_names_are_errors(self):
        for statement in ("import tilelab.langauge", "from tilelab import do_bensh", "from tilelab.layout import Layuot",
                          "from tilelab.tvm import tirr"):
            with self.subTest(statement), self.assertRaises(ImportError):
                exec(statement, {})

    def test_in_a_kernel_the_message_names_it(self):
        from tilelab.cuda.intrinsics import ldmatrix

        with self.assertRaisesRegex(tilelab.CompileError, r"tilelang\.cuda\.intrinsics\.ldmatrix is planned"):
            @T.prim_func
            def main(A: T.Tensor((8,), "float32")):
                with T.Kernel(1) as bx:
                    ldmatrix(A[bx])


class Tvm(unittest.TestCase):
    def test_functions_of_its_ir_are_the_language(self):
        from tilelab.tvm import IRModule, te, tir, tirx
        from tilelab.tvm.tirx.expr import IntImm, Var

        n = te.var("n")
        self.assertIsInstance(n, Var)
        self.assertIs(tir.floordiv, T.floordiv)
        self.assertIs(tirx.Min, T.min)
        self.assertEqual(IntImm("int32", 3), 3)

        @T.prim_func
        def main(A: T.Tensor((n,), "float32")):
            with T.Kernel(1, threads=32):
                for i in T.Parallel(32):
                    if i < n:
                        A[i] = tirx.Select(i < tirx.const(4, "int32"), A[i], 0.0)

        module = IRModule.from_expr(main)
        self.assertIn("void", tilelab.lower(module, target="cuda").kernel_source)

    def test_a_callback_changes_the_code_of_its_family(self):
        from tilelab._kernel import code_callbacks

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1, threads=32):
                A[0] = 1.0

        @code_callbacks.register_cuda_postproc_callback
        def stamped(code, target):
            return f"// stamped for {target}\n{code}"

        try:
            self.assertIn("// stamped for sm_80", tilelab.compile(main, target="sm_80").get_kernel_source())
            self.assertNotIn("stamped", tilelab.compile(main, target="mp_31").get_kernel_source())
            with self.assertRaises(ValueError):
                code_callbacks.register_cuda_postproc(stamped, override=False)
        finally:
            code_callbacks._callbacks.clear()



class Suggestions(unittest.TestCase):
    """A wrong name is answered by its replacement or its correct spelling, never by a name of another meaning."""

    def said(self, name):
        with self.assertRaises(AttributeError) as raised:
            getattr(T, name)
        return str(raised.exception).partition("; ")[2]

    def test_names_of_other_libraries(self):
        for name, ours in {"shfl_xor_sync": "T.shfl_xor(value, mask)", "shfl_down_sync": "T.shfl_down(value, delta)", "__popc": "T.popcount(x)",
                           "popc": "T.popcount(x)", "trans": "T.transpose(src, dst)", "nan": 'float("nan")', "threadfence": "T.atomic_store(",
                           "laneid": "T.get_lane_idx()", "blockDim": "T.get_thread_extent()", "float4": "T.vectorized(4)",
                           "atomicAdd": "T.atomic_add(", "atomicCAS": "T.atomic_cas(A[i], expected, value)", "expf": "T.exp(x)", "where": "T.if_then_else("}.items():
            self.assertIn(f"`{ours}" if "vectorized" not in ours else ours, self.said(name), name)

    def test_misspellings(self):
        for name, ours in {"alloc_fragmnt": "alloc_fragment", "allocshared": "alloc_shared", "Paralel": "Parallel", "Par": "Parallel",
                           "kernel": "Kernel", "rsqtr": "rsqrt", "flaot32": "float32", "float23": "float32", "reduce_mx": "reduce_max",
                           "cpoy": "copy", "gem": "gemm"}.items():
            self.assertEqual(self.said(name), f"did you mean `T.{ours}`?", name)

    def test_names_of_another_meaning(self):
        for name in ("argsort", "float5", "float128", "shfl_left_sync", "reduce_median", "clock", "int7", "warp_max", "syncs"):
            self.assertEqual(self.said(name), "", name)


if __name__ == "__main__":
    unittest.main()
