# SPDX-License-Identifier: Apache-2.0
"""Random functions of one to three kernels, each a whole tile program, that give tensors to one another.

What a kernel is drawn from are the choices of a launch (random_launches.py): a table of its fields, the simplest
first, so that a failing function is made smaller by taking simpler choices and leaving kernels out. All
numbers are small integers, computed with exactly; so levels, passes, targets and texts must agree to the bit.
"""
import re

import numpy as np

from random_expressions import pick
from random_launch import read, stored
from random_launches import MAKERS


class FunctionKernel:
    terms, magnitude = 0, 1.0  # of case.Case: no tolerance
    FORMATS = ("float16", "float16", "float32", "int8", "uint8", "int32")
    configs = {}  # of its passes
    makers = MAKERS

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng([seed, 77])
        self.steps = []  # of the shrinker of statements: there are none
        self.same_names = bool(rng.random() < 0.6)
        self.dynamic = bool(rng.random() < 0.3)
        self.units = pick(rng, (None, None, True))
        self.processors = pick(rng, (None, None, 2))
        self.min_blocks = pick(rng, (0, 0, 1, 2))  # on a processor; a single one may be persistent
        self.launches = []
        for number in range(pick(rng, (1, 2, 2, 3))):
            source = self.launches[-1] if self.launches and rng.random() < 0.75 else None
            self.launches.append(pick(rng, self.makers)(self, number, source))

    def first_shape(self):
        """(shape, extents) of a tensor that no launch makes; rows of whole 16 bytes more often than not."""
        rows, columns = (int(self.rng.integers(1, 140)) for _ in range(2))
        columns = columns if self.rng.random() < 0.3 else -(-columns // 16) * 16
        if not self.dynamic or self.launches:
            return (rows, columns), (rows, columns)
        of_columns = pick(self.rng, (columns, "n", "n" if columns % 16 else "n * 16"))
        return (rows, columns), ("m" if self.rng.random() < 0.7 else rows, of_columns)

    # -- what a kernel is for others -----------------------------------------------------------
    def tensors(self):
        """(inputs, outputs), in the order of the parameters; a tensor whose launch was left out is an input."""
        inputs, outputs, made = [], [], set()
        for launch in self.launches:
            if launch.x.name not in made | {t.name for t in inputs}:
                inputs.append(launch.x)
            inputs += launch.own_inputs()
            outputs += launch.outputs()
            made |= {t.name for t in launch.outputs()}
        return inputs, outputs

    def source(self):
        inputs, outputs = self.tensors()
        names = sorted({word for t in inputs + outputs for e in t.extents for word in re.findall(r"[a-z]\w*", str(e))})
        head = [f'{n} = T.dynamic("{n}")' for n in names]
        macros = [line for launch in self.launches for line in launch.macros()]
        configs = {"tilelab.hardware_units": self.units, "tilelab.processors": self.processors, **self.configs}
        configs = {key: value for key, value in configs.items() if value is not None}
        lines = [f"T.annotate_pass_configs({configs})"] if configs else []
        for line in (line for launch in self.launches for line in launch.lines()):
            asked = self.min_blocks and line.startswith("with T.Kernel(")
            lines += [line, f"    T.annotate_min_blocks_per_sm({self.min_blocks})"] if asked else [line]
        declared = ", ".join(t.declared() for t in inputs + outputs)
        return "\n".join(head + macros + ["@T.prim_func", f"def main({declared}):"] + ["    " + line for line in lines]) + "\n"

    def inputs(self, rng):
        return [stored(t.values(rng, t.shape), t.dtype) for t in self.tensors()[0]]

    def reference(self, inputs):
        own, outputs = self.tensors()
        env = {t.name: read(array, t.dtype) for t, array in zip(own, inputs)}
        for launch in self.launches:
            launch.run(env)
        return [stored(env[t.name], t.dtype) for t in outputs]

    def outputs(self):
        """Positions among the parameters."""
        inputs, outputs = self.tensors()
        return list(range(len(inputs), len(inputs) + len(outputs)))

    def simpler(self):
        """Pairs of functions: one makes this kernel smaller, one takes that back."""
        def setting(thing, field, now, value):
            return lambda: setattr(thing, field, value), lambda: setattr(thing, field, now)

        def leaving_out(launch, at):
            return lambda: self.launches.remove(launch), lambda: self.launches.insert(at, launch)
        for at, launch in enumerate(self.launches):
            if len(self.launches) > 1:
                yield leaving_out(launch, at)
        for field, value in (("min_blocks", 0), ("processors", None), ("units", None), ("configs", {}), ("same_names", False)):
            if getattr(self, field) != value:
                yield setting(self, field, getattr(self, field), value)
        for launch in self.launches:
            for field, now, value in launch.simpler():
                yield setting(launch, field, now, value)
