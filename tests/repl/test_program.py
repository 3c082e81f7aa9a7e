# SPDX-License-Identifier: Apache-2.0
"""`tilelab script.py`, -c, -m, -, -i, and the subcommands."""

import json
import os
import re
import shutil
import signal
import subprocess
import time

from terminal import SANITIZED, Terminal, embeds_python


def _run(program, *arguments, text="", **environment):
    done = subprocess.run([program, *arguments], input=text, capture_output=True, text=True,
                          timeout=60, env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def _write(path, text):
    with open(path, "w") as file:
        file.write(text)


def test_script_is_main_with_its_arguments(program):
    _write("s.py", "import sys\nprint(__name__, sys.argv, __file__)\n")
    assert _run(program, "s.py", "-x", "y")[:2] == (0, "__main__ ['s.py', '-x', 'y'] s.py\n")


def test_script_finds_modules_beside_it(program):
    os.mkdir("d")
    _write("d/helper.py", "value = 3\n")
    _write("d/s.py", "import helper\nprint(helper.value)\n")
    assert _run(program, "d/s.py")[:2] == (0, "3\n")


def test_processes_of_multiprocessing_have_tilelang(program):
    if SANITIZED:  # the children are the plain python3, which has no sanitizer
        return
    _write("s.py", """import multiprocessing, pickle, sys
import numpy as np
import tilelang
import tilelang.language as T

@tilelang.jit
def double(A):
    A: T.Tensor((32,), "float32")
    B = T.empty((32,), "float32")
    with T.Kernel(1, threads=32):
        for i in T.Parallel(32):
            B[i] = A[i] * 2
    return B

def work(x):
    return float(np.asarray(double(np.full(32, x, "float32"))).sum()), tilelang.__name__, "__main__" in sys.modules

if __name__ == "__main__":
    for method in "spawn", "forkserver", "fork":
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(method, pool.map(work, [1]), pickle.loads(pickle.dumps(exec)) is exec)
""")
    expected = "".join(f"{method} [(64.0, 'tilelab', True)] True\n" for method in ("spawn", "forkserver", "fork"))
    assert _run(program, "s.py")[:2] == (0, expected)


def test_tilelang_is_tilelab(program):
    _write("s.py", "import tilelang, tilelab\nprint(tilelang is tilelab)\n")
    assert _run(program, "s.py")[:2] == (0, "True\n")


def test_an_installed_tilelang_is_named(program):
    os.makedirs("packages/tilelang")
    os.makedirs("packages/tilelang-0.1.15.dist-info")
    _write("packages/tilelang/__init__.py", "raise ImportError('the installed one')")
    _write("packages/tilelang-0.1.15.dist-info/METADATA", "Metadata-Version: 2.1\nName: tilelang\nVersion: 0.1.15\n")
    cells = "import tilelang\nimport tilelang.language as T\ntilelang.__name__\n"
    status, out, error = _run(program, "-q", text=cells, PYTHONPATH="packages")
    assert (status, error) == (0, ""), error
    assert re.fullmatch(r"note: tilelang is tilelab \S+ in this session; the installed TileLang 0\.1\.15 is not used\n'tilelab'\n", out), out
    assert "note:" not in _run(program, "-q", text=cells)[1]


def test_modules_that_tilelab_lacks_are_named_as_they_were_asked_for(program):
    _write("s.py", "from tilelang.no_such_part import something\n")
    status, _, error = _run(program, "s.py")
    assert (status, error.count("\n")) == (1, 4), error
    assert error.endswith("ModuleNotFoundError: tilelab has no tilelang.no_such_part; dir(tilelang) "
                          "lists what it has\n"), error


@embeds_python
def test_a_broken_installation_says_what_is_broken(program):
    os.makedirs("lib/tilelab/python/tilelab/_session")
    os.mkdir("bin")
    shutil.copy(program, "bin/tilelab")
    _write("lib/tilelab/python/tilelab/_session/shell.py", "")
    _write("lib/tilelab/python/tilelab/__init__.py", "import\n")
    status, _, error = _run("bin/tilelab", "-c", "1")
    assert status == 1 and "SyntaxError: invalid syntax" in error and "__init__.py" in error, error


def test_error_status_and_short_traceback(program):
    _write("s.py", "def f():\n  return 1/0\nf()\n")
    status, _, error = _run(program, "s.py")
    assert status == 1
    assert error == ("Traceback (most recent call last):\n  s.py, line 3\n    f()\n"
                     "  s.py, line 2, in f\n    return 1/0\n           ~^~\n".replace("~^~", "^^^")
                     + "ZeroDivisionError: division by zero\n")


def test_exit_status_of_programs(program):
    assert _run(program, "-c", "import sys; sys.exit(5)")[0] == 5
    assert _run(program, "-c", "raise SystemExit('why')") == (1, "", "why\n")
    assert _run(program, "absent.py")[0] == 2
    assert _run(program, "--nonsense")[0] == 2


def test_exit_statuses_that_are_no_byte_are_those_of_python3(program):
    for status in ("256", "-1", "2**31", "2**32 + 7", "2**63 - 1", "2**63", "2**70", "-2**63", "-2**63 - 1", "-2**70", "True"):
        code = f"import sys; sys.exit({status})"
        python = subprocess.run(["/usr/bin/python3", "-c", code], timeout=60).returncode
        assert _run(program, "-c", code)[0] == python, status


def test_standard_input_is_read_in_its_declared_encoding(program):
    def piped(source):
        done = subprocess.run([program, "-"], input=source, capture_output=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    assert piped(b"# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))\n")[:2] == (0, b"'\\xe9'\n")
    assert piped("\ufeffprint(ascii('é'))\r\nprint(2)\r\n".encode())[:2] == (0, b"'\\xe9'\n2\n")
    for source in (b"print('\xe9')\n", b"# -*- coding: no-such -*-\nprint(1)\n"):
        status, out, error = piped(source)
        assert (status, out) == (1, b"") and b"SyntaxError" in error, (source, error)


def test_endless_files_are_no_programs(program):
    status, _, error = _run(program, "/dev/zero")
    assert (status, error) == (2, "tilelab: cannot open /dev/zero: larger than 256 MB\n")
    os.symlink("/dev/zero", "x.ipynb")
    for line in ("%run /dev/zero", "%run x.ipynb", "%load x.ipynb"):
        status, _, error = _run(program, text=line + "\n")
        assert status == 1 and "larger than 256 MB" in error, (line, error)
    assert _run(program, "/dev/stdin", text="print('x' * 3)\n" + "#" * (1 << 20))[:2] == (0, "xxx\n")


def test_code_module_and_standard_input(program):
    code = "def f(): pass\nimport inspect\nprint(inspect.getsource(f), end='')"
    assert _run(program, "-c", code)[:2] == (0, "def f(): pass\n")
    assert _run(program, "-c", "x = 1", "-e", "print(x)")[:2] == (0, "1\n")
    assert _run(program, "-", text=code)[:2] == (0, "def f(): pass\n")
    assert _run(program, "-m", "json.tool", text="[1]")[:2] == (0, "[\n    1\n]\n")


def test_interrupt_gives_130(program):
    child = subprocess.Popen([program, "-c", "print(1, flush=True)\nwhile True: pass"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "1\n"
    time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=20)
    assert child.returncode == 130


def test_interactive_after_a_program(program):
    _write("s.py", "made = 5\n")
    terminal = Terminal(program, "-i", "s.py")
    terminal.prompt()
    assert terminal.run("made") == "5\n"
    terminal.type("\x04")
    assert terminal.wait() == 0


def test_a_failed_program_is_debugged_in_the_shell_after_it(program):
    _write("fails.py", "def f(of_f):\n    return 1 / of_f\nf(0)\n")
    terminal = Terminal(program, "-i", "fails.py")
    terminal.expect("ZeroDivisionError")
    terminal.prompt()
    terminal.type("%debug\r")
    terminal.expect(r"Pdb\) ?$")
    terminal.type("p 'of f', of_f\r")
    terminal.expect(r"\('of f', 0\)")
    terminal.type("q\r")
    terminal.prompt()
    terminal.type("\x04")
    terminal.wait()


@embeds_python
def test_virtual_environment_is_honoured(program):
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", "env"], check=True)
    packages = subprocess.run(["env/bin/python", "-c", "import site; print(site.getsitepackages()[0])"],
                              capture_output=True, text=True, check=True).stdout.strip()
    _write(packages + "/only_here.py", "value = 8\n")
    environment = os.path.abspath("env")
    assert _run(program, "-c", "import only_here, sys; print(only_here.value, sys.prefix)",
                VIRTUAL_ENV=environment)[:2] == (0, f"8 {environment}\n")
    _write("env/pyvenv.cfg", "home = /opt/python\nversion = 2.7.18\n")
    status, _, error = _run(program, "-c", "import only_here", VIRTUAL_ENV=environment)
    assert status == 1 and "No module named 'only_here'" in error


@embeds_python
def test_an_environment_of_another_python_lends_its_packages(program):
    """They come before the system's, which a separate environment does not see; %pip installs among them."""
    version = "3.%d" % int(re.search(r"3\.(\d+)", _run(program, "doctor")[1])[1])
    environment = os.path.abspath("lent")
    packages = f"{environment}/lib/python{version}/site-packages"
    os.makedirs(packages + "/numpy")
    os.mkdir(environment + "/bin")
    _write(packages + "/numpy/__init__.py", "")
    _write(environment + "/bin/python", "#!/bin/sh\necho its python: $*\n")
    os.chmod(environment + "/bin/python", 0o755)
    show = "import sys; print([p for p in sys.path if p.endswith('-packages')])"
    system = eval(_run(program, "-c", show, VIRTUAL_ENV="")[1])
    base = os.path.abspath(f"base/lib/python{version}/site-packages")
    os.makedirs(base)
    os.mkdir("base/bin")
    for sees, rest in (("false", []), ("true", [base, *system])):
        _write(environment + "/pyvenv.cfg",
               f"home = {os.path.abspath('base/bin')}\nversion = {version}.99\ninclude-system-site-packages = {sees}\n")
        status, out, error = _run(program, "-c", show, VIRTUAL_ENV=environment)
        assert (status, eval(out)) == (0, [packages, *rest]), (out, error)
    assert _run(program, "-q", text="%pip list\n", VIRTUAL_ENV=environment)[1] == "its python: -P -m pip list\n"
    shutil.rmtree(packages + "/numpy")
    _write(environment + "/pyvenv.cfg", f"home = /opt/python/bin\nversion = {version}.99\n")
    assert eval(_run(program, "-c", show, VIRTUAL_ENV=environment)[1]) == [packages, *system]


def test_help_version_and_doctor(program):
    status, out, _ = _run(program, "--help")
    assert status == 0 and "--keep-going" in out and "doctor" in out
    assert _run(program, "-V")[1].startswith("tilelab ")
    assert "devices" in _run(program, "doctor")[1]
    names = {row["name"] for row in json.loads(_run(program, "doctor", "--json")[1])}
    assert {"python", "musa", "cuda", "sim", "mcc"} <= names


KERNEL = """
import tilelang
import tilelang.language as T
print("from the script")
@tilelang.jit
def add(n: int = 32):
    @T.prim_func
    def main(a: T.Tensor((n,), "float32"), b: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(n):
                b[i] = a[i] + 1
    return main
"""


def test_compile_keeps_what_the_script_prints_off_its_result(program):
    _write("k.py", KERNEL + "import atexit, os\natexit.register(print, 'at exit')\nos.system('echo child')\n")
    status, out, error = _run(program, "compile", "k.py", "--emit", "c")
    assert status == 0 and "__global__" in out, (status, out, error)
    for line in ("from the script", "child", "at exit"):
        assert line in error and line not in out, (line, error)


def test_compile_shows_the_users_frames_only(program):
    _write("e.py", "def f():\n  return 1/0\nf()\n")
    status, out, error = _run(program, "compile", "e.py")
    assert (status, out) == (1, "")
    assert error == ("Traceback (most recent call last):\n  e.py, line 3\n    f()\n  e.py, line 2, in f\n"
                     "    return 1/0\n           ^^^\nZeroDivisionError: division by zero\n"
                     "tilelab compile: e.py did not finish\n"), error
    _write("x.py", "import sys\nsys.exit(3)\n")
    assert _run(program, "compile", "x.py") == (
        3, "", "tilelab compile: x.py ended with exit(3) before its kernels were compiled\n")


def test_a_file_name_with_a_newline_compiles(program):
    _write("two\nlines.py", KERNEL)
    status, out, error = _run(program, "compile", "two\nlines.py")
    assert status == 0 and "%0Alines.py" in out, (status, error)
    _write("back.tile", out)
    assert _run(program, "compile", "back.tile", "--emit", "c")[0] == 0


def test_output_that_cannot_be_written_is_an_error(program):
    _write("k.py", KERNEL)
    for arguments in (["--help"], ["--version"], ["doctor"], ["doctor", "--json"], ["compile", "k.py"],
                      ["compile", "--help"], ["-c", "print(1)"], ["compile", "k.py", "--emit", "json"], []):
        with open("/dev/full", "w") as full:
            done = subprocess.run([program, *arguments], input="1+1\n", stdout=full, text=True,
                                  stderr=subprocess.PIPE, timeout=60)
        assert done.returncode == 1, (arguments, done)
        assert "cannot write the output" in done.stderr or "No space left" in done.stderr, (arguments, done)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([program, "-c", "print(1)"], stdout=writer, stderr=subprocess.PIPE, text=True)
    assert done.returncode != 0 and "cannot write" not in done.stderr, done


def test_a_word_that_is_no_command_gets_the_list(program):
    status, out, error = _run(program, "frobnicate")
    assert (status, out) == (2, "") and "compile, check, explain, kernel" in error, error
    assert "did you mean tilelab compile?" in _run(program, "complie")[2]
    assert _run(program, "absent.py")[0] == 2


def _tool(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0 and done.stderr == "", done
    return done.stdout


def _commands(program):
    part = _tool(program, "--help").split("\ncommands\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in part.split("\n")]


def _completed(script, *words):
    """The completions of bash for the last word."""
    code = script + "\nCOMP_WORDS=(tilelab " + " ".join(f"'{word}'" for word in words) + \
        f"); COMP_CWORD={len(words)}; _tilelab; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "--norc", "-c", code], capture_output=True, text=True, timeout=30)
    assert done.stderr == "", done
    return done.stdout.split()


def test_bash_completes_commands_options_values_and_files(program):
    script = _tool(program, "completions", "bash")
    for name in ("one.py", "two.txt"):
        open(name, "w").close()
    os.mkdir("folder")
    assert set(_commands(program)) <= set(_completed(script, ""))
    assert _completed(script, "comp") == ["compile", "completions"]
    assert _completed(script, "--colo") == ["--color=auto", "--color=always", "--color=never"]
    assert _completed(script, "compile", "one.py", "--emit", "") == \
        ["ir", "c", "layouts", "passes", "json", "program", "library"]
    assert _completed(script, "compile", "--target", "mp_") == ["mp_31", "mp_22"]
    assert _completed(script, "compile", "o") == ["one.py"]
    assert _completed(script, "compile", "one.py", "-o", "") == ["folder"]
    assert _completed(script, "-q", "doctor", "--j") == ["--json"]
    assert _completed(script, "completions", "z") == ["zsh"]
    assert _completed(script, "explain", "wavef") == ["wavefront"]
    assert _completed(script, "one.py", "comp") == []  # arguments of a program are its own


def test_completions_of_all_shells_are_scripts_and_know_every_command(program):
    for shell in ("bash", "zsh", "fish"):
        text = _tool(program, "completions", shell)
        for command in _commands(program):
            assert re.search(rf"\b{command}\b", text), (shell, command)
        if shutil.which(shell):
            checked = subprocess.run([shell, "-n"], input=text, capture_output=True, text=True, timeout=30)
            assert (checked.returncode, checked.stderr) == (0, ""), checked
    wrong = subprocess.run([program, "completions", "csh"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "bash|zsh|fish" in wrong.stderr


def test_explain_shows_messages_and_terms(program):
    assert "Lanes of a warp that access different words of one bank" in _tool(program, "explain", "bank", "conflict")
    assert "found by the simulator" in _tool(program, "explain", "race")
    wrong = subprocess.run([program, "explain", "swizle"], capture_output=True, text=True)
    assert (wrong.returncode, wrong.stderr) == (1, "tilelab: unknown message or term swizle; did you mean swizzle?\n"), wrong


def test_the_manual_page_has_every_row_of_help_and_every_command_of_the_shell(program):
    page = _tool(program, "manual")
    plain = page.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
    for line in _tool(program, "--help").split("\n"):
        if line.startswith("  ") and not line.startswith("   "):
            assert line.split("  ")[1].strip() in plain, line
    for command in ("%layout", "%passes", "%%ir" if "%%ir" in plain else "%ir", "%timeit"):
        assert command in plain, command
    if shutil.which("groff"):
        made = subprocess.run(["groff", "-man", "-Tutf8", "-P-cbou", "-ww"], input=page, capture_output=True, text=True,
                              timeout=30)
        assert made.stderr == "" and "EXIT STATUS" in made.stdout, made.stderr
        assert max(map(len, made.stdout.split("\n"))) <= 80
    if shutil.which("mandoc"):
        checked = subprocess.run(["mandoc", "-Tlint"], input=page, capture_output=True, text=True, timeout=30)
        assert checked.stdout + checked.stderr == "", checked


def test_an_unknown_command_names_those_there_are(program):
    done = subprocess.run([program, "frobnicate"], capture_output=True, text=True)
    assert done.returncode == 2
    for command in _commands(program):
        assert command in done.stderr, done.stderr

