# SPDX-License-Identifier: Apache-2.0
"""The Python side of the C++ Session: runs, completes and inspects cells (`shell`)."""
