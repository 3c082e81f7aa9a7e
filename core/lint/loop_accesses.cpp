// SPDX-License-Identifier: Apache-2.0
#include "core/lint/loop_accesses.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/path_conditions.h"
#include "core/ir/build.h"
#include "core/ir/text/print.h"

namespace tilelab {
namespace {

using How = TurnAccess::How;

class TurnReader {
 public:
  TurnReader(const For& loop, const BufferTable& buffers, const RangeAnalysis& facts,
             const Substitution& lets)
      : buffers_(buffers), facts_(facts), lets_(lets) {
    moving_.insert(loop.var);
    visit(loop.body);
  }

  Turn out;

 private:
  /// A loop inside: its variable goes through [lo, lo + extent).
  struct Inner {
    int64_t lo = 0, extent = 0;
  };

  void visit(const Stmt& stmt) {
    if (const Seq* list = as<Seq>(stmt)) {
      for (const Stmt& one : list->stmts) visit(one);
      return;
    }
    if (const Buffer* made = as<Buffer>(stmt)) out.declared.push_back(made->name);
    if (const Var* made = as<Var>(stmt)) out.declared.push_back(made->name);
    touches(*stmt);
    if (const Let* let = as<Let>(stmt)) return bind(*let);
    const size_t deciding = around_.size();
    for_each_child(
        *stmt, [&](const Expr& e) { gather(e, around_); }, [](const Stmt&) {});
    const bool sure = sure_;
    const Node* within = within_;
    enter(stmt);
    for_each_child(
        *stmt, [](const Expr&) {}, [&](const Stmt& s) { visit(s); });
    sure_ = sure, within_ = within;
    around_.resize(deciding);
  }

  void bind(const Let& let) {
    gather(let.value, of_let_[let.name]);
    const Expr value = substitute(let.value, lets_);
    if (is_smaller(*value, kLongestLet))
      lets_[let.name] = value;
    else
      moving_.insert(let.name);
  }

  void enter(const Stmt& stmt) {
    if (stmt->kind == Kind::If || stmt->kind == Kind::While) sure_ = false;
    if (const Parallel* loop = as<Parallel>(stmt))
      for (size_t i = 0; i < loop->vars.size(); ++i)
        inner(loop->vars[i], 0, int_value(loop->extents[i]));
    const For* loop = as<For>(stmt);
    if (!loop) return;
    if (!within_) within_ = loop;
    const Range turns = facts_.range(sub(loop->hi, loop->lo));
    sure_ &= loop->steps.empty() && is_int(loop->step, 1) && turns.lo >= 1;
    const auto lo = int_value(loop->lo), hi = int_value(loop->hi);
    if (lo && hi && loop->steps.empty() && is_int(loop->step, 1))
      inner(loop->var, *lo, *hi - *lo);
    else
      moving_.insert(loop->var);
  }

  void inner(Symbol var, int64_t lo, std::optional<int64_t> extent) {
    if (extent)
      inner_[var] = {lo, *extent};
    else
      moving_.insert(var);
  }

  /// Names of memory, and of what changes from turn to turn, that an expression has.
  void gather(const Expr& e, std::vector<Symbol>& into) const {
    walk(*e, [&](const Node& node) {
      if (const Load* load = as<Load>(&node)) into.push_back(load->buffer);
      if (const Region* region = as<Region>(&node)) into.push_back(region->buffer);
      const Name* name = as<Name>(&node);
      if (!name) return true;
      into.push_back(name->id);
      if (auto let = of_let_.find(name->id); let != of_let_.end())
        into.insert(into.end(), let->second.begin(), let->second.end());
      return true;
    });
  }

  void touches(const Node& stmt) {
    TurnAccess access;
    access.by = &stmt, access.span = stmt.span, access.sure = sure_;
    access.within = within_;
    access.from = around_;
    for_each_child(
        stmt, [&](const Expr& e) { gather(e, access.from); }, [](const Stmt&) {});
    names(stmt, access);
    const std::vector<Effect> effects = tilelab::effects(stmt);
    const Region* anew = begun_by(stmt);
    auto memory = [&](const Effect& effect, How how) {
      access.memory = effect.buffer, access.how = how;
      access.place = place(effect.box), access.whole = whole(effect);
      access.constant = how == How::write && is_constant(stmt);
      out.accesses.push_back(access);
    };
    auto same = [&](const Effect& a, const Effect& b) {
      return a.buffer == b.buffer && !place(a.box).empty() && place(a.box) == place(b.box);
    };
    for (const Effect& effect : effects) {
      if (effect.write || effect.scratch) continue;
      const bool written = std::any_of(effects.begin(), effects.end(), [&](const Effect& other) {
        return other.write && same(effect, other);
      });
      if (!written) memory(effect, How::read);
    }
    for (const Effect& effect : effects) {
      if (!effect.write || effect.scratch) continue;
      const bool read = std::any_of(effects.begin(), effects.end(), [&](const Effect& other) {
        return !other.write && same(effect, other);
      });
      const bool adds = (read && !(anew && effect.region == anew)) || effect.atomic;
      memory(effect, adds ? How::update : How::write);
    }
  }

  /// What a product or a reduction writes without regard to what it holds; null: nothing.
  static const Region* begun_by(const Node& stmt) {
    const Gemm* gemm = as<Gemm>(&stmt);
    if (gemm && is_const(gemm->clear) && !is_int(gemm->clear, 0)) return as<Region>(gemm->c);
    const Reduce* reduce = as<Reduce>(&stmt);
    return reduce && reduce->clear ? as<Region>(reduce->dst) : nullptr;
  }

  /// Variables that the statement's own expressions name, and the one that it assigns.
  void names(const Node& stmt, TurnAccess access) {
    const Assign* assign = as<Assign>(&stmt);
    access.place = "variable", access.whole = true;
    bool itself = false;
    for_each_child(
        stmt,
        [&](const Expr& e) {
          walk(*e, [&](const Node& node) {
            const Name* name = as<Name>(&node);
            if (!name) return true;
            if (assign && name->id == assign->name) return itself = true;
            access.memory = name->id, access.how = How::read;
            out.accesses.push_back(access);
            return true;
          });
        },
        [](const Stmt&) {});
    if (!assign) return;
    moving_.insert(assign->name);
    access.memory = assign->name, access.how = itself ? How::update : How::write;
    access.constant = !itself && is_const(assign->value);
    out.accesses.push_back(access);
  }

  bool is_constant(const Node& stmt) const {
    const Fill* fill = as<Fill>(&stmt);
    const Store* store = as<Store>(&stmt);
    const Expr value = fill ? fill->value : store ? store->value : nullptr;
    if (!value) return false;
    bool plain = true;
    walk(*value, [&](const Node& node) {
      plain &= node.kind != Kind::Load && node.kind != Kind::Region && node.kind != Kind::Name;
      return plain;
    });
    return plain;
  }

  /// "bx * 32 + 32, 0 + 64": where each dimension begins, and how far it goes.
  std::string place(const std::vector<RegionDim>& box) const {
    std::string text;
    std::set<Symbol> used;
    for (const RegionDim& dim : box) {
      Linear sum = linear_of(substitute(dim.lo, lets_));
      int64_t extent = dim.extent;
      for (const auto& [var, range] : inner_) {
        const int64_t by = sum.coefficient(var);
        if (by == 0) continue;
        if (by != 1 || extent != 1 || !used.insert(var).second) return "";
        extent = range.extent;
        std::erase_if(sum.terms, [&, name = var](const Linear::Term& term) {
          const Name* atom = as<Name>(term.atom);
          return atom && atom->id == name;
        });
        sum.constant += range.lo;
      }
      const Expr base = expr_of(sum, dim.lo->type.dtype);
      if (!stands_still(*base)) return "";
      text += print(base) + " + " + std::to_string(extent) + ", ";
    }
    return text;
  }

  bool stands_still(const Node& e) const {
    bool still = true;
    walk(e, [&](const Node& node) {
      const Name* name = as<Name>(&node);
      still &= node.kind != Kind::Load && node.kind != Kind::Region &&
               !(name && (moving_.count(name->id) || inner_.count(name->id)));
      return still;
    });
    return still;
  }

  bool whole(const Effect& effect) const {
    auto found = buffers_.find(effect.buffer);
    if (found == buffers_.end()) return false;
    std::vector<RegionDim> all;
    for (const Expr& extent : found->second->shape) {
      const auto value = int_value(extent);
      if (!value) return false;
      all.push_back(slice(int_const(0), *value));
    }
    return place(all) == place(effect.box);
  }

  const BufferTable& buffers_;
  RangeAnalysis facts_;
  Substitution lets_;
  std::set<Symbol> moving_;
  std::map<Symbol, Inner> inner_;
  std::map<Symbol, std::vector<Symbol>> of_let_;  // what the value of a let is made of
  std::vector<Symbol> around_;                    // what the conditions around are made of
  bool sure_ = true;
  const Node* within_ = nullptr;
};

}  // namespace

Turn turn_of(const For& loop, const BufferTable& buffers, const RangeAnalysis& facts,
             const Substitution& lets) {
  return std::move(TurnReader(loop, buffers, facts, lets).out);
}

}  // namespace tilelab
