// SPDX-License-Identifier: Apache-2.0
// The terms of docs/glossary.md, which the build compiles in: `%explain WORD`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "views/models.h"

namespace tilelab {

const std::vector<GlossaryTerm>& glossary();

/// Every name of a term in lower case with hyphens: "bank-conflict".
std::vector<std::string> glossary_words();

/// Ignores case, a plural s, and separators (blanks, hyphens, underscores). Null if there is no
/// such term.
const GlossaryTerm* find_term(std::string_view words);

}  // namespace tilelab
