# SPDX-License-Identifier: Apache-2.0
"""Attention: softmax(q kᵀ scale) v, without a tensor of the scores."""
