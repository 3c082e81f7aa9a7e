// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rewrites/rewrites.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/analysis/divergence.h"
#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {
namespace {

class OwnMemory {
 public:
  OwnMemory(const Kernel& kernel, FunctionRef<Symbol()> name) : varying_(kernel), name_(name) {
    for_each(
        *kernel.body, [&](const Buffer& buffer) { scopes_[buffer.name] = buffer.scope; },
        [&](const View& view) {
          if (auto of = scopes_.find(view.buffer); of != scopes_.end())
            scopes_[view.name] = Scope(of->second);
        });
  }

  Stmt visit(const Stmt& stmt, bool some) {
    if (const Copy* copy = as<Copy>(stmt); copy && some && is_own(copy->dst, copy->src)) {
      const Region& from = to<Region>(copy->src);
      return loops(stmt->span, to<Region>(copy->dst), &from, nullptr);
    }
    if (const Fill* fill = as<Fill>(stmt); fill && some && is_own(fill->dst, fill->dst))
      return loops(stmt->span, to<Region>(fill->dst), nullptr, fill->value);
    const bool branch = as<If>(stmt) || as<While>(stmt) || as<For>(stmt);
    const bool inside = some || (branch && varying_(*stmt));
    return map_stmts(stmt, [&](const Stmt& s) { return visit(s, inside); });
  }

 private:
  bool is(const Expr& side, Scope scope) const {
    auto found = scopes_.find(to<Region>(side).buffer);
    return found != scopes_.end() && found->second == scope;
  }

  bool is_own(const Expr& a, const Expr& b) const {
    return (is(a, Scope::local) || is(b, Scope::local)) && !is(a, Scope::fragment) &&
           !is(b, Scope::fragment);
  }

  /// Loops that fill `box` from `from`, element by element, or with one value.
  Stmt loops(Span span, const Region& box, const Region* from, Expr value) const {
    std::vector<std::pair<Symbol, int64_t>> vars;
    std::vector<RegionDim> target;
    for (const RegionDim& d : box.dims) {
      target.push_back(point(d.lo));
      if (d.extent == 1) continue;
      vars.emplace_back(name_(), d.extent);
      target.back().lo = offset_by(d.lo, name_ref(vars.back().first, {DType::i32}));
    }
    if (from) {
      std::vector<Expr> source;
      size_t next = 0;
      for (const RegionDim& d : from->dims) {
        source.push_back(d.lo);
        if (d.extent == 1) continue;
        CHECK(next < vars.size(), "a copy of other extents");
        source.back() = offset_by(d.lo, name_ref(vars[next++].first, {DType::i32}));
      }
      value = load(from->buffer, from->type.dtype, std::move(source));
    }
    Stmt body =
        tilelab::at(span, store(box.buffer, std::move(target), cast(box.type.dtype, value)));
    for (size_t d = vars.size(); d-- > 0;) {
      const auto& [var, extent] = vars[d];
      body =
          tilelab::at(span, for_loop(var, int_const(0), int_const(extent), body, LoopMode::unroll));
    }
    return body;
  }

  DivergenceAnalysis varying_;
  FunctionRef<Symbol()> name_;
  std::unordered_map<Symbol, Scope> scopes_;
};

/// Fragments whose elements hold a separate value in each thread.
class PrivateFragments {
 public:
  explicit PrivateFragments(const Kernel& kernel) : varying_(kernel) {
    visit(kernel.body, false, false);
    for (Symbol name : shared_) own_.erase(name);
  }
  const std::set<Symbol>& own() const { return own_; }

 private:
  void visit(const Stmt& stmt, bool some, bool parallel) {
    if (const Buffer* buffer = as<Buffer>(stmt); buffer && buffer->scope == Scope::fragment) {
      fragments_.insert(buffer->name);
      if (buffer->layout.known() || buffer->where.known()) shared_.insert(buffer->name);
    }
    if (const View* view = as<View>(stmt)) shared_.insert(view->buffer);
    for (const Effect& effect : effects(*stmt)) {
      if (!fragments_.count(effect.buffer)) continue;
      const bool divergent =  // the element index is thread-dependent
          std::any_of(effect.box.begin(), effect.box.end(),
                      [&](const RegionDim& dim) { return varying_(dim.lo); });
      if (!effect.element || parallel || divergent) shared_.insert(effect.buffer);
      if (effect.write && (some || varying_(*stmt))) own_.insert(effect.buffer);
    }
    const bool branch = as<If>(stmt) || as<While>(stmt) || as<For>(stmt);
    const bool inside = some || (branch && varying_(*stmt)), loop = parallel || as<Parallel>(stmt);
    map_stmts(stmt, [&](const Stmt& s) {
      visit(s, inside, loop);
      return s;
    });
  }

  DivergenceAnalysis varying_;
  std::set<Symbol> fragments_, own_, shared_;
};

}  // namespace

Stmt privatize_fragments(const Kernel& kernel) {
  const PrivateFragments found(kernel);
  if (found.own().empty()) return kernel.body;
  return rewrite_stmts(kernel.body, [&](const Stmt& s) -> Stmt {
    const Buffer* buffer = as<Buffer>(s);
    if (!buffer || !found.own().count(buffer->name)) return s;
    Buffer own(*buffer);
    own.scope = Scope::local;
    return make(std::move(own));
  });
}

Stmt expand_private_copies(const Kernel& kernel, FunctionRef<Symbol()> name) {
  const bool local =
      any_of(*kernel.body, [](const Buffer& buffer) { return buffer.scope == Scope::local; });
  return local ? OwnMemory(kernel, name).visit(kernel.body, false) : kernel.body;
}

}  // namespace tilelab::elaborate
