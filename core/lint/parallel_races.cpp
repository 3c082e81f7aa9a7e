// SPDX-License-Identifier: Apache-2.0
// Iterations of a T.Parallel that meet in an element of shared or global memory: one reads what
// another writes, several update one element, or give it different values. Iterations have no
// order, but a plain run has one, so nothing else tells. Some iterations of each loop are run with
// what is known (iterations.h), in the first turn of the loops around, a later one and the last;
// told is what two of them surely do, and an update of elements that data choose.
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/analysis/bindings.h"
#include "core/analysis/effects.h"
#include "core/diagnostics/usage.h"
#include "core/ir/build.h"
#include "core/ir/linear.h"
#include "core/lint/lints.h"
#include "core/lint/sampled_iterations.h"

namespace tilelab {
namespace {

/// Whether all iterations do one thing to elements of their own: accesses of a buffer by one index,
/// in which each variable of the loop has a dimension for itself.
class OwnElements {
 public:
  explicit OwnElements(const Parallel& loop) : loop_(loop) {
    const Substitution once = lets_of(*loop.body);
    for (Symbol var : loop.vars) inside_.insert(var);
    walk(*loop.body, [&](const Node& node) {
      if (const For* inner = as<For>(&node)) inside_.insert(inner->var);
      if (const Var* var = as<Var>(&node)) inside_.insert(var->name);
      if (const Assign* assign = as<Assign>(&node)) inside_.insert(assign->name);
      const Let* let = as<Let>(&node);
      if (let && once.count(let->name)) bind(*let);
      if (let && !once.count(let->name)) inside_.insert(let->name);
      return true;
    });
  }

  bool operator()(const std::vector<std::vector<Expr>>& indices) const {
    std::vector<Linear> first;
    for (const Expr& e : indices[0]) first.push_back(linear_of(substitute(e, lets_)));
    for (const auto& index : indices)
      for (size_t d = 0; d < first.size(); ++d) {
        Linear difference = linear_of(substitute(index.at(d), lets_));
        difference.add(first[d], -1);
        if (!difference.is_constant() || difference.constant != 0) return false;
      }
    for (size_t v = 0; v < loop_.vars.size(); ++v)
      if (!is_int(loop_.extents[v], 1) &&
          std::none_of(first.begin(), first.end(),
                       [&](const Linear& dim) { return is_alone(loop_.vars[v], dim); }))
        return false;
    return true;
  }

 private:
  void bind(const Let& let) {
    const Expr value = substitute(let.value, lets_);
    if (is_integer(let.value->type.dtype) && is_smaller(*value, kLongestLet))
      lets_[let.name] = value;
    else
      inside_.insert(let.name);
  }

  bool is_alone(Symbol var, const Linear& dim) const {
    if (dim.coefficient(var) == 0 || dim.nested(var)) return false;
    for (const Linear::Term& term : dim.terms) {
      bool other = false;
      walk(*term.atom, [&](const Node& node) {
        const Name* name = as<Name>(&node);
        other |= node.kind == Kind::Load || node.kind == Kind::Call ||
                 (name && name->id != var && inside_.count(name->id));
        return !other;
      });
      if (other) return false;
    }
    return true;
  }

  const Parallel& loop_;
  std::set<Symbol> inside_;  // names that iterations give values
  Substitution lets_;
};

/// Buffers of which iterations may meet, and whether the loop can be followed at all.
struct Suspects {
  std::set<Symbol> buffers;
  std::set<Symbol> own;  // memory of single threads

  Suspects(const Parallel& loop, const BufferTable& all, const BufferViews& views) {
    std::map<Symbol, std::vector<std::vector<Expr>>> indices;
    std::set<Symbol> written, out;
    bool followed = true;
    auto is_viewed = [&](Symbol name) {
      return views.count(name) || std::any_of(views.begin(), views.end(), [&](const auto& view) {
               return views.base_of(view.first) == name;
             });
    };
    walk(*loop.body, [&](const Node& node) {
      const Let* let = as<Let>(&node);
      const Call* bound = let ? as<Call>(let->value) : nullptr;
      followed &= node.kind != Kind::While && node.kind != Kind::Break &&
                  node.kind != Kind::Parallel &&
                  !(bound && info(bound->intrinsic).step == Step::atomic);
      if (const Call* call = as<Call>(&node))
        for (const Effect& effect : effects(*call))
          if (effect.region && (effect.write || effect.atomic)) out.insert(effect.buffer);
      if (const Store* store = as<Store>(&node)) {
        written.insert(store->buffer);
        indices[store->buffer].push_back(index_of(store->dims));
      }
      if (const Load* load = as<Load>(&node)) indices[load->buffer].push_back(load->index);
      if (const Region* region = as<Region>(&node))
        indices[region->buffer].push_back(index_of(region->dims));
      if (group(node.kind) == Group::tile && node.kind != Kind::Record) followed = false;
      return followed;
    });
    for (const auto& [name, buffer] : all)
      if (buffer->scope == Scope::local) own.insert(name);
    if (!followed) return;
    const OwnElements owned(loop);
    for (Symbol name : written) {
      auto found = all.find(name);
      if (found == all.end() || out.count(name) || is_viewed(name)) continue;
      const Scope scope = found->second->scope;
      if (scope != Scope::shared && scope != Scope::global) continue;
      if (!owned(indices.at(name))) buffers.insert(name);
    }
  }

 private:
  static std::vector<Expr> index_of(const std::vector<RegionDim>& dims) {
    std::vector<Expr> out;
    for (const RegionDim& dim : dims) out.push_back(dim.lo);
    return out;
  }
};

/// Whether what `one` assumes holds wherever what the other assumes does.
bool is_implied(const std::vector<Assumption>& one, const std::vector<Assumption>& other) {
  return std::all_of(one.begin(), one.end(), [&](const Assumption& a) {
    return std::any_of(other.begin(), other.end(), [&](const Assumption& b) {
      if (a.slack != b.slack || !a.value.same_unknowns(b.value)) return false;
      if (a.slack) return a.value.number >= b.value.number;
      return a.value.number == b.value.number && a.holds == b.holds;
    });
  });
}

std::string key_of(const IterationAccess& access, bool with_unknowns) {
  std::string out = with_unknowns ? "" : std::to_string(reinterpret_cast<uintptr_t>(access.by));
  for (const SymbolicValue& index : access.place) {
    if (index.lost) return "";
    out += ",";
    out += with_unknowns ? ValueNumbering::text(index) : std::to_string(index.number);
    if (!with_unknowns && !index.unknowns.empty()) out += "+";
  }
  return out;
}

class MeetingIterations {
 public:
  MeetingIterations(const Func& func, Diagnostics& diagnostics)
      : buffers_(buffers_of(func)), views_(views_of(*func.body)), diagnostics_(diagnostics) {
    for (turn_ = 0; turn_ < 3; ++turn_) {
      KnownNames names;
      for (const Stmt& stmt : func.dims) {
        const Dim& dim = to<Dim>(stmt);
        const int64_t unit = std::max<int64_t>(dim.multiple, 1);
        names[dim.name] =
            ValueNumbering::of(std::max(dim.lo, std::min(dim.hi, (4096 + unit - 1) / unit * unit)));
      }
      for (const char* thread : {"tid", "lane", "warp"}) names[thread] = ValueNumbering::lost();
      visit(func.body, names);
    }
  }

 private:
  // ---- one turn of each loop around

  void visit(const Stmt& stmt, KnownNames& names) {
    if (!stmt) return;
    if (const Seq* list = as<Seq>(stmt)) {
      for (const Stmt& one : list->stmts) visit(one, names);
      return;
    }
    auto value = [&](const Expr& e) {
      return e ? Iterations(names, values_).value(e) : SymbolicValue();
    };
    if (const Let* let = as<Let>(stmt)) names[let->name] = value(let->value);
    if (const Var* var = as<Var>(stmt))
      names[var->name] = var->init ? value(var->init) : ValueNumbering::lost();
    if (const Assign* assign = as<Assign>(stmt)) names[assign->name] = value(assign->value);
    if (const Kernel* kernel = as<Kernel>(stmt))
      for (size_t i = 0; i < kernel->indices.size(); ++i) {
        const SymbolicValue grid = value(kernel->grid[i]);
        const bool last = turn_ == 2 && grid.is_number() && grid.number > 1;
        names[kernel->indices[i]] = ValueNumbering::of(last ? grid.number - 1 : 0);
      }
    if (const Parallel* loop = as<Parallel>(stmt)) return look_at(*loop, names);
    if (const If* branch = as<If>(stmt)) return branches(*branch, value(branch->cond), names);
    const bool repeats = as<For>(stmt) || as<While>(stmt) || as<TileLoop>(stmt);
    if (repeats && turn_ > 0) forget_assigned(*stmt, names);
    if (const For* loop = as<For>(stmt)) {
      const auto at = turn_of(*loop, value(loop->lo), value(loop->hi), value(loop->step));
      if (!at) return;
      names[loop->var] = *at;
    }
    for_each_child(
        *stmt, [](const Expr&) {}, [&](const Stmt& s) { visit(s, names); });
    if (repeats) forget_assigned(*stmt, names);
  }

  void branches(const If& branch, const SymbolicValue& condition, KnownNames& names) {
    const bool known = condition.is_number();
    if (!known || condition.number != 0) visit(branch.then_, names);
    if (!known || condition.number == 0) visit(branch.else_, names);
    if (!known) forget_assigned(branch, names);
  }

  static void forget_assigned(const Node& body, KnownNames& names) {
    walk(body, [&](const Node& node) {
      if (const Assign* assign = as<Assign>(&node)) names[assign->name] = ValueNumbering::lost();
      return group(node.kind) != Group::expr;
    });
  }

  /// The value of a loop's variable; nothing: it does not turn.
  std::optional<SymbolicValue> turn_of(const For& loop, const SymbolicValue& lo,
                                       const SymbolicValue& hi, const SymbolicValue& step) const {
    if (!loop.steps.empty())
      return ValueNumbering::of(turn_ == 2
                                    ? loop.steps.back()
                                    : loop.steps[std::min<size_t>(turn_, loop.steps.size() - 1)]);
    if (turn_ == 0 || !lo.is_number() || !step.is_number() || step.number == 0) return lo;
    if (!hi.is_number()) return turn_ == 1 ? ValueNumbering::sum(lo, step, 1) : lo;
    const int64_t by = step.number;
    const int64_t count = (hi.number - lo.number + by - (by > 0 ? 1 : -1)) / by;
    if (count <= 0) return std::nullopt;
    return ValueNumbering::of(lo.number +
                              std::min<int64_t>(turn_ == 1 ? 1 : count - 1, count - 1) * by);
  }

  // ---- one loop

  void look_at(const Parallel& loop, const KnownNames& names) {
    auto found = suspects_.find(&loop);
    if (found == suspects_.end())
      found = suspects_.emplace(&loop, Suspects(loop, buffers_, views_)).first;
    Suspects& suspects = found->second;
    if (suspects.buffers.empty()) return;
    const Iterations run(loop, names, suspects.buffers, suspects.own, values_);
    std::map<Symbol, std::vector<const IterationAccess*>> by_buffer;
    for (const IterationAccess& access : run.accesses) by_buffer[access.buffer].push_back(&access);
    for (const auto& [buffer, accesses] : by_buffer)
      if (updates_meet(loop, run, accesses) || chosen_by_data(loop, accesses) ||
          read_meets_write(loop, run, accesses) || values_differ(loop, run, accesses))
        suspects.buffers.erase(buffer);
  }

  using Accesses = std::vector<const IterationAccess*>;
  using Places = std::map<std::string, Accesses>;

  static Places writes_by_place(const Accesses& accesses) {
    Places out;
    for (const IterationAccess* access : accesses)
      if (const std::string key = key_of(*access, true); access->write && !key.empty())
        out[key].push_back(access);
    return out;
  }

  /// Two writes of one element by different iterations that are made together.
  template <class Alike>
  static std::pair<const IterationAccess*, const IterationAccess*> pair_of(const Accesses& accesses,
                                                                           Alike alike) {
    for (const auto& [key, writes] : writes_by_place(accesses))
      for (size_t i = 1; i < writes.size(); ++i)
        for (size_t j : {size_t{0}, i - 1}) {
          const IterationAccess &a = *writes[j], &b = *writes[i];
          const bool together = is_implied(a.where, b.where) || is_implied(b.where, a.where);
          if (a.iteration != b.iteration && together && alike(a, b)) return {&a, &b};
        }
    return {};
  }

  bool updates_meet(const Parallel& loop, const Iterations& run, const Accesses& accesses) {
    const auto [a, b] = pair_of(accesses, [](const IterationAccess& x, const IterationAccess& y) {
      return x.updates && y.updates;
    });
    if (!a) return false;
    if (is_told(*a) || is_told(*b)) return true;
    update_lost(loop, *b).mark(iteration(run, *a) + " and " + iteration(run, *b) + " both update " +
                               element(*b));
    return true;
  }

  /// An update of what data choose, by iterations that nothing else keeps apart.
  bool chosen_by_data(const Parallel& loop, const Accesses& accesses) {
    std::map<std::string, const IterationAccess*> seen;
    const std::unordered_set<const Node*> parted = parts(accesses);
    for (const IterationAccess* access : accesses) {
      const std::string key = key_of(*access, false);
      if (!access->write || !access->adds || key.empty() || !is_of_data(*access)) continue;
      if (parted.count(access->by)) continue;
      const auto [first, fresh] = seen.emplace(key, access);
      if (fresh || first->second->iteration == access->iteration) continue;
      if (!is_told(*access)) update_lost(loop, *access).mark("iterations may choose one element");
      return true;
    }
    return false;
  }

  /// Stores to parts that begin where data say: those of iterations may be apart.
  static std::unordered_set<const Node*> parts(const Accesses& accesses) {
    std::map<std::string, int64_t> first;
    std::unordered_set<const Node*> out;
    for (const IterationAccess* access : accesses)
      for (size_t d = 0; access->write && d < access->place.size(); ++d) {
        SymbolicValue index = access->place[d];
        if (index.lost || index.unknowns.empty()) continue;
        const int64_t number = std::exchange(index.number, 0);
        const std::string key = std::to_string(reinterpret_cast<uintptr_t>(access->by)) + " " +
                                std::to_string(d) + " " + ValueNumbering::text(index);
        if (first.emplace(key, number).first->second != number) out.insert(access->by);
      }
    return out;
  }

  /// Whether data choose the element, and the conditions around are of the same data.
  bool is_of_data(const IterationAccess& access) {
    std::vector<int> chosen;
    for (const SymbolicValue& index : access.place) {
      if (!index.unknowns.empty() && index.made_of.empty()) return false;
      chosen.insert(chosen.end(), index.made_of.begin(), index.made_of.end());
    }
    const SymbolicValue there = values_.element(access.buffer, access.place);
    auto is_chosen = [&](int element) {
      return there.uses(element) || std::count(chosen.begin(), chosen.end(), element) > 0;
    };
    return !chosen.empty() &&
           std::all_of(access.where.begin(), access.where.end(), [&](const Assumption& a) {
             return !a.value.lost &&
                    std::all_of(a.value.made_of.begin(), a.value.made_of.end(), is_chosen);
           });
  }

  bool read_meets_write(const Parallel& loop, const Iterations& run, const Accesses& accesses) {
    const Places writes = writes_by_place(accesses);
    for (const IterationAccess* read : accesses) {
      const std::string key = key_of(*read, true);
      auto found = read->write || key.empty() ? writes.end() : writes.find(key);
      if (found == writes.end()) continue;
      for (const IterationAccess* write : found->second) {
        if (write->iteration == read->iteration || !is_implied(read->where, write->where)) continue;
        if (is_told(*write)) return true;
        Diagnostic& told = diagnostics_.report(usage::iterations_meet, read->span, element(*read));
        if (write->span.line == read->span.line) {
          told.mark(iteration(run, *read) + " reads it, " + iteration(run, *write) + " writes it");
        } else {
          told.mark(iteration(run, *read) + " reads it");
          told.label(write->span, iteration(run, *write) + " writes it");
        }
        told.label(loop.span, "");
        told.help(
            "iterations have no order: write to another buffer, or read what is needed in a "
            "T.Parallel before this one");
        reported_.insert(write->by);
        return true;
      }
    }
    return false;
  }

  bool values_differ(const Parallel& loop, const Iterations& run, const Accesses& accesses) {
    const auto [a, b] = pair_of(accesses, [](const IterationAccess& x, const IterationAccess& y) {
      return !x.value.lost && !y.value.lost && !x.value.same(y.value);
    });
    if (!a) return false;
    if (is_told(*a) || is_told(*b)) return true;
    Diagnostic& told = diagnostics_.report(Diag::parallel_same_element, b->span, b->buffer);
    if (a->by == b->by) {
      told.mark(iteration(run, *a) + " and " + iteration(run, *b) + " both write " + element(*b));
      told.label(loop.span, "");
    } else {
      told.mark(iteration(run, *b) + " writes " + element(*b));
      told.label(a->span, iteration(run, *a) + " writes it as well");
    }
    told.help(
        "give each iteration elements of its own; sums over iterations are made by T.reduce_* "
        "or T.atomic_add");
    reported_.insert(b->by);
    return true;
  }

  // ---- words

  Diagnostic& update_lost(const Parallel& loop, const IterationAccess& access) {
    reported_.insert(access.by);
    return diagnostics_.report(usage::update_lost, access.span, access.buffer)
        .label(loop.span, "its iterations run at once")
        .help(cure(*access.by));
  }

  static std::string cure(const Node& by) {
    const Store* store = as<Store>(&by);
    const Bin* bin = store ? as<Bin>(store->value) : nullptr;
    const Call* call = store ? as<Call>(store->value) : nullptr;
    std::string name = "T.atomic_add";
    if (call && call->intrinsic == Intrinsic::maximum) name = "T.atomic_max";
    if (call && call->intrinsic == Intrinsic::minimum) name = "T.atomic_min";
    const bool sums = call || (bin && (bin->op == BinOp::add || bin->op == BinOp::sub));
    return (sums ? name + " updates an element for all of them" : "use T.atomic_*") +
           "; or make the loop serial";
  }

  /// "(0, 1)", "i = 3"
  std::string iteration(const Iterations& run, const IterationAccess& access) const {
    std::string out;
    for (int64_t at : run.points[access.iteration])
      out += (out.empty() ? "" : ", ") + std::to_string(at);
    return "iteration " + (run.points[access.iteration].size() > 1 ? "(" + out + ")" : out);
  }

  std::string element(const IterationAccess& access) const {
    std::string out = access.buffer.str() + "[";
    for (size_t d = 0; d < access.place.size(); ++d)
      out += (d ? ", " : "") +
             (access.place[d].is_number() ? std::to_string(access.place[d].number) : "...");
    return out + "]";
  }

  /// Whether something is said of that store already.
  bool is_told(const IterationAccess& access) const {
    if (reported_.count(access.by)) return true;
    const auto& all = diagnostics_.all();
    return std::any_of(all.begin(), all.end(), [&](const Diagnostic& one) {
      return one.id == Diag::parallel_same_element && one.span == access.span;
    });
  }

  BufferTable buffers_;
  BufferViews views_;
  Diagnostics& diagnostics_;
  ValueNumbering values_;
  std::unordered_map<const Parallel*, Suspects> suspects_;
  std::unordered_set<const Node*> reported_;
  int turn_ = 0;
};

}  // namespace

void warn_of_meeting_iterations(const Func& func, Diagnostics& diagnostics) {
  MeetingIterations(func, diagnostics);
}

}  // namespace tilelab
