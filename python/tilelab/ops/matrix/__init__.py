# SPDX-License-Identifier: Apache-2.0
"""Matrix multiplication in its forms."""
