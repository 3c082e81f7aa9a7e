# SPDX-License-Identifier: Apache-2.0
"""An operator: a function on tensors of any library, with a specification in NumPy and, where the field has one, a gradient.

    @operator
    def softmax(x: Tensor, axis: int = -1) -> Tensor:
        ...makes the result and launches a kernel...

    @softmax.specification
    def _(x, axis): ...float64 in, float64 out...

The function is the operator's fake implementation as well: without kernels it only makes results. With torch it is an operator of
torch.library (tilelab::softmax), so that autograd, torch.compile and torch.export work."""

import functools
import inspect
import operator as operator_module
import typing

import numpy

from .._compiler.errors import ArgumentError
from .._compiler.messages import message
from .._torch import library as torch_library
from ..tensors import made_by
from ..tensors.library import torch_or_none
from . import arrays, autocast, declared
from .launch import recording, without_kernels
from .table import FAMILY_OF

torch = torch_or_none()
if torch is not None:
    from torch.autograd import forward_ad

    made_by.add_method(torch.Tensor)


class Tensor:
    """The annotation of parameters and results that are tensors."""

    __module__ = "tilelab"


_SCHEMA = {Tensor: "Tensor", Tensor | None: "Tensor?", int: "int", float: "float", bool: "bool", str: "str",
           int | None: "int?", float | None: "float?", tuple[int, ...]: "int[]"}
_NUMBERS = {"int": ("an integer", int), "float": ("a number", (int, float)), "bool": ("True or False", (int, numpy.bool_)), "str": ("a string", str),
            "int[]": ("a tuple of integers", (tuple, list))}
FLOATS = ("float16", "bfloat16", "float32", "float64")


def _schema(signature, mutates):
    """The operator's signature as torch writes it."""
    parts = []
    for name, parameter in signature.parameters.items():
        kind = _SCHEMA[parameter.annotation]
        kind = kind.replace("int", "SymInt")  # a graph of torch.compile for all values of a dynamic extent
        if name in mutates:
            kind = kind.replace("Tensor", f"Tensor({chr(97 + mutates.index(name))}!)")
        given = "" if parameter.default is parameter.empty else f"={_literal(parameter.default)}"
        parts.append(f"{kind} {name}{given}")
    result = signature.return_annotation
    count = len(typing.get_args(result))
    return f"({', '.join(parts)}) -> " + ("()" if result is None else f"({', '.join(['Tensor'] * count)})" if count else "Tensor")


def _literal(value):
    return f'"{value}"' if isinstance(value, str) else str(list(value)) if isinstance(value, tuple) else str(value)


def _public(name):
    """The operator of the package with this name."""
    from .. import ops

    return getattr(ops, name)


class Operator:
    """Call it with tensors of one library and device; the result is of that library, on that device. Tensors in host memory are copied where
    kernels run on a GPU."""

    def __init__(self, function, public=None, mutates=(), dtypes=FLOATS, autocast=None, tolerance=None, composite=False, integers=False,
                 arguments=None):
        functools.update_wrapper(self, function)
        self.function, self.mutates, self.dtypes = function, tuple(mutates), tuple(dtypes)
        self.autocast = autocast or (None if arguments is None or mutates else "widest")
        self.integers = integers  # whether its first tensor may have integers although `dtypes` has floats
        self.tolerance = tolerance  # of its results, where the usual one is too narrow
        self.signature = inspect.signature(function, eval_str=True)
        self.names = list(self.signature.parameters)
        self.arguments = arguments  # what its tensors must be: a text of declared.py, or a function of the other arguments that returns one
        self.kinds = {name: _SCHEMA[p.annotation] for name, p in self.signature.parameters.items()}
        self.defaults = {name: p.default for name, p in self.signature.parameters.items()}
        self.default_values = tuple(self.defaults.values())
        self.required = sum(p.default is p.empty for p in self.signature.parameters.values())
        self.public = public  # the number of results that a call returns; later ones are for the gradient
        self.spec = self.grad = self.example = None
        self.formula = None  # of an elementwise operator: the function of one element
        self.saves = self.fixed = ()
        self.composite = composite  # made of other operators, which have the gradients
        self.traced = None  # the operator of torch.library
        self.recorded = None  # the same for autograd alone, which is faster
        tensors = (i for i, kind in enumerate(self.kinds.values()) if kind == "Tensor")
        self.first = next(tensors, None) if self.__name__ in FAMILY_OF else None  # the tensor whose dtype a call checks
        self.tensors = [i for i, kind in enumerate(self.kinds.values()) if kind[:6] == "Tensor"]
        self.eager = arguments is not None and (callable(arguments) or "[" in arguments)  # dtypes alone are checked where a kernel fails
        if self.eager:
            self.first = None
        self.used = [i for i, name in enumerate(self.names) if i not in self.tensors and name in declared.names_of(arguments)]
        self.converted = self._converted()
        self.chosen = [name in self.converted for name in self.names]  # for autocast
        self.key_of = declared.key_function(self.kinds, arguments)
        self._dtypes = set()  # torch's dtypes of it that were checked
        self._declared = set()  # shapes and dtypes of all tensors that were checked
        self._accepted = {}  # types of arguments, which alone decide whether a call is right: what _by_types says of them
        self._define()

    def __reduce__(self):  # by name: a module that has an operator as an attribute is copied and pickled
        return _public, (self.__name__,)

    def specification(self, function):
        """Decorates the specification: NumPy arrays in float64 in, the exact result out."""
        self.spec = function
        return function

    def examples(self, function):
        """Decorates a generator of calls for tests: examples(draw, n) yields (args, kwargs); larger n, larger sizes with tails."""
        self.example = function
        return function

    def gradient(self, *saves, fixed=()):
        """Decorates the gradient: gradient(saved, *gradients of the results) -> {parameter: gradient}. `saves`: the tensors that it
        reads, by name; "result" is the (first) result. `fixed`: tensors of floats without a gradient."""
        def decorate(function):
            self.grad, self.saves, self.fixed = function, saves, tuple(fixed)
            self._define()
            return function

        return decorate

    def _define(self):
        if torch is None or self.composite:
            return
        count = len(typing.get_args(self.signature.return_annotation)) or 1
        _forget(self.__name__)
        self.traced = torch_library.define(
            f"tilelab::{self.__name__}", _schema(self.signature, self.mutates), self.function, self.fake, self.names, self.mutates,
            self.grad, self.saves, self.public or count)
        if not self.mutates:
            self.recorded = torch_library.recorded(
                self.function, self.grad or torch_library.no_gradient(self.__name__), self.saves, self.names, self.public or count)

    def fake(self, *args, **kwargs):
        """Results of the right shapes, without values. Extents that are not known yet are compared when a kernel is called."""
        given = self.signature.bind(*args, **kwargs)
        given.apply_defaults()
        values = given.args
        extents = [extent for i in self.tensors if values[i] is not None for extent in values[i].shape]
        if self.eager and not any(isinstance(one, _SYMBOLS) for one in (*extents, *values)):
            self._check_declared(values)
        with without_kernels():
            return self.function(*values)

    def shown(self, made):
        """The results that a call returns, of all that the function makes."""
        if self.public is None or not isinstance(made, tuple):
            return made
        return made[0] if self.public == 1 else made[:self.public]

    def __call__(self, *args, **kwargs):
        if torch is not None and torch.compiler.is_compiling():
            return self._compiling(args, kwargs)
        kinds = (*map(type, args), *kwargs, *map(type, kwargs.values()))
        known = self._accepted.get(kinds)
        if known is None:
            self._check(args, kwargs)
            known = self._accepted[kinds] = self._by_types(self._positional(args, kwargs))
        values = self._positional(args, kwargs)
        tensors, plain, strange = known
        if strange:
            values = self._plain_numbers(values, strange)
        if plain and self.first is not None and values[self.first].dtype not in self._dtypes:
            self._check_dtype(self.names[self.first], values[self.first])
        if tensors and self.autocast and autocast.enabled():
            values = autocast.POLICIES[self.autocast](values, self.chosen)
        if plain and self.eager and not self._is_checked(values):
            self._check_declared(values)
        form = self._form(values, tensors, plain) if tensors and not self.composite else None
        try:
            made = (form or self.function)(*values)
        except (IndexError, ValueError, TypeError, ZeroDivisionError, RuntimeError) as error:  # what other ranks, shapes and dtypes cause
            explained = self._explained(values, error)
            if explained is None:
                raise
            raise explained from error
        if form is None and tensors and self.mutates:
            torch_library.raise_versions(values[self.names.index(name)] for name in self.mutates)
        return made if self.composite else made_by.note(self.shown(made))

    def _compiling(self, args, kwargs):
        """A call that torch.compile traces."""
        if self.autocast and autocast.enabled():
            chosen = [name in self.converted for name in (*self.names[:len(args)], *kwargs)]
            values = autocast.POLICIES[self.autocast]((*args, *kwargs.values()), chosen)
            args, kwargs = values[:len(args)], dict(zip(kwargs, values[len(args):]))
        if self.composite:
            return self.function(*args, **kwargs)
        return self.shown(self.traced(*args, **kwargs))

    def _converted(self):
        """The names of the tensors that autocast may convert: those whose only dtype is that of others."""
        if self.arguments is None:
            return {self.names[i] for i in self.tensors}
        return {one.name for one in self.declaration(self.defaults).tensors if all(word in ("same", "any") or word[:5] == "like " for word in one.words)}

    def _check_dtype(self, name, value):
        """Raises ArgumentError where an operator on floats gets other numbers as its first tensor, or any operator a dtype, such as a complex
        one, that the language does not have."""
        dtype = declared.name_of(value)
        known = arrays.dtype_of(value) is not None and (self.integers or "float" in dtype or any("int" in one for one in self.dtypes))
        if not known:
            self._refuse_dtype(name, dtype)
        if arrays.is_torch(value):  # those of NumPy compare equal to others that have another name
            self._dtypes.add(value.dtype)

    def _is_checked(self, values):
        """Whether an earlier call had these shapes and dtypes, or they are torch's symbols, which a kernel's call compares as numbers."""
        try:
            return self.key_of(values) in self._declared
        except TypeError:  # symbols have no hash
            return True

    def _check_declared(self, values):
        """Raises ArgumentError unless the tensors are as the operator declares; a later call with their shapes and dtypes is right."""
        if torch is not None and torch._C._get_tracing_state() is not None:  # a trace has tensors as extents
            return
        given = dict(zip(self.names, values))
        self.declaration(given).check(self, given)
        declared.check_devices(self, given)
        if len(self._declared) > 4096:
            self._declared.clear()
        self._declared.add(self.key_of(values))

    def _explained(self, values, error):
        """What was wrong with the arguments that caused an error; None for another error."""
        given = dict(zip(self.names, values))
        try:
            declared.check_layouts(self, given)
            declared.check_devices(self, given)
            if self.arguments is not None:
                self.declaration(given).check(self, given)
        except ArgumentError as problem:
            return problem
        return declared.explained(self, values, error)

    def declaration(self, given):
        """What the tensors of a call must be; `given`: its arguments by name."""
        text = self.arguments if isinstance(self.arguments, str) else self.arguments(*(given[self.names[i]] for i in self.used))
        return declared.Declaration(text)

    def _refuse_dtype(self, name, dtype):
        wanted = "a tensor of floats or integers" if self.integers or any("int" in one for one in self.dtypes) else "a tensor of floats"
        declared.refuse(self, name, wanted, f"one of {dtype}", help=f"convert it: {name}.float() of torch, {name}.astype('float32') of NumPy")

    def _by_types(self, values):
        """(positions of the tensors of torch, whether all of these are of torch's own classes, positions of numbers of NumPy or torch)."""
        tensors = () if torch is None else tuple(i for i in self.tensors if arrays.is_torch(values[i]))
        strange = tuple(i for i, value in enumerate(values) if i not in self.tensors and (isinstance(value, numpy.generic) or arrays.is_torch(value)))
        return tensors, all(type(values[i]) in _PLAIN for i in tensors), strange

    def _plain_numbers(self, values, strange):
        """The values, with numbers of NumPy and torch at these positions as those of Python."""
        values = list(values)
        for i in strange:
            kind = self.kinds[self.names[i]].rstrip("?")
            try:
                values[i] = {"int": operator_module.index, "float": float, "bool": bool}.get(kind, lambda value: value)(values[i])
            except (TypeError, ValueError, RuntimeError):
                self._refuse(self.names[i], _NUMBERS[kind][0], values[i], f"call it as {self.__name__}{self.shown_signature()}")
        return tuple(values)

    def _form(self, values, tensors, plain):
        """The form of the operator in which torch has to see the call. None if it goes to the function directly, which is fastest."""
        if torch._C._functorch.peek_interpreter_stack() is not None:
            return self.traced
        if forward_ad._current_level >= 0 and any(forward_ad.unpack_dual(values[i]).tangent is not None for i in tensors):
            torch_library.no_tangent(self.__name__)()
        if (not plain or torch._C._len_torch_dispatch_stack() > 0 or (values[tensors[0]].is_meta and self._on_meta(values))
                or torch._C._get_tracing_state() is not None):
            return self.traced
        if torch.is_grad_enabled():
            for i in tensors:
                if values[i].requires_grad:
                    return self.recorded or self.traced
        return None

    def _on_meta(self, values):
        """True, for a first tensor without values. No kernel runs then, which would report tensors of another device."""
        declared.check_devices(self, dict(zip(self.names, values)))
        return True

    def _positional(self, args, kwargs):
        """All arguments in the order of the parameters."""
        if not kwargs:
            return args + self.default_values[len(args):]
        return (*args, *(kwargs.get(name, self.defaults[name]) for name in self.names[len(args):]))

    def compiled_call(self, values, keywords):
        """(kernel, arguments) of the last kernel of a call, for commands: `%check tilelang.softmax(x)`."""
        with recording() as recorded:
            self(*values, **keywords)
        return recorded[-1]

    def _check(self, args, kwargs):
        """Raises ArgumentError unless the arguments fit the signature, and the tensors are of one library."""
        if kwargs or not self.required <= len(args) <= len(self.names):
            try:
                self.signature.bind(*args, **kwargs)
            except TypeError as error:
                raise ArgumentError(message("operator-call", self.__name__, error, help=f"call it as {self.__name__}{self.shown_signature()}")) from None
        libraries = set()
        for name, value in (*zip(self.names, args), *kwargs.items()):
            kind = self.kinds[name]
            if value is None and kind[-1] == "?":
                continue
            if kind[:6] != "Tensor":
                self._check_number(name, value, kind.rstrip("?"))
            elif arrays.is_tensor(value):
                libraries.add("torch" if arrays.is_torch(value) else "tilelab's arrays of a GPU" if isinstance(value, arrays.DeviceArray) else "NumPy")
            else:
                self._refuse(name, "a tensor", value, f"call it as {self.__name__}{self.shown_signature()}; tilelang.tensor(...) makes a tensor")
        if len(libraries) > 1:
            raise ArgumentError(message("operator-libraries", self.__name__, " and ".join(sorted(libraries)),
                                        help="convert one of them: torch.from_numpy(x), x.numpy(), tilelang.to_device(x)"))

    def _check_number(self, name, value, kind):
        shown, known = _NUMBERS[kind]
        if not isinstance(value, known) and not (kind in ("int", "float") and hasattr(value, f"__{'index' if kind == 'int' else 'float'}__")):
            self._refuse(name, shown, value, f"call it as {self.__name__}{self.shown_signature()}")

    def _refuse(self, name, wanted, value, help):
        declared.refuse(self, name, wanted, f"a value of type {type(value).__name__}", help=help)

    def gradients(self, args, kwargs, results, gradients):
        """The gradients by parameter, without torch: of a call with these arguments and with all results of the function."""
        if self.grad is None:
            torch_library.no_gradient(self.__name__)()
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        saved = torch_library.saved_of(self.saves, bound.arguments, results)
        made = torch_library.gradients(self.grad, saved, self.names, gradients)
        return {name: one for name, one in zip(self.names, made) if one is not None}

    def shown_signature(self):
        """The signature with short annotations: (x: Tensor, axis: int = -1)."""
        parts = []
        for name, parameter in self.signature.parameters.items():
            kind = getattr(parameter.annotation, "__name__", str(parameter.annotation).replace(f"{__name__}.", ""))
            parts.append(f"{name}: {kind}" + ("" if parameter.default is parameter.empty else f" = {parameter.default!r}"))
        return f"({', '.join(parts)})"

    def __repr__(self):
        return f"<operator {self.__name__}{self.shown_signature()}>"


_PLAIN = () if torch is None else (torch.Tensor, torch.nn.Parameter)
_SYMBOLS = () if torch is None else (torch.SymInt, torch.SymFloat, torch.SymBool)  # of torch.compile


def _forget(name):
    """Takes back an earlier definition, so that a module can be loaded again."""
    from torch._library import custom_ops

    custom_ops.OPDEFS.pop(f"tilelab::{name}", None)


def operator(function=None, **options):
    """Decorates an operator's function. `public`: how many of its results a call returns, the first ones. `mutates`: names of the
    tensors that it writes. `dtypes`: those that its examples are tested with. `autocast`: what torch.autocast does with the tensors that have
    one dtype, "narrow" those of float32 or convert all to the "widest" dtype, as for every declared operator. `composite`: the function calls
    other operators, whose gradients apply. `integers`: the first tensor may have integers although `dtypes` are those of floats. `arguments`:
    what the tensors must be (declared.py)."""
    return Operator(function, **options) if function is not None else functools.partial(Operator, **options)
