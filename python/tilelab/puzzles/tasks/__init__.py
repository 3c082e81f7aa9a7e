# SPDX-License-Identifier: Apache-2.0
"""The puzzles, one file each: 1 to 10 rephrase the public ones, the others continue from there."""
