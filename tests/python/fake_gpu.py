# SPDX-License-Identifier: Apache-2.0
"""The driver of tests/runtime/fake_gpu.cpp in the place of NVIDIA's, or, where the environment has
FAKE_GPU=musa, of Moore Threads': what it was asked, and kernels as functions of Python."""

import contextlib
import ctypes
import os
import tempfile

import numpy as np

VENDOR = os.environ.get("FAKE_GPU", "cuda")
PATH = os.environ["TILELAB_FAKE_GPU"].replace("fake_cuda", f"fake_{VENDOR}")
CAPABILITY = {"cuda": 90, "musa": 31}[VENDOR]
_cache = tempfile.TemporaryDirectory()
_OURS = {"cuda": {"TILELAB_CUDA_DRIVER": PATH, "TILELAB_NVRTC": PATH, "FAKE_GPU_OF_WORKER": "1"},
         "musa": {"TILELAB_MUSA_DRIVER": PATH, "TILELAB_MCC": os.path.join(os.path.dirname(__file__), "fake_mcc"),
                  "FAKE_MCC_LOG": os.path.join(_cache.name, "mcc.log")}}[VENDOR] | {"TILELAB_CACHE_DIR": _cache.name}


class _Launch(ctypes.Structure):
    _fields_ = [("kernel", ctypes.c_char_p), ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint),
                ("shared", ctypes.c_uint), ("count", ctypes.c_int), ("params", ctypes.POINTER(ctypes.c_void_p))]


_Runner = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Launch))
_library = ctypes.CDLL(PATH)
_library.fake_log.restype = _library.fake_problems.restype = ctypes.c_char_p
_library.fake_used.restype = ctypes.c_size_t
_library.fake_elapsed.argtypes = (ctypes.c_float,)
_library.fake_device.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_size_t)
_kernels, launches = {}, []


class Launch:
    """A launch as the kernel sees it."""

    def __init__(self, record):
        self.kernel, self.grid, self.block = record.kernel.decode(), tuple(record.grid), record.block
        self.shared = record.shared
        self.params = [record.params[i] for i in range(record.count)]

    def word(self, i):
        return ctypes.c_uint64.from_address(self.params[i]).value

    def array(self, i, shape, dtype="float32"):
        """The memory that parameter i points to."""
        return self.array_at(self.word(i), shape, dtype)

    @staticmethod
    def array_at(address, shape, dtype):
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        return np.frombuffer((ctypes.c_char * size).from_address(address), dtype).reshape(shape)

    def scalar(self, i, dtype):
        return np.frombuffer(ctypes.string_at(self.params[i], 8), dtype)[0]


@_Runner
def _run(record):
    launch = Launch(record.contents)
    launches.append(launch)
    if launch.kernel in _kernels:
        _kernels[launch.kernel](launch)


def kernel(name):
    """Makes the function what kernel `name` does, from now on."""
    def register(function):
        _kernels[name] = function
        return function

    return register


def install():
    """For the rest of the process."""
    os.environ.update(_OURS)


@contextlib.contextmanager
def here(device=VENDOR, **machine):
    """The GPU, as the chosen device, for a block."""
    from tilelab._compiler import settings

    before, os.environ["TILELANG_DISABLE_CACHE"] = dict(os.environ), "1"
    install()
    reset(**machine)
    settings.device = device
    try:
        yield
    finally:
        settings.device = "auto"
        os.environ.clear()
        os.environ.update(before)


def reset(devices=1, capability=CAPABILITY, memory=1 << 30):
    open(os.path.join(_cache.name, "mcc.log"), "w").close()
    _library.fake_reset()
    _library.fake_device(devices, capability, memory)
    _library.fake_runner(_run)
    del launches[:]


def fail(call, status, after=0):
    """The call answers with that status, once, when it was good `after` times."""
    _library.fake_fail(call.encode(), status, after)


def pending(queries):
    """Kernels are not done for so many questions; -1: never."""
    _library.fake_pending(queries)


def elapsed(milliseconds):
    """The time between any two events, from now on."""
    _library.fake_elapsed(milliseconds)


def capturing(yes):
    """Whether streams are being captured into a graph of the caller's."""
    _library.fake_capturing(int(yes))


def used():
    """Bytes of the device that are allocated."""
    return _library.fake_used()


def log(call=""):
    """The calls so far; those of one kind without its name."""
    lines = _library.fake_log().decode().splitlines()
    return [line[len(call):].strip() for line in lines if line.split(" ")[0] == call] if call else lines


def starts():
    """The number of concurrent starts of the run-time compiler."""
    return _library.fake_starts()


def mcc_log():
    """The commands of mcc so far."""
    with open(os.path.join(_cache.name, "mcc.log")) as log:
        return log.read().splitlines()


def problems():
    return _library.fake_problems().decode()
