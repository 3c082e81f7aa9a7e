# SPDX-License-Identifier: Apache-2.0
"""JITImpl: a jit function, its specialisations and when they are out of date."""

import ast
import functools
import inspect

from .._compiler import arrays, dtypes, source
from .._compiler.errors import ArgumentError, NoBuilderError
from .._kernel.kernel import JITKernel, target_name
from .._kernel.registry import remember
from .._compiler.symbols import TensorType
from ..transform import config_values
from . import _prim_func
from ._prim_func import PrimFunc


def _hashable(value):
    try:
        hash(value)
    except TypeError:
        if isinstance(value, (list, tuple)):
            return tuple(map(_hashable, value))
        if isinstance(value, dict):
            return tuple(sorted((k, _hashable(v)) for k, v in value.items()))
        raise TypeError("Unsupported unhashable JIT compile-time cache key value of type "
                        f"{type(value).__name__}") from None
    return (type(value), value)


def _same(a, b):
    return a is b or (type(a) is type(b) and isinstance(a, (int, float, str, bool)) and a == b)


def _guards(function, recorded):
    """The captured names that a specialisation depends on, with their values."""
    out = list(recorded)
    scope = source.Scope(function)
    todo = [function.__code__]
    while todo:
        code = todo.pop()
        for name in (*code.co_names, *code.co_freevars):
            try:
                out.append((scope, name, scope.lookup(name)))
            except KeyError:
                continue
        todo += [c for c in code.co_consts if hasattr(c, "co_code")]
    return out


def changed_names(guards):
    """Captured names whose value is another one now."""
    out = []
    for scope, name, value in guards:
        try:
            if _same(scope.lookup(name), value):
                continue
        except KeyError:
            pass
        out.append(name)
    return out


def _is_decorated(node, name):
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if (getattr(target, "attr", None) or getattr(target, "id", None)) == name:
            return True
    return False


class JITImpl:
    """`f(...)` compiles (and, in the eager style, runs); `f.compile(...)` gives the kernel."""

    def __init__(self, func, out_idx=None, target=None, verbose=None, pass_configs=None,
                 compile_flags=None, mode="auto"):
        functools.update_wrapper(self, func)
        self.func = func
        self.locals = source.caller_locals(2)
        self.out_idx, self.target, self.verbose = out_idx, target, verbose
        self.pass_configs = config_values(pass_configs)
        self.compile_flags = compile_flags
        self.signature = inspect.signature(func)
        self._cache, self._signatures = {}, {}
        self._node = source.tree_of(func)[1]
        self.mode = self._infer_mode() if mode == "auto" else mode
        self._runtime = self._runtime_parameters() if self.mode == "eager" else set()
        if self.mode == "eager" and out_idx is not None:
            raise ValueError("out_idx is for kernels made by a factory; this kernel returns its outputs")

    def _infer_mode(self):
        inner = list(ast.walk(self._node))[1:]
        if any(isinstance(n, ast.FunctionDef) and _is_decorated(n, "prim_func") for n in inner):
            return "lazy"
        calls = {n.func.attr for n in inner if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)}
        annotated = any(isinstance(n, ast.AnnAssign) and n.value is None for n in self._node.body)
        return "eager" if annotated or calls & {"Kernel", "const", "empty"} else "lazy"

    def _runtime_parameters(self):
        """Parameters that are tensors or run-time scalars; all others are compile-time values."""
        names = set()
        for node in ast.walk(self._node):
            if isinstance(node, ast.AnnAssign) and node.value is None and isinstance(node.target, ast.Name):
                names.add(node.target.id)
        for name, parameter in self.signature.parameters.items():
            kind = parameter.annotation
            spelled = isinstance(kind, str) and ("Tensor" in kind or "T." in kind)
            if isinstance(kind, (TensorType, dtypes.dtype)) or spelled:
                names.add(name)
        return names & set(self.signature.parameters)

    # --- specialisation ----------------------------------------------------------------------------

    def _options(self):
        return {"target": target_name(self.target)}

    def _cached(self, key, build):
        found = self._cache.get(key)
        if found is not None:
            stale = changed_names(found[1])
            if not stale:
                return found[0]
            print(f"{self.__name__}: compiled again, because {', '.join(dict.fromkeys(stale))} changed")
        recorded = []
        kernel = build(recorded)
        self._cache[key] = (kernel, _guards(self.func, recorded))
        return kernel

    def _lazy(self, args, kwargs):
        options = self._options()
        key = (_hashable(args), _hashable(kwargs), options["target"])

        def build(recorded):
            _prim_func.factory.append(self.__name__)
            try:
                made = self.func(*args, **kwargs)
            finally:
                _prim_func.factory.pop()
            if not isinstance(made, PrimFunc):
                raise TypeError(f"{self.__name__} returned {type(made).__name__}; a jit factory returns "
                                "a function made by @T.prim_func")
            recorded += made.recorded
            kernel = _compiled(made, self.out_idx, options["target"], self.pass_configs)
            bound = self.signature.bind(*args, **kwargs)
            bound.apply_defaults()
            remember(kernel, self, bound.arguments)
            return kernel

        return self._cached(key, build)

    def _static(self, args, kwargs):
        """(compile-time values, run-time values, constants) of a call or a compilation."""
        constants = {k: v for k, v in kwargs.items() if k not in self.signature.parameters}
        rest = {k: v for k, v in kwargs.items() if k in self.signature.parameters}
        bound = self.signature.bind_partial(*args, **rest)
        bound.apply_defaults()
        static = {k: v for k, v in bound.arguments.items() if k not in self._runtime}
        runtime = {k: v for k, v in bound.arguments.items() if k in self._runtime}
        for name, value in static.items():
            view = arrays.view(value)
            if view is not None and len(view.shape):
                raise TypeError(f"{self.__name__}: the argument {name} is a tensor ({type(value).__name__}) that "
                                f"the function does not declare; write `{name}: T.Tensor(shape, dtype)` at the "
                                "start of its body")
        return static, runtime, constants

    def _eager(self, static, constants):
        missing = [n for n in self.signature.parameters if n not in static and n not in self._runtime]
        tensors = [n for n in missing]
        if tensors:
            names = ", ".join(tensors)
            raise TypeError(f"{self.__name__}: no value for {names}; a tensor argument is declared in the "
                            f"body, `{tensors[0]}: T.Tensor(shape, dtype)`")
        options = self._options()
        key = (_hashable(static), _hashable(constants), options["target"])

        def build(recorded):
            result = _prim_func.elaborate(self.func, self.locals, recorded, name=self.__name__,
                                          arguments=static, constants=constants, **options)
            unknown = set(constants) - set(result["constants"])
            if unknown:
                known = ", ".join(result["constants"]) or "none"
                raise TypeError(f"{self.__name__} has no parameter or constant {min(unknown)!r} "
                                f"(constants: {known})")
            func = result["func"].changed(configs=self.pass_configs)
            kernel = JITKernel(func, returns_tuple=result["returns_tuple"], kernel_name=self.__name__,
                               identity=lambda: source.identity(self.func))
            remember(kernel, self, {**static, **constants})
            return kernel

        return self._cached(key, build)

    def _solve(self, static, runtime):
        """Values of the T.const names from the tensors of a call."""
        key = _hashable(static)
        found = self._signatures.get(key)
        if found is None or changed_names(found[1]):
            recorded = []
            result = _prim_func.elaborate(self.func, self.locals, recorded, name=self.__name__,
                                          arguments=static, signature_only=True)
            found = self._signatures[key] = (result, _guards(self.func, recorded))
        result = found[0]
        constants = {}
        if not result["constants"]:
            return constants
        for param in result["func"].params:
            if param["shape"] is None or param["name"] not in runtime:
                continue
            view = arrays.view(runtime[param["name"]])
            if view is None:
                continue
            for entries, extents in ((param["shape"], view.shape), (param["strides"], view.strides)):
                for entry, extent in zip(entries, extents):
                    if entry in result["constants"]:
                        constants.setdefault(entry, extent)
        lost = [c for c in result["constants"] if c not in constants]
        if lost:
            raise RuntimeError(f"Constexpr variable {lost[0]} is not used in any buffer shape or stride of "
                               "an argument. At least one **DIRECT** usage is needed.\n"
                               f"help: declare an argument with {lost[0]} itself as an extent, or compile "
                               f"with the values: {self.__name__}.compile("
                               + ", ".join(f"{c}=..." for c in result["constants"]) + ")")
        return constants

    # --- what users call ----------------------------------------------------------------------------

    def compile(self, *args, **kwargs):
        """The kernel for these compile-time values; no tensors are needed."""
        if self.mode == "lazy":
            return self._lazy(args, kwargs)
        static, runtime, constants = self._static(args, kwargs)
        tensors = {k: v for k, v in runtime.items() if arrays.view(v) is not None}
        if tensors:
            constants = {**self._solve(static, tensors), **constants}
        return self._eager(static, constants)

    def __call__(self, *args, **kwargs):
        if self.mode == "lazy":
            return self._lazy(args, kwargs)
        static, runtime, constants = self._static(args, kwargs)
        wanted = [n for n in self.signature.parameters if n in self._runtime]
        absent = [n for n in wanted if n not in runtime]
        if absent:
            raise ArgumentError(f"Kernel {self.__name__} expected {len(wanted)} inputs ({', '.join(wanted)}), "
                                f"but {len(runtime)} are provided.")
        kernel = self._eager(static, {**self._solve(static, runtime), **constants})
        return kernel(*(runtime[n] for n in wanted))

    def get_tir(self, *args, **kwargs):
        return PrimFunc(self.compile(*args, **kwargs)._func)

    def get_kernel_source(self, *args, **kwargs):
        return self.compile(*args, **kwargs).get_kernel_source()

    def par_compile(self, configs, num_workers=None, ignore_error=False):
        """Kernels for a list of configurations (dicts or tuples)."""
        out = []
        for config in configs:
            try:
                out.append(self.compile(**config) if isinstance(config, dict) else self.compile(*config))
            except (ValueError, TypeError, RuntimeError, NoBuilderError):
                if not ignore_error:
                    raise
                out.append(None)
        return out

    def __repr__(self):
        return f"<jit function {self.__name__}{self.signature}>"


def compile(func, out_idx=None, execution_backend=None, target=None, target_host=None, verbose=None,
            pass_configs=None, compile_flags=None):
    """A kernel of a @T.prim_func; `out_idx` lists the parameters that a call allocates."""
    if isinstance(func, JITImpl):
        raise TypeError("a jit function compiles itself: call .compile(...)")
    if not isinstance(func, PrimFunc):
        name = getattr(func, "__name__", "")
        made = f"; the function {name} makes one: tilelang.compile({name}(...))" if callable(func) and name else ""
        raise TypeError(f"compile takes a @T.prim_func, not {type(func).__name__}{made}")
    kernel = _compiled(func, out_idx, target, pass_configs)
    remember(kernel)  # so that %kernels lists it before it is run
    return kernel


def _compiled(func, out_idx, target, pass_configs):
    count = len(func.func.params)
    positions = [out_idx] if isinstance(out_idx, int) else list(out_idx or ())
    for p in positions:
        if not -count <= p < count:
            raise ValueError(f"out_idx should be in range [-{count}, {count - 1}], got {p}")
    outputs = [p % count for p in positions] or list(func.func.outputs)
    made = func.func.changed(target=target_name(target), outputs=outputs, configs=config_values(pass_configs))
    return JITKernel(made, identity=func.identity)


def par_compile(funcs, **options):
    return [compile(f, **options) for f in funcs]
