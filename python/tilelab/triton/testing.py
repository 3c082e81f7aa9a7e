# SPDX-License-Identifier: Apache-2.0
"""triton.testing: times, tables of times, comparison."""

from ..profiler import do_bench as _do_bench
from ._device import current_target, properties


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Milliseconds of a call; with `quantiles` a list."""
    made = _do_bench(fn, warmup=warmup, rep=rep, quantiles=quantiles, return_mode=return_mode)
    return list(made) if quantiles and isinstance(made, (tuple, list)) else made


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """do_bench."""
    return do_bench(fn, rep=rep, quantiles=quantiles, return_mode=return_mode)


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """AssertionError if two tensors differ."""
    import numpy

    def plain(value):
        return numpy.asarray(value.detach().float().cpu() if hasattr(value, "detach") else value)

    numpy.testing.assert_allclose(plain(x), plain(y), atol=1e-2 if atol is None else atol, rtol=0 if rtol is None else rtol, err_msg=err_msg)


def nvsmi(attrs):
    """Clocks of the device in MHz, by the names that nvidia-smi has for them, such as clocks.max.sm."""
    found = properties()
    clocks = {f"clocks.{which}.{part}": found[key] // 1000 for which in ("max", "current")
              for part, key in (("sm", "sm_clock_rate"), ("memory", "mem_clock_rate"))}
    if unknown := [one for one in attrs if one not in clocks]:
        raise ValueError(f"nvsmi: {unknown[0]!r} is unknown here; use one of {', '.join(clocks)}")
    return [clocks[one] for one in attrs]


def get_dram_gbps(device=None):
    """Bandwidth of the GPU's memory in GB/s: two transfers in each cycle of the memory clock."""
    found = properties(device)
    return found["mem_clock_rate"] * found["mem_bus_width"] * 2 / 8e6


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """Peak of dense matrix instructions in TFLOPS at a clock in kHz: 2048 operations of 16 bits per multiprocessor and cycle, from
    compute capability 9.0 on 4096."""
    of_halves = 4096 if current_target().arch >= 90 else 2048
    return _peak(of_halves * 16 / _bits(dtype), clock_rate, device)


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """Peak of other instructions in TFLOPS at a clock in kHz: 128 fused multiply-adds of float32 per multiprocessor and cycle."""
    return _peak(256 * 32 / max(16, _bits(dtype)), clock_rate, device)


def _peak(operations, clock_rate, device):
    return operations * properties(device)["multiprocessor_count"] * clock_rate * 1e-9


def _bits(dtype):
    return dtype.itemsize * 8


class Benchmark:
    """One table of times: the values of x, the lines, and fixed arguments."""

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args, xlabel="", ylabel="", x_log=False, y_log=False,
                 styles=None):
        self.x_names, self.x_vals, self.line_arg, self.line_vals = x_names, x_vals, line_arg, line_vals
        self.line_names, self.plot_name, self.args, self.xlabel, self.ylabel = line_names, plot_name, args, xlabel, ylabel


class Mark:
    def __init__(self, fn, benchmarks):
        self.fn, self.benchmarks = fn, benchmarks

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **options):
        """Prints a table of each benchmark; nothing is plotted."""
        single = not isinstance(self.benchmarks, (tuple, list))
        out = [self._table(one, print_data) for one in ([self.benchmarks] if single else self.benchmarks)]
        return out[0] if single else out

    def _table(self, bench, print_data):
        rows = []
        for x in bench.x_vals:
            values = dict(zip(bench.x_names, x if isinstance(x, (tuple, list)) else [x] * len(bench.x_names)))
            made = [self.fn(**values, **{bench.line_arg: line}, **bench.args) for line in bench.line_vals]
            rows.append([*values.values(), *(one[0] if isinstance(one, tuple) else one for one in made)])
        if print_data:
            print(bench.plot_name + ":")
            print("  ".join([*bench.x_names, *bench.line_names]))
            for row in rows:
                print("  ".join(map(str, row)))
        return rows


def perf_report(benchmarks):
    """Decorator: a function that measures one point of a table."""
    return lambda fn: Mark(fn, benchmarks)
