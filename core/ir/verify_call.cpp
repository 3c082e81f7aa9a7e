// SPDX-License-Identifier: Apache-2.0
// Statements in call form: where they may stand and what their fields name, from the field lists
// (node.h, `Is`); then what a kind asks for beyond that.
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/ir/verify_impl.h"

namespace tilelab {

template <class T> void Verifier::call_form(const T& n) {
  std::string called = T::kCall;
  T::fields([&](const char*, auto member, Is is = Is::plain) {
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(n.*member)>>)
      if (has(is, Is::callee)) called += name(n.*member);
  });
  at_its_place(n, called);
  T::fields([&](const char*, auto member, Is is = Is::plain) { field(n.*member, is, called); });
  more(n);
}

void Verifier::stmt(const Stmt& s) {
  if (!s) return;
  Span outer = here_;
  if (s->span.known()) here_ = s->span;
  visit(*s, [&](const auto& n) { statement(n); });
  here_ = outer;
}

void Verifier::at_its_place(const Node& n, const std::string& called) {
  if (n.kind == Kind::Record)
    in_kernel(called.c_str());
  else if (group(n.kind) == Group::tile || n.kind == Kind::Ring)
    tile_only(called.c_str());
  else if (group(n.kind) == Group::host)
    on_host(called.c_str());
}

void Verifier::field(const Expr& e, Is is, const std::string& of) {
  if (has(is, Is::updated)) {
    if (!as<Region>(e)) return rule("an operand of " + of + " is a region");
    before_ = e->type.dtype;
    return expr(e);
  }
  if (!e) {
    if (has(is, Is::positional) && !has(is, Is::optional))
      rule("an operand of " + of + " is missing");
    return;
  }
  if (has(is, Is::condition)) return boolean(e, of.c_str());
  expr(e);
  if (has(is, Is::typed) && e->type.dtype != before_)
    report(Diag::ir_type, e->span, to_string(e->type), name(before_));
}

void Verifier::field(const std::vector<Expr>& list, Is, const std::string&) { exprs(list); }

void Verifier::field(Symbol s, Is is, const std::string&) {
  if (!s) return;
  if (has(is, Is::buffer)) need(s, Entry::What::buffer, "a buffer");
  if (has(is, Is::ring)) need(s, Entry::What::ring, "a ring");
  if (has(is, Is::map)) need(s, Entry::What::map, "a tensor map");
  if (has(is, Is::value)) need(s, here_);
}

void Verifier::field(const std::vector<Symbol>& list, Is is, const std::string& of) {
  for (Symbol s : list) field(s, is, of);
}

// ---- beyond the fields

void Verifier::more(const View& n) {
  const Entry* of = find(n.buffer);
  declare(n.name,
          {Entry::What::buffer, {n.dtype}, n.shape.size(), of ? of->scope : Scope::global, false});
}

void Verifier::more(const Ring& n) {
  if (n.stages < 1) rule("a ring has at least one stage");
  declare(n.name, {Entry::What::ring, {}, 0, Scope::global, false});
}

void Verifier::more(const Var& n) {
  if (n.init && !n.init->type.scalar())
    rule("the first value of `" + n.name.str() + "` is a scalar");
  declare(n.name, {Entry::What::var, {n.dtype}, 0, Scope::global, false});
}

void Verifier::more(const Bind& n) {
  const Entry* tensor = find(n.buffer);
  if (tensor && (n.dim < 0 || n.dim >= static_cast<int64_t>(tensor->rank)))
    rule("`" + n.buffer.str() + "` has no dimension " + std::to_string(n.dim));
  if (n.times == 0) rule("`times` of bind is not 0");
}

void Verifier::more(const TensorMap& n) {
  if (n.dims.empty() || n.strides.size() + 1 != n.dims.size())
    rule("a tensor map has one stride less than dimensions");
  declare(n.name, {Entry::What::map, {}, 0, Scope::global, false});
}

void Verifier::more(const RingOp& n) {
  if (n.slot) declare_value(n.slot, {DType::i32});
}

void Verifier::more(const Record& n) {
  if (n.what == RecordKind::print) return;
  if (n.values.empty()) return rule("an assertion has a condition");
  boolean_type(n.values[0], "an assertion");
}

}  // namespace tilelab
