# SPDX-License-Identifier: Apache-2.0
"""The debugger of front ends: test_debugger.py KERNEL ENVIRONMENT [unittest options]. debugpy comes from PyPI into a virtual
environment at that path, once; without a network the test is skipped, with a line that says so."""

import glob
import os
import sys
import time
import unittest

from conformance import environment_python

ENVIRONMENT = os.path.abspath(sys.argv.pop(2))
environment_python(ENVIRONMENT)

from case import BINARY  # noqa: E402
from harness import PATIENCE, Kernel  # noqa: E402

CELL = """
def total(n):
    sum = 0
    for i in range(n):
        sum += i
    return sum
x = total(3)
y = {'a': [1, 2]}
print(x)"""


KERNEL = """import numpy as np, tilelang, tilelang.language as T
@tilelang.jit
def scale(A, B):
    A: T.Tensor((64,), "float32")
    B: T.Tensor((64,), "float32")
    with T.Kernel(2, threads=32) as bx:
        s = T.alloc_shared((32,), "float32")
        T.copy(A[bx * 32], s)
        for k in range(2):
            for i in T.Parallel(32):
                s[i] = s[i] * 2 + k
        T.copy(s, B[bx * 32])
a = np.arange(64, dtype="float32"); b = np.zeros(64, "float32")
scale(a, b)
print(b[33])"""


class Debugged(unittest.TestCase):
    """A client that debugs a kernel."""

    environment = ENVIRONMENT

    @classmethod
    def setUpClass(cls):
        cls.begin()

    @classmethod
    def begin(cls):
        cls.kernel = Kernel(BINARY, env={"VIRTUAL_ENV": cls.environment})
        cls.client, cls.sequence = cls.kernel.client, 0

    @classmethod
    def tearDownClass(cls):
        cls.client.send("shutdown_request", {"restart": False}, channel="control")  # it removes the files of its cells
        cls.kernel.wait()
        cls.kernel.close()

    def send(self, command, **arguments):
        type(self).sequence += 1
        return self.client.send("debug_request", {"type": "request", "seq": self.sequence, "command": command,
                                                  "arguments": arguments}, channel="control")

    def response(self, command, **arguments):
        found = self.client.reply_to(self.send(command, **arguments), "control")["content"]
        self.assertEqual((found["type"], found["request_seq"], found["command"]), ("response", self.sequence, command))
        return found

    def ask(self, command, **arguments):
        """The body of the response to a request that must succeed."""
        found = self.response(command, **arguments)
        self.assertTrue(found["success"], found)
        return found["body"]

    def event(self, name):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            event = self.client.wait_for("iopub", "debug_event")["content"]
            if event["event"] == name:
                return event.get("body", {})
        raise AssertionError(f"no event {name}")

    def attach(self):
        self.ask("initialize", clientID="test", adapterID="", pathFormat="path", linesStartAt1=True, columnsStartAt1=True)
        self.ask("attach")

    def break_at(self, lines, code=CELL):
        path = self.ask("dumpCell", code=code)["sourcePath"]
        body = self.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": n} for n in lines], lines=lines,
                        sourceModified=False)
        self.assertEqual([(one["verified"], one["line"]) for one in body["breakpoints"]], [(True, n) for n in lines])
        return path

    def stop(self, code=CELL):
        """Runs a cell up to a breakpoint; the request and the thread."""
        running = self.client.start(code)
        return running, self.event("stopped")["threadId"]

    def frames(self, thread):
        return self.ask("stackTrace", threadId=thread)["stackFrames"]

    def place(self, thread):
        return [(frame["name"], frame["line"]) for frame in self.frames(thread)]

    def locals(self, frame):
        scope = self.ask("scopes", frameId=frame["id"])["scopes"][0]
        found = self.ask("variables", variablesReference=scope["variablesReference"])["variables"]
        return {one["name"]: one["value"] for one in found}

    def status_of(self, running):
        return self.client.reply_to(running)["content"]["status"]


class Session(Debugged):
    def setUp(self):
        self.attach()

    def tearDown(self):
        self.ask("disconnect", restart=False, terminateDebuggee=True)  # the session stays

    def test_kernel_info_offers_it(self):
        info = self.client.request("kernel_info_request")
        self.assertTrue(info["debugger"])
        self.assertEqual(info["supported_features"], ["debugger"])

    def test_a_breakpoint_steps_and_variables(self):
        path = self.break_at([5])
        running, thread = self.stop()
        frames = self.frames(thread)
        self.assertEqual([(f["name"], f["line"], f["source"]["path"]) for f in frames],
                         [("total", 5, path), ("<module>", 7, path)])
        self.assertEqual(self.locals(frames[0]), {"i": "0", "n": "3", "sum": "0"})
        self.assertEqual(self.ask("evaluate", expression="sum + 100", frameId=frames[0]["id"], context="repl")["result"], "100")
        info = self.ask("debugInfo")
        self.assertEqual((info["stoppedThreads"], info["breakpoints"]), ([thread], [{"source": path, "breakpoints": [{"line": 5}]}]))
        self.break_at([])
        for command, place in ("next", 4), ("stepOut", 7), ("next", 8), ("next", 9):
            self.ask(command, threadId=thread)
            self.event("stopped")
            self.assertEqual(self.place(thread)[0][1], place, command)
        self.ask("next", threadId=thread)  # out of the cell
        self.assertEqual(self.status_of(running), "ok")
        self.assertEqual(self.client.execute("print(x)").text(), "3\n")  # the step has ended with its cell

    def test_step_into_and_continue(self):
        self.break_at([7])
        running, thread = self.stop()
        self.ask("stepIn", threadId=thread)
        self.event("stopped")
        self.assertEqual(self.place(thread), [("total", 3), ("<module>", 7)])
        self.ask("continue", threadId=thread)
        self.event("continued")
        self.assertEqual(self.status_of(running), "ok")

    def test_a_function_of_a_cell_that_ran_before(self):
        self.ask("disconnect")
        self.client.execute(CELL.replace("total", "earlier"))
        self.attach()
        self.break_at([6], CELL.replace("total", "earlier"))
        running, thread = self.stop("earlier(2)")
        self.assertEqual(self.place(thread), [("earlier", 6), ("<module>", 1)])
        self.ask("continue", threadId=thread)
        self.assertEqual(self.status_of(running), "ok")

    def test_names_in_messages_stay(self):
        self.break_at([2], "\n1 / 0")
        running, thread = self.stop("\n1 / 0")
        self.ask("continue", threadId=thread)
        reply = self.client.reply_to(running)["content"]
        self.assertRegex("\n".join(reply["traceback"]), r"cell \d+, line 2")

    def test_a_condition(self):
        path = self.ask("dumpCell", code=CELL)["sourcePath"]
        self.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": 5, "condition": "i == 2"}])
        running, thread = self.stop()
        self.assertEqual(self.locals(self.frames(thread)[0])["i"], "2")
        self.ask("continue", threadId=thread)
        self.assertEqual(self.status_of(running), "ok")

    def test_an_interrupt_while_stopped(self):
        """It ends the cell; the next one stops again."""
        self.break_at([5])
        for _ in range(2):
            running, _ = self.stop()
            self.client.send("interrupt_request", channel="control")
            reply = self.client.reply_to(running)["content"]
            self.assertEqual((reply["status"], reply["ename"]), ("error", "KeyboardInterrupt"))
            self.assertNotIn("pydevd", "".join(reply["traceback"]))
            self.event("continued")
        self.assertEqual(self.ask("debugInfo")["stoppedThreads"], [])

    def test_disconnect_lets_the_cell_go_on(self):
        self.break_at([5])
        running, _ = self.stop()
        self.ask("disconnect", restart=False)
        self.assertEqual(self.status_of(running), "ok")
        self.assertFalse(self.ask("debugInfo")["isStarted"])
        self.attach()

    def test_variables_of_a_stopped_and_of_an_idle_session(self):
        self.client.execute("import json as np\na = range(3)\nd = {'k': [4, 5]}")
        found = {one["name"]: one for one in self.ask("inspectVariables")["variables"]}
        self.assertEqual(found["a"]["value"], "range(0, 3)")
        self.assertFalse({"In", "_oh", "__name__", "exit", "np"} & set(found))
        inner = self.ask("variables", variablesReference=found["d"]["variablesReference"])["variables"]
        self.assertEqual([(one["name"], one["value"], one["evaluateName"]) for one in inner], [("'k'", "[4, 5]", "d['k']")])
        self.assertEqual(self.ask("richInspectVariables", variableName="a")["data"]["text/plain"], "range(0, 3)")
        self.break_at([6])
        running, thread = self.stop()
        frame = self.frames(thread)[0]["id"]
        self.assertEqual(self.ask("richInspectVariables", variableName="sum", frameId=frame)["data"]["text/plain"], "3")
        self.ask("copyToGlobals", srcVariableName="sum", dstVariableName="copied", srcFrameId=frame)
        self.ask("continue", threadId=thread)
        self.assertEqual(self.status_of(running), "ok")
        self.assertEqual(self.client.execute("copied").of("execute_result")[0]["data"]["text/plain"], "3")

    def test_sources_and_modules(self):
        path = self.ask("dumpCell", code=CELL)["sourcePath"]
        self.assertEqual(self.ask("source", source={"path": path})["content"], CELL)
        self.assertIn("json", [one["name"] for one in self.ask("modules")["modules"]])

    def test_a_running_cell_does_not_delay_requests(self):
        running = self.client.start("step = 0\nprint('runs')\nwhile True: step += 1")
        self.client.wait_for("iopub", "stream")
        self.assertIn("step", [one["name"] for one in self.ask("inspectVariables")["variables"]])
        self.break_at([5])
        self.client.send("interrupt_request", channel="control")
        self.assertEqual(self.status_of(running), "error")

    def test_a_forked_process_is_not_debugged(self):
        """It has no debugger: a breakpoint would stop it for ever."""
        code = "import os\ndef child():\n    return 7\nif os.fork() == 0: os._exit(child())\nprint(os.wait()[1] >> 8)"
        self.break_at([3], code)
        self.assertEqual(self.client.execute(code).text(), "7\n")

    def test_bad_requests(self):
        for command, arguments, says in (("source", {"source": {"path": "/no/such"}}, "no source of /no/such"),
                                         ("dumpCell", {}, "dumpCell: KeyError: 'code'"),
                                         ("copyToGlobals", {"srcVariableName": "1", "dstVariableName": "x", "srcFrameId": 1},
                                          "must be identifiers")):
            found = self.response(command, **arguments)
            self.assertFalse(found["success"])
            self.assertIn(says, found["message"])


class Kernels(Debugged):
    """Breakpoints inside of a kernel."""

    def setUp(self):
        self.attach()
        self.addCleanup(self.ask, "disconnect")

    def value(self, thread, expression):
        frame = self.frames(thread)[0]["id"]
        return self.ask("evaluate", expression=expression, frameId=frame, context="repl")["result"]

    def test_a_stop_shows_the_line_the_variables_and_the_buffers(self):
        self.break_at([11], KERNEL)  # inside of T.Parallel
        running, thread = self.stop(KERNEL)
        self.assertEqual(self.place(thread), [("scale, block (0)", 11), ("<module>", 14)])
        found = self.locals(self.frames(thread)[0])
        self.assertEqual((found["bx"], found["k"]), ("0", "0"))
        self.assertLess({"A", "B", "s", "thread"}, set(found))
        self.assertEqual(self.value(thread, "float(s[5])"), "5.0")
        self.ask("continue", threadId=thread)
        self.event("stopped")  # the next iteration
        self.assertEqual(self.value(thread, "k, float(s[5])"), "(1, 10.0)")
        self.ask("continue", threadId=thread)
        self.assertEqual(self.client.reply_to(running)["content"]["status"], "ok")

    def test_steps_go_through_the_statements_and_back_to_the_cell(self):
        self.break_at([8], KERNEL)
        running, thread = self.stop(KERNEL)
        for line in 10, 10, 12, 15:
            self.ask("next", threadId=thread)
            self.event("stopped")
            self.assertEqual(self.place(thread)[0][1], line)
        self.ask("continue", threadId=thread)
        self.assertEqual(self.status_of(running), "ok")

    def test_step_into_and_out_of_a_kernel(self):
        self.break_at([14], KERNEL)
        running, thread = self.stop(KERNEL)
        for command, place in ("stepIn", ("scale, block (0)", 8)), ("stepOut", ("<module>", 15)):
            self.ask(command, threadId=thread)
            self.event("stopped")
            self.assertEqual(self.place(thread)[0], place)
        self.ask("continue", threadId=thread)
        self.assertEqual(self.status_of(running), "ok")

    def test_a_condition_selects_the_block(self):
        path = self.ask("dumpCell", code=KERNEL)["sourcePath"]
        self.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": 11, "condition": "bx == 1 and k == 1"}])
        running, thread = self.stop(KERNEL)
        self.assertEqual(self.place(thread)[0], ("scale, block (1)", 11))
        self.assertEqual(self.value(thread, "bx, k, float(s[1])"), "(1, 1, 66.0)")
        self.ask("continue", threadId=thread)
        self.assertEqual(self.status_of(running), "ok")

    def test_a_line_without_a_statement_stops_before_the_next(self):
        self.break_at([7], KERNEL)
        running, thread = self.stop(KERNEL)
        self.assertEqual(self.place(thread)[0], ("scale, block (0)", 7))
        self.ask("continue", threadId=thread)
        self.assertEqual(self.status_of(running), "ok")

    def test_an_interrupt_in_a_kernel(self):
        self.break_at([11], KERNEL)
        running, _ = self.stop(KERNEL)
        self.client.send("interrupt_request", channel="control")
        reply = self.client.reply_to(running)["content"]
        self.assertEqual(reply["ename"], "KeyboardInterrupt")
        self.assertNotIn("kernel_stops", "".join(reply["traceback"]))
        self.assertEqual(self.client.execute("print(b[33])").text(), "0.0\n")

    def test_kernels_without_breakpoints_run_as_ever(self):
        self.break_at([11], KERNEL)
        self.break_at([], KERNEL)
        self.assertEqual(self.client.execute(KERNEL).text(), "133.0\n")
        hook = "import tilelab._kernel.kernel as module; print(module.before_call)"
        self.assertEqual(self.client.execute(hook).text(), "None\n")


class Ends(Debugged):
    def setUp(self):
        self.begin()
        self.addCleanup(self.kernel.close)
        self.attach()

    @classmethod
    def setUpClass(cls):
        pass

    @classmethod
    def tearDownClass(cls):
        pass

    def test_a_shutdown_while_stopped(self):
        path = self.break_at([5])
        self.stop()
        self.client.request("shutdown_request", {"restart": False}, channel="control")
        self.assertEqual(self.kernel.wait(), 0)
        self.assertEqual(glob.glob(os.path.dirname(path)), [])
        self.assertNotIn("Traceback", self.kernel.printed())

    def test_a_client_that_goes_away(self):
        """The program continues, and another client can debug it."""
        file = os.path.join(self.kernel.dir.name, "ended")
        code = f"{CELL}\nopen({file!r}, 'w').close()"
        self.break_at([5], code)
        self.stop(code)
        self.client.close()
        end = time.monotonic() + PATIENCE
        while not os.path.exists(file) and time.monotonic() < end:
            time.sleep(0.02)
        type(self).client = self.kernel.new_client()
        self.client.wait_for("iopub", "iopub_welcome")
        self.assertEqual(self.client.execute("print(x)").text(), "3\n")
        self.attach()
        self.break_at([5])
        running, thread = self.stop()
        self.break_at([])
        self.ask("continue", threadId=thread)
        self.assertEqual(self.status_of(running), "ok")
        self.client.request("shutdown_request", {"restart": False}, channel="control")
        self.kernel.wait()


class Missing(Debugged):
    environment = ""  # the Python of the system

    def test_a_python_without_debugpy(self):
        if self.client.execute("import debugpy").reply["status"] == "ok":
            self.skipTest("the Python of the system has debugpy")
        info = self.client.request("kernel_info_request")
        self.assertEqual((info["debugger"], info["supported_features"]), (False, []))
        found = self.response("initialize")
        self.assertFalse(found["success"])
        self.assertIn("%pip install debugpy", found["message"])
        self.assertFalse(self.ask("debugInfo")["isStarted"])
        for command in ("inspectVariables", "richInspectVariables", "modules"):
            self.response(command, variableName="x")
        self.assertEqual(self.client.execute("import threading\nprint(threading.main_thread() is threading.current_thread())").text(), "True\n")


if __name__ == "__main__":
    unittest.main()
