# SPDX-License-Identifier: Apache-2.0
"""The pages of the operators: one each, made of its file or its formula, and a table of all."""

import inspect

from tilelab import ops


def _description(operator, module):
    """Signature and dtypes, whether there is a gradient, and what the docstring of the file says, unless the operator is one of its formulas."""
    facts = [f"dtypes: {', '.join(operator.dtypes)}"]
    if operator.arguments is not None:
        facts.append(f"tensors: {operator.declaration(operator.defaults).shown}")
    if operator.mutates:
        facts.append(f"writes {', '.join(f'`{name}`' for name in operator.mutates)} in place")
    if operator.composite:
        facts.append("made of other operators, which have the gradients")
    elif not operator.mutates:
        facts.append("has a gradient" if operator.grad else "has no gradient")
    name = operator.__name__
    described = "" if operator.formula else f"\n## What does it compute, and how?\n\n{inspect.getdoc(module)}\n"
    return (f"# {name}\n\n```python\ntilelang.{name}{operator.shown_signature()}\n```\n\n{operator.__doc__}\n\n"
            + "\n".join(f"- {fact}" for fact in facts) + f"\n{described}")


def _configurations(module):
    """The table of configurations, if the kernel has one."""
    table = getattr(module, "CONFIGURATIONS", None)
    if not table:
        return ""
    rows = ""
    for target, given in table.items():
        for row in given if isinstance(given, tuple) else (given,):  # the first of several that gives enough blocks
            rows += f"| {target or 'others'} | {', '.join(f'{k} = {v}' for k, v in row.items())} |\n"
    return f"\n## Which configuration does a target have?\n\n| target | configuration |\n|---|---|\n{rows}"


def page(name):
    operator, module = getattr(ops, name), ops.module_of(name)
    source = (inspect.getsource(operator.formula) if operator.formula else inspect.getsource(module).split('"""', 2)[2]).strip("\n")
    return _description(operator, module) + _configurations(module) + f"\n## How is it written?\n\n```python\n{source}\n```\n"


def generated():
    """{path in the site: text}"""
    index = "# Operators\n\nFunctions on tensors, `tilelang.softmax(x)`. [The guide](../guide/15-tensors.md) describes how to use them.\n"
    for family, names in ops.FAMILIES.items():
        index += f"\n## {family.capitalize()}\n\n| operator | what it computes |\n|---|---|\n"
        for name in names.split():
            summary = (getattr(ops, name).__doc__ or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
            index += f"| [{name}]({name}.md) | {summary} |\n"
    return {"operators/index.md": index, **{f"operators/{name}.md": page(name) for name in ops.names()}}
