# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels: what can be called and looked at, their names, what they show, how they are checked."""
