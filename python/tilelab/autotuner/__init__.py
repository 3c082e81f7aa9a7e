# SPDX-License-Identifier: Apache-2.0
"""TileLang's autotuner, by name: scripts that tune run, with the first configuration that compiles.

What a simulator takes says nothing about a GPU, so configurations are not timed against each other;
a note says once per kernel which one runs. `latency` is that of one simulated run, in milliseconds."""

import contextlib
import dataclasses
import inspect
import sys

from .._compiler import arrays, ineffective
from .. import jit as _jit
from .._compiler.errors import CompileError
from ..jit import JITImpl

__all__ = ["AutoTuner", "AutotuneResult", "autotune", "get_autotune_inputs", "set_autotune_inputs"]

PASS_CONFIGS = ("pass_configs", "__pass_configs__")  # keys of a configuration that are no parameters
_inputs = []


@dataclasses.dataclass
class AutotuneResult:
    """What AutoTuner.run() gives. `libcode`: the generated source; `func`: the function that was compiled."""

    latency: float | None = None
    config: dict | None = None
    ref_latency: float | None = None
    libcode: str | None = None
    func: object = None
    kernel: object = None


def _first_that_compiles(name, configs, build):
    """(configuration, what `build` made of it); the last error, if none compiles."""
    if not configs:
        raise ValueError(f"{name}: autotuning needs at least one configuration")
    refused = None
    for config in configs:
        try:
            made = build({k: v for k, v in config.items() if k not in PASS_CONFIGS})
        except (CompileError, ValueError) as error:
            refused = error
            continue
        chosen = ", ".join(f"{k}={v}" for k, v in config.items())
        print(f"note: {name} is not tuned: it runs with {chosen}, the first of {len(configs)} configurations that "
              "compiles", file=sys.stderr)
        return config, made
    raise refused


def _key(argument):
    """What of an argument decides which configurations compile: of a tensor, shape and dtype."""
    view = arrays.view(argument)
    return argument if view is None else (tuple(view.shape), str(view.dtype))


class AutoTuneImpl:
    """A jit function and the configurations of those parameters that a call leaves out."""

    def __init__(self, function, configs):
        if not isinstance(function, JITImpl):
            raise TypeError("@autotune goes above @tilelang.jit")
        self.function, self.configs = function, configs
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.signature = function.signature
        self._chosen = {}

    def _config(self, args, kwargs):
        """Values of the tunable parameters, or none if the call gives them all."""
        configs = self.configs
        if callable(configs):
            configs = configs(*args, **kwargs) if inspect.signature(configs).parameters else configs()
        positional = self.signature.bind_partial(*args).arguments
        tunable = [k for k in (configs[0] if configs else ()) if k not in PASS_CONFIGS]
        if tunable and all(k in positional or k in kwargs for k in tunable):
            return {}
        key = repr((configs, [*map(_key, args)], {k: _key(v) for k, v in kwargs.items()}))
        if key not in self._chosen:
            config, _ = _first_that_compiles(self.__name__, configs,
                                             lambda config: self.function.compile(*args, **{**kwargs, **config}))
            self._chosen[key] = {k: v for k, v in config.items() if k not in PASS_CONFIGS}
        return self._chosen[key]

    def __call__(self, *args, **kwargs):
        return self.function(*args, **{**kwargs, **self._config(args, kwargs)})

    def compile(self, *args, **kwargs):
        """The kernel, as of @tilelang.jit."""
        return self.function.compile(*args, **{**kwargs, **self._config(args, kwargs)})


def autotune(func=None, *, configs, **options):
    """Decorates a @tilelang.jit function. `configs`: a list of dicts of parameters, or a function that gives one.
    Options of the timing (warmup, rep, ref_prog, ...) are accepted; nothing is timed."""
    ineffective.take("tilelang.autotune", options)
    if func is not None:
        raise ValueError("write @tilelang.autotune(configs=...) above @tilelang.jit")
    return lambda function: AutoTuneImpl(function, configs)


class AutoTuner:
    """AutoTuner.from_kernel(kernel, configs).set_compile_args(...).set_profile_args(...).run()."""

    def __init__(self, fn, configs):
        self.fn, self.configs = fn, configs
        self.compile_args, self.profile_args = {}, {}

    @classmethod
    def from_kernel(cls, kernel, configs):
        """`kernel`: a function that makes a @T.prim_func from a configuration, or a jit function."""
        return cls(kernel, configs)

    def set_compile_args(self, **options):
        """Options of tilelang.compile."""
        where = "AutoTuner.set_compile_args of a jit function"
        if isinstance(self.fn, JITImpl):
            ineffective.take(where, options)
        unknown = [name for name in options if name not in ineffective.TABLE[where]]
        if unknown:
            raise TypeError(f"tilelang.compile has no parameter {unknown[0]!r}")
        self.compile_args = options
        return self

    def set_profile_args(self, **options):
        """Options of the timing; `supply_type` chooses the inputs of the one run."""
        ineffective.take("AutoTuner.set_profile_args", {k: v for k, v in options.items() if k != "supply_type"})
        self.profile_args = options
        return self

    def _build(self, config):
        """A kernel with the parameters of `config`."""
        if isinstance(self.fn, JITImpl):
            return self.fn.compile(**config)
        return _jit.compile(self.fn(**config), **self.compile_args)

    def run(self, warmup=None, rep=None, timeout=None, **options):
        """An AutotuneResult for the first configuration that compiles."""
        ineffective.take("AutoTuner.run", dict(warmup=warmup, rep=rep, timeout=timeout, **options))
        configs = self.configs() if callable(self.configs) else self.configs
        name = getattr(self.fn, "__name__", "the kernel")
        config, kernel = _first_that_compiles(name, configs, self._build)
        supply = {k: v for k, v in self.profile_args.items() if k == "supply_type"}
        latency = kernel.get_profiler(**supply).do_bench(n_warmup=0, n_repeat=1)
        return AutotuneResult(latency, config, None, kernel.get_kernel_source(), kernel, kernel)


@contextlib.contextmanager
def set_autotune_inputs(*args):
    """The tensors that a tuner would run configurations with."""
    _inputs.append(list(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else list(args))
    try:
        yield
    finally:
        _inputs.pop()


def get_autotune_inputs():
    """The innermost set_autotune_inputs, or None."""
    return _inputs[-1] if _inputs else None
