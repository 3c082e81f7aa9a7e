# SPDX-License-Identifier: Apache-2.0
"""`await` at the top level of a cell, interrupted at any step of asyncio's own bookkeeping: the cell ends with a
KeyboardInterrupt, nothing of it runs in a later cell, and the next cell and asyncio.run() work."""
import asyncio
import logging
import os
import random
import signal
import sys
import unittest
import warnings

import support  # noqa: F401
from tilelab._session import event_loop

SEED = int(os.environ.get("TILELAB_SEED") or random.randrange(10**6))
ROUNDS = 1500


class Interrupted(unittest.TestCase):
    def setUp(self):
        logging.getLogger("asyncio").disabled = True  # it speaks of tasks that were cut off while asyncio made them
        warnings.simplefilter("ignore", RuntimeWarning)
        self.armed = False
        before = signal.signal(signal.SIGALRM, self.on_alarm)
        self.addCleanup(signal.signal, signal.SIGALRM, before)

    def on_alarm(self, *_):
        if self.armed:
            raise KeyboardInterrupt

    def run_cell(self, coroutine, seconds):
        """Its value, or "interrupted" where the interrupt after so many seconds came first."""
        try:
            self.armed = True
            signal.setitimer(signal.ITIMER_REAL, seconds)
            value = event_loop.finish(coroutine)
            self.armed = False
        except KeyboardInterrupt:
            value = "interrupted"
        self.armed = False
        return value

    def test_at_random_moments(self):
        chance, continued, interrupted = random.Random(SEED), [], 0

        async def cell(n):
            await asyncio.sleep(0.001)
            continued.append(n)
            return n

        for n in range(ROUNDS):
            with self.subTest(seed=SEED, n=n):
                continued.clear()
                got = self.run_cell(cell(n), chance.uniform(0.00001, 0.0004))
                self.assertIn(got, (n, "interrupted"))
                self.assertLessEqual(set(continued), {n}, "an earlier cell continues")
                interrupted += got == "interrupted"
                if n % 10 == 0:
                    self.assertEqual(asyncio.run(asyncio.sleep(0, "ran")), "ran")
                    self.assertEqual(event_loop.finish(asyncio.sleep(0, "ran")), "ran")
        self.assertGreater(interrupted, ROUNDS / 4)

    def test_at_each_line_of_the_bookkeeping(self):
        async def cell(n):
            await asyncio.sleep(0.0001)
            return n

        self.addCleanup(setattr, event_loop, "_SECONDS_TO_END", event_loop._SECONDS_TO_END)
        event_loop._SECONDS_TO_END = 0.01
        for line in range(1, 1000):
            with self.subTest(line=line):
                value, place = self.run_until_line(cell(line), line)
                for n in range(2):
                    self.assertEqual(event_loop.finish(cell(n)), n, place)
                    self.assertIsNone(asyncio._get_running_loop(), place)
                if place is None:
                    self.assertEqual(value, line)
                    break
        self.assertGreater(line, 100)

    def run_until_line(self, coroutine, line):
        """The coroutine's value, and the line (file, number) at which it was interrupted: the line-th that runs of asyncio
        and of event_loop; None, None where it ran to its end or to there."""
        value, place, left = None, None, line

        def trace(frame, event, _):
            nonlocal place, left
            file = frame.f_code.co_filename
            if file != event_loop.__file__ and "asyncio" not in os.path.dirname(file):
                return None
            left -= event == "line"
            if left == 0:
                sys.settrace(None)
                place = os.path.basename(file), frame.f_lineno
                raise KeyboardInterrupt
            return trace

        sys.settrace(trace)
        try:
            value = event_loop.finish(coroutine)
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)
        return value, place

    def test_what_waits_in_the_background_goes_on(self):
        async def background():
            await asyncio.sleep(0.01)
            return "done"

        async def begin():
            return asyncio.get_running_loop().create_task(background())

        task = event_loop.finish(begin())
        self.assertEqual(self.run_cell(asyncio.sleep(10), 0.001), "interrupted")

        async def rest():
            return await task

        self.assertEqual(event_loop.finish(rest()), "done")

    def test_what_swallows_the_end_is_left_after_a_second(self):
        async def stubborn():
            while True:
                try:
                    await asyncio.sleep(10)
                except asyncio.CancelledError:
                    pass

        self.assertEqual(self.run_cell(stubborn(), 0.001), "interrupted")
        self.assertEqual(event_loop.finish(asyncio.sleep(0, "ran")), "ran")


if __name__ == "__main__":
    unittest.main()
