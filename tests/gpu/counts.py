# SPDX-License-Identifier: Apache-2.0
"""Runs and failures of a part of the suite."""
import collections
import re
import time
import traceback

import tilelab
from tilelab._compiler.errors import CompileError

FP8_UNITS = re.compile(r'\bwgmma\(.*dtype="e[45]m')


class Counts:
    """Runs of a part of the suite."""

    def __init__(self, name):
        self.name, self.start = name, time.time()
        self.runs = self.wrong = self.exact = self.bits_differ = self.refused = 0
        self.reasons = collections.Counter()

    def fail(self, what, said):
        self.wrong += 1
        if self.wrong <= 8:
            lines = said.strip().splitlines()
            print(f"WRONG {self.name} {what}\n    " + "\n    ".join(lines[:3] + lines[3:][-3:]), flush=True)

    def refuse(self, why):
        self.refused += 1
        self.reasons[why] += 1

    def row(self):
        return (f"{self.name:9} {self.runs:6} runs {self.wrong:5} wrong {self.exact:6} equal to the bit "
                f"{self.bits_differ:5} not, though promised {self.refused:5} refused {time.time() - self.start:7.1f} s"
                + (f"  {dict(self.reasons)}" if self.reasons else ""))


def accumulator_of(kernel):
    """eps of the sums of its products: Hopper's units keep 14 bits of those of fp8."""
    return 2.0**-13 if FP8_UNITS.search(kernel._at_level("flat").text()) else 0.0


def guarded(counts, what, work):
    try:
        work()
    except CompileError as error:
        found = re.search(r"error\[([\w-]+)\]", str(error))
        counts.refuse(found.group(1) if found else "?")
    except tilelab.DeviceError as error:
        counts.runs += 1
        counts.fail(what, str(error))
        if "device-lost" in str(error) or "device-fault" in str(error):
            raise
    except Exception:
        counts.runs += 1
        counts.fail(what, traceback.format_exc())
