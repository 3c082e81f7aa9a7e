# SPDX-License-Identifier: Apache-2.0
"""The methods of a dataclass or a named tuple as functions with source text: Python makes the originals from text that it does not keep."""

import dataclasses
import functools
import linecache


def _default(field):
    """(source of the default, its values by name); an empty source if the field has none."""
    if field.default is not dataclasses.MISSING:
        return f"=default_{field.name}", {f"default_{field.name}": field.default}
    if field.default_factory in (list, dict):
        return "=" + repr(field.default_factory()), {}
    if field.default_factory is not dataclasses.MISSING:
        return f"=make_{field.name}()", {f"make_{field.name}": field.default_factory}
    return "", {}


_COMPARISONS = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}


@functools.lru_cache(maxsize=1024)
def method(cls, name, given):
    """A method of the dataclass: `given`, or the same with source if Python generated it."""
    generated = given.__code__.co_filename.startswith("<string>")
    if name == "__init__" and generated and cls.__dataclass_params__.init:
        return _initializer(cls)
    return _comparison(cls, name) if name in _COMPARISONS and generated else given


def _comparison(cls, name):
    compared = [field.name for field in dataclasses.fields(cls) if field.compare]
    ours, others = ("(" + "".join(f"{one}.{field}, " for field in compared) + ")" for one in ("self", "other"))
    same = 'hasattr(other, "__class__") and other.__class__ is self.__class__'
    return _made(cls, name, "self, other", [f"return {ours} {_COMPARISONS[name]} {others} if {same} else NotImplemented"], {})


def _initializer(cls):
    positional, keyword, body, names = ["self"], [], [], {}
    for field in dataclasses.fields(cls):
        default, values = _default(field)
        names |= values
        if field.init:
            (keyword if getattr(field, "kw_only", False) else positional).append(field.name + default)
            body.append(f"self.{field.name} = {field.name}")
        elif default:
            body.append(f"self.{field.name} {default[0]} {default[1:]}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join(positional + (["*", *keyword] if keyword else []))
    # Python evaluates a default when it makes the function: an object for each factory call is made by the kernel.
    placeholders = {n: (lambda: None) if n.startswith("make_") else v for n, v in names.items()}
    made = _made(cls, "__init__", parameters, body or ["pass"], placeholders)
    placeholders.update(names)
    return made


@functools.lru_cache(maxsize=1024)
def method_of_named_tuple(cls, name):
    """A method that a named tuple has from Python, as if its items were attributes; None for others."""
    items = "(" + "".join(f"self.{field}, " for field in cls._fields) + ")"
    if name == "__init__":
        defaults = {f"default_{field}": value for field, value in cls._field_defaults.items()}
        fields = [field + (f"=default_{field}" if field in cls._field_defaults else "") for field in cls._fields]
        return _made(cls, name, ", ".join(["self", *fields]), [f"self.{field} = {field}" for field in cls._fields] or ["pass"], defaults)
    forms = {"__iter__": ("self", f"yield from {items}"), "__len__": ("self", f"return {len(cls._fields)}"),
             "__getitem__": ("self, index", f"return {items}[index]"), "__eq__": ("self, other", f"return {items} == tuple(other)"),
             "_asdict": ("self", "return {" + ", ".join(f"'{field}': self.{field}" for field in cls._fields) + "}"),
             "_replace": ("self, **changes", "return type(self)(**{**self._asdict(), **changes})")}
    return _made(cls, name, forms[name][0], [forms[name][1]], {}) if name in forms else None


def _made(cls, name, parameters, body, names):
    """The function with that body, whose text Python finds."""
    text = f"def {name}({parameters}):\n" + "".join(f"    {line}\n" for line in body)
    file = f"<{cls.__qualname__}.{name}, made for class {id(cls)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
    return names[name]
