// SPDX-License-Identifier: Apache-2.0
// Blocks that write the same elements of a tensor: the index of a store or a copy knows nothing of
// an axis of the grid, and what is stored does, or is added to what stands there. Blocks have no
// order, so the result is that of any of them. Followed is what depends on which axis, from the top
// of the kernel to its end; told is nothing that a condition, a loop's bounds or data may keep
// apart.
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "core/analysis/effects.h"
#include "core/analysis/ranges.h"
#include "core/diagnostics/usage.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/lint/lints.h"

namespace tilelab {
namespace {

/// What a value is made of: axes of the grid it surely depends on (bits 0 to 2), those that decide
/// whether it is computed (4 to 6), what other blocks may have left (3), and elements of tensors
/// (7).
using Made = uint8_t;
constexpr Made kUnknown = 8, kData = 128;
constexpr Made surely(size_t axis) { return static_cast<Made>(1u << axis); }
constexpr Made maybe(size_t axis) { return static_cast<Made>((1u << axis) | (16u << axis) | 8u); }
/// Of a condition, or the bounds of a loop: what it decides may depend on them.
constexpr Made decided_by(Made condition) {
  return static_cast<Made>((condition & kUnknown) | (condition & 0x70) | ((condition & 7) << 4));
}

class MeetingBlocks {
 public:
  MeetingBlocks(const Func& func, const Kernel& kernel, Diagnostics& diagnostics)
      : kernel_(kernel),
        buffers_(buffers_of(func)),
        views_(views_of(*kernel.body)),
        facts_(RangeAnalysis::of(func)),
        written_(touched(*kernel.body).written),
        diagnostics_(diagnostics) {
    for (size_t axis = 0; axis < kernel.indices.size() && axis < 3; ++axis)
      made_[kernel.indices[axis]] = surely(axis);
    if (is_ordered()) return;
    visit(kernel.body, 0);
  }

 private:
  /// Whether blocks may take turns: locks and tickets, work that is shared out as it comes.
  bool is_ordered() const {
    bool found = false;
    walk(*kernel_.body, [&](const Node& node) {
      const Let* let = as<Let>(&node);
      const Call* call = let ? as<Call>(let->value) : nullptr;
      found |= node.kind == Kind::While || node.kind == Kind::TileLoop ||
               (call && info(call->intrinsic).step == Step::atomic);
      return !found;
    });
    return found;
  }

  bool is_global(Symbol name) const {
    auto found = buffers_.find(views_.base_of(name));
    return found == buffers_.end() || found->second->scope == Scope::global;
  }

  Made of(Symbol name) const {
    auto found = made_.find(views_.base_of(name));
    return found == made_.end() ? 0 : found->second;
  }

  Made of_memory(Symbol name) const {
    if (!is_global(name)) return of(name);
    return written_.count(views_.base_of(name)) ? kUnknown | kData : kData;
  }

  Made of(const Node& root) const {
    Made out = 0;
    walk(root, [&](const Node& node) {
      if (const Name* name = as<Name>(&node)) out |= of(name->id);
      if (const Load* load = as<Load>(&node)) out |= of_memory(load->buffer);
      if (const Region* region = as<Region>(&node)) out |= of_memory(region->buffer);
      const Call* call = as<Call>(&node);
      if (call && info(call->intrinsic).step != Step::none) out |= kUnknown;
      return true;
    });
    return out;
  }

  /// `around`: of the conditions and loops around.
  void visit(const Stmt& stmt, Made around) {
    if (!stmt) return;
    if (const Let* let = as<Let>(stmt)) {
      made_[let->name] = of(*let->value) | around;
      const Expr value = substitute(let->value, lets_);
      if (is_integer(value->type.dtype) && is_smaller(*value, kLongestLet))
        lets_[let->name] = value;
      return;
    }
    if (const Var* var = as<Var>(stmt)) made_[var->name] = var->init ? of(*var->init) : Made{0};
    if (const Assign* assign = as<Assign>(stmt)) made_[assign->name] |= of(*assign->value) | around;
    writes(stmt, around);
    if (const If* branch = as<If>(stmt)) around |= decided_by(of(*branch->cond));
    const For* loop = as<For>(stmt);
    if (loop) {
      const Made bounds = of(*loop->lo) | of(*loop->hi) | of(*loop->step);
      made_[loop->var] = bounds;
      around |= decided_by(bounds);
    }
    const Parallel* parallel = as<Parallel>(stmt);
    if (parallel) {
      parallel_ = parallel;
      for (const Expr& extent : parallel->extents) around |= decided_by(of(*extent));
    }
    // A turn may begin with what the one before it left. Loops inside turn once in the first one,
    // or deep ones would take for ever.
    const int turns = loop && !once_ ? 2 : 1;
    for (int turn = 1; turn <= turns; ++turn) {
      const bool outside = std::exchange(once_, once_ || turn < turns);
      for_each_child(
          *stmt, [](const Expr&) {}, [&](const Stmt& s) { visit(s, around); });
      once_ = outside;
    }
    if (parallel) parallel_ = nullptr;
  }

  void writes(const Stmt& stmt, Made around) {
    const std::vector<Effect> all = effects(*stmt);
    Made value = 0;
    for_each_child(
        *stmt, [&](const Expr& e) { value |= of_value(*stmt, e); }, [](const Stmt&) {});
    for (const Effect& effect : all) {
      if (!effect.write) continue;
      if (!is_global(effect.buffer)) {
        Made& made = made_[views_.base_of(effect.buffer)];
        made = (covers(*stmt, effect) ? Made{0} : made) | value | around;
      } else if (effect.atomic) {
        if (sums(*stmt)) look_at_sum(stmt, effect, value, around);
      } else if (!effect.scratch) {
        look_at(stmt, effect, value, around);
      }
    }
  }

  /// What a statement's expression says of what it writes: of a region that is only written,
  /// nothing.
  Made of_value(const Node& stmt, const Expr& e) const {
    const Copy* copy = as<Copy>(&stmt);
    if (copy && (e.same(copy->dst) || e.same(copy->barrier))) return 0;
    const Fill* fill = as<Fill>(&stmt);
    if (fill && e.same(fill->dst)) return 0;
    const Reduce* reduce = as<Reduce>(&stmt);
    if (reduce && reduce->clear && e.same(reduce->dst)) return 0;
    if (const Store* store = as<Store>(&stmt); store && !e.same(store->value)) return 0;
    if (const Atomic* atomic = as<Atomic>(&stmt); atomic && e.same(atomic->dst)) return 0;
    const Call* call = as<Do>(&stmt) ? as<Call>(e) : nullptr;
    if (call && info(call->intrinsic).step == Step::atomic && call->args.size() == 2)
      return of(*call->args[1]);
    return of(*e);
  }

  /// Whether the statement adds atomically.
  static bool sums(const Node& stmt) {
    if (const Atomic* atomic = as<Atomic>(&stmt)) return atomic->op == AtomicOp::add;
    const Do* effect = as<Do>(&stmt);
    const Call* call = effect ? as<Call>(effect->call) : nullptr;
    return call && call->intrinsic == Intrinsic::atomic_add;
  }

  /// Whether all elements of the buffer are written.
  bool covers(const Node& stmt, const Effect& effect) const {
    auto found = buffers_.find(effect.buffer);
    if (found == buffers_.end() || effect.atomic) return false;
    const std::vector<Expr>& shape = found->second->shape;
    if (effect.box.size() != shape.size()) return false;
    std::set<Symbol> used;
    for (size_t d = 0; d < shape.size(); ++d) {
      const RegionDim& dim = effect.box[d];
      const auto extent = int_value(shape[d]);
      if (extent && is_int(dim.lo, 0) && dim.extent == *extent) continue;
      const Name* var = as<Store>(&stmt) ? as<Name>(dim.lo) : nullptr;
      if (!extent || !var || !parallel_ || !used.insert(var->id).second) return false;
      bool all = false;
      for (size_t v = 0; v < parallel_->vars.size(); ++v)
        all |= parallel_->vars[v] == var->id && is_int(parallel_->extents[v], *extent);
      if (!all) return false;
    }
    return true;
  }

  bool several(size_t axis) const { return facts_.range(kernel_.grid[axis]).hi > 1; }

  void look_at(const Stmt& stmt, const Effect& effect, Made value, Made around) {
    if (views_.count(effect.buffer) || reported_.count(stmt.get())) return;
    Made index = 0, chosen = 0;
    for (const RegionDim& dim : effect.box) {
      // An element of a tensor alone; a part that begins where one says may be the block's own.
      const Expr lo = substitute(dim.lo, lets_);
      bool alone = true;
      walk(*lo, [&](const Node& node) {
        alone &= node.kind != Kind::Name;
        return node.kind != Kind::Load;
      });
      (alone ? chosen : index) |= of(*lo);
    }
    const bool updates = adds_to_itself(stmt);
    for (size_t axis = 0; axis < kernel_.grid.size() && axis < 3; ++axis) {
      if (!several(axis) || ((index | around) & maybe(axis))) continue;
      const bool by_data = (chosen & maybe(axis)) != 0;
      if (by_data ? !is_sum(stmt) : !updates && !(value & surely(axis))) continue;
      if (!is_told(stmt->span)) report(stmt, effect, axis, updates, by_data);
      reported_.insert(stmt.get());
      return;
    }
  }

  /// The same from each block: what depends on no block, and on tensors.
  void look_at_sum(const Stmt& stmt, const Effect& effect, Made value, Made around) {
    if (reported_.count(stmt.get()) || !(value & kData)) return;
    Made index = 0;
    for (const RegionDim& dim : effect.box) index |= of(*dim.lo);
    for (size_t axis = 0; axis < kernel_.grid.size() && axis < 3; ++axis) {
      if (!several(axis) || ((index | around | value) & (maybe(axis) | surely(axis)))) continue;
      const std::string block = kernel_.indices[axis].str();
      diagnostics_.report(usage::blocks_repeat, stmt->span, block, effect.buffer)
          .label(kernel_.span, "`" + block + "` is no part of what is added, nor of where")
          .help("let each block read a part of its own, by `" + block + "` in the index");
      reported_.insert(stmt.get());
      return;
    }
  }

  /// `B[i] = B[i] + ...`
  bool adds_to_itself(const Stmt& stmt) const {
    const Store* store = as<Store>(stmt);
    if (!store) return false;
    bool found = false;
    walk(*store->value, [&](const Node& node) {
      const Load* load = as<Load>(&node);
      found |= load && is_there(*load, *store);
      return !found;
    });
    return found;
  }

  /// `B[i] = B[i] + x`, with nothing else done to the element: what T.atomic_add does.
  bool is_sum(const Stmt& stmt) const {
    const Store* store = as<Store>(stmt);
    const Bin* bin = store ? as<Bin>(store->value) : nullptr;
    if (!bin || bin->op != BinOp::add) return false;
    for (const Expr& side : {bin->a, bin->b})
      if (const Load* load = as<Load>(side); load && is_there(*load, *store)) return true;
    return false;
  }

  static bool is_there(const Load& load, const Store& store) {
    bool same = load.buffer == store.buffer && load.index.size() == store.dims.size();
    for (size_t d = 0; same && d < load.index.size(); ++d)
      same = equal(load.index[d], store.dims[d].lo);
    return same;
  }

  /// Whether something is said of that line already: a warning that knows more.
  bool is_told(Span span) const {
    const auto& all = diagnostics_.all();
    return std::any_of(all.begin(), all.end(), [&](const Diagnostic& one) {
      const bool doubt = one.id == Diag::parallel_same_element || one.id == usage::rest_unwritten ||
                         one.id == usage::tiles_apart || one.id == usage::update_lost ||
                         one.id == usage::iterations_meet;
      return doubt && one.span.file == span.file && one.span.line == span.line;
    });
  }

  void report(const Stmt& stmt, const Effect& effect, size_t axis, bool updates, bool by_data) {
    const std::string block = kernel_.indices[axis].str();
    const std::string who = by_data   ? "blocks along " + block + " may update"
                            : updates ? "each block along " + block + " updates"
                                      : "each block along " + block + " writes";
    Diagnostic& told = diagnostics_.report(usage::blocks_overwrite, stmt->span, who, effect.buffer);
    if (by_data)
      told.mark("blocks may choose one element").help("T.atomic_add adds for all blocks");
    else
      told.label(kernel_.span, "`" + block + "` is no part of the index");
    if (by_data) return;
    if (updates)
      told.help("T.atomic_add adds for all blocks; or give each block elements of its own, by `" +
                block + "` in the index");
    else
      told.help("put `" + block +
                "` into the index; what blocks sum up together is added by T.atomic_add");
  }

  const Kernel& kernel_;
  BufferTable buffers_;
  BufferViews views_;
  RangeAnalysis facts_;
  std::set<Symbol> written_;
  Diagnostics& diagnostics_;
  std::map<Symbol, Made> made_;
  Substitution lets_;
  std::unordered_set<const Node*> reported_;
  const Parallel* parallel_ = nullptr;
  bool once_ = false;  // loops turn once
};

}  // namespace

void warn_of_meeting_blocks(const Func& func, Diagnostics& diagnostics) {
  walk(*func.body, [&](const Node& node) {
    const Kernel* kernel = as<Kernel>(&node);
    if (kernel) MeetingBlocks(func, *kernel, diagnostics);
    return !kernel && group(node.kind) != Group::expr;
  });
}

}  // namespace tilelab
