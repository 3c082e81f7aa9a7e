# SPDX-License-Identifier: Apache-2.0
"""Kernels on a GPU whose driver is a fake: the path from a call to the driver, and back."""

import contextlib
import io
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import unittest
from unittest import mock

import support
import fake_gpu
from gpu_case import GpuCase, scaled, scaled_on_gpu
import numpy as np

import tilelab as tilelang
import tilelab.language as T
from tilelab._compiler import settings

fake_gpu.install()

@T.prim_func
def big(A: T.Tensor((128, 128), "float32")):
    with T.Kernel(1, threads=128):
        s = T.alloc_shared((128, 128), "float32")
        T.copy(A, s)
        for i, j in T.Parallel(128, 128):
            s[i, j] = s[i, j] + s[j, i]
        T.copy(s, A)


@T.prim_func
def stays(A: T.Tensor((140 * 128, 64), "float16"), B: T.Tensor((256, 64), "float16"), C: T.Tensor((140 * 128, 256), "float16")):
    """More tiles than most cards have processors."""
    with T.Kernel(140, threads=256) as x:
        a = T.alloc_shared((128, 64), "float16")
        b = T.alloc_shared((256, 64), "float16")
        c = T.alloc_fragment((128, 256), "float32")
        T.clear(c)
        for k in T.Pipelined(1, num_stages=2):
            T.copy(A[x * 128, k * 64], a)
            T.copy(B[0, k * 64], b)
            T.gemm(a, b, c, transpose_B=True)
        T.copy(c, C[x * 128, 0])


MAPS = ["type 6 dims 256 256 strides 512 box 64 128 steps 1 1 swizzle 3",
        "type 6 dims 256 512 strides 512 box 64 256 steps 1 1 swizzle 3",
        "type 6 dims 512 256 strides 1024 box 64 64 steps 1 1 swizzle 3"]


class Calls(GpuCase):
    def test_arrays_of_numpy(self):
        kernel = tilelang.compile(scaled, out_idx=[2], target="cuda")
        self.assertEqual((kernel.target, kernel.execution_backend), ("sm_90a", "cuda"))
        for m in (1, 37):
            a = np.random.default_rng(m).standard_normal((m, 24)).astype("float32")
            np.testing.assert_array_equal(kernel(a, 1.5), a * np.float32(1.5))
            launch = fake_gpu.launches[-1]
            self.assertEqual((launch.grid, launch.block, launch.shared), ((-(-m // 16), 1, 1), 64, 16 * 24 * 4))
        self.assertEqual(len(fake_gpu.log("CompileProgram")), 1)
        self.assertEqual(len(fake_gpu.log("ModuleLoadData")), 1)
        self.assertEqual(fake_gpu.used(), self.used)  # what a call took it gave back

    def test_only_what_is_written_comes_back(self):
        a, b = np.ones((4, 24), "float32"), np.zeros((4, 24), "float32")
        tilelang.compile(scaled, target="cuda")(a, 2.0, b)
        np.testing.assert_array_equal(b, 2 * a)
        self.assertEqual(fake_gpu.log("MemcpyHtoDAsync"), ["384", "384"])
        self.assertEqual(fake_gpu.log("MemcpyDtoHAsync"), ["384"])

    def test_parts_of_one_array(self):
        memory = np.arange(3 * 24, dtype="float32").reshape(3, 24)
        before = memory.copy()
        tilelang.compile(scaled, target="cuda")(memory[:2], 2.0, memory[1:])
        np.testing.assert_array_equal(memory[1:], 2 * before[:2])
        self.assertEqual(len(fake_gpu.log("MemAlloc")), 1)

    def test_layouts_that_kernels_cannot_access(self):
        kernel = tilelang.compile(scaled, target="cuda")
        records = np.ones((5, 24), [("flag", "u1"), ("x", "f4")])
        plain, before, used = np.zeros((5, 24), "float32"), records.tobytes(), fake_gpu.used()
        misplaced = np.zeros(5 * 24 * 4 + 1, "uint8")[1:].view("float32").reshape(5, 24)
        for values, name in (((records["x"], 2.0, plain), "argument-stride"), ((plain, 2.0, records["x"]), "argument-stride"),
                             ((misplaced, 2.0, plain), "argument-alignment"), ((plain, 2.0, plain[:, ::-1]), "argument-stride")):
            with self.assertRaisesRegex(tilelang.ArgumentError, name):
                kernel(*values)
        self.assertEqual((records.tobytes(), fake_gpu.used()), (before, used))

    def test_arrays_of_the_device(self):
        kernel = tilelang.compile(scaled, out_idx=[2], target="cuda")
        a = np.ones((5, 24), "float32")
        out = kernel(tilelang.to_device(a), 3.0)
        self.assertIsInstance(out, tilelang.DeviceArray)
        np.testing.assert_array_equal(out.numpy(), 3 * a)
        self.assertEqual(out.__cuda_array_interface__["shape"], (5, 24))

    def test_arrays_by_dlpack(self):
        class Other:
            """An array of NumPy's whose memory is said to be the device's."""

            def __init__(self, array):
                self.memory, self.array, self.streams = tilelang.to_device(array), array, []

            def __dlpack_device__(self):
                return (2, 0)

            def __dlpack__(self, stream=None):
                self.streams.append(stream)
                capsule = self.array.__dlpack__()
                where = dlpack.ctypes.pythonapi.PyCapsule_GetPointer(capsule, b"dltensor")
                tensor = dlpack._Tensor.from_address(where)
                self.restore = tensor.data
                tensor.data, tensor.device_type = self.memory.__cuda_array_interface__["data"][0], 2
                return capsule

        import tilelab._gpu.dlpack as dlpack
        pointer = dlpack.ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = dlpack.ctypes.c_void_p, [dlpack.ctypes.py_object, dlpack.ctypes.c_char_p]
        a = Other(np.arange(5 * 24, dtype="float32").reshape(5, 24))
        out = tilelang.compile(scaled, out_idx=[2], target="cuda")(a, 2.0)
        np.testing.assert_array_equal(out.numpy(), a.array * 2)
        self.assertEqual(a.streams, [1])
        with self.assertRaisesRegex(tilelang.ArgumentError, "dtype float32 expected, got int16"):
            tilelang.compile(scaled, target="cuda")(Other(np.zeros((5, 24), "int16")), 2.0, out)

    def test_plans_are_kept_by_size(self):
        """A scalar that the host section does not need makes no new plan; its value is that of the call."""
        kernel = tilelang.compile(scaled, target="cuda")
        for m, factor in ((3, 2.0), (20, 3.0), (3, 4.0), (20, -1.0)):
            a, b = np.ones((m, 24), "float32"), np.zeros((m, 24), "float32")
            kernel(a, factor, b)
            np.testing.assert_array_equal(b, factor * a)

    def test_check_of_arrays_of_the_device(self):
        """The simulator has copies; the arrays keep their values."""
        kernel, b = tilelang.compile(scaled, target="cuda"), tilelang.to_device(np.zeros((3, 24), "float32"))
        report = kernel.check(tilelang.to_device(np.ones((3, 24), "float32")), 2.0, b)
        self.assertIn("clean", str(report))
        self.assertFalse(b.numpy().any())
        self.assertEqual(fake_gpu.launches, [])

    def test_a_stream_by_name(self):
        a, b = np.ones((3, 24), "float32"), np.zeros((3, 24), "float32")
        kernel = tilelang.compile(scaled, target="cuda")
        kernel(a, 2.0, b, stream=4711)
        kernel(a, 2.0, b)
        self.assertEqual([line.split()[-1] for line in fake_gpu.log("LaunchKernel")], ["4711", "0"])
        with self.assertRaisesRegex(tilelang.ArgumentError, "does not take a keyword argument 'strem'"):
            kernel(a, 2.0, b, strem=4711)

    def test_blocks_stay_on_as_many_processors_as_the_card_has(self):
        with fake_gpu.here(devices=6):
            kernel = tilelang.compile(stays, target="cuda")
            for device, blocks in (("cuda", 132), ("cuda:5", 72), ("cuda", 132), ("cuda:5", 72)):
                settings.device = device
                kernel(*(np.zeros(shape, "float16") for shape in ((140 * 128, 64), (256, 64), (140 * 128, 256))))
                self.assertEqual(fake_gpu.launches[-1].grid, (blocks, 1, 1))
            own = tilelang.compile(stays, target="cuda", pass_configs={"tilelab.processors": 3})
            own(*(np.zeros(shape, "float16") for shape in ((140 * 128, 64), (256, 64), (140 * 128, 256))))
            self.assertEqual(fake_gpu.launches[-1].grid, (3, 1, 1))

    def test_dynamic_shared_memory_is_asked_for(self):
        tilelang.compile(big, target="cuda")(np.zeros((128, 128), "float32"))
        self.assertEqual(fake_gpu.log("FuncSetAttribute"), ["8 65536"])
        self.assertEqual(fake_gpu.launches[-1].shared, 65536)

    def test_the_options_of_the_compiler(self):
        tilelang.compile(big, target="sm_80")(np.zeros((128, 128), "float32"))
        self.assertEqual(fake_gpu.log("CompileProgram")[-1], "--gpu-architecture=compute_80 --std=c++17 --fmad=false --minimal -DTL_NO_FUNCTIONS")

        @T.prim_func
        def functions(A: T.Tensor((32,), "float32")):
            with T.Kernel(1, threads=32) as bx:
                for i in T.Parallel(32):
                    A[i] = T.exp(A[i])

        tilelang.compile(functions, target="cuda")(np.zeros(32, "float32"))
        self.assertEqual(fake_gpu.log("CompileProgram")[-1], "--gpu-architecture=sm_90a --std=c++17 --fmad=false --minimal")


class Texts(GpuCase):
    """Kernels of IR text, with what TileLang's source does not bring about yet."""

    def kernel(self, text):
        func, said = tilelang._core.read_ir("text", text)
        self.assertIsNotNone(func, said)
        return tilelang.JITKernel(func)

    def test_tensor_maps(self):
        source = (support.ROOT / "tests/ir/kernels/gemm_sm90_tile.py").read_text()
        source = re.sub(r"const=dict\([^)]*\)", "const=dict(M=256, N=512, K=256, G=2, R=2)", source)
        a, b = np.ones((256, 256), "float16"), np.ones((512, 256), "float16")
        c = np.zeros((256, 512), "float16")
        kernel, seen = self.kernel(source), []

        @fake_gpu.kernel("matmul_k0")
        def run(launch):  # each map begins with its tensor's address
            seen.extend(launch.array_at(launch.params[i], (1,), "uint64")[0] for i in range(3))
            for address in seen:
                self.assertEqual(address % 256, 0)

        kernel(a, b, c)
        self.assertEqual(len(set(seen)), 3)
        maps = fake_gpu.log("TensorMapEncodeTiled")
        self.assertEqual(maps, MAPS)
        kernel(a, b, c)  # its addresses may be others
        self.assertEqual(len(fake_gpu.log("TensorMapEncodeTiled")), 6)
        self.assertEqual(fake_gpu.log("FuncSetAttribute")[0].split()[0], "8")


class Devices(GpuCase):
    def test_the_device_fixes_the_target(self):
        for capability, target in ((90, "sm_90a"), (80, "sm_80"), (89, "sm_86"), (120, "sm_86"), (75, None)):
            fake_gpu.reset(capability=capability)
            found = subprocess.run(
                [sys.executable, "-c", "import fake_gpu; fake_gpu.install(); fake_gpu.reset(capability=%d); from tilelab._gpu import devices; "
                 "print(devices.target())" % capability], capture_output=True, text=True, env=support.environment(),
                cwd=pathlib.Path(__file__).parent)
            self.assertEqual(found.stdout.strip(), str(target), found.stderr)

    def test_a_context_is_made_for_calls_alone(self):
        said = subprocess.run([sys.executable, "-c", """
import support, fake_gpu
fake_gpu.install()
import tilelab, numpy as np
import tilelab.language as T
@T.prim_func
def main(A: T.Tensor((8,), "float32")):
    with T.Kernel(1, threads=8):
        A[0] = 1.0
kernel = tilelab.compile(main)
kernel.get_kernel_source()
print(kernel.target, fake_gpu.log("DevicePrimaryCtxRetain"))
kernel(np.zeros(8, "float32"))
print(fake_gpu.log("DevicePrimaryCtxRetain"))
"""], capture_output=True, text=True, env=support.environment(), cwd=pathlib.Path(__file__).parent)
        self.assertEqual(said.stdout.splitlines(), ["sm_90a []", "['0']"], said.stderr)

    def test_auto_is_the_gpu(self):
        self.assertEqual(tilelang.compile(scaled).target, "sm_90a")
        with support.device("sim"):
            kernel = tilelang.compile(scaled, target="cuda", out_idx=[2])
            self.assertEqual(kernel.execution_backend, "simulator")
            kernel(np.ones((3, 24), "float32"), 2.0)
        self.assertEqual(fake_gpu.launches, [])

    def test_another_vendors_code(self):
        kernel = tilelang.compile(scaled, target="musa", out_idx=[2])
        kernel(np.ones((3, 24), "float32"), 2.0)  # auto: the simulator
        self.assertEqual(fake_gpu.launches, [])
        with support.device("cuda"), self.assertRaisesRegex(RuntimeError, r"device-target(.|\n)*is compiled for mp_31"):
            kernel(np.ones((3, 24), "float32"), 2.0)

    def test_tensors_of_another_device(self):
        class Elsewhere:
            def __init__(self, array):
                self.device_number, self.array = 1, array

            @property
            def __cuda_array_interface__(self):
                return self.array.__cuda_array_interface__

        a = tilelang.to_device(np.ones((3, 24), "float32"))
        kernel = tilelang.compile(scaled, target="cuda")
        with self.assertRaisesRegex(tilelang.ArgumentError, "argument B: the tensor is on cuda:1"):
            kernel(a, 2.0, Elsewhere(a))


class Failures(GpuCase):
    def test_no_driver(self):
        env = {**support.environment(), "TILELAB_CUDA_DRIVER": "/nowhere/libcuda.so.1"}
        env.pop("TILELAB_NVRTC", None)
        said = subprocess.run([sys.executable, "-c", """
import support, tilelab, numpy as np
import tilelab.language as T
from tilelab._compiler import settings
@T.prim_func
def main(A: T.Tensor((8,), "float32")):
    with T.Kernel(1, threads=8):
        A[0] = 1.0
kernel = tilelab.compile(main, target="cuda")
print(kernel.execution_backend)
kernel(np.zeros(8, "float32"))
settings.device = "cuda"
try:
    kernel(np.zeros(8, "float32"))
except RuntimeError as error:
    print(type(error).__name__, str(error).strip().splitlines()[0])
"""], capture_output=True, text=True, env=env, cwd=pathlib.Path(__file__).parent)
        self.assertEqual(said.stdout.splitlines(), [
            "simulator",
            "DeviceError error[device-absent]: device cuda: no driver (/nowhere/libcuda.so.1 not found)"], said.stderr)

    def test_code_that_does_not_compile(self):
        tilelang.register_cuda_postproc(lambda code, target: code + "\nint x = does_not_compile;\n")
        try:
            with self.assertRaisesRegex(tilelang.DeviceError, r'device-code(.|\n)*identifier "does_not_compile"'):
                tilelang.compile(scaled, out_idx=[2], target="cuda")(np.ones((3, 24), "float32"), 2.0)
        finally:
            tilelang.register_cuda_postproc(lambda code, target: code)

    def test_out_of_memory(self):
        kernel = tilelang.compile(scaled, target="cuda")
        a = np.ones((100, 24), "float32")
        fake_gpu.reset(memory=fake_gpu.used() + 10000)
        with self.assertRaisesRegex(tilelang.DeviceError, r"device-memory(.|\n)*no room for 9.4 KiB"):
            kernel(a, 2.0, a.copy())
        fake_gpu.reset()
        kernel(a, 2.0, a.copy())  # the session lives
        self.assertEqual(fake_gpu.used(), self.used)

    def test_a_launch_for_which_there_is_no_memory(self):
        kernel = tilelang.compile(scaled, out_idx=[2], target="cuda")
        a = np.ones((3, 24), "float32")
        fake_gpu.fail("LaunchKernel", 2)
        with self.assertRaisesRegex(tilelang.DeviceError, r"device-memory(.|\n)*no room for what cuLaunchKernel needs; "
                                    r"(.|\n)* free(.|\n)*torch.cuda.empty_cache"):
            kernel(a, 2.0)
        np.testing.assert_array_equal(kernel(a, 2.0), 2 * a)

    def test_a_call_that_the_driver_refuses(self):
        kernel = tilelang.compile(scaled, out_idx=[2], target="cuda")
        a = np.ones((3, 24), "float32")
        fake_gpu.fail("LaunchKernel", 1)
        with self.assertRaisesRegex(tilelang.DeviceError, r"device-call(.|\n)*cuLaunchKernel failed in the driver: CUDA_ERROR_"):
            kernel(a, 2.0)
        np.testing.assert_array_equal(kernel(a, 2.0), 2 * a)

    def test_a_misplaced_tensor(self):
        whole = tilelang.to_device(np.ones(4 * 24 + 1, "float32"))

        class Shifted:
            device_number = 0
            __cuda_array_interface__ = {**whole.__cuda_array_interface__, "shape": (4, 24),
                                        "data": (whole.__cuda_array_interface__["data"][0] + 4, False)}

        with self.assertRaisesRegex(tilelang.ArgumentError, "A starts at an address that is not a multiple of 16"):
            tilelang.compile(scaled, target="cuda")(Shifted(), 2.0, tilelang.to_device(np.ones((4, 24), "float32")))
        self.assertEqual(fake_gpu.launches, [])

    def test_ctrl_c_ends_the_wait(self):
        kernel = tilelang.compile(scaled, out_idx=[2], target="cuda")
        before = len(fake_gpu.log("MemFree"))
        fake_gpu.pending(-1)
        threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
        with self.assertRaises(KeyboardInterrupt) as caught:
            kernel(np.ones((3, 24), "float32"), 2.0)
        self.assertIn("kernel scaled, which continues on the GPU", str(caught.exception))
        self.assertEqual(len(fake_gpu.log("MemFree")), before)  # it would wait for the kernel
        fake_gpu.pending(0)
        kernel(np.ones((3, 24), "float32"), 2.0)

    def test_an_illegal_address(self):
        """In a separate process, whose GPU context it destroys and nothing else."""
        said = subprocess.run([sys.executable, __file__, "fault"], capture_output=True, text=True,
                              env={**os.environ, **support.environment()})
        self.assertEqual(said.stdout.splitlines(), [
            "error[device-fault]: kernel scaled faulted and ended the GPU context of this session on Fake GPU 0: "
            "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)",
            "error[device-lost]: Fake GPU 0 lost its GPU context in an earlier fault: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal "
            "memory access was encountered) in kernel scaled, or in an earlier one",
            "simulated [2. 2. 2.]"], said.stderr)


class Events(GpuCase):
    def test_prints_read_as_the_simulators(self):
        @T.prim_func
        def speaks(A: T.Tensor((4,), "float32")):
            with T.Kernel(4, threads=1) as bx:
                T.print(A[bx], msg="element")
                T.device_assert(A[bx] < 3.0, "small")

        kernel = tilelang.compile(speaks, target="cuda")
        said = []
        for values in ((0, 1, 2, 0), (0, 3, 2, 3)):
            a = np.array(values, "float32")

            @fake_gpu.kernel("speaks_k0")
            def run(launch):
                self.assertEqual(launch.array(1, (4,), "uint32").tolist(), [65536, 0, 0, 0])
                events = [(0, 0, b, 0, [v]) for b, v in reversed(list(enumerate(launch.array(0, (4,)))))]
                events += [(1, 1, b, 0, [3.0]) for b in (3, 1) if 3 in values]
                self.ring(launch, 1, events)

            for name in ("sim:flat", "cuda"):
                out = io.StringIO()
                with support.device(name), contextlib.redirect_stdout(out):
                    try:
                        kernel(a)
                    except tilelang.KernelError as error:
                        print(error)
                said.append(out.getvalue())
        self.assertEqual(said[0], said[1])
        self.assertEqual(said[2], said[3])
        self.assertIn("assertion: in block (1, 0), small, A[bx] is 3  (2 times)", said[3])
        self.assertIn("thread 0 (warp 0, lane 0) fails", said[3])
        self.assertEqual(len(said[0].splitlines()), 4)

    def test_tiles_read_alike_everywhere(self):
        """As tiles, whichever level or device prints, element by element or at once."""
        @T.prim_func
        def tiles(A: T.Tensor((4, 6), "float32")):
            with T.Kernel(2, threads=32) as bx:
                s = T.alloc_shared((2, 3), "float32")
                for i, j in T.Parallel(2, 3):
                    s[i, j] = A[bx * 2 + i, j]
                T.print(s, msg="tile")
                T.print(A[bx, 0], msg="element")

        kernel, a, said = tilelang.compile(tiles, target="cuda"), np.arange(24, dtype="float32").reshape(4, 6), []

        @fake_gpu.kernel("tiles_k0")
        def run(launch):
            self.ring(launch, 1, [event for b in range(2) for event in [
                *((0, 0, b, 0, [a[b * 2 + i, j], i, j]) for i in range(2) for j in range(3)), (1, 0, b, 0, [a[b, 0]])]])

        for name in ("sim:tile", "sim:thread", "sim:flat", "cuda"):
            out = io.StringIO()
            with support.device(name), contextlib.redirect_stdout(out):
                kernel(a)
            said.append(out.getvalue())
        self.assertIn("buffer=s, shape=2, 3, dtype=float32", said[0])
        self.assertIn("\n     0  1  2\n  0  0  1  2\n  1  6  7  8\n", said[0])
        self.assertEqual(len(said[0].splitlines()), 10)
        self.assertNotIn("...", said[0])
        self.assertEqual(said, said[:1] * 4)

    def test_what_did_not_fit_is_counted(self):
        @T.prim_func
        def much(A: T.Tensor((4,), "float32")):
            with T.Kernel(1, threads=1):
                T.print(A[0], msg="first")

        @fake_gpu.kernel("much_k0")
        def run(launch):
            self.ring(launch, 1, [(0, 0, 0, 0, [1.0])] * 65536, written=70000)

        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            tilelang.compile(much, target="cuda")(np.ones(4, "float32"))
        self.assertRegex(out.getvalue(), r"\n… 69000 more events \(events=1000; [^\n]*\)\n$")


class Times(GpuCase):
    def test_events_with_an_empty_cache(self):
        kernel = tilelang.compile(scaled, target="cuda")
        a, b = tilelang.to_device(np.ones((4, 24), "float32")), tilelang.to_device(np.ones((4, 24), "float32"))
        latency = tilelang.profiler.do_bench(lambda: kernel(a, 2.0, b), _n_warmup=3, _n_repeat=4)
        self.assertEqual(latency, 0.25)  # what the fake says of each
        self.assertNotIn("simulated", str(latency))
        calls = [line.split()[0] for line in fake_gpu.log() if line.split()[0] in
                 ("LaunchKernel", "EventRecord") or line == f"MemsetD8Async {256 << 20}"]
        timed = ["MemsetD8Async", "EventRecord", "LaunchKernel", "EventRecord"]
        self.assertEqual(calls, ["LaunchKernel", *timed * 5, *["LaunchKernel"] * 3, *timed * 4])
        self.assertEqual(len(fake_gpu.log("EventCreate")), len(fake_gpu.log("EventDestroy")))

    def test_size_of_the_cache_and_estimates(self):
        kernel = tilelang.compile(scaled, target="cuda")
        a, b = tilelang.to_device(np.ones((4, 24), "float32")), tilelang.to_device(np.ones((4, 24), "float32"))
        bench = tilelang.profiler.do_bench
        self.assertEqual(bench(lambda: kernel(a, 2.0, b), cache_size=64, early_stop_baseline=0.2), 0.25)
        flushes = [line for line in fake_gpu.log() if line.startswith("MemsetD8Async")]
        self.assertEqual(flushes, [f"MemsetD8Async {64 << 20}"] * 5)  # the estimate alone

    def test_backends(self):
        for backend in ("cupti", "cudagraph"):
            with mock.patch.dict(sys.modules, {"torch": None}), self.assertRaisesRegex(ImportError, f'backend="{backend}" measures with PyTorch'):
                tilelang.profiler.do_bench(lambda: None, backend=backend)
        with self.assertRaisesRegex(ValueError, "there are event, cupti, cudagraph"):
            tilelang.profiler.do_bench(lambda: None, backend="clock")

    def test_a_profilers_inputs_are_on_the_gpu(self):
        profiler = tilelang.compile(big, target="cuda").get_profiler()
        self.assertIsInstance(profiler._get_inputs()[0], tilelang.DeviceArray)
        self.assertEqual(profiler.do_bench(n_warmup=1, n_repeat=2), 0.25)


def fault():
    fake_gpu.reset()
    kernel = tilelang.compile(scaled, out_idx=[2], target="cuda")
    a = np.ones((3, 24), "float32")
    fake_gpu.fail("StreamQuery", 700)
    for _ in range(2):
        try:
            kernel(a, 2.0)
        except tilelang.DeviceError as error:
            print(str(error).strip().splitlines()[0])
    with support.device("sim"):
        print("simulated", kernel(a, 2.0)[:, 0])


if __name__ == "__main__":
    fault() if sys.argv[1:] == ["fault"] else unittest.main()
