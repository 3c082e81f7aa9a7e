# SPDX-License-Identifier: Apache-2.0
"""Narrow integers in place of floats, with scales."""
