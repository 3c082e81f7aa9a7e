# SPDX-License-Identifier: Apache-2.0
"""Finds the fastest of several configurations of a kernel."""

import dataclasses
import functools
import sys

from .._compiler.errors import CompileError, DiagnosedError
from .._gpu.failures import DeviceError
from .._kernel.progress import Progress
from ..profiler import do_bench
from ..profiler.tensor_supply import TensorSupplyType

PASS_CONFIGS = ("pass_configs", "__pass_configs__")  # keys of a configuration that are not parameters


@dataclasses.dataclass
class ProfileArgs:
    """Settings of a run, with TileLang's names and defaults. `warmup`, `rep`: runs before and during timing. Inputs come from
    `supply_prog(params)`, otherwise random ones of `supply_type`; `cache_input_tensors` reuses the first. Results are compared with
    `ref_prog(*inputs)` (by `manual_check_prog(got, expected)`, if given) unless `skip_check`. `backend`: of do_bench."""

    warmup: int = 25
    rep: int = 100
    supply_type: TensorSupplyType | None = None
    ref_prog: object = None
    supply_prog: object = None
    rtol: float = 1e-2
    atol: float = 1e-2
    max_mismatched_ratio: float = 0.01
    skip_check: bool = False
    manual_check_prog: object = None
    cache_input_tensors: bool = False
    backend: str = "event"


@dataclasses.dataclass
class Tuned:
    """The chosen configuration, its kernel and latency in milliseconds: if nothing was timed, a function that runs the kernel once."""

    config: dict
    kernel: object
    latency: object = None
    ref_latency: float | None = None

    def carried_by(self, kernel):
        """Stores the tuner's results in TileLang's attributes of the kernel."""
        kernel.config, kernel.ref_latency = dict(self.config), self.ref_latency
        kernel.latency = self.latency
        return kernel


def parameters(config):
    return {k: v for k, v in config.items() if k not in PASS_CONFIGS}


def pass_configs(config):
    return next((config[k] for k in PASS_CONFIGS if config.get(k)), {})


def _text(config):
    return ", ".join(f"{k}={v}" for k, v in config.items())


def _copied(value):
    """A copy of an array of torch or NumPy: a kernel may update it in place. Any other value is returned."""
    copy = getattr(value, "clone", None) or getattr(value, "copy", None)
    return copy() if copy else value


class _Trials:
    """Runs the kernels of one function with its inputs."""

    def __init__(self, options, inputs):
        self.options, self.given, self.cached, self.ref_latency = options, inputs, None, None

    def inputs(self, profiler):
        if self.given is not None:
            return [_copied(value) for value in self.given]
        if self.options.supply_prog is not None:
            return list(self.options.supply_prog(profiler.kernel.params))
        if self.cached is not None and self.options.cache_input_tensors:
            return self.cached
        self.cached = profiler._get_inputs()
        return self.cached

    def milliseconds(self, kernel):
        """Median of the runs; AssertionError if the result differs from the reference."""
        o, profiler = self.options, kernel.get_profiler(self.options.supply_type)
        inputs = self.inputs(profiler)
        if o.ref_prog is not None and not o.skip_check:
            if o.manual_check_prog is not None:
                profiler.manual_assert_close(o.ref_prog, inputs, o.manual_check_prog)
            else:
                profiler.assert_allclose(o.ref_prog, inputs, o.atol, o.rtol, o.max_mismatched_ratio)
        if o.ref_prog is not None and self.ref_latency is None:
            self.ref_latency = self.time(lambda: o.ref_prog(*inputs))
        return self.time(lambda: kernel(*inputs))

    def one_run(self, kernel):
        profiler = kernel.get_profiler(self.options.supply_type)
        return profiler.do_bench(n_warmup=0, n_repeat=1, input_tensors=self.inputs(profiler))

    def time(self, run):
        return do_bench(run, _n_warmup=self.options.warmup, _n_repeat=self.options.rep, return_mode="median", backend=self.options.backend)


def _refusal(error):
    return next((line for line in str(error).strip().splitlines() if line), type(error).__name__)


def tune(name, configs, build, options, inputs=None):
    """The fastest configuration that compiles and matches `options.ref_prog`; without a GPU, untimed, the first that compiles.
    `build(config)` makes a kernel; `inputs`: arguments of every run. Raises the last error if no configuration remains."""
    if not configs:
        raise ValueError(f"{name}: autotuning needs at least one configuration")
    trials, best, refused = _Trials(options, inputs), None, {}
    with Progress(f"tuning {name}", "timed", "configurations") as step:
        for number, config in enumerate(configs):
            step(number, len(configs))
            try:
                kernel = build(config)
                if kernel._gpu() is None:
                    _say(f"{name} is not tuned, because no GPU is available: it uses {_text(config)}, the first of "
                         f"{len(configs)} configurations that compiles")
                    return Tuned(config, kernel, functools.cache(lambda: trials.one_run(kernel)))
                taken = trials.milliseconds(kernel)
            except (CompileError, ValueError, AssertionError, DeviceError) as error:
                if any(name in str(error) for name in ("device-fault", "device-lost")):
                    raise  # the device is lost
                refused[_text(config)] = error
                continue
            if best is None or taken < best.latency:
                best = Tuned(config, kernel, taken)
    wrong = {text: error for text, error in refused.items() if isinstance(error, AssertionError) and not isinstance(error, DiagnosedError)}
    for text, error in wrong.items():
        _say(f"{name} with {text} is excluded, because its result is wrong: {_refusal(error)}")
    if best is None:
        raise list(refused.values())[-1]
    best.ref_latency = trials.ref_latency
    left = f", {len(refused) - len(wrong)} do not compile or run" if len(refused) > len(wrong) else ""
    _say(f"{name} is tuned: {_text(best.config)} takes {best.latency:.4g} ms, the best of {len(configs)} configurations{left}")
    return best


def _say(text):
    print(f"note: {text}", file=sys.stderr)
