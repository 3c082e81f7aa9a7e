# SPDX-License-Identifier: Apache-2.0
"""Files that are not plain Python: saved cells, notebooks, marks of encodings; and files that fail."""

import http.server
import json
import subprocess
import threading

from terminal import Terminal


def _run(program, *arguments, text=""):
    return subprocess.run([program, *arguments], input=text, capture_output=True, text=True, timeout=60)


def _shell(program):
    terminal = Terminal(program, "-q")
    terminal.prompt()
    return terminal


def test_what_save_writes_runs(program):
    terminal = _shell(program)
    for line in ("x = 6", "%env WORD=word", "x * 7"):
        terminal.run(line)
    terminal.paste("%%timeit -q -n1 -r1\nx")
    terminal.type("\r")
    terminal.prompt()
    terminal.run("!echo $WORD {x}")
    for name in ("work.py", "work.ipynb", "work.ipy"):
        assert terminal.run(f"%save {name} 1-5").startswith(f"wrote {name}")
        shown = "WORD=word\n42\nword 6\n"
        done = _run(program, name)
        assert (done.returncode, done.stdout, done.stderr) == (0, shown, ""), (name, done)
        done = _run(program, text=f"%run {name}\nprint(x)\n")
        assert (done.returncode, done.stdout, done.stderr) == (0, shown + "6\n", ""), (name, done)


def test_an_error_in_a_notebook_names_its_cell(program):
    cells = [("markdown", "# title"), ("code", "x = 1"), ("code", "\n1/0")]
    with open("n.ipynb", "w") as file:
        json.dump({"cells": [{"cell_type": kind, "source": [text]} for kind, text in cells]}, file)
    done = _run(program, "n.ipynb")
    assert done.returncode == 1 and "  n.ipynb, cell 2, line 2\n    1/0\n" in done.stderr, done
    with open("no.ipynb", "w") as file:
        file.write("{}")
    done = _run(program, "no.ipynb")
    assert (done.returncode, done.stderr) == (1, "tilelab: no.ipynb is not a notebook\n"), done
    assert _run(program, "missing.ipynb").returncode == 2


def test_a_wrong_script_is_an_error_of_python(program):
    with open("wrong.py", "w") as file:
        file.write("x = (\n%env A=1\n")
    done = _run(program, "wrong.py")
    assert done.returncode == 1 and done.stdout == "" and "wrong.py, line 1" in done.stderr, done


def test_a_program_prints_what_it_displays(program):
    done = _run(program, "-c", "print(1); display([2]); print(3)")
    assert done.stdout == "1\n[2]\n3\n", done


def test_a_byte_order_mark_is_no_text(program):
    done = _run(program, "-q", text="\ufeffdef f():\n  return 4\nf()\n")
    assert (done.stdout, done.stderr) == ("4\n", ""), done
    terminal = _shell(program)
    terminal.paste("\ufeff6 * 7")
    terminal.type("\r")
    terminal.expect("\n42\n")


def test_a_file_that_cannot_be_had_is_one_line(program):
    with open("latin.py", "wb") as file:
        file.write(b'x = "\xe9"\n')
    no_text = "latin.py is not text in its encoding (UTF-8 by default)\n"
    for command, said in (("%load latin.py", no_text), ("%edit latin.py", no_text),
                          ("%load /", "/ is a directory\n"), ("%save /no/x.py 1", "/no/x.py: No such file or directory\n"),
                          ("%%writefile /no/x\na\n", "/no/x: No such file or directory\n"),
                          ("%load ftp://a", "ftp://a: URLs start with http:// or https://\n"),
                          ("%load http://127.0.0.1:9/x", "http://127.0.0.1:9/x: Connection refused\n")):
        done = _run("/usr/bin/env", "EDITOR=true", program, "-q", text=f"x = 1\n{command}\n")
        assert (done.stderr, done.returncode) == (said, 1), (command, done)
    for code in ("%time open('/no/x')", "open('/no/x')"):
        assert "Traceback" in _run(program, "-q", text=code + "\n").stderr


class _Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        pages = {"/a.py": "x = 6\nx * 7\n", "/n.ipynb": json.dumps({"cells": [{"cell_type": "code", "source": "y = 8"}]})}
        text = pages.get(self.path)
        self.send_response(200 if text else 404)
        self.end_headers()
        self.wfile.write((text or "").encode())

    def log_message(self, *arguments):
        pass


def test_an_address_is_loaded(program):
    server = http.server.HTTPServer(("127.0.0.1", 0), _Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    terminal = _shell(program)
    terminal.type(f"%load {address}/a.py\r")
    terminal.expect(r"x \* 7")
    terminal.type("\r")
    terminal.expect("\n42\n")
    terminal.prompt()
    terminal.type(f"%load {address}/n.ipynb\r")
    terminal.expect("y = 8")
    terminal.interrupt()
    assert f"{address}/none: 404 Not Found\n" in terminal.run(f"%load {address}/none")
    server.shutdown()


def test_a_repeated_session_writes_over_nothing(program):
    terminal = _shell(program)
    for line in ("a = 1", "%save kept.py", "a += 1"):
        terminal.run(line)
    terminal.type("\x04")
    assert terminal.wait() == 0
    terminal = _shell(program)
    assert "2 cells ran again; omitted: %save\n" in terminal.run("%rerun ~1/")
    assert terminal.run("a") == "2\n" and open("kept.py").read() == "a = 1\n"
