// SPDX-License-Identifier: Apache-2.0
#include "core/syntax/tree.h"

#include <algorithm>

#include "core/support/check.h"
#include "core/support/text.h"

namespace tilelab::syntax {
namespace {

constexpr const char* kind_names[] = {"module",
                                      "function",
                                      "with",
                                      "for",
                                      "while",
                                      "if",
                                      "assign",
                                      "annotated_assign",
                                      "augmented_assign",
                                      "expression",
                                      "return",
                                      "assert",
                                      "del",
                                      "pass",
                                      "break",
                                      "continue",
                                      "name",
                                      "integer",
                                      "float",
                                      "string",
                                      "bool",
                                      "None",
                                      "Ellipsis",
                                      "unary",
                                      "binary",
                                      "compare",
                                      "logical",
                                      "if_else",
                                      "call",
                                      "attribute",
                                      "subscript",
                                      "slice",
                                      "tuple",
                                      "list",
                                      "dict",
                                      "lambda",
                                      "comprehension",
                                      "fstring",
                                      "parameter",
                                      "with_item",
                                      "keyword",
                                      "starred",
                                      "named",
                                      "yield",
                                      "clause",
                                      "formatted",
                                      "unsupported"};

constexpr const char* op_texts[] = {"",       "-",   "+",  "~",  "not", "+",  "-",  "*",      "/",
                                    "//",     "%",   "**", "@",  "<<",  ">>", "&",  "|",      "^",
                                    "==",     "!=",  "<",  "<=", ">",   ">=", "is", "is not", "in",
                                    "not in", "and", "or", "",   "",    "",   "",   ""};

/// The kind of a parameter, in the notation of `dump`.
const char* binding_name(Op op) {
  switch (op) {
    case Op::positional_only: return "/";
    case Op::var_positional: return "*";
    case Op::keyword_only: return "kw";
    case Op::var_keyword: return "**";
    default: return "";
  }
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

void dump_to(const Tree& tree, std::string& out);

void dump_list(const char* label, const Trees& trees, std::string& out) {
  if (trees.empty()) return;
  if (*label) out += std::string(" (") + label;
  for (const Tree& tree : trees) {
    out += ' ';
    dump_to(tree, out);
  }
  if (*label) out += ')';
}

/// The slots without trees.
void dump_values(const Node& node, std::string& out) {
  if (node.kind == Kind::parameter) {
    if (*binding_name(node.op)) out += std::string(" ") + binding_name(node.op);
  } else if (node.op != Op::none) {
    out += ' ';
    out += op_text(node.op);
  }
  for (Op op : node.ops) {
    out += ' ';
    out += op_text(op);
  }
  if (node.name) out += ' ' + node.name.str();
  if (node.kind == Kind::integer || node.kind == Kind::boolean)
    out += ' ' + to_decimal(node.integer);
  if (node.kind == Kind::floating) out += ' ' + shortest(node.number);
  if (node.kind == Kind::string) out += ' ' + quoted(node.text);
}

void dump_to(const Tree& tree, std::string& out) {
  if (!tree) {
    out += '_';
    return;
  }
  out += '(';
  out += kind_name(tree->kind);
  dump_values(*tree, out);
  dump_list("", tree->parts, out);
  dump_list("", tree->list, out);
  dump_list("decorators", tree->decorators, out);
  dump_list("body", tree->body, out);
  dump_list("else", tree->orelse, out);
  out += ')';
}

bool equal_all(const Trees& a, const Trees& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Tree& x, const Tree& y) { return equal(x, y); });
}

/// Bitwise, so that a NaN equals itself and -0.0 differs from 0.0.
bool same_number(double a, double b) { return __builtin_memcmp(&a, &b, sizeof a) == 0; }

int depth_of(const Trees& trees) {
  int depth = 0;
  for (const Tree& tree : trees)
    if (tree) depth = std::max<int>(depth, tree->depth);
  return depth;
}

}  // namespace

void destroy(const Node* node) { delete node; }

Tree make(Draft draft) {
  Node* node = new Node(std::move(draft));
  int below = std::max({depth_of(node->parts), depth_of(node->list), depth_of(node->body),
                        depth_of(node->orelse), depth_of(node->decorators)});
  node->depth = static_cast<uint16_t>(std::min(below + 1, 65535));
  return Tree(node);
}

bool equal(const Tree& a, const Tree& b) {
  if (a.same(b)) return true;
  if (!a || !b) return false;
  bool numbers = a->kind == Kind::integer || a->kind == Kind::floating;
  return a->kind == b->kind && a->op == b->op && a->name == b->name &&
         (numbers || a->text == b->text) && a->integer == b->integer &&
         same_number(a->number, b->number) && a->ops == b->ops && equal_all(a->parts, b->parts) &&
         equal_all(a->list, b->list) && equal_all(a->body, b->body) &&
         equal_all(a->orelse, b->orelse) && equal_all(a->decorators, b->decorators);
}

std::string_view kind_name(Kind kind) { return kind_names[static_cast<int>(kind)]; }
std::string_view op_text(Op op) { return op_texts[static_cast<int>(op)]; }

std::string dump(const Tree& tree) {
  std::string out;
  dump_to(tree, out);
  return out;
}

std::string to_decimal(Int value) {
  unsigned __int128 rest = value < 0 ? -static_cast<unsigned __int128>(value) : value;
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest);
  if (value < 0) digits += '-';
  return {digits.rbegin(), digits.rend()};
}

}  // namespace tilelab::syntax
