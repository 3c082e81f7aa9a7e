# SPDX-License-Identifier: Apache-2.0
"""Operators with random numbers, which a seed determines."""
