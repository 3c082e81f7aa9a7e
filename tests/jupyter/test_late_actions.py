# SPDX-License-Identifier: Apache-2.0
"""What threads, timers, finalizers and methods do between cells works or raises: test_late_actions.py KERNEL [unittest options]"""

import os
import sys
import time
import unittest

from case import Own

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import late_actions  # noqa: E402


class LateActions(Own):
    def live(self, kernel, programs, name):
        """Requests that run methods of the user's object, and a cell."""
        client, what = kernel.client, (late_actions.SEED, *programs)
        for kind, content in (("inspect_request", {"code": name, "cursor_pos": 1, "detail_level": 0}),
                              ("complete_request", {"code": f"{name}.", "cursor_pos": len(name) + 1}),
                              ("inspect_request", {"code": f"{name}.abc", "cursor_pos": len(name) + 4, "detail_level": 1})):
            self.assertIn(client.request(kind, content)["status"], ("ok", "error"), what)
        run = client.execute("print(kept)")
        self.assertEqual(run.reply["status"], "ok", (*what, run.reply))
        self.assertIn("7\n", run.text(), what)
        self.assertIsNone(kernel.process.poll(), what)
        for text in (run.text(), run.text("stderr"), kernel.printed()):
            self.assertNotIn("a bug in tilelab", text, what)

    def test_between_cells(self):
        for n, programs in enumerate(late_actions.programs(late_actions.TRIGGERS, 40, 8000)):
            if n % late_actions.PER_SESSION == 0:
                if n:
                    kernel.close()
                kernel = self.start()
                kernel.client.execute("kept, late = 7, []")
            code, name = late_actions.cell(programs, n)
            kernel.client.execute(code, allow_stdin=True)
            time.sleep(0.03)
            self.live(kernel, programs, name)

    def test_at_exit(self):
        for programs in late_actions.programs(late_actions.AT_EXIT, 6, 160):
            kernel = self.start()
            kernel.client.execute("kept, late = 7, []\n" + late_actions.cell(programs)[0])
            kernel.client.send("shutdown_request", {"restart": False}, "control")
            self.assertEqual(kernel.wait(), 0, (late_actions.SEED, *programs, kernel.printed()))
            kernel.close()

    def test_a_finalizer_of_a_thread_that_ends_interrupts_nothing(self):
        kernel = self.start()
        kernel.client.execute("import threading, time\nclass Q:\n  def __del__(self): raise KeyboardInterrupt")
        run = kernel.client.execute("for _ in range(200):\n  threading.Thread(target=lambda q: None, args=(Q(),)).start()\n"
                                    "time.sleep(.5); print('done')")
        self.assertEqual((run.reply["status"], run.text()), ("ok", "done\n"), run.reply)

    def test_a_page_between_cells_comes_with_the_next_reply(self):
        kernel = self.start()
        kernel.client.execute("import threading, time")
        for text in ("'a'", "'b'"):
            kernel.client.execute(f"threading.Timer(.05, lambda: get_ipython().set_next_input({text})).start()")
            time.sleep(0.5)
        payload = kernel.client.execute("1").reply["payload"]
        self.assertEqual(payload[-1], {"source": "set_next_input", "text": "b", "replace": False})
        self.assertEqual(kernel.client.execute("1").reply["payload"], [])


class Questions(Own):
    """input() of threads."""

    def ask_in_a_thread(self, code):
        kernel = self.start()
        return kernel, kernel.client.start("import threading, time\nanswers = []\ndef ask(n):\n"
                                           "  try: answers.append(input(f'question {n}'))\n"
                                           "  except BaseException as error: answers.append(repr(error))\n\n"
                                           "threads = [threading.Thread(target=ask, args=(n,), daemon=True) for n in range(2)]\n"
                                           "for thread in threads: thread.start()\n" + code)

    def test_while_the_cell_waits_each_gets_its_answer(self):
        kernel, cell = self.ask_in_a_thread("for thread in threads: thread.join()\nprint(sorted(answers))")
        for _ in range(2):
            question = kernel.client.wait_for("stdin", "input_request")
            kernel.client.send("input_reply", {"value": question["content"]["prompt"] + "!"}, "stdin", parent=question)
        self.assertEqual(kernel.client.finish(cell).text(), "['question 0!', 'question 1!']\n")

    def test_a_question_ends_with_its_cell(self):
        kernel, cell = self.ask_in_a_thread("time.sleep(.2)")
        kernel.client.wait_for("stdin", "input_request")
        kernel.client.finish(cell)
        run = kernel.client.execute("for thread in threads: thread.join()\nprint(sorted(answers))", allow_stdin=False)
        # The second thread asks when the first's question has ended: before this cell, or in it, which takes no input.
        self.assertRegex(run.text(), r"""\["RuntimeError\('input\(\) is (available only while a cell runs|not supported by this """
                                     r"""front end)'\)", "RuntimeError\('the cell ended before this question was answered'\)"\]""")


if __name__ == "__main__":
    unittest.main()
