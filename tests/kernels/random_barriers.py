# SPDX-License-Identifier: Apache-2.0
"""Barriers of the block where a random kernel needs none: the compiler inserts what its tiles need, and the program's barriers change
neither the values nor the schedules of loops."""
import ast

LOOPS = ("T.serial(", "T.Pipelined(", "T.unroll(", "T.Persistent(", "range(")


def _lists(body):
    """The lists of statements that all threads of a block reach together: of kernels, and of loops in them."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield from _lists(node.body)
        elif isinstance(node, ast.With) and ast.unparse(node.items[0].context_expr).startswith("T.Kernel("):
            yield from _inside(node.body)


def _inside(body):
    yield body
    for node in body:
        if isinstance(node, ast.For) and ast.unparse(node.iter).startswith(LOOPS):
            yield from _inside(node.body)


def with_barriers(source, rng):
    """The source with T.sync_threads() before some of those statements."""
    places = [node for body in _lists(ast.parse(source).body) for node in body]
    lines = source.splitlines()
    for node in sorted(places, key=lambda node: -node.lineno):
        if rng.random() < 0.2:
            lines.insert(node.lineno - 1, " " * node.col_offset + "T.sync_threads()")
    return "\n".join(lines) + "\n"
