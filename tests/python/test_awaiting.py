# SPDX-License-Identifier: Apache-2.0
"""`await` at the top level of a cell, interrupted at any step of asyncio's own bookkeeping: the cell ends with a
KeyboardInterrupt, nothing of it runs in a later cell, and the next cell and asyncio.run() work."""
import asyncio
import logging
import os
import random
import signal
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
        chance, went_on, interrupted = random.Random(SEED), [], 0

        async def cell(n):
            await asyncio.sleep(0.001)
            went_on.append(n)
            return n

        for n in range(ROUNDS):
            with self.subTest(seed=SEED, n=n):
                went_on.clear()
                got = self.run_cell(cell(n), chance.uniform(0.00001, 0.0004))
                self.assertIn(got, (n, "interrupted"))
                self.assertLessEqual(set(went_on), {n}, "an earlier cell goes on")
                interrupted += got == "interrupted"
                if n % 10 == 0:
                    self.assertEqual(asyncio.run(asyncio.sleep(0, "ran")), "ran")
                    self.assertEqual(event_loop.finish(asyncio.sleep(0, "ran")), "ran")
        self.assertGreater(interrupted, ROUNDS / 4)

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
