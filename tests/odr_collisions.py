# SPDX-License-Identifier: Apache-2.0
"""Names that collide when the files of a room are compiled together, as the release preset does
(TILELAB_TOGETHER): what two .cpp files of one room both define in one namespace, nameless namespaces
counted as what is around them. Compiling file by file does not notice."""
import re

TOKEN = re.compile(r"""
    (?P<blank> //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:[^\\\n]|\\.)* | \[\[.*?\]\])
  | (?P<text>  R"(?P<mark>\w*)\(.*?\)(?P=mark)" | "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)+')
  | (?P<word>  [A-Za-z_]\w* | [0-9][\w.']* | :: | -> | \S)""", re.S | re.M | re.X)
SPECIFIERS = {"static", "inline", "constexpr", "consteval", "constinit", "thread_local"}
TYPES = {"struct", "class", "union", "enum"}
BUILT_IN = {"const", "volatile", "unsigned", "signed", "int", "char", "short", "long", "bool", "float", "double"}
OPEN, CLOSE = {"(", "{", "["}, {")", "}", "]"}


def tokens_of(text):
    """(token, line); quoted text is one token, comments and preprocessor lines are none."""
    line, at = 1, 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        if match["text"] or match["word"]:
            yield match["word"] or '""', line


def conditional_lines(text):
    """The lines under an #if, which may be alternatives that are never compiled together."""
    depth, lines = 0, set()
    for number, line in enumerate(text.split("\n"), 1):
        depth += bool(re.match(r"\s*#\s*if", line)) - bool(re.match(r"\s*#\s*endif", line))
        if depth:
            lines.add(number)
    return lines


def closing(tokens, start):
    """Index of the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(tokens)):
        depth += (tokens[i] in OPEN) - (tokens[i] in CLOSE)
        if depth == 0:
            return i
    return len(tokens) - 1


def outside(tokens, marks):
    """Index of the first of `marks` outside all brackets, <> included; the end if none does."""
    depth = 0
    for i, token in enumerate(tokens):
        if depth == 0 and token in marks:
            return i
        depth += (token in OPEN or token == "<") - (token in CLOSE or token == ">")
    return len(tokens)


def parameter_types(tokens):
    """The signature that distinguishes functions of one name: no parameter names, no defaults."""
    types = []
    while tokens:
        end = outside(tokens, ",")
        one, tokens = tokens[:end], tokens[end + 1:]
        one = one[:outside(one, "=")]
        named = len(one) > 1 and one[-1].isidentifier() and one[-1] not in BUILT_IN and one[-2] != "::"
        if named and any(t not in ("const", "volatile") for t in one[:-1]):
            one = one[:-1]
        types.append(" ".join(one))
    return types


def without_head(tokens):
    """(template heads, what follows them and the specifiers)."""
    head = []
    while tokens and (tokens[0] == "template" or tokens[0] in SPECIFIERS):
        end = outside(tokens[2:], ">") + 3 if tokens[0] == "template" else 1
        head += tokens[:end] if tokens[0] == "template" else []
        tokens = tokens[end:]
    return head, tokens


def defined(tokens, body):
    """The definition of a declaration at namespace level, as (name, what it is, what makes two of the name
    different); None where it only declares, or belongs to a class. `body`: it had braces, left out."""
    head, tokens = without_head(tokens)
    if not tokens or tokens[0] in ("static_assert", "extern", "friend", "namespace"):
        return None
    if tokens[0] == "using":
        return (tokens[1], "alias", head + tokens[3:]) if "=" in tokens[2:3] else None
    if tokens[0] in TYPES:
        names = [t for t in tokens[1:4] if t not in TYPES]
        own = names and names[0].isidentifier() and names[1:2] != ["::"]  # not of a class
        return (names[0], "type", []) if body and own else None
    if "operator" in tokens:
        at = tokens.index("operator") + 1 + tokens[tokens.index("operator") + 2:].index("(") + 1
        name = "".join(tokens[tokens.index("operator"):at])
        before = tokens[tokens.index("operator") - 1]
    else:
        at = outside(tokens, "=([{")
        name, before = tokens[at - 1], tokens[at - 2] if at > 1 else ""
    if not name[0].isalpha() and name[0] != "_" or before in ("::", ""):
        return None
    if tokens[at:at + 1] != ["("]:
        return name, "variable", []
    return (name, "function", head + parameter_types(tokens[at + 1:closing(tokens, at)])) if body else None


def names_of(text):
    """(namespace, name, what it is, what makes two of it different, line) of what a file defines."""
    pairs = list(tokens_of(text))
    tokens = [token for token, _ in pairs]
    conditional = conditional_lines(text)
    spaces, said, body, first, i = [], [], False, 0, 0

    def statement():
        found = defined(said, body)
        if found and pairs[first][1] not in conditional:
            yield ("::".join(filter(None, spaces)), *found, pairs[first][1])

    while i < len(tokens):
        token = tokens[i]
        if not said:
            first = i
        if token == "{" and ("namespace" in said[:2] or said[:1] == ["extern"]):
            spaces.append("".join(said[said.index("namespace") + 1:]) if "namespace" in said else "")
            said = []
        elif token == "{":
            i, body = closing(tokens, i), True
            rest = without_head(said)[1]
            called = outside(rest, "=(")
            member = tokens[i + 1:i + 2] in (["{"], [","])  # what a constructor begins one with
            if rest[0] not in TYPES and rest[called:called + 1] == ["("] and not member:  # a function ends
                yield from statement()
                said, body = [], False
        elif token in ";}":
            yield from statement()
            said, body = [], False
            if token == "}":
                spaces.pop()
        elif token in "([":
            end = closing(tokens, i)
            said += tokens[i:end + 1]
            i = end
        else:
            said.append(token)
        i += 1


def may_coexist(one, other):
    """Whether one translation unit may hold both definitions of a name: overloads, or the same alias
    declared twice."""
    if one[0] == other[0] == "function":
        return one[1] != other[1]
    return one == other and one[0] == "alias" and one[1][:1] != ["template"]


SMALL_ROOMS = (("core/base", re.compile("core/(analysis|host|layout|support)")),
               ("core/once", re.compile("core/(check|diagnostics|instrument|ir_text|lint|prove|syntax|targets)")))


def room_of(path):
    """The room of a file, as CMakeLists.txt groups them."""
    room = re.match(r"codegen/ptx|(core/|tests/unit/|tests/)?[^/]+(?=/)", path)[0]
    return next((group for group, rooms in SMALL_ROOMS if rooms.fullmatch(room)), room)


def odr_collisions(files):
    """`files`: (path, text) of .cpp files and headers. A line for each name that two files of a room define so
    that they can't be in one text; of headers that is asked of types, whose members .cpp files define."""
    known = {}
    for path, text in sorted(files):
        for space, name, what, differs, line in names_of(text):
            if name == "main":  # programs that share a room
                continue
            here = known.setdefault((room_of(path), space, name), [])
            for other, other_line, other_path in here:
                headers = path.endswith(".h") + other_path.endswith(".h")
                compiled_together = headers == 0 or headers == 1 and what == other[0] == "type"
                if other_path != path and compiled_together and not may_coexist((what, differs), other):
                    yield (f"{path}:{line}: {name} is also defined at {other_path}:{other_line}, and the files of "
                           "a room are compiled together (TILELAB_TOGETHER)")
                    break
            here.append(((what, differs), line, path))
