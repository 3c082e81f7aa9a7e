# SPDX-License-Identifier: Apache-2.0
"""Rows of tables, and positions."""
