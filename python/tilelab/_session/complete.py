# SPDX-License-Identifier: Apache-2.0
"""Completion of names, attributes, keys, arguments, modules and paths, without running user code such as properties."""

import builtins
import keyword
import os
import re
import sys
import time
import types

_IMPORT = re.compile(r"^\s*(?:import\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*|from\s+)([\w.]*)$")
_FROM = re.compile(r"^\s*from\s+([\w.]+)\s+import\s+\(?(?:[\w\s,]*[\s,(])?(\w*)$")
_KEY = re.compile(r"""([^\W\d][\w.]*)\[\s*(['"]?)([^'"\[\]\n]*)$""")
_CALLEE = re.compile(r"([^\W\d][\w.]*)\s*$")
_LIMIT = 1000  # candidates: the language has more than 500 names
_BACK = 500  # characters before the cursor that are parsed
_AROUND = 20000  # characters whose names are candidates
_BUDGET = 0.05  # seconds; candidates found until then are shown
_SIGNATURES = 20  # at most this many signatures, at 50 us each


def _static(value, name):
    """(found, attribute) without running user code."""
    kind = type(value)
    try:
        if isinstance(value, types.ModuleType):
            return (True, value.__dict__[name]) if name in value.__dict__ else (False, None)
        for base in kind.__mro__:
            if name in base.__dict__:
                entry = base.__dict__[name]
                # Descriptors written in C (methods, members, NumPy's attributes) are safe.
                if isinstance(entry, (types.MemberDescriptorType, types.GetSetDescriptorType)):
                    return True, getattr(value, name)
                if name in getattr(value, "__dict__", ()):
                    break
                if isinstance(entry, (staticmethod, classmethod)):
                    return True, entry.__func__
                if isinstance(entry, property) or hasattr(type(entry), "__get__") and not isinstance(
                        entry, (types.FunctionType, types.MethodDescriptorType, type)):
                    return False, None
                return True, entry
        own = getattr(value, "__dict__", None)
        if own is not None and name in own:
            return True, own[name]
        if isinstance(value, type):
            for base in value.__mro__:
                if name in base.__dict__:
                    return True, base.__dict__[name]
    except Exception:
        pass
    return False, None


def _lookup(shell, code, path):
    """(found, value) of a dotted path."""
    parts = path.split(".")
    found, value = False, None
    for space in (shell.ns, builtins.__dict__):
        if parts[0] in space:
            found, value = True, space[parts[0]]
            break
    if not found:
        found, value = _imported_in(code, parts[0])
    for part in parts[1:]:
        if not found:
            return False, None
        found, value = _static(value, part)
    return found, value


def _imported_in(code, name):
    """A loaded module that the cell itself imports under `name`."""
    code = code[-_AROUND:]
    match = re.search(rf"^[ \t]*import[ \t]+([\w.]+)[ \t]+as[ \t]+{re.escape(name)}\b", code, re.M) or re.search(
        rf"^[ \t]*import[ \t]+({re.escape(name)})\b", code, re.M)
    module = match and sys.modules.get(match[1])
    return (True, module) if module else (False, None)


def _signature(value):
    if not callable(value) or isinstance(value, type):
        return ""
    import inspect

    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""


def _type(value):
    if isinstance(value, types.ModuleType):
        return "module"
    if isinstance(value, type):
        return "class"
    return "function" if callable(value) else "instance"


_deadline = 0.0  # of the current completion, by time.monotonic()


def _in_time():
    return time.monotonic() < _deadline


def _row(name, value, signatures=True):
    return name, _type(value), _signature(value) if signatures and _in_time() else ""


def _own_dir(value):
    """__dir__ of our modules, which gives names in display order; None for other values."""
    ours = isinstance(value, types.ModuleType) and value.__name__.startswith("tilelab.")
    return vars(value).get("__dir__") if ours else None


class _Ordered(list):
    """Rows in display order."""


def _attributes(value, prefix):
    try:
        own = _own_dir(value)
        names = own() if own else dir(value)
    except Exception:
        own, names = None, list(getattr(value, "__dict__", ()))
    chosen = [n for n in names if isinstance(n, str) and n.startswith(prefix) and (prefix.startswith("_") or not n.startswith("_"))]
    rows = []
    few = len(chosen) <= _SIGNATURES
    for name in chosen[:_LIMIT]:
        found, attribute = _static(value, name) if _in_time() else (False, None)
        rows.append(_row(name, attribute, few) if found else (name, "instance", ""))
    return _Ordered(rows) if own else rows


def _names_in(code, cursor):
    """Names that the text binds or uses before and after the cursor."""
    above, below = code[max(0, cursor - _AROUND):cursor], code[cursor:cursor + _AROUND // 4]
    text = re.sub(r"#.*|'[^'\n]*'|\"[^\"\n]*\"", "", above + " " + below)
    return set(re.findall(r"(?<![\w.])[^\W\d]\w*(?=\s*[=,)\]:.(]|\s+in\b|\s*$)", text, re.M))


def _names(shell, code, cursor, prefix):
    rows, seen = [], set()

    def wanted(name):
        if name in seen or not name.startswith(prefix) or not name.isidentifier() or (not prefix and name.startswith("_")):
            return False
        seen.add(name)
        return True

    def add_values(values):
        chosen = [(name, value) for name, value in list(values.items()) if wanted(name)]
        few = len(chosen) <= _SIGNATURES
        rows.extend(_row(name, value, few) for name, value in chosen)

    add_values(shell.ns)
    word_start = cursor - len(prefix)
    for name in sorted(_names_in(code[:word_start] + code[cursor:], word_start)):
        if not keyword.iskeyword(name) and name not in builtins.__dict__ and wanted(name):
            rows.append((name, "statement", ""))
    rows.extend((name, "keyword", "") for name in keyword.kwlist if wanted(name))
    add_values(builtins.__dict__)
    return rows


def _open_call(code, cursor):
    """Text before the innermost open parenthesis, or ""."""
    depth = 0
    for i in range(cursor - 1, max(-1, cursor - 4000), -1):
        char = code[i]
        if char in ")]}":
            depth += 1
        elif char in "([{":
            if depth == 0:
                match = _CALLEE.search(code[max(0, i - _BACK):i]) if char == "(" else None
                return match[1] if match and not keyword.iskeyword(match[1]) else ""
            depth -= 1
    return ""


def _arguments(shell, code, cursor, prefix):
    path = _open_call(code, cursor - len(prefix))
    found, function = _lookup(shell, code, path) if path else (False, None)
    if not found or not callable(function):
        return []
    import inspect

    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [(p.name + "=", "param", "") for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
            and p.name.startswith(prefix) and p.name not in ("self", "cls")]


_BUFFER = r"^\s*{name}\s*(?:=\s*T\.(?:alloc_(?:shared|fragment|local|global)|empty|view|reshape|make_tensor)\b|:\s*T\.\w*Tensor\b)"


def _of_buffer(above, name, prefix):
    """Attributes of a buffer that a kernel of this cell makes; none where the last binding of the name is another."""
    bindings = re.findall(rf"^\s*{re.escape(name)}\s*[=:].*$", above[-_AROUND:], re.M)
    if not bindings or not re.match(_BUFFER.format(name=re.escape(name)), bindings[-1]):
        return []
    return [(attribute, "instance", "") for attribute in ("dtype", "name", "ndim", "shape", "strides") if attribute.startswith(prefix)]


def _inferred(shell, code, cursor):
    """What jedi infers from the text of the cell, which has not run: annotations, literals, loops, with statements. Nothing in texts
    that take it long: it parses all of the cell, and infers each part of the line."""
    above = code[:cursor]
    column = cursor - (above.rfind("\n") + 1)
    if column > _BACK or len(code) > _AROUND:
        return []
    try:
        import jedi
    except ImportError:
        return []
    jedi.Interpreter._allow_descriptor_getattr_default = False  # runs no property
    found = jedi.Interpreter(code, [shell.ns]).complete(above.count("\n") + 1, column)
    return [(one.name, one.type, "") for one in found[:_LIMIT] if one.type != "keyword" and (
        not one.name.startswith("_") or above.endswith("_"))]


_module_names = {}


def _modules_in(directory):
    """Names of modules in a directory of sys.path, cached."""
    if directory not in _module_names:
        names = set()
        try:
            entries = os.listdir(directory or ".")
        except OSError:
            entries = []
        for entry in entries:
            stem = entry.split(".")[0]
            is_package = "." not in entry and os.path.isdir(os.path.join(directory, entry))
            if stem.isidentifier() and (entry.endswith((".py", ".so")) or is_package):
                names.add(stem)
        if directory:
            _module_names[directory] = names
        return names
    return _module_names[directory]


def _modules(prefix):
    package, dot, last = prefix.rpartition(".")
    if not dot:
        names = set(sys.builtin_module_names) | {m for m in sys.modules if "." not in m} | {"tilelang"}
        for directory in sys.path:
            if _in_time():
                names |= _modules_in(directory)
    else:
        module = sys.modules.get(package.replace("tilelang", "tilelab", 1) if package.split(".")[0] == "tilelang" else package)
        if (paths := getattr(module, "__path__", None)) is None:
            paths = _package_paths(package)
        names = set().union(*(_modules_in(path) for path in paths)) if paths else set()
    return [(name, "module", "") for name in sorted(names) if name.startswith(last) and (last.startswith("_") or not name.startswith("_"))]


def _package_paths(package):
    """Directories of a package that has not been imported."""
    relative = package.replace(".", os.sep)
    return [path for path in (os.path.join(d, relative) for d in sys.path) if os.path.isdir(path)]


def _members(package, prefix):
    module = sys.modules.get(package)
    if module is None and package.split(".")[0] == "tilelang":
        module = sys.modules.get("tilelab" + package[len("tilelang"):])
    rows = _attributes(module, prefix) if module else []
    seen = {row[0] for row in rows}
    return rows + [row for row in _modules(package + "." + prefix) if row[0] not in seen]


def _keys(value, quote, prefix):
    kind = type(value)
    if isinstance(value, dict) or kind.__module__.startswith(("pandas", "numpy")):
        try:
            keys = list(value.keys()) if hasattr(kind, "keys") else list(value.dtype.names or ())
        except Exception:
            return []
    else:
        return []
    rows = []
    for key in keys[:_LIMIT]:
        if isinstance(key, str) and key.startswith(prefix):
            mark = quote or "'"
            body = key.replace("\\", "\\\\").replace("\n", "\\n").replace(mark, "\\" + mark)
            rows.append((body if quote else mark + body + mark, "key", ""))
        elif isinstance(key, int) and not quote and str(key).startswith(prefix):
            rows.append((str(key), "key", ""))
    return rows


def _paths(prefix):
    """Files whose path starts with `prefix`."""
    head, tail = os.path.split(prefix)
    try:
        entries = sorted(os.scandir(os.path.expanduser(head) or "."), key=lambda e: e.name)
    except OSError:
        return []
    rows = []
    for entry in entries[:5000]:
        if entry.name.startswith(tail) and (tail.startswith(".") or not entry.name.startswith(".")):
            try:
                slash = "/" if entry.is_dir() else ""
            except OSError:
                slash = ""
            rows.append((os.path.join(head, entry.name) + slash, "path", ""))
    return rows[:_LIMIT]


def _in_field(text):
    """Whether an f-string's text ends in the expression of a replacement field."""
    depth, i = 0, 0
    while i < len(text):
        if not depth and text[i:i + 2] in ("{{", "}}"):
            i += 1
        elif text[i] in "([{":
            depth += depth > 0 or text[i] == "{"
        elif text[i] in ")]}":
            depth -= depth > 0
        elif text[i] == ":" and depth == 1:  # a format follows
            depth = 0
        i += 1
    return depth > 0


def _inside_string(before):
    """(quote, content) of the string literal that is open at the end of the line, or None: also in an expression of an f-string."""
    quote, start = "", 0
    i = 0
    while i < len(before):
        char = before[i]
        if quote:
            if char == "\\":
                i += 1
            elif char == quote:
                quote = ""
        elif char in "'\"":
            quote, start = char, i + 1
        elif char == "#":
            return None
        i += 1
    if quote and re.search(r"(?<!\w)(?:[fF][rR]?|[rR][fF])$", before[:start - 1]) and _in_field(before[start:]):
        return None
    return (quote, before[start:]) if quote else None


def _normalized(word):
    """The word as Python reads an identifier (NFKC)."""
    if word.isascii():
        return word
    import unicodedata

    return unicodedata.normalize("NFKC", word)


def _find(shell, code, cursor):
    """(rows, number of characters before the cursor that they replace)."""
    line = code[code.rfind("\n", 0, cursor) + 1:cursor]
    before = line[-_BACK:]
    if match := _FROM.match(before):
        return _members(match[1], match[2]), len(match[2])
    if match := _IMPORT.match(before):
        return _modules(match[1]), len(match[1].rpartition(".")[2])
    if before.lstrip().startswith("!"):
        word = re.search(r"[^\s'\"=]*$", before)[0]
        return _paths(word), len(word)
    match = _KEY.search(before)
    if match and (match[2] or _inside_string(line) is None):
        found, value = _lookup(shell, code, match[1])
        rows = _keys(value, match[2], match[3]) if found else []
        if rows:
            return rows, len(match[3])
    if string := _inside_string(line):
        return _paths(string[1]), len(string[1])
    if match := re.search(r"([^\W\d][\w.]*)\.(\w*)$", before):
        found, value = _lookup(shell, code, match[1])
        if found:
            return _attributes(value, _normalized(match[2])), len(match[2])
        rows = _of_buffer(code[:cursor], match[1], match[2])
        return rows or _inferred(shell, code, cursor), len(match[2])
    word = re.search(r"[\w\u0300-\u036f]*$", before)[0]  # with combining accents
    if word[:1].isdigit() or before[: len(before) - len(word)].rstrip().endswith("."):
        if literal := re.search(r"(['\"])\.(\w*)$", before):
            return _attributes("", literal[2]), len(literal[2])
        return _inferred(shell, code, cursor), len(word)
    rows = _arguments(shell, code, cursor, _normalized(word)) + _names(shell, code, cursor, _normalized(word))
    return rows, len(word)


def complete(shell, code, cursor):
    """Candidates at a code point of the text: {matches: [(text, type, signature)], begin, end}."""
    global _deadline
    _deadline = time.monotonic() + _BUDGET
    cursor = max(0, min(cursor, len(code)))
    try:
        rows, length = _find(shell, code, cursor)
    except Exception:
        rows, length = [], 0
    if not isinstance(rows, _Ordered):
        rows = sorted(rows[:_LIMIT], key=lambda row: (row[1] != "param", row[0].startswith("_"), row[0]))
    return {"matches": [list(row) for row in rows], "begin": cursor - length, "end": cursor}


def complete_file(word, cursor):
    rows = _paths(word)
    return {"matches": [list(row) for row in rows], "begin": 0, "end": cursor}
