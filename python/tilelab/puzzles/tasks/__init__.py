# SPDX-License-Identifier: Apache-2.0
"""The puzzles, a file each: 1 to 10 are the public ones in other words, the others lead on from there."""
