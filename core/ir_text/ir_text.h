// SPDX-License-Identifier: Apache-2.0
// Text -> IR: parses the output of core/ir/text/print.h, and hand-written text in that form, at all
// three levels. Only expressions of `const` names are folded, so read(print(x)) equals x.
#pragma once

#include <string_view>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab {

/// The functions of an IR text, which is registered as the source `name`; empty after an error. The
/// span of a statement is its trailing `# @cell:line:col`, unknown for `# @`, otherwise its
/// location in the text. The rules of a level are checked by the verifier
/// (core/ir/verify/verify.h).
std::vector<FuncRef> read_ir_file(std::string_view name, std::string_view text, Diagnostics& sink);

/// The only function of the text; null after an error or if there is not exactly one.
FuncRef read_ir(std::string_view name, std::string_view text, Diagnostics& sink);

/// True if the text starts with an `ir(...)` header: it is IR, not Python.
bool has_ir_header(std::string_view text);

}  // namespace tilelab
