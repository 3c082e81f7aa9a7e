// SPDX-License-Identifier: Apache-2.0
// Text -> IR: reads what core/ir/text/print.h writes, and what people write in that form, at all
// three levels. Nothing is folded but expressions of `const` names, so read(print(x)) equals x.
#pragma once

#include <string_view>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"
#include "core/syntax/tree.h"

namespace tilelab {

/// The functions of an IR text, which is registered as the source `name`; empty after an error.
/// Statements with a trailing `# @cell:line:col` have that place as their span, with `# @` none,
/// others their own in the text. What a level allows is the verifier's business
/// (core/ir/verify/verify.h).
std::vector<FuncRef> read_ir_file(std::string_view name, std::string_view text, Diagnostics& sink);

/// The only function of the text; null after an error or if there is not exactly one.
FuncRef read_ir(std::string_view name, std::string_view text, Diagnostics& sink);

/// True where the text begins with an `ir(...)` header: it is IR, not Python.
bool looks_like_ir(std::string_view text);

}  // namespace tilelab
