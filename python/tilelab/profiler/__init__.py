# SPDX-License-Identifier: Apache-2.0
"""Timing and comparing kernels."""

import time

from .._compiler.arguments import extent_of
from ..engine.param import KernelParam
from ..utils.tensor import TensorSupplyType, supply

__all__ = ["Profiler", "do_bench"]


def do_bench(fn, warmup=25, rep=100, _n_warmup=0, _n_repeat=0, quantiles=None, return_mode="mean", **ignored):
    """Milliseconds of one call of `fn`: mean, median, min or max over about `rep` ms of runs."""
    start = time.perf_counter()
    fn()
    once = max((time.perf_counter() - start) * 1e3, 1e-4)
    for _ in range(_n_warmup or min(int(warmup / once), 1000)):
        fn()
    times = []
    for _ in range(_n_repeat or max(1, min(int(rep / once), 1000))):
        start = time.perf_counter()
        fn()
        times.append((time.perf_counter() - start) * 1e3)
    times.sort()
    if quantiles:
        return [times[min(int(q * len(times)), len(times) - 1)] for q in quantiles]
    picked = {"mean": sum(times) / len(times), "median": times[len(times) // 2], "min": times[0], "max": times[-1]}
    return picked[return_mode]


def _values(array):
    import numpy

    if type(array).__module__.partition(".")[0] == "torch":
        return array.detach().double().cpu().numpy()
    return numpy.asarray(array, dtype="float64")


def _listed(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def _sized(param, dims):
    """The parameter with its extents of run time as numbers."""
    if param.scalar or not dims:
        return param
    shape = [extent_of(entry, dims) for entry in param.shape]
    for entry, extent in zip(param.shape, shape):
        if extent is None:
            raise ValueError(f"Dynamic symbolic variable {entry!r} of {param.name} not found in constraints. "
                             f"Available constraints: {list(dims)}")
    return KernelParam(param.dtype, shape, param.name)


class Profiler:
    """Runs a kernel on random inputs."""

    def __init__(self, kernel, tensor_supply_type=None):
        self.kernel = kernel
        self.supply = tensor_supply_type or TensorSupplyType.Auto

    @property
    def func(self):
        """The kernel, as a function of its arguments."""
        return self.kernel

    def __call__(self, *args, **kwargs):
        return self.kernel(*args, **kwargs)

    def _get_inputs(self, with_output=False, dynamic_symbolic_constraints=None):
        """Random arguments; extents of run time are those of the constraints, `{"m": 128}`."""
        import numpy

        rng = numpy.random.default_rng()
        outputs = [] if with_output else self.kernel._outputs
        dims = dict(dynamic_symbolic_constraints or {})
        inputs = [(i, p) for i, p in enumerate(self.kernel.params) if i not in outputs]
        return [supply(_sized(p, dims), self.supply, rng) for _, p in inputs]

    def run_once(self, func=None):
        return (func or self.kernel)(*self._get_inputs())

    def do_bench(self, func=None, warmup=25, rep=100, n_warmup=0, n_repeat=0, input_tensors=None,
                 dynamic_symbolic_constraints=None, **options):
        inputs = input_tensors or self._get_inputs(False, dynamic_symbolic_constraints)
        run = func or self.kernel
        return do_bench(lambda: run(*inputs), warmup, rep, n_warmup, n_repeat,
                        options.get("quantiles"), options.get("return_mode", "mean"))

    def assert_allclose(self, reference_program, input_tensors=None, atol=1e-2, rtol=1e-2,
                        max_mismatched_ratio=0.01):
        """Raises AssertionError where more than that share of the elements differs."""
        import numpy

        inputs = input_tensors or self._get_inputs()
        copies = [x.clone() if hasattr(x, "clone") else x.copy() for x in inputs]
        expected = _listed(reference_program(*copies))
        got = _listed(self.kernel(*inputs))
        for number, (want, have) in enumerate(zip(expected, got)):
            a, b = _values(have), _values(want)
            if a.shape != b.shape:
                raise AssertionError(f"output {number} has shape {a.shape}, expected {b.shape}")
            wrong = ~numpy.isclose(a, b, atol=atol, rtol=rtol, equal_nan=True)
            if wrong.mean() > max_mismatched_ratio:
                first = tuple(int(i) for i in numpy.argwhere(wrong)[0])
                raise AssertionError(f"output {number}: {int(wrong.sum())} of {wrong.size} elements differ, first "
                                     f"at {first}: {a[first]} instead of {b[first]}")

    def manual_assert_close(self, reference_program, input_tensors=None, manual_check_prog=None):
        inputs = input_tensors or self._get_inputs()
        manual_check_prog(_listed(self.kernel(*inputs)), _listed(reference_program(*inputs)))

    def assert_consistent(self, repeat=10):
        import numpy

        inputs = self._get_inputs()
        first = [_values(x) for x in _listed(self.kernel(*inputs))]
        for _ in range(repeat - 1):
            for a, b in zip(first, map(_values, _listed(self.kernel(*inputs)))):
                numpy.testing.assert_array_equal(a, b)
