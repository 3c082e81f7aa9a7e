# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest, `-p all_operators`: defines every operator of tilelab.ops before tests run (torch_tests.py)."""
import tilelab.ops

tilelab.ops.define("")
