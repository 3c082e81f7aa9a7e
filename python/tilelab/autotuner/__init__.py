# SPDX-License-Identifier: Apache-2.0
"""TileLang's autotuner: times several configurations on the GPU that runs them. Simulated times say nothing about a GPU: without one, the
first configuration that compiles is chosen. A note reports the choice, once per kernel."""

import contextlib
import dataclasses
import inspect

from .. import jit as _jit
from .._compiler import ignored_options
from .._compiler.errors import UsageError
from .._compiler.messages import caller, message
from .._kernel import arrays
from ..jit import JITImpl, JITKernel
from ._tuning import ProfileArgs, parameters, pass_configs, tune

__all__ = ["AutoTuner", "AutotuneResult", "autotune", "get_autotune_inputs", "set_autotune_inputs"]

_inputs = []


@dataclasses.dataclass
class AutotuneResult:
    """The result of AutoTuner.run(). `libcode`: the generated source; `func`: the compiled function."""

    latency: float | None = None
    config: dict | None = None
    ref_latency: float | None = None
    libcode: str | None = None
    func: object = None
    kernel: object = None


_FIELDS = tuple(field.name for field in dataclasses.fields(ProfileArgs))


def _profile_args(where, given, known=None):
    """ProfileArgs from keywords; unused ones are reported (ignored_options.py)."""
    ignored_options.take(where, {k: v for k, v in given.items() if k not in _FIELDS})
    read = {k: v for k, v in given.items() if k in _FIELDS and v is not None}
    return dataclasses.replace(known or ProfileArgs(), **read)


def _key(argument):
    """The part of an argument that determines which configurations compile: for a tensor, shape and dtype."""
    view = arrays.view(argument)
    return argument if view is None else (tuple(view.shape), str(view.dtype))


class AutoTuneImpl:
    """A jit function with configurations of the parameters that a call omits."""

    def __init__(self, function, configs, options=ProfileArgs(), do_not_specialize=(), place=None):
        """`place`: of the decorator, for messages about the configurations."""
        if not isinstance(function, JITImpl):
            raise TypeError("@autotune goes above @tilelang.jit")
        self.function, self.configs, self.options = function, configs, options
        self.do_not_specialize = frozenset(do_not_specialize or ())
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.signature = function.signature
        self._place, self._chosen = place, {}
        if not callable(configs):
            self._check_names(configs)

    def _check_names(self, configs):
        """Raises for a configuration that sets something else than a parameter."""
        known = self.signature.parameters
        if any(p.kind is p.VAR_KEYWORD for p in known.values()):
            return
        if strange := [name for config in configs for name in parameters(config) if name not in known]:
            raise UsageError(message("argument-keyword", self.__name__, strange[0], at=self._place,
                                     note="a configuration in `configs` sets it",
                                     help=f"use the names of the parameters: {', '.join(known)}"))

    def _with(self, config):
        """The jit function with the pass configurations of a configuration."""
        return self.function.with_pass_configs(pass_configs(config))

    def _is_complete(self, given, tunable):
        """Whether a call chooses: it sets a parameter that would be tuned, and all others have a value or a default. As in TileLang, such
        a call is compiled without tuning."""
        chosen = [k for k in tunable if k in given and k not in self.do_not_specialize]
        defaults = self.signature.parameters
        return bool(chosen) and all(k in given or k in defaults and defaults[k].default is not inspect.Parameter.empty for k in tunable)

    def _tuned(self, args, kwargs):
        """The choice for omitted parameters and those with an initial value (do_not_specialize). None if the call chooses."""
        configs = self.configs
        if callable(configs):
            configs = configs(*args, **kwargs) if inspect.signature(configs).parameters else configs()
            self._check_names(configs)
        given = {**self.signature.bind_partial(*args).arguments, **kwargs}
        if configs and self._is_complete(given, list(parameters(configs[0]))):
            return None
        keyed = {k: _key(v) for k, v in given.items() if k not in self.do_not_specialize}
        key = repr((configs, sorted(keyed.items())))
        if key not in self._chosen:
            def build(config):
                positional, named = self._arguments(args, kwargs, config)
                return self._with(config).compile(*positional, **named)
            self._chosen[key] = tune(self.__name__, configs, build, self.options, get_autotune_inputs())
        return self._chosen[key]

    def _arguments(self, args, kwargs, config):
        """The arguments of a call, with the parameters of a configuration substituted."""
        positional = self.signature.bind_partial(*args).arguments
        if any(k in positional for k in parameters(config)):
            args, kwargs = (), {**positional, **kwargs}
        return args, {**kwargs, **parameters(config)}

    def _call(self, args, kwargs, name):
        """Calls the jit function's `name` with the chosen configuration, which is stored on a kernel."""
        if (tuned := self._tuned(args, kwargs)) is None:
            return getattr(self.function, name)(*args, **kwargs)
        args, kwargs = self._arguments(args, kwargs, tuned.config)
        made = getattr(self._with(tuned.config), name)(*args, **kwargs)
        return tuned.carried_by(made) if isinstance(made, JITKernel) else made

    def __call__(self, *args, **kwargs):
        return self._call(args, kwargs, "compile" if kwargs.pop("__return_kernel", False) else "__call__")

    def compile(self, *args, **kwargs):
        """The kernel, as of @tilelang.jit, with the tuner's `config`, `latency` (milliseconds) and `ref_latency`."""
        return self._call(args, kwargs, "compile")


def autotune(func=None, *, configs, do_not_specialize=(), **options):
    """Decorates a @tilelang.jit function. `configs`: a list of dicts of parameters, or a function that returns one; the key `pass_configs`
    holds pass configurations, which override those of the jit function. Options are those of ProfileArgs. Parameters in `do_not_specialize`
    do not retune; a value that a call gives them is an initial value, which each configuration replaces. A call that sets another
    parameter of the configurations is compiled as it is."""
    profile_args = _profile_args("tilelang.autotune", options)
    if func is not None:
        raise ValueError("write @tilelang.autotune(configs=...) above @tilelang.jit")
    place = caller()
    return lambda function: AutoTuneImpl(function, configs, profile_args, do_not_specialize, place)


class AutoTuner:
    """AutoTuner.from_kernel(kernel, configs).set_compile_args(...).set_profile_args(...).run()."""

    def __init__(self, fn, configs):
        self.fn, self.configs = fn, configs
        self.compile_args, self.profile_args = {}, ProfileArgs()

    @classmethod
    def from_kernel(cls, kernel, configs):
        """`kernel`: a function that makes a @T.prim_func from a configuration, or a jit function."""
        return cls(kernel, configs)

    def set_compile_args(self, **options):
        """Options of tilelang.compile."""
        where = "AutoTuner.set_compile_args of a jit function"
        if isinstance(self.fn, JITImpl):
            ignored_options.take(where, options)
        if unknown := [name for name in options if name not in ignored_options.TABLE[where]]:
            raise TypeError(f"tilelang.compile has no parameter {unknown[0]!r}")
        self.compile_args = options
        return self

    def set_profile_args(self, **options):
        """Sets how configurations are run and checked, by the arguments of ProfileArgs."""
        self.profile_args = _profile_args("AutoTuner.set_profile_args", options)
        return self

    def _build(self, config):
        """A kernel with the parameters of `config`."""
        if isinstance(self.fn, JITImpl):
            return self.fn.with_pass_configs(pass_configs(config)).compile(**parameters(config))
        merged = {**(self.compile_args.get("pass_configs") or {}), **pass_configs(config)}
        return _jit.compile(self.fn(**parameters(config)), **{**self.compile_args, "pass_configs": merged})

    def run(self, warmup=None, rep=None, timeout=None, **options):
        """An AutotuneResult for the fastest configuration; without a GPU for the first that compiles, with one simulated latency."""
        profile_args = _profile_args("AutoTuner.run", dict(warmup=warmup, rep=rep, timeout=timeout, **options), self.profile_args)
        configs = self.configs() if callable(self.configs) else self.configs
        name = getattr(self.fn, "__name__", "the kernel")
        tuned = tune(name, configs, self._build, profile_args, get_autotune_inputs())
        kernel = tuned.carried_by(tuned.kernel)
        return AutotuneResult(kernel.latency, tuned.config, tuned.ref_latency, kernel.get_kernel_source(), kernel, kernel)


@contextlib.contextmanager
def set_autotune_inputs(*args):
    """Sets the tensors with which a tuner runs configurations."""
    _inputs.append(list(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else list(args))
    try:
        yield
    finally:
        _inputs.pop()


def get_autotune_inputs():
    """The innermost set_autotune_inputs, or None."""
    return _inputs[-1] if _inputs else None
