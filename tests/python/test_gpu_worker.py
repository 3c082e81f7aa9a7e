# SPDX-License-Identifier: Apache-2.0
"""Kernels by a worker: a fault, an endless kernel, the driver's own end cost what lay on the GPU, and nothing else."""

import collections
import contextlib
import io
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import support

_folder = tempfile.TemporaryDirectory()
LOG = os.environ.get("FAKE_GPU_LOG") or os.path.join(_folder.name, "log")
FAKE = os.environ["TILELAB_FAKE_GPU"]
OURS = {"TILELAB_CUDA_DRIVER": os.environ.get("ANOTHER_DRIVER", FAKE), "TILELAB_NVRTC": FAKE, "TILELAB_CACHE_DIR": _folder.name, "FAKE_GPU_LOG": LOG,
        "FAKE_GPU_OF_WORKER": "1"}
os.environ.update(OURS)

import numpy as np

import tilelab as tilelang
import tilelab.language as T
from gpu_case_kernels import crash, endless, scaled, speaks, stuck, traps, wild
from tilelab._compiler import settings


def log():
    """{process: what the driver was asked there}."""
    out = collections.defaultdict(list)
    with contextlib.suppress(FileNotFoundError), open(LOG) as lines:
        for line in lines:
            process, _, said = line.strip().partition(" ")
            out[int(process)].append(said)
    return out


def workers():
    """The processes that called a driver, in their order."""
    return [process for process, said in log().items() if not all(line.startswith("CompileProgram") for line in said)]


def rows(m=3):
    return np.arange(m * 24, dtype="float32").reshape(m, 24)


class WorkerCase(unittest.TestCase):
    def setUp(self):
        with contextlib.suppress(FileNotFoundError):
            os.remove(LOG)
        settings.device = "cuda:worker"
        self.kernel = tilelang.compile(scaled, out_idx=[2])

    def tearDown(self):
        settings.device = "auto"
        said = log()
        self.assertEqual([line for lines in said.values() for line in lines if line.startswith("problem")], [])
        # NVRTC is not a driver.
        self.assertEqual([line for line in said[os.getpid()] if not line.startswith("CompileProgram")], [])

    def holds(self):
        np.testing.assert_array_equal(self.kernel(rows(), 2.0), rows() * 2)


class Calls(WorkerCase):
    def test_arrays_of_numpy(self):
        self.assertEqual((self.kernel.target, self.kernel.execution_backend), ("sm_90a", "cuda:worker"))
        for m in (1, 37):
            np.testing.assert_array_equal(self.kernel(rows(m), 1.5), rows(m) * np.float32(1.5))
        b = np.zeros((2, 24), "float32")
        tilelang.compile(scaled)(rows(2), 3.0, b)
        np.testing.assert_array_equal(b, rows(2) * 3)

    def test_more_than_the_shared_memory(self):
        """In parts; the last one is not whole."""
        a = np.random.default_rng(1).standard_normal((400_001, 24)).astype("float32")
        np.testing.assert_array_equal(self.kernel(a, 2.0), a * 2)

    def test_arrays_that_stay_there(self):
        a = tilelang.to_device(rows())
        out = self.kernel(a, 3.0)
        self.assertIsInstance(out, tilelang.DeviceArray)
        self.assertEqual((out.device, repr(out)), ("cuda:worker", "DeviceArray([3, 24], float32, cuda:worker)"))
        np.testing.assert_array_equal(out.numpy(), rows() * 3)
        with self.assertRaisesRegex(AttributeError, "this array is on cuda:worker"):
            out.__cuda_array_interface__
        settings.device = "sim"
        with self.assertRaisesRegex(tilelang.ArgumentError, r"pass a copy: A\.numpy\(\)"):
            self.kernel(a, 3.0)

    def test_a_call_frees_what_it_took(self):
        self.holds()
        before = log()[workers()[0]].count("MemFree")
        self.holds()
        said = log()[workers()[0]]
        self.assertEqual((before, said.count("MemFree")), (2, 4))

    def test_prints_and_asserts_read_as_the_simulators(self):
        kernel, said = tilelang.compile(speaks, target="sm_90a"), []
        for values in ((0, 1, 2, 0), (0, 3, 2, 3)):
            for name in ("sim:flat", "cuda:worker"):
                out, settings.device = io.StringIO(), name
                with contextlib.redirect_stdout(out):
                    try:
                        kernel(np.array(values, "float32"))
                    except tilelang.KernelError as error:
                        print(error)
                said.append(out.getvalue())
        self.assertEqual(said[0], said[1])
        self.assertEqual(said[2], said[3])
        self.assertIn("small", said[3])

    def test_times(self):
        a, b = tilelang.to_device(rows()), tilelang.to_device(rows())
        kernel = tilelang.compile(scaled)
        self.assertEqual(tilelang.profiler.do_bench(lambda: kernel(a, 2.0, b), _n_warmup=2, _n_repeat=3), 0.25)
        said = log()[workers()[0]]
        timed = [line.split()[0] for line in said if line.split()[0] in ("MemsetD8Async", "EventRecord", "LaunchKernel")]
        self.assertEqual(timed[-12:], ["MemsetD8Async", "EventRecord", "LaunchKernel", "EventRecord"] * 3)
        self.assertIn("cuda:worker", str(kernel.bench(a, 2.0, b, runs=3)))

    def test_a_profilers_inputs(self):
        self.assertEqual(tilelang.compile(wild).get_profiler()._get_inputs()[0].device, "cuda:worker")

    def test_streams_are_the_sessions(self):
        with self.assertRaisesRegex(tilelang.UsageError, "in a worker process; streams belong to this process"):
            self.kernel(rows(), 2.0, stream=4711)


class Ends(WorkerCase):
    """Each ends the worker. The session's arrays survive, arrays of the worker are lost, the next call starts it again."""

    def ends(self, kernel, error, said):
        self.holds()
        there, a = tilelang.to_device(rows()), np.ones(64, "float32")
        kernel = tilelang.compile(kernel)
        with self.assertRaisesRegex(error, said):
            kernel(a)
        np.testing.assert_array_equal(a, np.ones(64, "float32"))
        self.assertTrue(there.lost)
        self.assertEqual(repr(there), "DeviceArray([3, 24], float32, cuda:worker, lost)")
        for use in (there.numpy, lambda: self.kernel(there, 2.0), lambda: np.asarray(there), there.copy):
            with self.assertRaisesRegex(tilelang.DeviceError, r"device-array(.|\n)*cuda:worker is lost(.|\n)*to_device"):
                use()
        before = len(workers())
        self.holds()
        self.assertEqual(len(workers()), before + 1)
        self.assertFalse(tilelang.to_device(rows()).lost)
        del there  # memory of another worker is not given back to this one

    def test_an_illegal_address(self):
        self.ends(wild, tilelang.DeviceError,
                  r"device-worker(.|\n)*kernel wild ended the worker of Fake GPU 0: CUDA_ERROR_ILLEGAL_ADDRESS(.|\n)*"
                  r"run %check(.|\n)*call again to restart the worker")

    def test_a_trap(self):
        self.ends(traps, tilelang.DeviceError, r"kernel traps ended the worker")

    def test_the_drivers_own_end(self):
        self.ends(crash, tilelang.DeviceError, r"ended the worker of Fake GPU 0: signal 11")

    def interrupted(self, kernel):
        threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
        self.ends(kernel, KeyboardInterrupt, "whose worker ended: arrays on cuda:worker are lost")

    def test_ctrl_c_of_an_endless_kernel(self):
        self.interrupted(endless)

    def test_ctrl_c_of_a_driver_that_does_not_come_back(self):
        self.interrupted(stuck)

    def test_ctrl_c_of_a_copy_after_an_endless_kernel(self):
        self.holds()
        a = tilelang.to_device(np.ones(64, "float32"))
        tilelang.compile(endless)(a)  # nothing waits for it
        threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
        with self.assertRaises(KeyboardInterrupt):
            a.numpy()
        self.assertTrue(a.lost)
        self.holds()

    def test_a_worker_that_somebody_kills(self):
        """A call on the host's arrays does not notice."""
        self.holds()
        a = tilelang.to_device(rows())
        os.kill(workers()[-1], signal.SIGKILL)
        time.sleep(0.1)
        self.holds()
        with self.assertRaisesRegex(tilelang.DeviceError, r"its worker ended: signal 9"):
            a.numpy()

    def test_a_fault_later(self):
        """A call does not wait for its kernel where nothing comes back."""
        a = tilelang.to_device(np.ones(64, "float32"))
        tilelang.compile(wild)(a)
        with self.assertRaisesRegex(tilelang.DeviceError, "kernel wild ended the worker"):
            a.numpy()
        self.holds()


class Processes(WorkerCase):
    def test_the_worker_ends_with_the_session(self):
        """Even where its driver does not come back."""
        said = subprocess.run([sys.executable, "-c", """
import os, threading, time
import test_gpu_worker as w
w.settings.device = "cuda:worker"
kernel = w.tilelang.compile(w.stuck)
threading.Thread(target=lambda: (time.sleep(1), os._exit(3))).start()
kernel(w.np.ones(64, "float32"))
"""], env={**os.environ, **support.environment()}, cwd=pathlib.Path(__file__).parent, timeout=60)
        self.assertEqual(said.returncode, 3)
        worker = workers()[-1]
        for _ in range(100):
            if not os.path.exists(f"/proc/{worker}"):
                break
            time.sleep(0.05)
        self.assertFalse(os.path.exists(f"/proc/{worker}"))

    def test_the_worker_ends_with_the_session_though_a_child_stays(self):
        said = subprocess.run([sys.executable, "-c", """
import os, signal, time
import test_gpu_worker as w
w.settings.device = "cuda:worker"
w.tilelang.compile(w.scaled)(w.rows(), 2.0, w.rows())
child = os.fork()
if child == 0:
    os.close(1)
    time.sleep(60)
print(child, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""], env={**os.environ, **support.environment()}, cwd=pathlib.Path(__file__).parent, stdout=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(said.returncode, -signal.SIGKILL)
        worker = workers()[-1]
        for _ in range(100):
            if not os.path.exists(f"/proc/{worker}"):
                break
            time.sleep(0.05)
        os.kill(int(said.stdout), signal.SIGKILL)
        self.assertFalse(os.path.exists(f"/proc/{worker}"))

    def test_a_child_of_the_session_has_its_own(self):
        self.holds()
        child = os.fork()
        if child == 0:
            os._exit(0 if (self.kernel(rows(), 2.0) == rows() * 2).all() else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(len(workers()), 2)
        self.holds()
        self.assertEqual(len(workers()), 2)

    def test_no_driver(self):
        said = subprocess.run([sys.executable, "-c", """
import test_gpu_worker as w
w.settings.device = "cuda:worker"
try:
    w.tilelang.compile(w.scaled, out_idx=[2], target="sm_90a")(w.rows(), 2.0)
except RuntimeError as error:
    print(str(error).strip().splitlines()[0])
"""], env={**os.environ, **support.environment(), "ANOTHER_DRIVER": "/nowhere/libcuda.so.1"}, capture_output=True, text=True,
                              cwd=pathlib.Path(__file__).parent)
        self.assertEqual(said.stdout.splitlines(), [
            "error[device-absent]: device cuda:worker: no driver (/nowhere/libcuda.so.1 not found)"], said.stderr)

    def test_two_gpus(self):
        settings.device = "cuda:worker:1"
        with self.assertRaisesRegex(tilelang.DeviceError, "device cuda:worker: no device 1, of 1 device"):
            self.kernel(rows(), 2.0)


if __name__ == "__main__":
    unittest.main()
