// SPDX-License-Identifier: Apache-2.0
// CPython's `ast` -> core/syntax's tree, with exact spans.
#pragma once

#include <vector>

#include "core/syntax/tree.h"

namespace tilelab::python {

/// The tree of `node` (a PyObject* of module `ast`: Module, a statement or an expression); nodes
/// nested too deep in it become `unsupported`. `lines`: for generated text, the span of each of its
/// lines, which all nodes of the line get. Needs the GIL.
syntax::Tree convert_ast(void* node, FileId file, const std::vector<Span>& lines = {});

}  // namespace tilelab::python
