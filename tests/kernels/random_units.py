# SPDX-License-Identifier: Apache-2.0
"""Random kernels whose products, loops and copies the machine's own units may take."""
import random_matrices
from random_expressions import pick
from random_kernel import ExactKernel, Tile


class UnitsKernel(ExactKernel):
    """Tiles as matrix instructions have them, rows of 16 bytes for the copy engines more often than not."""
    rows, columns, counts = (16, 32, 64, 64), (8, 8, 16, 16, 32, 64), (32, 128, 128, 256)
    formats, depths = ("float16", "float16", "float32", "int8", "uint8"), (8, 16, 16, 32, 64)
    operands = ("float16", "float16", "bfloat16", "bfloat16", "float32", "float8_e4m3fn", "int8")
    configs = {"tilelab.hardware_units": True}

    def width(self):
        any_width = super().width()
        return any_width if self.rng.random() < 0.3 else -(-any_width // 16) * 16

    def sums(self):
        return [Tile(f"f{len(self.tiles)}", "fragment", "ij", pick(self.rng, ("float32", "float32", "int32")))]

    def statement(self, depth):
        made = pick(self.rng, random_matrices.MAKERS)(self) if self.rng.random() < 0.7 else None
        return made or super().statement(depth)
