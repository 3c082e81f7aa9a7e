# SPDX-License-Identifier: Apache-2.0
"""The pages of the operators: one each, made of its file or its formula, and a table of all."""

import inspect
import pathlib

from tilelab import ops

TABLE = pathlib.Path(__file__).resolve().parents[2] / "bench" / "operators.tsv"


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


def measured():
    """(GPU and version of torch, {operator: (tensors, [(microseconds, torch's), ... forward, and with the gradient], reason)})"""
    _, machine, *lines = TABLE.read_text(encoding="utf-8").splitlines()
    found = {}
    for line in lines:
        name, tensors, *times, reason = line.split("\t")
        found[name] = tensors, [(float(a), float(b)) for a, b in (times[:2], times[2:]) if a], reason
    return machine.lstrip("# "), found


def _speed(name):
    """The times of an operator beside torch's, if they were measured."""
    machine, rows = measured()
    if name not in rows:
        return ""
    tensors, times, reason = rows[name]
    table = "".join(f"| {what} | {ours:.1f} us | {theirs:.1f} us | {theirs / ours:.2f} |\n" for what, (ours, theirs) in zip(("forward", "forward and gradient"), times))
    return (f"\n## How fast is it?\n\nOn {tensors} ({machine}; time on the GPU, torch eager or compiled, whichever is faster):\n\n"
            f"| | tilelab | torch | ratio |\n|---|---|---|---|\n{table}" + (f"\nReason: {reason}.\n" if reason else ""))


def page(name):
    operator, module = getattr(ops, name), ops.module_of(name)
    source = (inspect.getsource(operator.formula) if operator.formula else inspect.getsource(module).split('"""', 2)[2]).strip("\n")
    return _description(operator, module) + _configurations(module) + _speed(name) + f"\n## How is it written?\n\n```python\n{source}\n```\n"


def generated():
    """{path in the site: text}"""
    index = "# Operators\n\nFunctions on tensors, `tilelang.softmax(x)`. [The guide](../guide/15-tensors.md) describes how to use them.\n"
    machine, rows = measured()
    index += f"\nRatios above 1: faster than torch, measured at the size of a model ({machine}); `bench/operators.py` measures them.\n"
    for family, names in ops.FAMILIES.items():
        index += f"\n## {family.capitalize()}\n\n| operator | what it computes | torch's time / tilelab's |\n|---|---|---|\n"
        for name in names.split():
            summary = (getattr(ops, name).__doc__ or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
            ratio = f"{rows[name][1][0][1] / rows[name][1][0][0]:.2f}" if name in rows else ""
            index += f"| [{name}]({name}.md) | {summary} | {ratio} |\n"
    return {"operators/index.md": index, **{f"operators/{name}.md": page(name) for name in ops.names()}}
