// SPDX-License-Identifier: Apache-2.0
#include "core/ir/node.h"

#include "core/ir/traverse.h"

namespace tilelab {
namespace {

struct NodeRow {
  const char* name;
  Group group;
};

constexpr NodeRow kNodes[] = {
#define NODE(kind, group) {#kind, Group::group},
#include "core/ir/nodes.def"
#undef NODE
};

struct OperatorRow {
  const char* text;
  int precedence;
};

constexpr const char* kUnTexts[] = {
#define UNOP(id, text) text,
#include "core/ir/operators.def"
#undef UNOP
};

constexpr OperatorRow kBinRows[] = {
#define BINOP(id, text, precedence) {text, precedence},
#include "core/ir/operators.def"
#undef BINOP
};

Attr named(Symbol name, Attr::Form form) {
  Attr out;
  out.name = name;
  out.form = form;
  return out;
}

}  // namespace

const char* name(Kind kind) { return kNodes[static_cast<int>(kind)].name; }
void wrong_kind(Kind expected) {
  UNREACHABLE(std::string("expected a node of kind ") + name(expected));
}
Group group(Kind kind) { return kNodes[static_cast<int>(kind)].group; }

void destroy(const Node* node) {
  visit(*node, [](const auto& n) { delete &n; });
}

const char* text(UnOp op) { return kUnTexts[static_cast<int>(op)]; }
const char* text(BinOp op) { return kBinRows[static_cast<int>(op)].text; }
int precedence(BinOp op) { return kBinRows[static_cast<int>(op)].precedence; }

const char* text(VecOp op) {
  constexpr const char* kTexts[] = {"broadcast", "extract", "concat", "list"};
  return kTexts[static_cast<int>(op)];
}

Attr attr(Symbol name, int64_t value) {
  Attr out = named(name, Attr::Form::integer);
  out.integer = value;
  return out;
}
Attr attr(Symbol name, int value) { return attr(name, static_cast<int64_t>(value)); }
Attr attr(Symbol name, bool value) {
  Attr out = named(name, Attr::Form::boolean);
  out.integer = value;
  return out;
}
Attr attr(Symbol name, std::string value) {
  Attr out = named(name, Attr::Form::string);
  out.string = std::move(value);
  return out;
}
Attr attr(Symbol name, const char* value) { return attr(name, std::string(value)); }
Attr attr(Symbol name, std::vector<int64_t> value) {
  Attr out = named(name, Attr::Form::list);
  out.list = std::move(value);
  return out;
}

const Attr* find_attr(const std::vector<Attr>& attrs, Symbol name) {
  for (const Attr& a : attrs)
    if (a.name == name) return &a;
  return nullptr;
}

}  // namespace tilelab
