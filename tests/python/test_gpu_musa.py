# SPDX-License-Identifier: Apache-2.0
"""Kernels on a GPU of Moore Threads whose driver is a fake: what differs from NVIDIA's (test_gpu.py has
what does not)."""

import os

os.environ["FAKE_GPU"] = "musa"

import contextlib
import io
import itertools
import pathlib
import subprocess
import sys
import types
import unittest

import support
import fake_gpu
from gpu_case import GpuCase, scaled, scaled_on_gpu
import numpy as np

import tilelab as tilelang
import tilelab.language as T

fake_gpu.install()
OPTIONS = ("-x musa --cuda-gpu-arch={} -std=c++17 -Od3 -ffp-contract=off -mllvm -mtgpu-alloc-shared-memory-from-zero=1 "
           "--cuda-device-only")


class Calls(GpuCase):
    def test_arrays_of_numpy(self):
        kernel = tilelang.compile(scaled, out_idx=[2])
        self.assertEqual((kernel.target, kernel.execution_backend), ("mp_31", "musa"))
        for m in (1, 37):
            a = np.random.default_rng(m).standard_normal((m, 24)).astype("float32")
            np.testing.assert_array_equal(kernel(a, 1.5), a * np.float32(1.5))
            launch = fake_gpu.launches[-1]
            self.assertEqual((launch.grid, launch.block, launch.shared), ((-(-m // 16), 1, 1), 64, 16 * 24 * 4))
        self.assertEqual(len(fake_gpu.mcc_log()), 1)
        self.assertEqual(len(fake_gpu.log("ModuleLoadData")), 1)
        self.assertEqual(fake_gpu.used(), self.used)

    def test_the_command_of_mcc(self):
        for capability, target in ((31, "mp_31"), (22, "mp_22")):
            said = subprocess.run([sys.executable, __file__, "compile", str(capability)], capture_output=True, text=True,
                                  env=support.environment())
            command = said.stdout.strip()
            self.assertTrue(command.startswith(OPTIONS.format(target) + " -I"), said.stderr + command)
            self.assertRegex(command, r" -I\S+/device \S+\.mu -o \S+\.mubin$")

    def test_arrays_of_the_device(self):
        kernel = tilelang.compile(scaled, out_idx=[2])
        a = np.ones((5, 24), "float32")
        given = tilelang.to_device(a)
        self.assertEqual(given.device, "musa:0")
        self.assertFalse(hasattr(given, "__cuda_array_interface__"))
        out = kernel(given, 3.0)
        self.assertIsInstance(out, tilelang.DeviceArray)
        np.testing.assert_array_equal(out.numpy(), 3 * a)
        self.assertEqual(repr(out), "DeviceArray([5, 24], float32, musa:0)")

    def test_arrays_by_dlpack(self):
        """Extensions of DLPack have no numbers of streams; the device's is asked for none."""
        import tilelab._gpu.dlpack as dlpack

        class Other:
            def __init__(self, array):
                self.memory, self.array = tilelang.to_device(array), array

            def __dlpack_device__(self):
                return (12, 0)

            def __dlpack__(self):
                capsule = self.array.__dlpack__()
                pointer = dlpack.ctypes.pythonapi.PyCapsule_GetPointer
                pointer.restype, pointer.argtypes = dlpack.ctypes.c_void_p, [dlpack.ctypes.py_object, dlpack.ctypes.c_char_p]
                tensor = dlpack._Tensor.from_address(pointer(capsule, b"dltensor"))
                tensor.data, tensor.device_type = self.memory.array_interface["data"][0], 12
                return capsule

        a = Other(np.arange(5 * 24, dtype="float32").reshape(5, 24))
        np.testing.assert_array_equal(tilelang.compile(scaled, out_idx=[2])(a, 2.0).numpy(), a.array * 2)

    def test_torchs_current_stream(self):
        """torch_musa has it as torch.musa; the used part of it is here."""
        kernel, a, b = tilelang.compile(scaled), np.ones((3, 24), "float32"), np.zeros((3, 24), "float32")
        asked = []
        stream = types.SimpleNamespace(musa_stream=4711)
        torch = types.SimpleNamespace(musa=types.SimpleNamespace(
            is_initialized=lambda: True, current_stream=lambda number: asked.append(number) or stream))
        real = sys.modules.get("torch")
        sys.modules["torch"] = torch
        try:
            kernel(a, 2.0, b)
        finally:
            if real is None:
                del sys.modules["torch"]
            else:
                sys.modules["torch"] = real
        kernel(a, 2.0, b, stream=types.SimpleNamespace(musa_stream=99))
        kernel(a, 2.0, b)
        self.assertEqual(asked, [0])
        self.assertEqual([line.split()[-1] for line in fake_gpu.log("LaunchKernel")], ["4711", "99", "0"])

    def test_dynamic_shared_memory_is_asked_for(self):
        @T.prim_func
        def big(A: T.Tensor((128, 128), "float32")):
            with T.Kernel(1, threads=128):
                s = T.alloc_shared((128, 128), "float32")
                T.copy(A, s)
                for i, j in T.Parallel(128, 128):
                    s[i, j] = s[i, j] + s[j, i]
                T.copy(s, A)

        tilelang.compile(big)(np.zeros((128, 128), "float32"))
        self.assertEqual(fake_gpu.log("FuncSetAttribute"), ["8 65536"])

    def test_prints_and_asserts(self):
        @T.prim_func
        def speaks(A: T.Tensor((4,), "float32")):
            with T.Kernel(4, threads=1) as bx:
                T.print(A[bx], msg="element")
                T.device_assert(A[bx] < 3.0, "small")

        @fake_gpu.kernel("speaks_k0")
        def run(launch):
            head = launch.array(1, (4,), "uint32")
            self.assertEqual(head.tolist(), [65536, 0, 0, 0])
            slots = launch.array_at(launch.word(1) + 16, (20, 20), "uint32")  # 80 bytes each
            for number, (site, kind, block) in enumerate([(0, 0, 3), (0, 0, 2), (0, 0, 1), (0, 0, 0), (1, 1, 3)]):
                value = int(launch.array(0, (4,))[block].view("uint32"))
                slots[number, :10] = [site, kind | 1 << 16, block, 0, 0, 0, 0, 0, value, 0]
            head[1], head[2] = 5, 1

        kernel, said = tilelang.compile(speaks), []
        for name in ("sim:flat", "musa"):
            out = io.StringIO()
            with support.device(name), contextlib.redirect_stdout(out):
                try:
                    kernel(np.array([0, 1, 2, 3], "float32"))
                except tilelang.KernelError as error:
                    print(error)
            said.append(out.getvalue())
        self.assertEqual(said[0], said[1])
        self.assertIn("assertion: in block (3, 0), small", said[1])


class Descriptors(GpuCase):
    """Compares tensor descriptors with NumPy's element addresses. All types and ranks: runtime_test.cpp."""

    def hold(self, words, array):
        """Each element of the descriptor is at its address in the array; innermost dimension first."""
        address, _, rank, *sizes = map(int, words)
        dims = sizes[:rank]
        self.assertEqual(dims, list(array.shape)[::-1])
        steps = [array.itemsize, *sizes[5:5 + rank - 1]]
        memory = fake_gpu.Launch.array_at(address, (array.size,), array.dtype)
        for index in itertools.product(*({0, 1, n // 2, n - 1} for n in dims)):
            offset = sum(i * s for i, s in zip(index, steps))
            self.assertEqual(offset % array.itemsize, 0)
            self.assertEqual(memory[offset // array.itemsize], array[index[::-1]], index)

    def test_of_a_gemm(self):
        source = (support.ROOT / "tests/ir/kernels/gemm_tme_tile.py").read_text()
        func, said = tilelang._core.read_ir("text", source)
        self.assertIsNotNone(func, said)
        kernel = tilelang.JITKernel(func)
        rng, checked = np.random.default_rng(1), []
        a, b = rng.standard_normal((256, 512)).astype("float16"), rng.standard_normal((512, 256)).astype("float16")

        @fake_gpu.kernel("matmul_k0")
        def run(launch):
            for place, array in zip(launch.params[1:], (a, b)):  # after C
                words = launch.array_at(place, (16,), "uint64")
                self.hold(words, array)
                checked.append(array)

        kernel(a, b, np.zeros((256, 256), "float16"))
        self.assertEqual(len(checked), 2)
        self.assertEqual(fake_gpu.log("TensorDescriptorEncode"), [
            "type 4 dims 512 256 strides 1024 interleave 0 outside 0",
            "type 4 dims 256 512 strides 512 interleave 0 outside 0"])


class Devices(GpuCase):
    def test_the_device_fixes_the_target(self):
        for capability, target in ((31, "mp_31"), (22, "mp_22"), (21, None), (42, None)):
            found = subprocess.run([sys.executable, __file__, "target", str(capability)], capture_output=True, text=True,
                                   env=support.environment())
            self.assertEqual(found.stdout.strip(), str(target), found.stderr)

    def test_code_of_another_architecture(self):
        kernel = tilelang.compile(scaled, target="mp_22", out_idx=[2])
        kernel(np.ones((3, 24), "float32"), 2.0)  # auto: the simulator
        self.assertEqual(fake_gpu.launches, [])
        with support.device("musa"), self.assertRaisesRegex(RuntimeError, r"device-target(.|\n)*is compiled for mp_22"):
            kernel(np.ones((3, 24), "float32"), 2.0)

    def test_a_device_by_name(self):
        kernel = tilelang.compile(scaled, out_idx=[2])
        with support.device("musa"):
            np.testing.assert_array_equal(kernel(np.ones((3, 24), "float32"), 2.0), np.full((3, 24), 2, "float32"))
        with support.device("musa:3"), self.assertRaisesRegex(tilelang.DeviceError, "device musa: no device 3"):
            kernel(np.ones((3, 24), "float32"), 2.0)
        with support.device("cuda"), self.assertRaisesRegex(tilelang.DeviceError, "device-absent(.|\n)*device cuda"):
            kernel(np.ones((3, 24), "float32"), 2.0)


class Failures(GpuCase):
    def broken(self, **variables):
        """The output of a call with these environment variables; None unsets one."""
        before = dict(os.environ)
        for name, value in variables.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        try:
            with self.assertRaises(tilelang.DeviceError) as caught:
                tilelang.compile(scaled, out_idx=[2])(np.ones((3, 24), "float32"), 2.0)
        finally:
            os.environ.clear()
            os.environ.update(before)
        return str(caught.exception)

    def test_no_compiler(self):
        said = self.broken(TILELAB_MCC=None, PATH="/nowhere", TILELAB_MTRTC="/nowhere/libmtrtc.so")
        for part in ("device-compiler", "kernel scaled cannot be compiled for mp_31", "neither on PATH nor in /usr/local/musa/bin",
                     "/nowhere/libmtrtc.so not found", "MUSA SDK", "TILELAB_MCC"):
            self.assertIn(part, said)
        self.assertIn("/nowhere/mcc is not a program", self.broken(TILELAB_MCC="/nowhere/mcc", TILELAB_MTRTC="/nowhere/libmtrtc.so"))

    def test_the_library_where_there_is_no_mcc(self):
        before, os.environ["TILELAB_MTRTC"] = dict(os.environ), fake_gpu.PATH
        os.environ["PATH"] = "/nowhere"
        del os.environ["TILELAB_MCC"]
        try:
            tilelang.compile(scaled, out_idx=[2])(np.ones((3, 24), "float32"), 2.0)
        finally:
            os.environ.clear()
            os.environ.update(before)
        self.assertEqual(fake_gpu.log("CompileProgram"), ["--gpu-architecture=mp_31 --std=c++17 --fmad=false"])
        self.assertEqual((fake_gpu.mcc_log(), len(fake_gpu.launches)), ([], 1))

    def test_code_that_does_not_compile(self):
        tilelang.register_musa_postproc(lambda code, target: code + "\nint x = does_not_compile;\n")
        try:
            said = self.broken()
        finally:
            tilelang.register_musa_postproc(lambda code, target: code)
        self.assertRegex(said, r"device-code\]: kernel scaled: mcc rejects its code: .*undeclared identifier 'does_not_compile'")

    def test_a_tensor_that_no_descriptor_takes(self):
        text = (support.ROOT / "tests/ir/kernels/gemm_tme_tile.py").read_text()
        func, _ = tilelang._core.read_ir("text", text)
        kernel = tilelang.JITKernel(func)
        fake_gpu.fail("TensorDescriptorEncode", 1)
        with self.assertRaisesRegex(tilelang.DeviceError, r"muTensorDescriptorEncode: MUSA_ERROR_INVALID_VALUE(.|\n)*multiples of 16"):
            kernel(np.zeros((256, 512), "float16"), np.zeros((512, 256), "float16"), np.zeros((256, 256), "float16"))
        self.assertEqual(fake_gpu.launches, [])

    def test_out_of_memory(self):
        kernel, a = tilelang.compile(scaled), np.ones((100, 24), "float32")
        fake_gpu.reset(memory=fake_gpu.used() + 10000)
        with self.assertRaisesRegex(tilelang.DeviceError, r"device-memory(.|\n)*no room for 9.4 KiB(.|\n)*torch.musa.empty_cache"):
            kernel(a, 2.0, a.copy())

    def test_a_fault_ends_the_devices_work_alone(self):
        said = subprocess.run([sys.executable, __file__, "fault"], capture_output=True, text=True, env=support.environment())
        self.assertEqual(said.stdout.splitlines(), [
            "error[device-fault]: kernel scaled faulted and ended the GPU context of this session on Fake GPU 0: "
            "MUSA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)",
            "error[device-lost]: Fake GPU 0 lost its GPU context in an earlier fault: MUSA_ERROR_ILLEGAL_ADDRESS (an illegal "
            "memory access was encountered) in kernel scaled, or in an earlier one",
            "simulated [2. 2. 2.]"], said.stderr)
        self.assertIn("MUSA_LAUNCH_BLOCKING=1", said.stderr)


def fault():
    kernel, a = tilelang.compile(scaled, out_idx=[2]), np.ones((3, 24), "float32")
    fake_gpu.fail("StreamQuery", 700)
    for _ in range(2):
        try:
            kernel(a, 2.0)
        except tilelang.DeviceError as error:
            print(str(error).strip().splitlines()[0])
            print(error, file=sys.stderr)
    from tilelab._compiler import settings

    settings.device = "sim"
    print("simulated", kernel(a, 2.0)[:, 0])


if __name__ == "__main__":
    if sys.argv[1:2] == ["fault"]:
        fault()
    elif len(sys.argv) == 3:
        fake_gpu.reset(capability=int(sys.argv[2]))
        from tilelab._gpu import devices

        print(devices.target()) if sys.argv[1] == "target" else \
            tilelang.compile(scaled, out_idx=[2])(np.ones((3, 24), "float32"), 2.0)
        print(*fake_gpu.mcc_log(), sep="\n", end="")
    else:
        unittest.main()
