# SPDX-License-Identifier: Apache-2.0
"""The kernel with its real session: test_kernel.py KERNEL [unittest options]. What the server does
by itself is tested in test_server_*.py; here Python runs in the cells."""

import os
import signal
import time
import unittest

from case import BINARY, Own, Shared, interrupt
from harness import SOON, Kernel


class Cells(Shared):
    def test_values_and_names(self):
        self.check("a = 20")
        run = self.check("a + 1")
        self.assertEqual(run.of("execute_result")[0]["data"]["text/plain"], "21")
        self.assertEqual(run.of("execute_result")[0]["execution_count"], run.reply["execution_count"])
        self.assertEqual(self.check("a + 1;").of("execute_result"), [])

    def test_a_cell_sees_no_arguments_of_the_kernel(self):  # D23
        self.assertEqual(self.check("import sys; print(sys.argv)").text(), "['tilelab']\n")

    def test_output_of_python_c_and_children_in_order(self):
        run = self.check("import os, sys\nprint('python')\nos.write(1, b'c\\n')\n"
                         "print('error', file=sys.stderr)\nos.system('echo child')\nprint('end')")
        self.assertEqual(run.text(), "python\nc\nchild\nend\n")
        self.assertEqual(run.text("stderr"), "error\n")
        self.assertEqual(run.states, ["busy", "idle"])

    def test_invalid_utf8(self):
        run = self.check("import os, sys\nos.write(1, b'a\\xff\\n')\nprint('\\udcff')\nsys.stdout.flush()")
        self.assertTrue(run.text().startswith("a\ufffd\n"), run.text())

    def test_error(self):
        run = self.client.execute("def f():\n    return 1 / 0\nf()")
        self.assertEqual(run.reply["ename"], "ZeroDivisionError")
        self.assertEqual(len(run.of("error")), 1)
        text = "\n".join(run.of("error")[0]["traceback"])
        self.assertIn("return 1 / 0", text)
        self.assertEqual(run.reply["traceback"], run.of("error")[0]["traceback"])

    def test_syntax_error_points_into_the_cell(self):
        run = self.client.execute("x = (1,\ny = 2")
        self.assertEqual(run.reply["ename"], "SyntaxError")
        self.assertIn("^", "\n".join(run.reply["traceback"]))

    def test_rich_display_and_update(self):
        run = self.check("class Rich:\n    def __repr__(self): return 'plain'\n"
                         "    def _repr_html_(self): return '<b>rich</b>'\n"
                         "shown = display(Rich(), display_id=True)\nshown.update(7)")
        shown, updated = run.of("display_data")[0], run.of("update_display_data")[0]
        self.assertEqual(shown["data"], {"text/plain": "plain", "text/html": "<b>rich</b>"})
        self.assertEqual(updated["data"]["text/plain"], "7")
        self.assertEqual(shown["transient"], updated["transient"])

    def test_user_expressions(self):
        run = self.check("u = 6", user_expressions={"good": "u * 7", "wrong": "undefined"})
        self.assertEqual(run.reply["user_expressions"]["good"]["data"]["text/plain"], "42")
        self.assertEqual(run.reply["user_expressions"]["wrong"]["ename"], "NameError")

    def test_silent_and_unstored_cells_do_not_count(self):
        count = self.check("1").reply["execution_count"]
        self.assertEqual(self.check("2", silent=True).of("execute_result"), [])
        self.assertEqual(self.check("3", store_history=False).reply["execution_count"], count)
        self.assertEqual(self.check("4").reply["execution_count"], count + 1)

    def test_silent_code_of_vs_code_runs(self):
        self.check("import os as _VSCODE_os\n%cd \".\"", silent=True)

    def test_pager_and_next_input(self):
        payload = self.check("%help").reply["payload"]
        self.assertEqual([p["source"] for p in payload], ["page"])
        self.assertIn("%history", payload[0]["data"]["text/plain"])
        self.assertNotRegex(payload[0]["data"]["text/html"], r"\$[^<]", "MathJax would typeset it")
        path = os.path.join(self.kernel.dir.name, "loaded.py")
        with open(path, "w") as f:
            f.write("x = 1\n")
        payload = self.check(f"%load {path}").reply["payload"]
        self.assertEqual([p["source"] for p in payload], ["set_next_input"])
        self.assertIn("x = 1", payload[0]["text"])

    def test_threads_print_while_cells_run_and_after(self):
        msg_id = self.client.start("import threading, time\ndef later():\n    time.sleep(0.2)\n"
                                   "    print('from the thread')\nthreading.Thread(target=later).start()")
        self.client.finish(msg_id)
        self.assertEqual(self.client.wait_for("iopub", "stream")["content"]["text"], "from the thread\n")


class Questions(Shared):
    def test_completion_of_python_and_commands(self):
        self.check("import math\nlong_name_here = 1")
        reply = self.client.request("complete_request", {"code": "'\U0001f600'; long_na", "cursor_pos": 12})
        self.assertEqual(reply["matches"], ["long_name_here"])
        self.assertEqual((reply["cursor_start"], reply["cursor_end"]), (5, 12))
        self.assertIn("sqrt", "".join(self.client.request("complete_request", {"code": "math.sq"})["matches"]))
        reply = self.client.request("complete_request", {"code": "%his", "cursor_pos": 4})
        self.assertIn("%history", reply["matches"])
        self.assertEqual(len(reply["metadata"]["_jupyter_types_experimental"]), len(reply["matches"]))

    def test_inspection_finds_signature_and_source(self):
        self.check("def area(w, h):\n    '''Of a rectangle.'''\n    return w * h")
        reply = self.client.request("inspect_request", {"code": "area(1", "cursor_pos": 2})
        self.assertTrue(reply["found"])
        self.assertIn("Of a rectangle", reply["data"]["text/plain"])
        source = self.client.request("inspect_request", {"code": "area", "cursor_pos": 2, "detail_level": 1})
        self.assertIn("return w * h", source["data"]["text/plain"])
        self.assertFalse(self.client.request("inspect_request", {"code": "undefined", "cursor_pos": 3})["found"])

    def test_inspection_of_a_function_of_the_language_has_no_source(self):
        """Contextual Help asks for it: our class says nothing of T.gemm."""
        self.check("import tilelang, tilelang.language as T")
        for code in ("T.gemm", "tilelang.jit"):
            text = self.client.request("inspect_request", {"code": code, "cursor_pos": len(code), "detail_level": 1})["data"]["text/plain"]
            self.assertNotIn("class ", text)
            self.assertIn("Parameters", text)

    def test_completion_of_a_cell_that_has_not_run(self):
        """By jedi; a kernel's buffers by their allocation."""
        made = "class P:\n    def mine(self): pass\n"
        for code, expected in {"x: str = 'a'\nx.upp": ["upper"], "with open('f') as fh:\n    fh.readl": ["readline", "readlines"],
                               made + "for x in [P()]:\n    x.mi": ["mine"], made + "pair = [P()]\npair[0].mi": ["mine"], "y = 3\ny.bit_l": ["bit_length"],
                               "[1].app": ["append"], "tile = T.alloc_shared((3,), 'float32')\ntile.sh": ["shape"],
                               "A: T.Tensor((3,))\nA.st": ["strides"], "tile = T.alloc_shared((3,))\ntile = 'a'\ntile.upp": ["upper"],
                               "never_bound.upp": []}.items():
            matches = self.client.request("complete_request", {"code": code, "cursor_pos": len(code)})["matches"]
            self.assertEqual(matches, expected, code)

    def test_completion_in_f_strings(self):
        self.check("frame_name = {'key': 3}")
        for code, expected in {"f'{frame_n": ["frame_name"], 'print(f"a {frame_name.item': ["items"], "rf'{{ {frame_n": ["frame_name"],
                               "f'{frame_name[\"ke": ["key"], "f'{frame_name} {(1, frame_n": ["frame_name"], "f'{{frame_n": [],
                               "f'{1:frame_n": [], "'{frame_n": [], "f'{1}frame_n": [], "if'{frame_n": []}.items():
            reply = self.client.request("complete_request", {"code": code, "cursor_pos": len(code)})
            self.assertEqual(reply["matches"], expected, code)

    def test_completion_of_names_in_other_spellings(self):
        """Python reads identifiers in the normal form NFKC."""
        self.check("\u00e9tude, file_name = 3, 'x'")
        for code, expected in {"\u00e9tu": "\u00e9tude", "e\u0301tu": "\u00e9tude", "\ufb01le_n": "file_name"}.items():
            reply = self.client.request("complete_request", {"code": code, "cursor_pos": len(code)})
            self.assertEqual((reply["matches"], reply["cursor_start"]), ([expected], 0), code)

    def test_inspection_in_nested_parentheses(self):
        self.check("def area(width, height): 'The area.'")
        for code in ("area(1, (2", "area([1, (2, ", "area(1, {3: [", "area(3 if (2"):
            reply = self.client.request("inspect_request", {"code": code, "cursor_pos": len(code)})
            self.assertTrue(reply["found"], code)
            self.assertIn("area(width, height)", reply["data"]["text/plain"])
        self.assertFalse(self.client.request("inspect_request", {"code": "(1, (2", "cursor_pos": 6})["found"])

    def test_is_complete(self):
        ask = lambda code: self.client.request("is_complete_request", {"code": code})
        self.assertEqual(ask("a = 1")["status"], "complete")
        self.assertEqual(ask("a = )")["status"], "invalid")
        incomplete = ask("for i in range(3):")
        self.assertEqual((incomplete["status"], incomplete["indent"]), ("incomplete", "    "))

    def test_history_with_output(self):
        line = self.check("6 * 111").reply["execution_count"]
        rows = self.client.request("history_request", {"hist_access_type": "range", "session": 0,
                                                       "start": line, "stop": line + 1, "output": True})["history"]
        self.assertEqual([row[1:] for row in rows], [[line, ["6 * 111", "666"]]])

    def test_kernel_info(self):
        info = self.client.request("kernel_info_request")
        self.assertRegex(info["language_info"]["version"], r"^3\.\d+\.\d+$")
        self.assertIn("tilelab", info["banner"])


class Subscribers(unittest.TestCase):
    def test_one_that_comes_in_the_midst_of_output_is_welcomed_first(self):
        """No message is lost after the welcome, and none is sent before it."""
        with Kernel(BINARY, env={"TILELAB_OUTPUT_LINES": "0"}) as kernel:  # no limit
            msg_id = kernel.client.start("import sys, time\nwhile True:\n    print('out', flush=True)\n"
                                         "    print('err', file=sys.stderr, flush=True)\n    time.sleep(0.001)")
            kernel.client.wait_for("iopub", "stream")
            for _ in range(100):
                other = kernel.new_client()
                self.assertEqual([other.receive("iopub")["msg_type"] for _ in range(2)], ["iopub_welcome", "stream"])
                other.close()
            interrupt(kernel, "signal")
            kernel.client.reply_to(msg_id)


class Input(Shared):
    def test_input_getpass_and_interrupt(self):
        msg_id = self.client.start("print(input('name? '))")
        self.assertEqual(self.client.wait_for("stdin", "input_request")["content"],
                         {"prompt": "name? ", "password": False})
        self.client.send("input_reply", {"value": "Ada"}, "stdin")
        self.assertEqual(self.client.finish(msg_id).text(), "Ada\n")
        msg_id = self.client.start("import getpass; secret = getpass.getpass('key: ')")
        self.assertTrue(self.client.wait_for("stdin", "input_request")["content"]["password"])
        self.client.send("input_reply", {"value": "x"}, "stdin")
        self.assertEqual(self.client.finish(msg_id).reply["status"], "ok")

    def test_interrupted_input(self):
        for way in ("message", "signal"):
            msg_id = self.client.start("try:\n    input('? ')\nexcept KeyboardInterrupt:\n    print('left')")
            self.client.wait_for("stdin", "input_request")
            begun = time.monotonic()
            interrupt(self.kernel, way)
            run = self.client.finish(msg_id)
            self.assertLess(time.monotonic() - begun, SOON)
            self.assertEqual((run.reply["status"], run.text()), ("ok", "left\n"))

    def test_without_stdin(self):
        self.assertEqual(self.client.execute("input()", allow_stdin=False).reply["status"], "error")


LOOPS = {"a Python loop": "while True: pass",
         "time.sleep": "import time; time.sleep(30)",
         "a child process": "import subprocess; subprocess.run(['sleep', '30'])",
         "a lock": "import threading; l = threading.Lock(); l.acquire(); l.acquire(timeout=30)"}


# C code that ignores interrupts, then a blocking call: Python does not check for one in between.
BEFORE_A_CALL = """import hashlib, operator, os, threading, time
from functools import partial
lock, pipe = threading.Lock(), os.pipe()
lock.acquire()
work = partial(hashlib.pbkdf2_hmac, "sha256", b"", b"", 1_000_000)
def with_work(wait):
    print("begun", flush=True)
    list(map(operator.call, [work, wait]))"""
CALLS = ("partial(time.sleep, 30)", "partial(lock.acquire, timeout=30)", "partial(os.read, pipe[0], 1)")


class Interrupts(Shared):
    def test_each_kind_of_work_ends_fast(self):
        for name, code in LOOPS.items():
            for way in ("message", "signal"):
                with self.subTest(work=name, way=way):
                    msg_id = self.client.start("print('begun', flush=True)\n" + code)
                    self.client.wait_for("iopub", "stream")
                    time.sleep(0.02)
                    begun = time.monotonic()
                    interrupt(self.kernel, way)
                    reply = self.client.reply_to(msg_id)
                    self.assertLess(time.monotonic() - begun, SOON)
                    self.assertEqual(reply["content"]["ename"], "KeyboardInterrupt")
                    self.client.outputs_of(msg_id)

    def test_one_that_comes_just_before_a_call_ends_the_call(self):
        self.check(BEFORE_A_CALL)
        for call in CALLS:
            for way in ("message", "signal"):
                with self.subTest(call=call, way=way):
                    msg_id = self.client.start(f"with_work({call})")
                    self.client.wait_for("iopub", "stream")
                    interrupt(self.kernel, way)
                    self.assertEqual(self.client.reply_to(msg_id)["content"]["ename"], "KeyboardInterrupt")
                    self.client.outputs_of(msg_id)

    def test_what_follows_an_interrupt_waits_as_long_as_it_should(self):
        msg_id = self.client.start("import time\ntry:\n    print('begun', flush=True)\n    time.sleep(30)\n"
                                   "except KeyboardInterrupt:\n    start = time.monotonic()\n    time.sleep(0.3)\n"
                                   "    print(time.monotonic() - start >= 0.3, input('? '))")
        self.client.wait_for("iopub", "stream")
        interrupt(self.kernel, "signal")
        # An earlier test may have left a request that was interrupted: a reply to that one would come before this cell asks.
        while self.client.wait_for("stdin", "input_request")["parent_header"]["msg_id"] != msg_id:
            pass
        time.sleep(0.3)
        self.client.send("input_reply", {"value": "Ada"}, "stdin")
        self.assertEqual(self.client.finish(msg_id).text(), "True Ada\n")

    def test_a_cell_handler_is_not_called_for_a_later_signal(self):
        with Kernel(BINARY) as kernel:
            msg_id = kernel.client.start("import signal, time\nsignal.signal(signal.SIGURG, lambda *_: print('urgent'))\n"
                                         "try:\n    print('begun', flush=True)\n    time.sleep(30)\n"
                                         "except KeyboardInterrupt:\n    time.sleep(0.2)\nprint('end')")
            kernel.client.wait_for("iopub", "stream")
            time.sleep(0.1)
            interrupt(kernel, "signal")
            self.assertNotIn("urgent", kernel.client.finish(msg_id).text())

    def test_one_that_comes_in_a_destructor_is_not_lost(self):
        """Python itself swallows what is raised there."""
        for way in ("message", "signal"):
            msg_id = self.client.start("import time\nclass D:\n    def __del__(self):\n        print('begun', flush=True)\n"
                                       "        end = time.monotonic() + 0.3\n        while time.monotonic() < end: pass\n"
                                       "D()\ntime.sleep(60)")
            self.client.wait_for("iopub", "stream")
            interrupt(self.kernel, way)
            self.assertEqual(self.client.finish(msg_id).reply["ename"], "KeyboardInterrupt")

    def test_idle_interrupts_change_nothing(self):
        self.client.execute("kept = 5")
        for way in ("message", "signal") * 3:
            interrupt(self.kernel, way)
            time.sleep(0.01)
        run = self.client.execute("import time; time.sleep(0.1); print(kept)")
        self.assertEqual((run.reply["status"], run.text()), ("ok", "5\n"))

    def test_children_can_be_ended(self):
        """Signals that the kernel blocks for itself must not stay blocked in what a cell starts."""
        run = self.client.execute("import subprocess, time\np = subprocess.Popen(['sleep', '30'])\ntime.sleep(0.1)\n"
                                  "p.terminate(); print(p.wait(20))\np = subprocess.Popen(['sleep', '30'])\n"
                                  "time.sleep(0.1); p.send_signal(2); print(p.wait(20))")
        self.assertEqual(run.text(), "-15\n-2\n", run.reply.get("traceback"))


    def test_a_server_that_ignores_the_signal_changes_nothing(self):
        """So it is for what a shell script puts into the background; the kernel inherits it."""
        ignore = lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)
        with Kernel(BINARY, before=ignore) as kernel:
            for way in ("message", "signal"):
                msg_id = kernel.client.start("print('begun', flush=True)\nwhile True: pass")
                kernel.client.wait_for("iopub", "stream")
                interrupt(kernel, way)
                self.assertEqual(kernel.client.finish(msg_id).reply["ename"], "KeyboardInterrupt")

    def test_an_interrupt_on_the_way_to_input_is_not_lost(self):
        for _ in range(20):
            msg_id = self.client.start("print('begun', flush=True)\ninput('? ')")
            self.client.wait_for("iopub", "stream")
            interrupt(self.kernel, "message")
            self.assertEqual(self.client.finish(msg_id).reply["ename"], "KeyboardInterrupt")

    def test_a_signal_ends_input_although_a_cell_has_started_threads(self):
        """Threads of a cell do not block the signal; the kernel must see it wherever it arrives."""
        self.client.execute("import threading\nstay = threading.Event()\n"
                            "threads = [threading.Thread(target=stay.wait, daemon=True) for _ in range(4)]\n"
                            "for t in threads: t.start()")
        for _ in range(5):
            msg_id = self.client.start("input('? ')")
            self.client.wait_for("stdin", "input_request")
            time.sleep(0.05)
            interrupt(self.kernel, "signal")
            self.assertEqual(self.client.finish(msg_id).reply["ename"], "KeyboardInterrupt")
        self.client.execute("stay.set()")


class Starts(Own):
    def test_it_imports_what_a_first_cell_needs(self):
        """A module that Python itself has not loaded at its start costs each start one to three milliseconds."""
        loaded = self.start().client.execute("import sys; print(*sys.modules)").text().split()
        late = {"asyncio", "collections", "contextlib", "functools", "inspect", "json", "re", "threading", "typing", "numpy"}
        self.assertEqual(late.intersection(loaded), set())


class Ends(Own):
    def test_shutdown_runs_exit_handlers_and_is_quiet(self):
        kernel = self.start()
        mark = os.path.join(kernel.dir.name, "mark")
        kernel.client.execute(f"import atexit; atexit.register(lambda: open({mark!r}, 'w').close())")
        kernel.client.request("shutdown_request", {"restart": False}, "control")
        self.assertEqual(kernel.wait(), 0)
        self.assertTrue(os.path.exists(mark), "Python was not finalised")
        self.assertEqual(kernel.printed(), "")

    def test_shutdown_of_a_busy_kernel(self):
        for code in ("while True: pass", "input('? ')"):
            kernel = self.start()
            msg_id = kernel.client.start("print('begun', flush=True)\n" + code)
            kernel.client.wait_for("iopub", "stream")
            begun = time.monotonic()
            kernel.client.send("shutdown_request", {"restart": False}, "control")
            self.assertEqual(kernel.client.reply_to(msg_id)["content"]["ename"], "KeyboardInterrupt")
            self.assertEqual(kernel.wait(), 0)
            self.assertLess(time.monotonic() - begun, SOON)

    def test_sigterm_finalises(self):
        kernel = self.start()
        kernel.process.send_signal(signal.SIGTERM)
        self.assertEqual(kernel.wait(), 0)

    def test_exit(self):
        kernel = self.start()
        kernel.client.execute("exit(3)")
        self.assertEqual(kernel.wait(), 3)



class Forks(Shared):
    def test_children_are_no_second_kernels(self):
        self.check("import os, sys, time, multiprocessing\nkept = 5\n"
                   "def child(end):\n    pid = os.fork()\n    if pid == 0:\n"
                   "        print('in the child')\n        end()\n        return\n"
                   "    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])")
        for end, status in (("lambda: None", 0), ("lambda: 1/0", 1), ("lambda: sys.exit(7)", 7),
                            ("lambda: os.kill(os.getpid(), 15)", -15)):
            run = self.check(f"print(child({end}))")
            self.assertIn("in the child\n", run.text())
            self.assertIn(f"{status}\n", run.text())
        run = self.check("p = multiprocessing.Process(target=time.sleep, args=(60,))\n"
                         "p.start(); time.sleep(0.1); p.terminate(); p.join(); print(p.exitcode)")
        self.assertEqual(run.text(), "-15\n")
        time.sleep(0.1)
        self.assertIsNone(self.kernel.process.poll())
        self.assertEqual(self.check("print(kept)").text(), "5\n")


class Deadline(Own):
    def test_threads_and_exit_handlers_do_not_outlive_a_shutdown(self):
        kernels = []
        for code in ("import threading, time; threading.Thread(target=time.sleep, args=(60,)).start()",
                     "import atexit, time; atexit.register(time.sleep, 60)",
                     "while True:\n    try:\n        while True: pass\n    except BaseException: pass"):
            kernels.append((self.start(), code))
            kernels[-1][0].client.start(code)
        time.sleep(0.5)
        begun = time.monotonic()
        for kernel, _ in kernels:
            kernel.client.send("shutdown_request", {"restart": False}, "control")
        for kernel, code in kernels:
            kernel.wait()
            self.assertLess(time.monotonic() - begun, SOON, code)


if __name__ == "__main__":
    unittest.main()
