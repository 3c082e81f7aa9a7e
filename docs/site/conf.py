# SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration of the documentation site; its pages are written by pages.py."""

project = "tilelab"
copyright = "the tilelab authors, Apache-2.0"
html_title = "tilelab"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 3
myst_enable_extensions = ["attrs_inline", "dollarmath"]
highlight_language = "text"
pygments_style = "default"
pygments_dark_style = "monokai"
exclude_patterns = ["_static"]
# Code is highlighted as far as it is Python; pages may start with headings of the third level.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
