// SPDX-License-Identifier: Apache-2.0
// Text -> syntax tree, for IR text and for tests; user code comes from CPython's parser instead.
#pragma once

#include <string>
#include <string_view>

#include "core/diagnostics/diagnostics.h"
#include "core/syntax/tree.h"

namespace tilelab::syntax {

/// The module in `text`, which is registered as the source `name`. Null after an error, of which
/// the first is reported. Never throws on bad text.
Tree parse(std::string_view name, std::string_view text, Diagnostics& sink);

/// The place that a trailing comment ` @3:7:9` (cell 3, line 7, column 9) or ` @a.py:7:9` names;
/// unknown if it is another comment, kNowhere for ` @`. The span reaches to the end of its line.
Span parse_origin(std::string_view comment);
/// "@3:7:9": what parse_origin reads; "@" for an unknown place.
std::string origin_text(const Span& span);

}  // namespace tilelab::syntax
