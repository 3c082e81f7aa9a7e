# SPDX-License-Identifier: Apache-2.0
"""Python's syntax for which the compiler's tree has no node, as other syntax with the same meaning."""

import ast

_SUBJECT = "match_subject_"


def replaced(node):
    """The statement or expression in place of a node; None if there is none."""
    made = _REPLACED.get(type(node))
    out = made(node) if made else None
    return out and ast.fix_missing_locations(ast.copy_location(out, node))


def _name(text, at, store=False):
    return ast.copy_location(ast.Name(text, ast.Store() if store else ast.Load()), at)


def _called(name, node, *arguments):
    return ast.copy_location(ast.Call(_name(name, node), list(arguments), []), node)


def _comprehension(node, element):
    return ast.copy_location(ast.ListComp(element, node.generators), node)


def _dict_comprehension(node):
    return _called("dict", node, _comprehension(node, ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)))


def _set(node):
    return _called("set", node, ast.copy_location(ast.List(node.elts, ast.Load()), node))


def _set_comprehension(node):
    return _called("set", node, _comprehension(node, node.elt))


def _match(node):
    """`if` and `elif` with the conditions of the patterns. Names that a pattern binds are bound where its case begins, and stand for their values
    in its guard."""
    chain = []
    for case in reversed(node.cases):
        names = {}
        conditions = _conditions(case.pattern, _name(_SUBJECT, case.pattern), names)
        if conditions is None:
            return None
        conditions += [_Named(names).visit(case.guard)] if case.guard else []
        test = ast.BoolOp(ast.And(), conditions) if len(conditions) > 1 else (conditions or [ast.Constant(True)])[0]
        bound = [ast.copy_location(ast.Assign([_name(name, case.pattern, store=True)], value), case.pattern) for name, value in names.items()]
        chain = [ast.copy_location(ast.If(ast.copy_location(test, case.pattern), bound + case.body, chain), case.pattern)]
    subject = ast.copy_location(ast.Assign([_name(_SUBJECT, node.subject, store=True)], node.subject), node.subject)
    return ast.If(ast.copy_location(ast.Constant(True), node), [subject, *chain], [])


class _Named(ast.NodeTransformer):
    """The values of names in place of them."""

    def __init__(self, values):
        self.values = values

    def visit_Name(self, node):
        return self.values.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


def _conditions(pattern, subject, names):
    """The conditions of a pattern on a value; None for a form that is unsupported. `names`: gets what the pattern binds, by name."""
    at = lambda node: ast.fix_missing_locations(ast.copy_location(node, pattern))  # noqa: E731
    if isinstance(pattern, ast.MatchValue):
        return [at(ast.Compare(subject, [ast.Eq()], [pattern.value]))]
    if isinstance(pattern, ast.MatchSingleton):
        return [at(ast.Compare(subject, [ast.Is()], [ast.Constant(pattern.value)]))]
    if isinstance(pattern, ast.MatchOr):
        inner = {}  # bindings of alternatives would be of different values
        parts = [_conditions(one, subject, inner) for one in pattern.patterns]
        if any(part is None for part in parts) or inner:
            return None
        return [] if [] in parts else [at(ast.BoolOp(ast.Or(), [part[0] if len(part) == 1 else at(ast.BoolOp(ast.And(), part)) for part in parts]))]
    if isinstance(pattern, ast.MatchAs):
        inner = _conditions(pattern.pattern, subject, names) if pattern.pattern else []
        if pattern.name:
            names[pattern.name] = subject
        return inner
    if isinstance(pattern, ast.MatchSequence) and not any(isinstance(one, ast.MatchStar) for one in pattern.patterns):
        is_sequence = _called("isinstance", pattern, subject, at(ast.Tuple([_name("tuple", pattern), _name("list", pattern)], ast.Load())))
        fits = at(ast.Compare(_called("len", pattern, subject), [ast.Eq()], [ast.Constant(len(pattern.patterns))]))
        parts = [_conditions(one, at(ast.Subscript(subject, ast.Constant(i), ast.Load())), names) for i, one in enumerate(pattern.patterns)]
        return None if None in parts else [is_sequence, fits, *sum(parts, [])]
    if isinstance(pattern, ast.MatchClass) and not pattern.patterns:
        parts = [_conditions(one, at(ast.Attribute(subject, name, ast.Load())), names) for name, one in zip(pattern.kwd_attrs, pattern.kwd_patterns)]
        return None if None in parts else [_called("isinstance", pattern, subject, pattern.cls), *sum(parts, [])]
    return None


_REPLACED = {ast.DictComp: _dict_comprehension, ast.Set: _set, ast.SetComp: _set_comprehension}
if hasattr(ast, "Match"):  # Python 3.10
    _REPLACED[ast.Match] = _match
