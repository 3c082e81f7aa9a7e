# SPDX-License-Identifier: Apache-2.0
"""Mixture of experts: which expert a token goes to, and the products of all experts."""
