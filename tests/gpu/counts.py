# SPDX-License-Identifier: Apache-2.0
"""What a part of the suite ran, and what was wrong."""
import collections
import time


class Counts:
    """What a part of the suite ran."""

    def __init__(self, name):
        self.name, self.start = name, time.time()
        self.runs = self.wrong = self.exact = self.bits_differ = self.refused = 0
        self.reasons = collections.Counter()

    def fail(self, what, said):
        self.wrong += 1
        if self.wrong <= 8:
            lines = said.strip().splitlines()
            print(f"WRONG {self.name} {what}\n    " + "\n    ".join(lines[:3] + lines[3:][-3:]), flush=True)

    def row(self):
        return (f"{self.name:9} {self.runs:6} runs {self.wrong:5} wrong {self.exact:6} equal to the bit "
                f"{self.bits_differ:5} not, though promised {self.refused:5} refused {time.time() - self.start:7.1f} s"
                + (f"  {dict(self.reasons)}" if self.reasons else ""))
