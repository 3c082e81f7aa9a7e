# SPDX-License-Identifier: Apache-2.0
"""Steps of optimizers, which write parameters and their state in place."""
