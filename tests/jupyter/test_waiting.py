# SPDX-License-Identifier: Apache-2.0
"""Cells that wait for asyncio, and tasks that they leave: test_waiting.py KERNEL [unittest options]"""

import re
import unittest

from case import Shared


class Waiting(Shared):
    def value(self, code):
        return self.check(code).of("execute_result")[0]["data"]["text/plain"]

    def failing(self, code, text):
        run = self.client.execute(code)
        self.assertEqual(run.reply["status"], "error")
        self.assertIn(text, "\n".join(run.reply["traceback"]))

    def interrupted(self, code):
        """The traceback of a cell that was interrupted after its first print."""
        msg_id = self.client.start(code)
        self.client.wait_for("iopub", "stream")
        self.client.send("interrupt_request", channel="control")
        run = self.client.finish(msg_id)
        self.assertEqual(run.reply["ename"], "KeyboardInterrupt")
        return run, [re.sub("\x1b\\[[0-9;]*m", "", line).rstrip() for text in run.reply["traceback"]
                     for line in text.split("\n")]

    def test_await_at_the_top_level(self):
        self.check("import asyncio\nawait asyncio.sleep(0)")
        self.assertEqual(self.value("await asyncio.sleep(0, 42)"), "42")
        self.assertEqual(self.value("async def f():\n    return 7\nx = await f()\nx"), "7")
        self.assertEqual(self.check("async def g():\n    for i in range(3): yield i\n"
                                    "async for i in g(): print(i)").text(), "0\n1\n2\n")
        self.assertEqual(self.value("asyncio.run(f())"), "7")
        self.assertEqual(self.value("task = asyncio.ensure_future(f(), loop=asyncio.get_event_loop_policy()"
                                    ".new_event_loop()); task.cancel(); await asyncio.sleep(0, 1)"), "1")
        self.failing("await 5", "TypeError")
        self.assertEqual(self.client.request("is_complete_request", {"code": "await f()"})["status"], "complete")
        self.assertEqual(self.client.request("is_complete_request", {"code": "async with f() as x:"})["status"],
                         "incomplete")

    def test_an_interrupted_wait_ends_and_cleans_up(self):
        msg_id = self.client.start("import asyncio\nasync def f():\n    try:\n        print('begun', flush=True)\n"
                                   "        await asyncio.sleep(60)\n    finally:\n        print('cleaned')\nawait f()")
        self.client.wait_for("iopub", "stream")
        self.client.send("interrupt_request", channel="control")
        run = self.client.finish(msg_id)
        self.assertEqual((run.reply["ename"], run.text()), ("KeyboardInterrupt", "cleaned\n"))
        self.assertEqual(self.value("await asyncio.sleep(0, 5)"), "5")

    def test_an_interrupt_shows_the_lines_that_waited(self):
        self.check("import asyncio\nasync def waits():\n    print('begun', flush=True)\n    await asyncio.sleep(60)")
        lines = self.interrupted("x = 1\nawait waits()")[1]
        self.assertTrue(any(line.endswith("2 await waits()") for line in lines), lines)
        self.assertTrue(any(line.endswith("4     await asyncio.sleep(60)") for line in lines), lines)
        self.assertNotIn("asyncio/", "\n".join(lines))
        lines = self.interrupted("await asyncio.gather(waits(), waits())")[1]
        self.assertTrue(any(line.endswith("1 await asyncio.gather(waits(), waits())") for line in lines), lines)

    def test_an_interrupt_in_a_task_shows_its_line(self):
        lines = self.interrupted("import asyncio\nasync def turns():\n    print('begun', flush=True)\n    while True: pass\n"
                                 "task = asyncio.create_task(turns())")[1]
        self.assertTrue(any(line.endswith("4     while True: pass") for line in lines), lines)
        self.assertEqual(self.value("await asyncio.sleep(0, 5)"), "5")

    def test_tasks_of_a_cell_that_does_not_wait(self):
        self.check("import asyncio\nasync def f():\n    for i in range(3):\n        print(i)\n        await asyncio.sleep(0)\n"
                   "    return 'end'")
        self.assertEqual(self.check("task = asyncio.create_task(f(), name='mine')").text(), "0\n1\n2\n")
        self.assertEqual(self.value("task.done(), task.get_name()"), "(True, 'mine')")
        self.assertEqual(self.value("await task"), "'end'")
        self.assertEqual(self.value("async def late():\n    await asyncio.sleep(0.05)\n    return 3\n"
                                    "task = asyncio.create_task(late())\nasyncio.run(f())"), "'end'")
        self.assertEqual(self.value("await task"), "3")
        self.check("task = asyncio.create_task(late())")
        self.check("import time; time.sleep(0.06)")
        self.assertEqual(self.value("task.result()"), "3")

    def test_a_thread_has_no_loop_of_its_own(self):
        self.assertEqual(self.check("import asyncio, threading\nasync def f(): pass\ndef work():\n    c = f()\n"
                                    "    try: asyncio.create_task(c)\n    except RuntimeError as e: print(e)\n"
                                    "    c.close()\nt = threading.Thread(target=work); t.start(); t.join()").text(),
                         "no running event loop\n")


if __name__ == "__main__":
    unittest.main()
