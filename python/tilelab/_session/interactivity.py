# SPDX-License-Identifier: Apache-2.0
"""Which values a cell shows if ast_node_interactivity is not "last_expr"."""

import ast

from .pristine import __builtins__  # unaffected by user code

SHOWS = ("all", "last", "last_expr", "last_expr_or_assign", "none")


def rewrite(tree, shows, quiet):
    """Changes a cell to show more than its last expression; `quiet`: it ends in a semicolon."""
    body = tree.body
    last = body[-1] if body and not quiet else None
    if shows == "all":
        for node in body[:-1]:
            if isinstance(node, ast.Expr):
                show = ast.Attribute(ast.Name("__tilelab__", ast.Load()), "show", ast.Load())
                node.value = ast.copy_location(ast.Call(show, [node.value], []), node.value)
    elif shows == "last_expr_or_assign" and isinstance(last, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        target = last.targets[-1] if isinstance(last, ast.Assign) else last.target
        if isinstance(target, ast.Name):
            body.append(ast.copy_location(ast.Expr(ast.Name(target.id, ast.Load())), last))
    ast.fix_missing_locations(tree)
