# SPDX-License-Identifier: Apache-2.0
"""triton.autotune and triton.heuristics. On a GPU the configurations are timed; without one the first that compiles is chosen."""

from .._compiler.errors import CompileError
from .._gpu import devices
from .._gpu.targets import target_name
from .._kernel import arrays
from ._launch import KernelInterface


class Config:
    """Values of compile-time parameters and options of a launch."""

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None, **unread):
        self.kwargs, self.num_warps, self.num_stages, self.num_ctas = dict(kwargs), num_warps, num_stages, num_ctas
        self.maxnreg, self.pre_hook = maxnreg, pre_hook

    def all_kwargs(self):
        return {**self.kwargs, "num_warps": self.num_warps, "num_stages": self.num_stages}

    def __str__(self):
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())

    __repr__ = __str__


class _Around(KernelInterface):
    """What autotune and heuristics have in common: a kernel with more arguments."""

    def __init__(self, fn):
        self.fn = fn
        self.__name__, self.__doc__ = fn.__name__, fn.__doc__
        self.arg_names, self.signature = fn.arg_names, fn.signature

    @property
    def func(self):
        return self.fn.func

    @property
    def block_function(self):
        return self.fn.block_function

    @property
    def base_fn(self):
        return getattr(self.fn, "base_fn", self.fn)

    def prepared(self, args, kwargs, grid, packed=None):
        return self.fn.prepared(args, self.completed(args, kwargs, grid), grid, packed)

    def run(self, *args, grid, warmup=False, **kwargs):
        return self.fn.run(*args, grid=grid, warmup=warmup, **self.completed(args, kwargs, grid))

    def warmup(self, *args, grid, **kwargs):
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def given(self, args, kwargs):
        """The arguments of a call by name, with defaults."""
        bound = self.signature.bind_partial(*args, **{k: v for k, v in kwargs.items() if k in self.signature.parameters})
        bound.apply_defaults()
        return {**kwargs, **bound.arguments}

    def __repr__(self):
        return repr(self.fn)


class Heuristics(_Around):
    """Computes arguments from the others: {"EVEN_K": lambda args: args["K"] % args["BLOCK_K"] == 0}."""

    def __init__(self, fn, values):
        super().__init__(fn)
        self.values = values

    def completed(self, args, kwargs, grid):
        kwargs = dict(kwargs)
        for name, compute in self.values.items():
            kwargs[name] = compute(self.given(args, kwargs))
        return kwargs


class Autotuner(_Around):
    """Chooses one of several configurations for each value of the key."""

    def __init__(self, fn, arg_names, configs, key, reset_to_zero, restore_value, pre_hook=None, post_hook=None, prune_configs_by=None,
                 warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=False):
        super().__init__(fn)
        self.configs, self.keys = list(configs) or [Config({})], list(key or ())
        self.pruning, self.nargs = prune_configs_by or {}, None
        self.pre_hook = pre_hook or (lambda arguments, reset_only=False: None)
        self.post_hook = post_hook or (lambda arguments, exception: None)
        self.reset_to_zero, self.restore_value = list(reset_to_zero or ()), list(restore_value or ())
        self.user_defined_pre_hook, self.user_defined_post_hook = pre_hook is not None, post_hook is not None
        self.cache, self.best_config = {}, None

    def completed(self, args, kwargs, grid):
        given = self.given(args, kwargs)
        key = tuple(_key(given.get(name)) for name in self.keys) + tuple(
            view.dtype for value in given.values() if (view := _view(value)) is not None) + (target_name(None),)
        if key not in self.cache:
            self.cache[key] = self._chosen(args, kwargs, grid, given)
        config = self.best_config = self.cache[key]
        if config.pre_hook is not None:
            config.pre_hook({**given, **config.all_kwargs()})
        return {**kwargs, **config.all_kwargs()}

    def prune_configs(self, kwargs):
        """The configurations that are tried for the arguments `nargs` and `kwargs`."""
        prune = self.pruning.get("early_config_prune")
        return list(prune(self.configs, self.nargs, **kwargs) if prune else self.configs)

    def _bench(self, *args, config, grid, **kwargs):
        """Milliseconds with a configuration, three times as Triton: median and two quantiles; infinity if it cannot be compiled."""
        given = self.given(args, kwargs)
        try:
            kernel, values = self._tried(args, kwargs, grid, config, given)
        except CompileError:
            return [float("inf")] * 3
        return [0.0 if devices.runs(kernel.target) is None else self._timed(kernel, values, given)] * 3

    def _chosen(self, args, kwargs, grid, given):
        self.nargs = dict(zip(self.arg_names, args))
        candidates = self.prune_configs(kwargs)
        if len(candidates) == 1:
            return candidates[0]
        problem = None
        times = {}
        for config in candidates:
            try:
                kernel, values = self._tried(args, kwargs, grid, config, given)
            except CompileError as error:
                problem = problem or error
                continue
            if devices.runs(kernel.target) is None:
                return config  # a simulator's times say nothing about a GPU
            times[config] = self._timed(kernel, values, given)
        if not times:
            raise problem
        return min(times, key=times.get)

    def _tried(self, args, kwargs, grid, config, given):
        if config.pre_hook is not None:
            config.pre_hook({**given, **config.all_kwargs()})
        return self.fn.prepared(args, {**kwargs, **config.all_kwargs()}, grid)

    def _timed(self, kernel, values, given):
        from ..profiler import do_bench

        kept = [(given[name], given[name].clone()) for name in self.restore_value if given[name] is not None]

        def once():
            for name in self.reset_to_zero:
                if given[name] is not None:
                    given[name].zero_()
            kernel(*values)

        time = do_bench(once, warmup=5, rep=20)
        for tensor, before in kept:
            tensor.copy_(before)
        return time


def _view(value):
    try:
        return arrays.view(value)
    except (TypeError, ValueError):
        return None


def _key(value):
    view = _view(value)
    return value if view is None else (tuple(view.shape), view.dtype)


def autotune(configs, key=(), prune_configs_by=None, reset_to_zero=None, restore_value=None, pre_hook=None, post_hook=None,
             warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=False):
    """Decorator: chooses one of the configurations for each value of the arguments in `key`."""
    return lambda fn: Autotuner(fn, fn.arg_names, configs, key, reset_to_zero, restore_value, pre_hook, post_hook, prune_configs_by)


def heuristics(values):
    """Decorator: computes arguments from the others."""
    return lambda fn: Heuristics(fn, values)
