# SPDX-License-Identifier: Apache-2.0
"""The __init__ of a dataclass as a function with source text: Python makes the original from text that it does not keep."""

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


@functools.lru_cache(maxsize=256)
def initializer(cls, given):
    """The __init__ of the dataclass: `given`, or the same with source if Python generated it."""
    if not cls.__dataclass_params__.init or not given.__code__.co_filename.startswith("<string>"):
        return given
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
    text = f"def __init__({parameters}):\n" + "".join(f"    {line}\n" for line in body or ["pass"])
    name = f"<{cls.__qualname__}, dataclass {id(cls)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    # Python evaluates a default when it makes the function: an object for each factory call is made by the kernel.
    placeholders = {n: (lambda: None) if n.startswith("make_") else v for n, v in names.items()}
    exec(compile(text, name, "exec"), placeholders)
    made = placeholders["__init__"]
    placeholders.update(names)
    return made
