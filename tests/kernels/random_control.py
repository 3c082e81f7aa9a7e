# SPDX-License-Identifier: Apache-2.0
"""Statements that hold others, in random kernels: loops of every kind, branches, macros; and variables.

Conditions and bounds are of the block, not of its threads.
"""
import numpy as np

import random_expressions as ex
from random_expressions import pick


def of_variables(kernel):
    """A leaf that reads the variables in scope."""
    names = list(kernel.variables)

    def make(rng):
        name = pick(rng, names)
        return ex.Expr(name, lambda env: np.asarray(env[name], np.int32), "int32")
    return make


def scoped(kernel, depth, *names):
    """Statements of a body, with local variables; what they define ends with it."""
    kept = list(kernel.variables), list(kernel.stored)
    kernel.variables += names
    body = [kernel.statement(depth - 1) for _ in range(int(kernel.rng.integers(1, 4)))]
    kernel.variables, kernel.stored = kept
    return body


def indented(steps):
    return ["    " + line for step in steps for line in step.lines()] or ["    pass"]


def run_all(steps, env):
    for step in steps:
        step.run(env)


def extent(kernel):
    """(text, value) of a small bound, of compile time or run time."""
    n = int(kernel.rng.integers(-1, 4))
    name = pick(kernel.rng, ("bx", "by"))
    return pick(kernel.rng, ((str(n), lambda env: n), (f"{name} + 1", lambda env: int(env[name]) + 1),
                             (f"T.min({name} * 2, {n})", lambda env: min(int(env[name]) * 2, n))))


def loop(kernel, depth):
    rng, name = kernel.rng, kernel.fresh("k")
    head = pick(rng, ("T.serial({})", "T.serial({})", "range({})", "T.unroll({})", "T.Pipelined({}, num_stages={stages})"))
    (text, bound), stages = extent(kernel), int(rng.integers(0, 4))
    body = scoped(kernel, depth, name)

    def run(env):
        for k in range(bound(env)):
            env[name] = k
            run_all(body, env)
    return kernel.step(lambda: [f"for {name} in {head.format(text, stages=stages)}:"] + indented(body), run, (body,))


def stepping(kernel, depth):
    """From a bound to another by a step, upwards or downwards."""
    rng, name = kernel.rng, kernel.fresh("k")
    step = pick(rng, (-1, -2, -3, 2, 3))
    (low, bottom), (high, top), far = extent(kernel), extent(kernel), int(rng.integers(0, 4))
    first, last = (f"{high} + {far}", low) if step < 0 else (low, f"{high} + {far}")
    word, body = pick(rng, ("T.serial", "range")), scoped(kernel, depth, name)

    def run(env):
        ends = (top(env) + far, bottom(env)) if step < 0 else (bottom(env), top(env) + far)
        for k in range(*ends, step):
            env[name] = k
            run_all(body, env)
    return kernel.step(lambda: [f"for {name} in {word}({first}, {last}, {step}):"] + indented(body), run, (body,))


def breaking(kernel, depth):
    """A loop that a condition ends, or continues, before, in the middle of or after its body."""
    rng, name = kernel.rng, kernel.fresh("k")
    word = pick(rng, ("break", "break", "continue"))
    text, bound = extent(kernel)
    kernel.variables.append(name)
    test = ex.condition(rng, of_variables(kernel), 2)
    kernel.variables.remove(name)
    before, after = scoped(kernel, depth, name), scoped(kernel, depth, name) if rng.random() < 0.5 else []

    def run(env):
        for k in range(bound(env)):
            env[name] = k
            run_all(before, env)
            if not test.value(env):
                run_all(after, env)
            elif word == "break":
                break
    return kernel.step(lambda: [f"for {name} in T.serial({text}):"] + indented(before) + [
        f"    if {test.text}:", f"        {word}"] + (indented(after) if after else []), run, (before, after))


def looping(kernel, depth):
    """A while loop that counts a variable down; its body may read it."""
    rng, name = kernel.rng, kernel.fresh("w")
    start = [ex.expression(rng, of_variables(kernel), 1, "int32")]
    less = pick(rng, ("{} - 1", "{} // 2", "{} - 3"))
    body = scoped(kernel, depth, name)

    def run(env):
        value = int(np.mod(start[0].value(env), 5))
        while value > 0:
            env[name] = value
            run_all(body, env)
            value = int(eval(less.format(value)))
        env[name] = value
    made = kernel.step(lambda: [f'{name} = T.alloc_var("int32")', f"{name} = {start[0].text} % 5", f"while {name} > 0:"] + indented(
        body) + [f"    {name} = {less.format(name)}"], run, (body,), value=start)
    kernel.variables.append(name)
    return made


def branch(kernel, depth):
    test = ex.condition(kernel.rng, of_variables(kernel), 2)
    body, other = scoped(kernel, depth), scoped(kernel, depth) if kernel.rng.random() < 0.5 else []

    def run(env):
        run_all(body if test.value(env) else other, env)
    return kernel.step(lambda: [f"if {test.text}:"] + indented(body) + (["else:"] + indented(other) if other else []),
                       run, (body, other))


def macro(kernel, depth):
    """A T.macro whose parameters are the buffers and variables that its body names."""
    name, stored = kernel.fresh("macro"), kernel.stored
    kernel.stored = []
    variables = list(kernel.variables)
    body = scoped(kernel, depth)
    names = ["A", "U", "V", *kernel.tallied, *(t.name for t in kernel.tiles), *variables]
    kernel.stored = stored

    def used():
        words = set("".join(c if c.isalnum() else " " for c in "\n".join(indented(body))).split())
        return ", ".join(n for n in names if n in words)
    kernel.macros[name] = lambda: ["@T.macro", f"def {name}({used()}):", *indented(body), "", ""]
    return kernel.step(lambda: [f"{name}({used()})"], lambda env: run_all(body, env), (body,))


def variable(kernel):
    """A name for a value of the block, used by later expressions of the same level."""
    name, value = kernel.fresh("n"), [ex.expression(kernel.rng, of_variables(kernel), 2, "int32")]
    kernel.variables.append(name)

    def run(env):
        env[name] = value[0].value(env)
    return kernel.step(lambda: [f"{name} = {value[0].text}"], run, value=value)


def store(kernel):
    """A T.alloc_var, which later statements, those of inner bodies too, store to."""
    rng, value = kernel.rng, [ex.expression(kernel.rng, of_variables(kernel), 2, "int32")]
    old = pick(rng, kernel.stored) if rng.random() < 0.7 else None
    name = old or kernel.fresh("v")
    if not old:
        kernel.variables.append(name)
        kernel.stored.append(name)

    def run(env):
        env[name] = value[0].value(env)
    declared = [] if old else [f'{name} = T.alloc_var("int32")']
    return kernel.step(lambda: declared + [f"{name} = {value[0].text}"], run, value=value)


def counted(kernel):
    """A variable that a while loop with a break counts up; later statements of the body read it."""
    rng = kernel.rng
    name, limit, stop = kernel.fresh("v"), int(rng.integers(0, 6)), int(rng.integers(0, 5))
    kernel.variables.append(name)

    def run(env):
        env[name] = min(limit, stop) if stop < limit else limit
    return kernel.step(lambda: [f'{name} = T.alloc_var("int32")', f"{name} = 0", f"while {name} < {limit}:",
                                f"    if {name} == {stop}:", "        break", f"    {name} = {name} + 1"], run)


def second_launch(kernel):
    """(lines, function): a second kernel of the same function, whose output D depends on what C then holds."""
    rng = kernel.rng
    rows, columns, threads = int(pick(rng, (1, 2, 4, 8))), int(pick(rng, (8, 16, 32))), int(pick(rng, (32, 64, 128)))
    way, stages = pick(rng, ("copy", "plain", "persistent")), int(rng.integers(0, 3))
    blocks, group, scope = int(rng.integers(1, 5)), int(rng.integers(1, 5)), pick(rng, ("fragment", "shared"))

    def lines(m, n):
        at = f"z * {rows}", f"k * {columns}"
        body = [f't = T.alloc_fragment(({rows}, {columns}), "{kernel.out_dtype}")',
                f"for k in T.Pipelined(T.ceildiv({n}, {columns}), num_stages={stages}):", f"    T.copy(C[{at[0]}, {at[1]}], t)",
                f"    for i, j in T.Parallel({rows}, {columns}):", f"        D[{at[0]} + i, {at[1]} + j] = T.cast(t[i, j], 'int32') + z"]
        plain = [f"for k in T.serial(T.ceildiv({n}, {columns})):", f"    for i, j in T.Parallel({rows}, {columns}):",
                 f"        D[{at[0]} + i, {at[1]} + j] = T.cast(C[{at[0]} + i, {at[1]} + j], 'int32') + z"]
        tiles = [f't = T.alloc_{scope}(({rows}, {columns}), "{kernel.out_dtype}")',
                 f"for p, q in T.Persistent([T.ceildiv({m}, {rows}), T.ceildiv({n}, {columns})], {blocks}, z, group_size={group}):",
                 f"    T.copy(C[p * {rows}, q * {columns}], t)", f"    for i, j in T.Parallel({rows}, {columns}):",
                 f"        D[p * {rows} + i, q * {columns} + j] = T.cast(t[i, j], 'int32') + p"]
        count = blocks if way == "persistent" else f"T.ceildiv({m}, {rows})"
        return [f"with T.Kernel({count}, threads={threads}) as z:"] + [
            "    " + line for line in {"copy": body, "plain": plain, "persistent": tiles}[way]]
    return lines, lambda c: ex.converted(c, "int32") + (np.arange(len(c), dtype=np.int32) // rows)[:, None]


MAKERS = (variable, store, store, counted)
HOLDERS = (loop, loop, stepping, breaking, looping, branch, branch, macro)
