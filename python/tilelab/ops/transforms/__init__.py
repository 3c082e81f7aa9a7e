# SPDX-License-Identifier: Apache-2.0
"""Transforms and convolutions."""
