# SPDX-License-Identifier: Apache-2.0
"""The cells of a tutorial, and what each must show, wherever it runs."""

import json
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIRST = os.path.join(ROOT, "tutorials", "01-first-kernel.ipynb")

# For each code cell: texts of its output. Figures that a change of the compiler may move (times,
# numbers of lines) are not among them; a layout's answer is checked for its form.
EXPECTED = [
    [],
    [],
    ["True"],
    ["scale#1[M=256, N=128]@mp_31:", "bounds and order proved for 8 blocks, 2 simulated at tile, thread and flat level",
     "no race"],
    ["scale#1[M=256, N=128]@mp_31   128 threads", "canonicalize",
     "1 multiply-add contracted", "infer_layouts", "simplify"],
    ["after infer_layouts, tile level", "B_local = fragment(f32, [64, 64], lay=["],
    ["schedule_pipelines -> infer_layouts", "-         B_local = fragment(f32, [64, 64])",
     "+         B_local = fragment(f32, [64, 64], lay=["],
    ["B_local[17, 40]  ->  warp ", "fragment over 128 threads with 32 registers each"],
    ['#include "tl_device.h"', "__launch_bounds__(128, 1)", "tl_fma("],
    ["scale#1[M=256, N=128]@mp_31", "ran"],
]


def code_cells():
    with open(FIRST) as file:
        cells = json.load(file)["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def missing(number, shown):
    """Expected texts that cell `number` does not show."""
    return [text for text in EXPECTED[number] if text not in shown]
