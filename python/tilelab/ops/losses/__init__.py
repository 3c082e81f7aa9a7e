# SPDX-License-Identifier: Apache-2.0
"""Softmax and the losses that are made of it."""
