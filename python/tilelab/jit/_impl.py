# SPDX-License-Identifier: Apache-2.0
"""JITImpl: a jit function, its specialisations and their invalidation."""

import ast
import copy
import functools
import inspect
import operator

from .._compiler import compile_mode, dtypes, ignored_options, settings, source
from .._compiler.builtin import Builtin
from .._compiler.errors import ArgumentError, CompileError, NoBuilderError, UsageError, compiling
from .._compiler.messages import message, of_function, of_node, of_span
from .._compiler.symbols import TensorType
from .._compiler.untraced import exclude_frames, untraced
from .._gpu import devices
from .._gpu.targets import target_name
from .._kernel import arrays, watched
from .._kernel.arguments import check_count
from .._kernel.registry import plain, remember
from ..transform import config_values, note_unread, with_required
from . import _kernel, _prim_func
from ._captures import Captures, key_of
from ._kernel import JITKernel, refuse_grid
from ._prim_func import PrimFunc
from ._recent import KEPT, recent


def _body(node):
    """The statements of a function, or the expression of a lambda."""
    return list(node.body) if isinstance(node.body, list) else [node.body]


def _has_kernel(node):
    """Whether a function opens a T.Kernel itself, not in a nested function."""
    todo = _body(node)
    while todo:
        one = todo.pop()
        if isinstance(one, ast.With):
            calls = [i.context_expr for i in one.items if isinstance(i.context_expr, ast.Call)]
            if any(getattr(c.func, "attr", None) == "Kernel" for c in calls):
                return True
        if not isinstance(one, (ast.FunctionDef, ast.ClassDef)):
            todo += ast.iter_child_nodes(one)
    return False


def _is_decorated(node, name):
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if (getattr(target, "attr", None) or getattr(target, "id", None)) == name:
            return True
    return False


_POINTER_NAMES = {"program_id", "load", "store", "make_block_ptr", "make_tensor_descriptor"}


def uses_pointers(function):
    """Whether a function is written in Triton's language: it calls tl.program_id, tl.load or tl.store, and has no T.Kernel."""
    names = getattr(getattr(function, "__code__", None), "co_names", ())
    if len(_POINTER_NAMES.intersection(names)) < 2 or "Kernel" in names or "prim_func" in names:
        return False
    return "Kernel" not in {name for one in function.__code__.co_consts if hasattr(one, "co_names") for name in one.co_names}


class _SourceFacts:
    """Facts of a function's source that the decorator needs."""

    def __init__(self, node):
        inner = list(ast.walk(node))[1:]
        functions = [n for n in inner if isinstance(n, ast.FunctionDef)]
        declared = [n for n in inner if isinstance(n, ast.AnnAssign) and n.value is None]
        self.undecorated = [n for n in functions if _has_kernel(n) and not any(_is_decorated(n, name) for name in ("prim_func", "macro"))]
        self.declared = {n.target.id for n in declared if isinstance(n.target, ast.Name)}
        calls = {n.func.attr for n in inner if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)}
        eager = any(n in declared for n in _body(node)) or calls & {"Kernel", "const", "empty"}
        lazy = any(_is_decorated(n, "prim_func") for n in functions)
        self.mode = "eager" if eager and not lazy else "lazy"


# Messages about element counts, and how each spells the value of a call that it is about.
_COUNTED = {
    "index-type": lambda value: f"the number {value!r}" if isinstance(value, float) else None,
    "value-needed": lambda value: f'the string "{value}"' if isinstance(value, str) else None,
    "too-small": lambda value: f" is {value}, less than" if isinstance(value, int) and value < 0 else None,
}


def _whole(value):
    """The integer that a value likely means, or None."""
    try:
        return abs(int(value)) or None
    except (TypeError, ValueError, OverflowError):
        return None


NO_METHOD = ("a jit function has no self: define it in a method, which reads `n = self.n` and returns it, instead of "
             "in the class")


def _factory_of(prim_func):
    """@tilelang.jit above @T.prim_func: a call without arguments compiles the kernel, one with arguments runs it."""
    def factory():
        return prim_func

    factory.__name__ = factory.__qualname__ = prim_func.name
    return factory


class JITImpl:
    """`f(...)` compiles (and, in eager mode, runs); `f.compile(...)` returns the kernel."""

    def __init__(self, func, out_idx=None, target=None, pass_configs=None, mode="auto", require=None, unread=()):
        devices.expect_calls()
        exclude_frames()
        self._of_prim_func = isinstance(func, PrimFunc)
        if self._of_prim_func:
            func, mode = _factory_of(func), "lazy"
        self.call, self.fixed = func, {}
        if isinstance(func, functools.partial):
            self.fixed = inspect.signature(func.func).bind_partial(*func.args).arguments
            func = func.func
        functools.update_wrapper(self, func)
        if not self.__name__.isidentifier():  # "<lambda>"
            self.__name__ = "kernel"
        self.func = func
        self.locals = source.caller_locals()
        self.out_idx, self.target = out_idx, target
        self.pass_configs = config_values(with_required(pass_configs, require))
        self.unread = dict(unread)  # keywords without effect
        self.signature = inspect.signature(self.call)
        self._cache, self._signatures, self._variants, self._recent = {}, {}, {}, ()
        seen = source.known(func, _SourceFacts).seen
        self._refuse_undecorated(seen.undecorated)
        self.mode = seen.mode if mode == "auto" else mode
        self._runtime = self._runtime_parameters(seen.declared) if self.mode == "eager" else set()
        if self.mode == "eager" and out_idx is not None:
            raise UsageError(message("outputs-eager", self.__name__, help="make outputs with T.empty(shape, dtype) and return them"))

    def __getitem__(self, grid):
        refuse_grid(self.__name__)

    def __reduce__(self):
        """By its name, as Python pickles functions."""
        return self.__qualname__

    def __copy__(self):
        """A separate function; copy.copy would return this one, as it does for objects that are pickled by their name."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def _refuse_undecorated(self, functions):
        """Rejects a nested function with T.Kernel that lacks the decorator of a kernel."""
        for node in functions:
            wrong = [ast.unparse(d) for d in node.decorator_list]
            help = f"did you mean @T.prim_func, for @{wrong[0]}?" if wrong else "write @T.prim_func above it"
            raise UsageError(message("prim-func-missing", node.name, self.__name__, at=of_node(self.func, node), help=help))

    def _runtime_parameters(self, declared):
        """Parameters that are tensors or dynamic scalars; all others are compile-time values."""
        names = set(declared)
        for name, parameter in self.signature.parameters.items():
            kind = parameter.annotation
            spelled = isinstance(kind, str) and ("Tensor" in kind or "T." in kind)
            if isinstance(kind, (TensorType, dtypes.dtype, Builtin)) or spelled:
                names.add(name)
        return names & set(self.signature.parameters)

    # --- specialisation ----------------------------------------------------------------------------

    def _options(self, target):
        return {"target": target_name(self.target if target is None else target)}

    def _name_the_call(self, error, values):
        """Raises one ArgumentError instead of messages that are all about a call value that is not an element count."""
        for d in error.diagnostics:
            for name, value in values.items():
                text = _COUNTED[d["name"]](value) if d["name"] in _COUNTED else None
                if text is None or text not in d["message"]:
                    continue
                why = "is negative" if isinstance(value, int) else "is not an integer"
                raise ArgumentError(message(
                    "argument-value", self.__name__, name, f"{value!r} is a number of elements, blocks or iterations, but {why}",
                    labels=[(of_span(d["span"]), "used here")],
                    help=f"pass an integer: {name}={_whole(value) or '...'}")) from None

    def _bind(self, args, kwargs):
        """Binds the arguments of a call by name; errors name the parameters."""
        try:
            return self.signature.bind(*args, **kwargs)
        except TypeError as error:
            refused = error
        known = self.signature.parameters
        if strange := [name for name in kwargs if name not in known]:
            raise UsageError(message("argument-keyword", self.__name__, strange[0], help=f"call it as {self.__name__}{self.signature}"))
        needed = [n for n, p in known.items() if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
        check_count(self.__name__, needed, len(args) + len(kwargs))
        raise refused.with_traceback(None)

    def _cached(self, key, build, values):
        if (found := self._cache.get(key)) is not None:
            if not (stale := found[1].changed()):
                return found[0]
            print(f"{self.__name__}: compiled again, because {', '.join(dict.fromkeys(stale))} changed")
        given = ", ".join(f"{name}={plain(value)}" for name, value in values.items())
        compile_mode.require_kernel(f"{self.__name__}({given})", f"{self.__name__}.compile({given})")
        recorded = []
        with compiling(self.__name__):
            try:
                kernel = build(recorded)
            except CompileError as error:
                self._name_the_call(error, dict(values))
                raise
            self._cache[key] = (kernel, Captures(self.func, recorded, values))
        return kernel

    def _lazy(self, args, kwargs, target=None):
        options = self._options(target)
        key = (key_of(args), key_of(kwargs), options["target"])

        def build(recorded):
            _prim_func.factory.append(self.__name__)
            outer, settings.pass_configs = settings.pass_configs, self.pass_configs
            try:
                made = self.call(*args, **kwargs)
            finally:
                settings.pass_configs = outer
                _prim_func.factory.pop()
            if not isinstance(made, PrimFunc):
                what = "nothing" if made is None else type(made).__name__
                raise UsageError(message("factory-result", self.__name__, what, labels=[
                    (of_function(self.func), "it ends without returning the kernel")], help=(
                        "return the function decorated with @T.prim_func")))
            recorded += made.recorded
            kernel = _compiled(made, self.out_idx, options["target"], self.pass_configs, "tilelang.jit", self.unread)
            remember(kernel, self, bound.arguments)
            return kernel

        bound = self._bind(args, kwargs)
        bound.apply_defaults()
        return self._cached(key, build, bound.arguments)

    def _static(self, args, kwargs):
        """(compile-time values, dynamic values, constants) of a call or a compilation."""
        constants = {k: v for k, v in kwargs.items() if k not in self.signature.parameters}
        rest = {k: v for k, v in kwargs.items() if k in self.signature.parameters}
        if len(args) > len(self.signature.parameters) and all(p.kind is not p.VAR_POSITIONAL for p in self.signature.parameters.values()):
            check_count(self.__name__, list(self.signature.parameters), len(args))
        bound = self.signature.bind_partial(*args, **rest)
        bound.apply_defaults()
        static = self.fixed | {k: v for k, v in bound.arguments.items() if k not in self._runtime}
        runtime = {k: v for k, v in bound.arguments.items() if k in self._runtime}
        for name, value in static.items():
            view = arrays.view(value)
            if view is not None and len(view.shape):
                advice = f"write `{name}: T.Tensor(shape, dtype)` at the start of its body" if name != "self" else NO_METHOD
                raise UsageError(message("argument-undeclared", self.__name__, name, type(value).__name__, help=advice))
        return static, runtime, constants

    def _eager(self, static, constants, target=None):
        if missing := [n for n in self.signature.parameters if n not in static and n not in self._runtime]:
            raise UsageError(message("argument-missing", self.__name__, ", ".join(missing), help=(
                f"declare a tensor argument in the body, `{missing[0]}: T.Tensor(shape, dtype)`; pass others a "
                "value")))
        options = self._options(target)

        def build(recorded):
            result = _prim_func.elaborate(self.func, self.locals, recorded, name=self.__name__,
                                          arguments=static, constants=constants, eager=True, **options)
            if unknown := set(constants) - set(result["constants"]):
                known = ", ".join(result["constants"]) or "none"
                raise UsageError(message("constant-unknown", self.__name__, repr(min(unknown)), help=f"its constants are: {known}"))
            func = note_unread(result["func"].changed(configs=self.pass_configs), self.pass_configs)
            func = ignored_options.note(func, "tilelang.jit", self.unread)
            kernel = JITKernel(func, returns_tuple=result["returns_tuple"], kernel_name=self.__name__,
                               identity=lambda: source.identity(self.func))
            remember(kernel, self, {**static, **constants})
            return kernel

        return self._cached(self._key(static, constants, target), build, {**static, **constants})

    def _key(self, static, constants, target=None):
        return key_of(static), key_of(constants), self._options(target)["target"]

    def _known_constants(self, static, constants):
        """The keywords of a call that are constants of the kernel; reports the others, which TileLang ignores."""
        if not constants:
            return constants
        known = self._declared(static)["constants"]
        for name in set(constants) - set(known):
            ignored_options.report_keyword(self.__name__, name)
        return {name: value for name, value in constants.items() if name in known}

    def _declared(self, static):
        """The signature for these compile-time values: parameters and constants."""
        key = key_of(static)
        found = self._signatures.get(key)
        if found is None or found[1].changed():
            recorded = []
            result = _prim_func.elaborate(self.func, self.locals, recorded, name=self.__name__, arguments=static, signature_only=True)
            found = self._signatures[key] = (result, Captures(self.func, recorded, static))
        return found[0]

    def _solve(self, static, runtime):
        """Solves for the T.const names from the tensors of a call."""
        result = self._declared(static)
        constants = {}
        if not result["constants"]:
            return constants
        for param in result["func"].params:
            if param["shape"] is None or param["name"] not in runtime:
                continue
            given = runtime[param["name"]]
            view = given if isinstance(given, TensorType) else arrays.view(given)
            if view is None:
                continue
            for entries, extents in ((param["shape"], view.shape), (param["strides"], view.strides)):
                for entry, extent in zip(entries, extents):
                    if param["pairs"] and isinstance(entry, str) and entry.endswith(" // 2)"):  # two elements per byte
                        entry, extent = entry[1:-6], extent if isinstance(given, TensorType) else extent * 2
                    if entry in result["constants"]:
                        constants.setdefault(entry, extent)
        if lost := [c for c in result["constants"] if c not in constants]:
            values = ", ".join(f"{c}=..." for c in result["constants"])
            raise UsageError(message("constant-unused", lost[0], help=(
                f"declare an argument with {lost[0]} itself as an extent, or compile with the values: "
                f"{self.__name__}.compile({values})")))
        return constants

    # --- what users call ----------------------------------------------------------------------------

    @untraced
    def compile(self, *args, **kwargs):
        """The kernel for these compile-time values, without tensors. `target=` selects another target, `pass_configs=` adds pass
        configurations, unless they are parameters."""
        if "pass_configs" in kwargs and "pass_configs" not in self.signature.parameters:
            return self.with_pass_configs(kwargs.pop("pass_configs")).compile(*args, **kwargs)
        target = None if "target" in self.signature.parameters else kwargs.pop("target", None)
        if self.mode == "lazy":
            return self._lazy(args, kwargs, target)
        static, runtime, constants = self._static(args, kwargs)
        tensors = {k: v for k, v in runtime.items() if isinstance(v, TensorType) or arrays.view(v) is not None}
        if tensors:
            constants = {**self._solve(static, tensors), **constants}
        return self._eager(static, constants, target)

    @untraced
    def __call__(self, *args, **kwargs):
        if self._of_prim_func and (args or kwargs):
            return self._lazy((), {})(*args, **kwargs)
        if self.mode == "lazy":
            return self._lazy(args, kwargs)
        if not kwargs:
            for one in self._recent:
                if (made := one.call(args)) is not NotImplemented:
                    return made
        static, runtime, constants = self._static(args, kwargs)
        wanted = [n for n in self.signature.parameters if n in self._runtime]
        if any(n not in runtime for n in wanted):
            check_count(self.__name__, wanted, len(runtime))
        solved = {**self._solve(static, runtime), **self._known_constants(static, constants)}
        kernel = self._eager(static, solved)
        made = kernel(*(runtime[n] for n in wanted))
        if not kwargs and not self.fixed and all(one.kernel is not kernel for one in self._recent):
            guards = self._signatures[key_of(static)][1], self._cache[self._key(static, solved)][1]
            if (one := recent(kernel, self.signature, self._runtime, args, guards)) is not None:
                self._recent = (one, *self._recent[:KEPT - 1])
        return made

    def with_pass_configs(self, configs):
        """This function with more pass configurations, which override its own."""
        if not configs:
            return self
        values = {**self.pass_configs, **config_values(configs)}
        key = key_of(values)
        if key not in self._variants:
            other = self._variants[key] = copy.copy(self)
            other.pass_configs, other._cache, other._signatures, other._recent = values, {}, {}, ()
        return self._variants[key]

    def get_tir(self, *args, **kwargs):
        return PrimFunc(self.compile(*args, **kwargs)._func)

    def get_kernel_source(self, *args, **kwargs):
        return self.compile(*args, **kwargs).get_kernel_source()

    def par_compile(self, configs, num_workers=None, ignore_error=False):
        """Kernels for a list of configurations (dicts or tuples)."""
        ignored_options.take("par_compile", {"num_workers": num_workers})
        out = []
        for config in configs:
            try:
                out.append(self.compile(**config) if isinstance(config, dict) else self.compile(*config))
            except (ValueError, TypeError, RuntimeError, NoBuilderError):
                if not ignore_error:
                    raise
                out.append(None)
        return out

    def __getattr__(self, name):
        """Explains a missing attribute that its kernels have."""
        hint = f"; use it on a kernel: {self.__name__}.compile(...).{name}" if name[:1] != "_" and hasattr(JITKernel, name) else ""
        raise AttributeError(f"a jit function has no {name}{hint}", name=name, obj=self)

    def __repr__(self):
        return f"<jit function {self.__name__}{self.signature}>"


@untraced
def compile(func, out_idx=None, execution_backend=None, target=None, target_host=None, verbose=None,
            pass_configs=None, compile_flags=None, instruments=None, check=False, require=None):
    """Compiles a @T.prim_func; `out_idx` lists the parameters that a call allocates. `check`: shows a first call's warnings now.
    `require`: code paths that must be taken ("wgmma", ["copy_engine", "roles"]); CompileError says why one is lost."""
    if isinstance(func, JITImpl):
        raise UsageError(message("prim-func-needed", "a jit function", help=f"call {func.__name__}.compile(...)"))
    if not isinstance(func, PrimFunc):
        name = getattr(func, "__name__", "")
        made = "it is compiled; pass kernel.prim_func to compile it for another target" if isinstance(func, JITKernel) else \
            f"call the function {name}: tilelang.compile({name}(...))" if callable(func) and name else "decorate the kernel with @T.prim_func"
        raise UsageError(message("prim-func-needed", type(func).__name__, help=made))
    unread = dict(execution_backend=execution_backend, target_host=target_host, verbose=verbose,
                  compile_flags=compile_flags, instruments=instruments)
    with compiling(func.name):
        kernel = _compiled(func, out_idx, target, with_required(pass_configs, require), "tilelang.compile", unread)
    remember(kernel)  # so that %kernels lists it before it is run
    if check:
        watched.check_without_call(kernel)
    return kernel


_kernel.of_prim_func = compile


def _compiled(func, out_idx, target, pass_configs, where, unread):
    count = len(func.func.params)
    alone = isinstance(out_idx, str) or hasattr(out_idx, "__index__")  # NumPy's integers as well
    positions = [p if isinstance(p, str) or not hasattr(p, "__index__") else operator.index(p)
                 for p in ([out_idx] if alone else out_idx or ())]
    names = [p["name"] for p in func.func.params]
    for p in positions:
        if not isinstance(p, int):
            known = names.index(p) - count if p in names else "-1, the last"
            raise UsageError(message("out-idx", f"{p!r}", f"{count} parameters", help=(
                f"use a number in out_idx; {p!r} is {known}" if p in names else
                f"use a number in out_idx: {known}")))
        if not -count <= p < count:
            raise UsageError(message("out-idx", f"{p}", f"{count} parameter{'s' * (count != 1)}", help=(
                f"out_idx should be in range [-{count}, {count - 1}], got {p}")))
    returned = list(func.func.outputs)
    if positions and returned:
        raise UsageError(message("out-idx-conflict", f"out_idx={out_idx}", func.name, help=(
            "remove out_idx: a call returns the tensors made by T.empty")))
    outputs = [p % count for p in positions] or returned
    configs = config_values(pass_configs)
    made = note_unread(func.func.changed(target=target_name(target), outputs=outputs, configs=configs), configs)
    kernel = JITKernel(ignored_options.note(made, where, unread), identity=func.identity)
    kernel.made_of = func
    return kernel


def par_compile(funcs, num_workers=None, **options):
    """Kernels for a list of functions; the options are those of compile."""
    ignored_options.take("par_compile", {"num_workers": num_workers})
    return [compile(f, **options) for f in funcs]
