# SPDX-License-Identifier: Apache-2.0
"""Operators that compute each element of the result from one element of each operand."""
