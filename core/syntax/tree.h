// SPDX-License-Identifier: Apache-2.0
// The syntax tree of the Python subset for kernels and IR texts. Two producers: this parser (IR
// text) and python/ (from CPython's `ast`); one consumer: core/elaborate.
//
// One node type with the same few slots for every kind, so that traversal, comparison and dumping
// are generic. The rows of `Kind` document the slots. Nodes are immutable after `make` and shared;
// an absent optional part is a null Tree.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/ref.h"
#include "core/support/span.h"
#include "core/support/symbol.h"

namespace tilelab::syntax {

struct Node;
using Tree = Ref<const Node>;
using Trees = std::vector<Tree>;
using Int = __int128;  // an integer constant; larger ones become `unsupported`

/// "p[i]" is parts[i]; "?" marks an optional part.
enum class Kind : uint8_t {
  // Statements.
  module,            // body
  function,          // name; p[0] return annotation?; list: parameter...; decorators; body
  with,              // list: with_item...; body
  for_,              // p[0] target, p[1] iterable; body; orelse
  while_,            // p[0] test; body; orelse
  if_,               // p[0] test; body; orelse (an elif is an if_ alone in orelse)
  assign,            // list: target... (a = b = v has two); p[0] value
  annotated_assign,  // p[0] target, p[1] annotation, p[2] value?
  augmented_assign,  // op; p[0] target, p[1] value
  expression,        // p[0] value: an expression used as a statement
  return_,           // p[0] value?
  assert_,           // p[0] test, p[1] message?
  delete_,           // list: target...
  pass,
  break_,
  continue_,
  // Expressions.
  name,      // name
  integer,   // integer (never negative: -1 is a unary), text as written
  floating,  // number (nearest double), text as written
  string,    // text: the value in UTF-8; adjacent literals are joined
  boolean,   // integer: 0 or 1
  none,
  ellipsis,
  unary,          // op (neg, pos, invert, not_); p[0] operand
  binary,         // op; p[0] left, p[1] right
  compare,        // list: operands; ops: one fewer
  logical,        // op (and_, or_); list: two or more operands
  if_else,        // p[0] value if true, p[1] test, p[2] value if false (in source order)
  call,           // p[0] callee; list: plain expressions, starred, keyword, in source order
  attribute,      // p[0] value; name
  subscript,      // p[0] value, p[1] index (a tuple if there are several)
  slice,          // p[0] lower?, p[1] upper?, p[2] step?
  tuple,          // list
  list,           // list
  dict,           // list: key, value, key, value...; a null key is **value
  lambda,         // list: parameter...; p[0] result
  comprehension,  // of a list: p[0] element; list: clause...
  fstring,        // list: string and formatted, in order
  // Parts of the above.
  parameter,    // name; op: its kind; p[0] annotation?, p[1] default?
  with_item,    // p[0] context, p[1] target?
  keyword,      // name ("" for **value); p[0] value
  starred,      // p[0] value
  named,        // `:=`: p[0] target, p[1] value
  yield_,       // p[0] value?, which is starred after `yield from`
  clause,       // p[0] target, p[1] iterable; list: conditions
  formatted,    // of an f-string: p[0] value, p[1] format?: an fstring; name: "", "r", "s" or "a"
  unsupported,  // name: its name for users ("class", "yield"); no other contents
};

/// Operators, and kinds of parameters.
enum class Op : uint8_t {
  none,
  neg,
  pos,
  invert,
  not_,
  add,
  sub,
  mul,
  div,
  floordiv,
  mod,
  pow,
  matmul,
  shl,
  shr,
  bit_and,
  bit_or,
  bit_xor,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  is,
  is_not,
  in,
  not_in,
  and_,
  or_,
  positional_only,
  positional,
  var_positional,
  keyword_only,
  var_keyword,
};

/// Origin of a line whose comment states that it has no source location.
inline constexpr Span kNowhere{0, 0, 1, 0, 0};
/// Whether a line's comment states an origin, even an unknown one.
inline bool has_origin(const Span& origin) { return origin.known() || origin == kNowhere; }

/// The contents of a node; `make` freezes them.
struct Draft {
  Kind kind = Kind::pass;
  Span span;
  Op op = Op::none;
  Symbol name;
  std::string text;
  Int integer = 0;
  double number = 0;
  Trees parts, list, body, orelse, decorators;
  std::vector<Op> ops;
  Span origin;  // of a statement of IR text: its trailing `# @cell:line:col`
};

struct Node : Draft {
  explicit Node(Draft draft) : Draft(std::move(draft)) {}

  mutable std::atomic<uint32_t> refs = 0;
  uint16_t depth = 1;  // of the tree below, this node included; saturates

  const Node& part(size_t i) const { return *parts[i]; }
  bool has_part(size_t i) const { return i < parts.size() && static_cast<bool>(parts[i]); }
  /// The plain name `text`.
  bool is_name(std::string_view text) const { return kind == Kind::name && name.str() == text; }
};

/// Calls f(node) for an expression and all expressions in it, outermost first.
template <class F> void for_each(const Node& expression, F&& f) {
  f(expression);
  for (const Trees* trees : {&expression.parts, &expression.list})
    for (const Tree& tree : *trees)
      if (tree) for_each(*tree, f);
}

void destroy(const Node* node);

/// The parser (and every other producer) rejects deeper trees, so that consumers may recurse.
constexpr int max_depth = 400;

Tree make(Draft draft);

/// Same structure and values; ignores spans, origins and the spelling of numbers.
bool equal(const Tree& a, const Tree& b);

/// "binary", "if"...: the kind in messages.
std::string_view kind_name(Kind kind);
/// "+", "not in"...: as in source; empty for Op::none and parameter kinds.
std::string_view op_text(Op op);
/// One line per tree as an s-expression, for tests: `(binary + (name a) (integer 1))`.
std::string dump(const Tree& tree);
std::string to_decimal(Int value);

}  // namespace tilelab::syntax
