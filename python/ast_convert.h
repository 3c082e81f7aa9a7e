// SPDX-License-Identifier: Apache-2.0
// CPython's `ast` -> core/syntax's tree, with exact spans.
#pragma once

#include "core/syntax/tree.h"

namespace tilelab::python {

/// The tree of `node` (a PyObject* of module `ast`: Module, a statement or an expression); nodes
/// nested too deep in it become `unsupported`. Needs the GIL.
syntax::Tree convert_ast(void* node, FileId file);

}  // namespace tilelab::python
