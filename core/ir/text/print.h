// SPDX-License-Identifier: Apache-2.0
// IR -> text in the DSL's own syntax, at every level. core/ir_text/ir_text.h parses it:
// read(print(x)) equals x. Names print unchanged; the verifier requires that they are unique.
//
// A literal prints bare if its dtype is the default (i32, f32) or implied by the context (the other
// operand, the buffer), otherwise as f16(0.5); ir_text/expressions.cpp applies the same rule.
#pragma once

#include <string>
#include <vector>

#include "core/ir/func.h"

namespace tilelab {

struct PrintOptions {
  bool spans = false;  // `# @cell:line:col` after each statement, `# @` if unknown
};

/// One line of a printed function, for views that map lines to nodes and to the source.
struct PrintedLine {
  int indent = 0;  // levels of four spaces
  std::string text;
  Span span;                   // of the node, may be unknown
  const Node* node = nullptr;  // the statement that starts here; null for `else:` and `pass`
};

/// Header line, `def` line, body.
std::vector<PrintedLine> print_lines(const Func& func);
std::string to_text(const std::vector<PrintedLine>& lines, const PrintOptions& options = {});
std::string print(const Func& func, const PrintOptions& options = {});

/// Prints an expression for messages; regions include all their slices.
std::string print(const Expr& expr);

/// A double-quoted Python literal.
std::string quote(std::string_view text);
/// The shortest decimal that reads back as these bits, "inf(f32)", or "bits(f32, 0x7fc00001)".
std::string float_text(DType dtype, uint64_t bits);

}  // namespace tilelab
