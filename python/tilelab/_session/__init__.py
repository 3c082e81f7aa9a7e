# SPDX-License-Identifier: Apache-2.0
"""Cells: what the C++ Session calls to run, finish, inspect and complete what a person types (`shell`)."""
