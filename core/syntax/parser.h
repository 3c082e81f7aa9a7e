// SPDX-License-Identifier: Apache-2.0
// Text -> syntax tree, for IR text and for tests; user code is parsed by CPython instead.
#pragma once

#include <string>
#include <string_view>

#include "core/diagnostics/diagnostics.h"
#include "core/syntax/tree.h"

namespace tilelab::syntax {

/// The module in `text`, which is registered as the source `name`. Null after an error; only the
/// first is reported. Never throws on invalid text.
Tree parse(std::string_view name, std::string_view text, Diagnostics& sink);

/// The location in a trailing comment ` @3:7:9` (cell 3, line 7, column 9) or ` @a.py:7:9`; unknown
/// for any other comment, kNowhere for ` @`. The span extends to the end of its line.
Span parse_origin(std::string_view comment);
/// "@3:7:9": the inverse of parse_origin; "@" for an unknown location.
std::string origin_text(const Span& span);

}  // namespace tilelab::syntax
