# SPDX-License-Identifier: Apache-2.0
"""Threads and blocks that wait for each other through atomic accesses, and the orders of these in all code."""
import re
import unittest

import numpy as np
import support  # noqa: F401
import tilelab as tilelang
import tilelab.language as T
from tilelab import _core
from tilelab._compiler.errors import KernelError

ORDERS = {"relaxed": (0, 0), "consume": (0, 1), "acquire": (0, 1), "release": (1, 0), "acq_rel": (1, 1), "seq_cst": (1, 1)}


def waiting_for_a_later_block(blocks, reach):
    """Each block waits for the one that begins `reach` later."""
    @T.prim_func
    def main(flags: T.Tensor((blocks,), "int32"), left: T.Tensor((blocks,), "int32"), out: T.Tensor((blocks,), "int32")):
        with T.Kernel(blocks, threads=32) as bx:
            if T.get_thread_binding() == 0:
                left[bx] = bx * 3
                T.atomic_store(flags[bx], 1, memory_order="release")
                while T.atomic_load(flags[(bx + reach) % blocks], memory_order="acquire") == 0:
                    pass
                out[bx] = left[(bx + reach) % blocks]
    return main


def waiting_for_a_tile(copies, set_by_others=True):
    """Block 0 reduces 32 flags in each iteration, over barriers, until block 1 has set them all."""
    @T.prim_func
    def main(flags: T.Tensor((32,), "int32"), out: T.Tensor((32,), "int32")):
        with T.Kernel(2, threads=64) as bx:
            tile = T.alloc_shared((32,), "int32")
            least = T.alloc_fragment((1,), "int32")
            again = T.alloc_var("bool", True)
            if bx == 0:
                while again:
                    if copies:
                        T.copy(flags, tile)
                    else:
                        for i in T.Parallel(32):
                            tile[i] = T.atomic_load(flags[i])
                    T.reduce_min(tile, least)
                    again = least[0] == 0
                for i in T.Parallel(32):
                    out[i] = i
            elif set_by_others:
                for i in T.Parallel(32):
                    T.atomic_store(flags[i], 1)
    return main


def waits(shared, bounded, set_by_others):
    """A wait for one element of memory, at most 100 iterations, that others set."""
    @T.prim_func
    def main(flag: T.Tensor((1,), "int32"), out: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64):
            tx = T.get_thread_binding()
            own = T.alloc_shared((1,), "int32")
            iterations = T.alloc_var("int32", 0)
            if tx == 0:
                own[0] = 0
            T.sync_threads()
            if tx < 32:
                if set_by_others:
                    T.atomic_add((own if shared else flag)[0], 1, memory_order="release")
            else:
                if bounded:
                    while T.atomic_load((own if shared else flag)[0], memory_order="acquire") == 0 and iterations < 100:
                        iterations += 1
                else:
                    while T.atomic_load((own if shared else flag)[0], memory_order="acquire") == 0:
                        pass
            out[tx] = iterations
    return main


def zeros(*sizes):
    return [np.zeros(size, "int32") for size in sizes]


class Waiting(unittest.TestCase):
    def test_for_blocks_that_begin_later(self):
        for blocks, reach in ((2, 1), (7, 3), (40, 39), (40, 1)):
            kernel = tilelang.compile(waiting_for_a_later_block(blocks, reach), target="mp_31")
            flags, left, out = zeros(blocks, blocks, blocks)
            kernel(flags, left, out)
            np.testing.assert_array_equal(out, (np.arange(blocks) + reach) % blocks * 3)
            report = str(kernel.check(*zeros(blocks, blocks, blocks)))
            self.assertIn("at tile, thread and flat level\n  no race", report)

    def test_for_a_tile(self):
        for copies in (False, True):
            for target in ("mp_31", "sm_90a"):
                kernel = tilelang.compile(waiting_for_a_tile(copies), target=target)
                flags, out = zeros(32, 32)
                kernel(flags, out)
                np.testing.assert_array_equal(out, np.arange(32))
                if copies:
                    with self.assertRaisesRegex(KernelError, r"race: flags\[0\]"):
                        kernel.check(*zeros(32, 32))
                else:
                    self.assertIn("at tile, thread and flat level\n  no race", str(kernel.check(*zeros(32, 32))))

    def test_for_a_tile_that_nothing_changes(self):
        kernel = tilelang.compile(waiting_for_a_tile(False, False), target="mp_31")
        for run in (kernel, kernel.check):
            with self.assertRaisesRegex(KernelError, "endless-loop.*no running thread changes what it waits for"):
                run(*zeros(32, 32))

    def test_for_threads(self):
        for shared in (True, False):
            kernel = tilelang.compile(waits(shared, False, True), target="mp_31")
            flag, out = zeros(1, 64)
            kernel(flag, out)
            np.testing.assert_array_equal(out, 0)

    def test_with_copies_on_their_way(self):
        @T.prim_func
        def main(A: T.Tensor((2, 256), "float32"), flags: T.Tensor((2,), "int32"), B: T.Tensor((2, 256), "float32")):
            with T.Kernel(2, threads=64) as bx:
                s = T.alloc_shared((256,), "float32")
                T.async_copy(A[bx, :], s)
                if T.get_thread_binding() == 0:
                    T.atomic_store(flags[bx], 1)
                    while T.atomic_load(flags[1 - bx]) == 0:
                        pass
                T.ptx_wait_group(0)
                T.sync_threads()
                T.copy(s, B[bx, :])
        kernel = tilelang.compile(main, target="sm_90a")
        a, b = np.random.default_rng(3).random((2, 256), np.float32), np.zeros((2, 256), np.float32)
        kernel(a, *zeros(2), b)
        np.testing.assert_array_equal(a, b)
        self.assertIn("no race", str(kernel.check(a, *zeros(2), b)))

    def test_a_flag_that_is_never_set(self):
        for shared in (True, False):
            kernel = tilelang.compile(waits(shared, False, False), target="mp_31")
            for run in (kernel, kernel.check):
                with self.assertRaises(KernelError) as raised:
                    run(*zeros(1, 64))
                self.assertRegex(str(raised.exception), "endless-loop.*no running thread changes what it waits for")
                self.assertIn("while T.atomic_load(", str(raised.exception))

    def test_a_flag_read_by_plain_loads_while_equal_values_are_stored(self):
        @T.prim_func
        def stores(flag: T.Tensor((4,), "int32"), out: T.Tensor((3,), "int32")):
            with T.Kernel(3, threads=32) as bx:
                if T.get_thread_binding() == 0:
                    while flag[bx + 1] == 0:
                        out[bx] = 7
                    flag[bx] = 1

        kernel = tilelang.compile(stores)
        with self.assertRaisesRegex(KernelError, "endless-loop.*no running thread changes what it waits for"):
            kernel(*zeros(4, 3))
        flag, out = zeros(4, 3)
        flag[3] = 1
        kernel(flag, out)
        self.assertEqual(flag.tolist(), [1] * 4)

    def test_is_traced_and_metered_with_all_blocks(self):
        blocks = 300
        kernel = tilelang.compile(waiting_for_a_later_block(blocks, blocks - 1), target="mp_31")
        text = str(kernel.trace(*zeros(blocks, blocks, blocks), block=(7,)))
        self.assertIn("writes out[7] = 18", text)
        self.assertNotIn("writes out[8]", text)  # a block that runs later, in the memory of an earlier one
        self.assertNotIn("endless", text)
        self.assertIn("300", str(kernel.roof(*zeros(blocks, blocks, blocks))))

    def test_not_for_ever(self):
        kernel = tilelang.compile(waits(False, True, False), target="mp_31")
        flag, out = zeros(1, 64)
        kernel(flag, out)
        np.testing.assert_array_equal(out, np.arange(64) // 32 * 100)


class Orders(unittest.TestCase):
    def made(self, order, target, returns=True):
        @T.prim_func
        def main(A: T.Tensor((32,), "int32"), B: T.Tensor((32,), "int32")):
            with T.Kernel(1, threads=32):
                tx = T.get_thread_binding()
                if returns:
                    B[tx] = T.atomic_add(A[tx], 1, memory_order=order, return_prev=True)
                else:
                    T.atomic_add(A[tx], 1, memory_order=order)
        return tilelang.compile(main, target=target)

    def test_fences_of_updates(self):
        for order, (releases, acquires) in ORDERS.items():
            for returns in (True, False):
                for target in ("sm_90a", "sm_80", "mp_31", "mp_22"):
                    lines = re.findall(r"tl_threadfence|tl_atomic_add\(", self.made(order, target, returns).get_kernel_source())
                    self.assertEqual(lines, ["tl_threadfence"] * releases + ["tl_atomic_add("] + ["tl_threadfence"] * acquires)
                fence = "fence.sc.gpu" if order == "seq_cst" else "fence.acq_rel.gpu"
                ptx, _ = _core.ptx(self.made(order, "sm_90a", returns)._at_level("flat"), "sm_90a")
                found = re.findall(r"fence\.\w+\.gpu|atom\.", ptx)
                self.assertEqual(found, [fence] * releases + ["atom."] + [fence] * acquires)

    def test_loads_and_stores(self):
        @T.prim_func
        def main(A: T.Tensor((32,), "int32")):
            with T.Kernel(1, threads=32):
                T.atomic_store(A[1], T.atomic_load(A[0], memory_order="seq_cst"), memory_order="seq_cst")
        text = tilelang.compile(main, target="sm_90a").get_kernel_source()
        # A load has nothing to release, and a store acquires nothing.
        self.assertEqual(re.findall(r"tl_threadfence|tl_atomic_\w+", text),
                         ["tl_atomic_load", "tl_threadfence", "tl_threadfence", "tl_atomic_store"])


if __name__ == "__main__":
    unittest.main()
