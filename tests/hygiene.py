#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules of the house that a compiler does not check (CONTRIBUTING.md): floors, sizes, headers, words.

usage: hygiene.py SOURCE_ROOT      exit status 1 and a line per broken rule
"""
import ast
import collections
import functools
import pathlib
import re
import shutil
import subprocess
import sys

from odr_collisions import odr_collisions
from vocabulary import dialect_names, is_checked, vocabulary

# Lowest first; nothing includes upwards. Floors inside core come first.
CORE = ["support", "diagnostics", "syntax", "layout", "ir", "ir_text", "targets", "host", "analysis", "elaborate", "lint", "passes",
        "instrument", "sim", "prove", "check"]
FLOORS = [f"core/{name}" for name in CORE] + [
    "codegen", "runtime", "views", "python", "session", "repl", "jupyter", "cli"]
# The folders of python/tilelab, lowest first; folders of one line are one floor. The package itself, which loads what it
# is asked for, is above all of them.
PYTHON_FLOORS = [
    ["names"],
    ["_compiler"],
    ["_gpu"],
    ["_redirect"],
    ["_kernel"],
    ["profiler"],
    ["_tools"],
    ["_torch"],
    ["layout", "math", "transform"],
    ["jit"],
    ["language"],
    ["tensors"],
    ["ops"],
    ["nn"],
    ["autotuner", "backend", "carver", "contrib", "engine", "env", "testing", "tools", "tvm", "utils"],
    ["triton"],
    ["_session"],
    ["puzzles"],
    ["_commands", "__main__"],
]
BESIDE = {("repl", "jupyter"), ("jupyter", "repl")}  # the same floor

MAX_FILE, MAX_FUNCTION, MAX_FOLDER = 500, 60, 40
HEADER_BANS = {"iostream", "sstream", "regex", "filesystem", "chrono", "ranges", "functional"}
HEADER_EXCEPTIONS = {"core/support/symbol.h": {"functional"}, "tests/session/recorder.h": {"functional"}}  # std::hash; a recording double
# Heavy libraries, each used from a single module.
DOORS = {
    "xeus/": ["jupyter/"],
    "nlohmann/": ["jupyter/", "views/json.cpp"],
    "readline/": ["repl/"],
    "Python.h": ["python/", "session/"],
}
# The simulator's once per instruction set; the fuzzers and the fake drivers are separate programs and libraries.
BUILT_ALONE = ("core/sim/lanes/isa/", "tests/fuzz/", "tests/runtime/", "tests/jupyter/")
IR_TEXTS = ("tests/ir/", "tests/passes/", "tests/codegen/text/")  # kernels as data, in Python's syntax
PAGE = re.compile(r"[\w/.-]*\w\.md\b")
ADDRESS_ORDER = re.compile(r"std::(?:multi)?(?:map|set)<(?:const )?[\w:]+\s*\*")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b")


def floor_of(path):
    for rank, floor in enumerate(FLOORS):
        if path.startswith(floor + "/"):
            return rank, floor
    return None, None


def check_includes(path, text, problems):
    rank, floor = floor_of(path)
    for line in re.findall(r'^\s*#\s*include\s+["<]([^">]+)[">]', text, re.M):
        other_rank, other = floor_of(line)
        if rank is not None and other_rank is not None and other_rank > rank:
            problems.append(f"{path}: includes upwards: {line}")
        if (floor, other) in BESIDE:
            problems.append(f"{path}: includes its neighbour: {line}")
        if path.endswith(".h") and line in HEADER_BANS - HEADER_EXCEPTIONS.get(path, set()):
            problems.append(f"{path}: header includes <{line}>")
        for library, rooms in DOORS.items():
            outside_tests = not path.startswith("tests/")
            if line.startswith(library) and outside_tests and not any(path.startswith(r) for r in rooms):
                problems.append(f"{path}: {line} belongs in {', '.join(rooms)}")


NO_FUNCTION = re.compile(r"\s*(class|struct|union|enum|namespace|extern|inline namespace)\b|.*[=,(]\s*\{$")


def functions(text):
    """(first line, length, text) of functions: a statement with parentheses whose body opens at the end of
    a line. A body includes everything in it, also lambdas with bodies."""
    lines = text.split("\n")
    header, start, margin = None, None, ""  # first line of the statement that is read; of the function
    for number, line in enumerate(lines, 1):
        if start:
            if line.startswith(margin + "}"):
                yield start, number - start + 1, "\n".join(lines[start - 1:number])
                start = header = None
            continue
        code = line.split("//")[0].rstrip()
        if not code or code.lstrip().startswith("#") or code.endswith("\\"):
            continue
        header = header or number
        statement = " ".join(lines[header - 1:number])
        if code.endswith("{") and "(" in statement and not NO_FUNCTION.match(statement):
            first = lines[header - 1]
            start, margin = header, first[:len(first) - len(first.lstrip())]
        elif code.endswith((";", "}", "{", ":")):
            header = None


def check_length(path, text, problems):
    count = text.count("\n")
    if count > MAX_FILE:
        problems.append(f"{path}: {count} lines, at most {MAX_FILE}")


def check_folders(paths, problems):
    """A folder of core/ stays small."""
    sizes = collections.Counter(path.rpartition("/")[0] for path in paths
                                if path.startswith("core/") and path.endswith((".cpp", ".h", ".def")))
    problems += [f"{folder}: {count} source files, at most {MAX_FOLDER}"
                 for folder, count in sizes.items() if count > MAX_FOLDER]


def statements(node):
    """Every statement below a module or statement, without a visit of its expressions, which hold most of the nodes."""
    todo = [node]
    while todo:
        node = todo.pop()
        for field in ("body", "orelse", "handlers", "finalbody", "cases"):
            below = getattr(node, field, ())
            yield from (child for child in below if isinstance(child, ast.stmt))
            todo += below


def check_python(path, text, problems):
    if "# SPDX-License-Identifier: Apache-2.0" not in text[:100]:
        problems.append(f"{path}: no SPDX line")
    try:
        tree = ast.parse(text)
    except SyntaxError:  # a mistake on purpose
        return
    for node in statements(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = node.end_lineno - node.lineno + 1
            if length > MAX_FUNCTION:
                problems.append(f"{path}:{node.lineno}: a function of {length} lines, at most {MAX_FUNCTION}")


def check_functions(path, text, problems):
    for line, length, body in functions(text):
        table = len(re.findall(r"^\s*case ", body, re.M)) >= 7  # a switch over a table
        if length > MAX_FUNCTION and not table:
            problems.append(f"{path}:{line}: a function of {length} lines, at most {MAX_FUNCTION}")


def check_format(root, paths, problems):
    """clang-format of Debian 12 agrees with every file; .clang-format says how."""
    tool = shutil.which("clang-format-14") or shutil.which("clang-format")
    if not tool:
        problems.append("clang-format is missing: apt-get install clang-format")
        return
    found = subprocess.run([tool, "--dry-run", "-Werror", *paths], cwd=root,
                           capture_output=True, text=True)
    badly = {line.split(":")[0] for line in found.stderr.split("\n") if "clang-format" in line}
    problems += [f"{path}: not formatted: clang-format -i {path}" for path in sorted(badly)]


@functools.cache
def import_statements(path):
    return [node for node in statements(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, (ast.Import, ast.ImportFrom))]


def python_imports(root, path, modules):
    """Modules of the package that a file imports, anywhere in it; `modules` are all there are."""
    package = path[:-len(".py")].split("/")[1:]  # without "python"
    here = package[:-1]
    for node in import_statements(root / path):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name in modules)
        else:
            above = here[:len(here) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                name = f"{base}.{alias.name}"
                found = name if name in modules else base
                if found in modules:
                    yield found


def python_floor(module):
    """The rank of a module's floor; None for the package itself, which every import of a module loads first."""
    room = module.partition(".")[2].partition(".")[0]
    return next((rank for rank, rooms in enumerate(PYTHON_FLOORS) if room in rooms), len(PYTHON_FLOORS)) if room else None


def check_python_floors(root, files, problems):
    """No module of the Python package imports upwards: not inside functions, and not by a name in a string, which importlib
    takes."""
    for name, path in files.items():
        rank = python_floor(name)
        if rank == len(PYTHON_FLOORS):
            problems.append(f"{path}: in no floor of the Python package")
        strings = re.findall(r"""["'](tilelab\.[\w.]+)["']""", (root / path).read_text(encoding="utf-8"))
        for other in sorted({*python_imports(root, path, files), *strings} & set(files)):
            if rank is not None and (python_floor(other) or 0) > rank:
                problems.append(f"{path}: imports upwards: {other}")


def check_circles(root, files, problems):
    """No module of the Python package imports, directly or through others, one that imports it."""
    arrows = {name: set(python_imports(root, path, files)) - {name} for name, path in files.items()}

    def reaches(start, goal):
        seen, todo = set(), [start]
        while todo:
            name = todo.pop()
            if name == goal:
                return True
            if name not in seen:
                seen.add(name)
                todo += arrows[name]
        return False

    for name, others in arrows.items():
        for other in others:
            if reaches(other, name):
                problems.append(f"{files[name]}: imports {other}, which leads back to it")


def check_odr_collisions(root, paths, problems):
    """The files of a folder can be compiled together, except those with separate options, which CMake
    compiles alone."""
    alone = set()
    for path in paths:
        if path.endswith("CMakeLists.txt"):
            listed = re.findall(r"set_source_files_properties\(([^)$]*?)\bPROPERTIES\s+(?:COMPILE_OPTIONS|SKIP_UNITY)",
                                (root / path).read_text(encoding="utf-8"))
            alone |= {path.removesuffix("CMakeLists.txt") + name for names in listed for name in names.split()}
    together = [p for p in paths if p.endswith((".cpp", ".h")) and (floor_of(p)[1] or p.startswith("tests/"))
                and p not in alone and not p.startswith(BUILT_ALONE)]
    problems += odr_collisions([(p, (root / p).read_text(encoding="utf-8")) for p in together])


def check_pages(root, paths, problems):
    """A page that a comment or another page names is one of the project's."""
    pages = [p for p in paths if p.endswith(".md")]
    for path in paths:
        if not path.endswith((".cpp", ".h", ".def", ".txt", ".md")) or path == "CHANGELOG.md":
            continue
        for number, line in enumerate((root / path).read_text(encoding="utf-8").split("\n"), 1):
            for named in PAGE.findall(line):
                name = "/" + named.lstrip("./")
                if "://" not in line and not any(("/" + page).endswith(name) for page in pages):
                    problems.append(f"{path}:{number}: names {named}, which is not here")


def check_vocabulary(root, paths, problems):
    """Keeps texts and names in plain English: vocabulary.py has the words."""
    for path in filter(is_checked, paths):
        text = (root / path).read_text(encoding="utf-8")
        for line, word, instead in sorted({*vocabulary(path, text), *dialect_names(path, text)}):
            problems.append(f"{path}:{line}: \"{word}\" is not plain English: write {instead}")


def tracked_files(root):
    """Files tracked by git; every file outside build folders if there is no git or history."""
    if shutil.which("git"):
        listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True)
        if listed.returncode == 0:
            return listed.stdout.split()
    found = (p.relative_to(root) for p in root.rglob("*") if p.is_file())
    return [str(p) for p in found if not p.parts[0].startswith("build")]


def main():
    root = pathlib.Path(sys.argv[1])
    paths = tracked_files(root)
    problems = [f"{path!r}: a name of other characters" for path in paths if not re.fullmatch(r"[\w./+-]+", path)]
    code = [p for p in paths if re.search(r"\.(cpp|h|def|py)$", p) and (root / p).is_file()]
    for path in code:
        text = (root / path).read_text(encoding="utf-8")
        if not path.endswith(".def"):
            check_length(path, text, problems)
        if path.endswith(".py") and not path.startswith(IR_TEXTS):
            check_python(path, text, problems)
        if path.endswith((".cpp", ".h")):
            check_includes(path, text, problems)
            check_functions(path, text, problems)
            if not text.startswith("// SPDX-License-Identifier: Apache-2.0"):
                problems.append(f"{path}: no SPDX line")
        for match in ADDRESS_ORDER.findall(text) if path.endswith((".cpp", ".h")) and not path.startswith("tests/") else []:
            problems.append(f"{path}: in the order of addresses, another one in each run: {match}")
        if path != "tests/hygiene.py" and UNFINISHED.search(text):
            problems.append(f"{path}: unfinished by its own word")
    files = {p[len("python/"):-len(".py")].replace("/", ".").removesuffix(".__init__"): p
             for p in code if p.startswith("python/tilelab/") and p.endswith(".py")}
    check_python_floors(root, files, problems)
    check_circles(root, files, problems)
    check_folders(code, problems)
    check_odr_collisions(root, [p for p in paths if (root / p).is_file()], problems)
    check_pages(root, [p for p in paths if (root / p).is_file()], problems)
    check_vocabulary(root, [p for p in paths if (root / p).is_file()], problems)
    check_format(root, [p for p in code if p.endswith((".cpp", ".h"))], problems)
    for problem in sorted(problems):
        print(problem)
    print(f"{len(code)} files, {len(problems)} broken rules")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
