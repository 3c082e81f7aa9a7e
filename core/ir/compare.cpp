// SPDX-License-Identifier: Apache-2.0
#include "core/ir/compare.h"

#include <algorithm>

#include "core/ir/traverse.h"

namespace tilelab {
namespace {

template <class T> bool same(const T& a, const T& b) { return a == b; }
bool same(const Expr& a, const Expr& b) { return equal(a, b); }
bool same(const Stmt& a, const Stmt& b);
bool same(const ElementMap& a, const ElementMap& b);
bool same(const RegionDim& a, const RegionDim& b) {
  return a.extent == b.extent && a.point == b.point && equal(a.lo, b.lo);
}
template <class T> bool same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

bool same(const ElementMap& a, const ElementMap& b) {
  return a.names == b.names && a.extents == b.extents && same(a.places, b.places);
}

/// The statements of nested Seqs in order.
void flatten(const Node* stmt, std::vector<const Node*>& out) {
  if (const Seq* seq = as<Seq>(stmt)) {
    for (const Stmt& inner : seq->stmts) flatten(inner.get(), out);
  } else if (stmt) {
    out.push_back(stmt);
  }
}

std::vector<const Node*> flattened(const Node* stmt) {
  std::vector<const Node*> out;
  flatten(stmt, out);
  return out;
}

bool same_sequence(const Node* a, const Node* b) {
  auto xs = flattened(a), ys = flattened(b);
  return std::equal(xs.begin(), xs.end(), ys.begin(), ys.end(),
                    [](const Node* x, const Node* y) { return equal(*x, *y); });
}

bool same(const Stmt& a, const Stmt& b) {
  if (a.same(b)) return true;
  if (as<Seq>(a) || as<Seq>(b)) return same_sequence(a.get(), b.get());
  return a && b && equal(*a, *b);
}

/// FNV-1a over 64-bit words, finished by a multiply-shift.
struct Hasher {
  uint64_t state = 0xcbf29ce484222325u;

  void word(uint64_t value) {
    state = (state ^ value) * 0x100000001b3u;
    state ^= state >> 29;
  }
  void field(Symbol s) { field(s.str()); }  // by text: ids differ between runs
  void field(const std::string& s) {
    word(s.size());
    for (char c : s) word(static_cast<unsigned char>(c));
  }
  template <class T>
  requires std::is_integral_v<T> || std::is_enum_v<T>
  void field(T value) { word(static_cast<uint64_t>(value)); }
  void field(Type type) { word(static_cast<uint64_t>(type.dtype)), word(type.lanes); }
  void field(const Expr& expr) { word(expr ? hash(*expr) : 0); }
  void field(const Stmt& stmt) { word(stmt ? hash(*stmt) : 0); }
  void field(const RegionDim& d) { field(d.lo), word(d.extent), word(d.point); }
  void field(const Attr& a) {
    field(a.name), field(a.form), word(a.integer), field(a.string), field(a.list);
  }
  void field(const Digit& d) { word(d.kind), word(d.extent), word(d.stride); }
  void field(const Layout& l) { field(l.shape), field(l.dims), field(l.rep), word(l.base); }
  void field(const ElementMap& m) { field(m.names), field(m.places), field(m.extents); }
  void field(const Swizzle& s) { word(s.granule), word(s.line), word(s.mask); }
  template <class T> void field(const std::vector<T>& items) {
    word(items.size());
    for (const T& item : items) field(item);
  }
};

}  // namespace

bool equal(const Node& a, const Node& b) {
  if (&a == &b) return true;
  if (a.kind == Kind::Seq || b.kind == Kind::Seq) return same_sequence(&a, &b);
  if (a.kind != b.kind) return false;
  return visit(a, [&](const auto& x) {
    using T = std::remove_cvref_t<decltype(x)>;
    const auto& y = static_cast<const T&>(b);
    bool all = true;
    if constexpr (std::is_same_v<typename T::NodeBase, ExprNode>) all = x.type == y.type;
    T::fields(
        [&](const char*, auto member, Is = Is::plain) { all = all && same(x.*member, y.*member); });
    return all;
  });
}

uint64_t hash(const Node& node) {
  Hasher hasher;
  if (node.kind == Kind::Seq) {
    auto stmts = flattened(&node);
    if (stmts.size() == 1) return hash(*stmts[0]);
    for (const Node* stmt : stmts) hasher.word(hash(*stmt));
    return stmts.empty() ? 0 : hasher.state;
  }
  hasher.field(node.kind);
  visit(node, [&](const auto& n) {
    using T = std::remove_cvref_t<decltype(n)>;
    if constexpr (std::is_same_v<typename T::NodeBase, ExprNode>) hasher.field(n.type);
    T::fields([&](const char*, auto member, Is = Is::plain) { hasher.field(n.*member); });
  });
  return hasher.state;
}

}  // namespace tilelab
