# SPDX-License-Identifier: Apache-2.0
"""Timing and comparing kernels."""

import math
import sys
import time

from .._compiler import ignored_options
from .._gpu import devices, timing
from .._kernel import progress
from .._kernel.params import KernelParam
from .tensor_supply import TensorSupplyType, supply_on

__all__ = ["Profiler", "do_bench"]


LONG = 0.5  # seconds; a longer simulated call is not repeated


class SimulatedTime(float):
    """Milliseconds of a simulated run on this machine, marked as simulated when shown."""

    def __str__(self):
        return f"{float(self)} (simulated)"

    __repr__ = __str__

    def __format__(self, spec):
        return f"{float(self):{spec}} (simulated)" if spec else str(self)


def times_of(fn, warmup, rep, n_warmup, n_repeat, **on_gpu):
    """(milliseconds of single calls, whether a simulated device ran them). `on_gpu`: of timing.times."""
    def once():
        start = time.perf_counter()
        fn()
        return (time.perf_counter() - start) * 1e3

    before = progress.launches
    first = max(once(), 1e-4)
    simulated = progress.launches > before
    gpu = None if simulated else devices.chosen()
    if gpu is not None:
        return timing.times(fn, gpu, warmup, rep, n_warmup, n_repeat, **on_gpu), False
    if simulated and first > LONG * 1e3:  # repetition does not make simulated times meaningful
        return [first], simulated
    for _ in range(n_warmup or min(int(warmup / first), 1000)):
        fn()
    return [once() for _ in range(n_repeat or max(1, min(int(rep / first), 1000)))], simulated


def do_bench(fn, warmup=25, rep=100, _n_warmup=0, _n_repeat=0, quantiles=None, return_mode="mean", backend="event", cache_size=256,
             early_stop_baseline=None, **unread):
    """Milliseconds of one call of `fn`: mean, median, min or max over about `rep` ms of runs. GPU times start with a flushed L2 cache, of
    at most `cache_size` MB. `backend`: "event" (events around a call), "cupti" (device time of its kernels, by torch's profiler) or
    "cudagraph" (replays of a graph of torch). A call slower than `early_stop_baseline` ms is only estimated. Simulated times are marked;
    a simulated call longer than half a second is measured once."""
    ignored_options.take("do_bench", unread)
    if backend not in timing.BACKENDS:
        raise ValueError(f"backend {backend!r} of do_bench does not exist; there are {', '.join(timing.BACKENDS)}")
    times, simulated = times_of(fn, warmup, rep, _n_warmup, _n_repeat, backend=backend, flush_mb=cache_size, early_stop=early_stop_baseline)
    kind = SimulatedTime if simulated else float
    times.sort()
    if quantiles:
        return [kind(times[min(int(q * len(times)), len(times) - 1)]) for q in quantiles]
    picked = {"mean": sum(times) / len(times), "median": times[len(times) // 2], "min": times[0], "max": times[-1]}
    return kind(picked[return_mode])


def _values(array):
    import numpy

    if type(array).__module__.partition(".")[0] == "torch":
        return array.detach().double().cpu().numpy()
    return numpy.asarray(array, dtype="float64")


def _elements(a, b):
    """The float64 values of two results; on their GPU where both are tensors of torch, as a copy to the host takes longer than a kernel."""
    if hasattr(a, "detach") and hasattr(b, "detach"):
        return a.detach().double(), b.detach().to(a.device).double()
    return _values(a), _values(b)


def _listed(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def _sized(param, shape, dims):
    """The parameter with its dynamic extents as numbers; `shape` has those that `dims` determine."""
    if param.scalar or not dims:
        return param
    for entry, extent in zip(param.shape, shape):
        if extent is None:
            raise ValueError(f"Dynamic symbolic variable {entry!r} of {param.name} not found in constraints. "
                             f"Available constraints: {list(dims)}")
    return KernelParam(param.dtype, shape, param.name)


def _load_torch():
    """Loads torch if it is installed: references and GPUs take its tensors."""
    import importlib.util

    if importlib.util.find_spec("torch") is not None:
        import torch  # noqa: F401


class Profiler:
    """Runs a kernel on random inputs. `extents`: its dynamic extents by name, where a call gives no constraints."""

    def __init__(self, kernel, tensor_supply_type=None, extents=None):
        self.kernel, self.extents = kernel, dict(extents or {})
        self.supply = tensor_supply_type or TensorSupplyType.Auto

    @property
    def func(self):
        """The kernel, as a function of its arguments."""
        return self.kernel

    def __call__(self, *args, **kwargs):
        return self.kernel(*args, **kwargs)

    def _get_inputs(self, with_output=False, dynamic_symbolic_constraints=None):
        """Random arguments; dynamic extents come from the constraints, `{"m": 128}`."""
        outputs = [] if with_output else self.kernel._outputs
        dims = dict(dynamic_symbolic_constraints or self.extents)
        if (gpu := self.kernel._gpu()) is not None:
            _load_torch()
        inputs = [(i, p) for i, p in enumerate(self.kernel.params) if i not in outputs]
        shapes = self.kernel._func.shapes(dims)
        return [supply_on(_sized(p, shapes[i], dims), self.supply, gpu) for i, p in inputs]

    def run_once(self, func=None):
        return (func or self.kernel)(*self._get_inputs())

    def do_bench(self, func=None, warmup=25, rep=100, n_warmup=0, n_repeat=0, input_tensors=None,
                 dynamic_symbolic_constraints=None, **options):
        inputs = input_tensors or self._get_inputs(False, dynamic_symbolic_constraints)
        run = func or self.kernel
        return do_bench(lambda: run(*inputs), warmup, rep, n_warmup, n_repeat, **options)

    def assert_allclose(self, reference_program, input_tensors=None, atol=1e-2, rtol=1e-2, max_mismatched_ratio=0.01):
        """Raises AssertionError if more than that share of the elements differs."""
        import numpy

        _load_torch()
        inputs = input_tensors or self._get_inputs()
        copies = [x.clone() if hasattr(x, "clone") else x.copy() for x in inputs]
        expected = _listed(reference_program(*copies))
        got = _listed(self.kernel(*inputs))
        for number, (want, have) in enumerate(zip(expected, got)):
            a, b = _elements(have, want)
            if tuple(a.shape) != tuple(b.shape):
                raise AssertionError(f"output {number} has shape {tuple(a.shape)}, expected {tuple(b.shape)}")
            close = (numpy if isinstance(a, numpy.ndarray) else sys.modules["torch"]).isclose(a, b, atol=atol, rtol=rtol, equal_nan=True)
            size, wrong = math.prod(a.shape), int((~close).sum())
            if wrong > max_mismatched_ratio * size:
                at = tuple(int(i) for i in numpy.argwhere(~_values(close).astype(bool))[0])
                raise AssertionError(f"output {number}: {wrong} of {size} elements differ, first at {at}: {float(a[at])} instead of "
                                     f"{float(b[at])}")

    def manual_assert_close(self, reference_program, input_tensors=None, manual_check_prog=None):
        _load_torch()
        inputs = input_tensors or self._get_inputs()
        manual_check_prog(_listed(self.kernel(*inputs)), _listed(reference_program(*inputs)))

    def assert_consistent(self, repeat=10):
        import numpy

        inputs = self._get_inputs()
        first = [_values(x) for x in _listed(self.kernel(*inputs))]
        for _ in range(repeat - 1):
            for a, b in zip(first, map(_values, _listed(self.kernel(*inputs)))):
                numpy.testing.assert_array_equal(a, b)
