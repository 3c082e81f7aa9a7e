// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rewrites/split_launches.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/elaborate/rewrites/rewrites.h"
#include "core/ir/build.h"
#include "core/ir/intrinsics/intrinsics.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {
namespace {

/// The name that a pure declaration declares; otherwise empty.
Symbol declared(const Stmt& stmt) {
  if (const Buffer* buffer = as<Buffer>(stmt)) return buffer->name;
  if (const View* view = as<View>(stmt)) return view->name;
  if (const Let* let = as<Let>(stmt)) return let->name;
  if (const Var* var = as<Var>(stmt)) return var->name;
  return {};
}

class Parts {
 public:
  Parts(std::vector<Stmt> body, const std::vector<GridBarrier>& barriers, const LaunchNames& names,
        Diagnostics& diagnostics)
      : barriers_(barriers), names_(names), diagnostics_(diagnostics), parts_(barriers.size() + 1) {
    size_t part = 0;
    for (size_t i = 0; i < body.size(); ++i) {
      while (part < barriers.size() && barriers[part].place <= i) ++part;
      if (const Var* var = as<Var>(body[i])) vars_.insert(var->name);
      threads_differ_ |= may_differ_by_thread(*body[i]);
      parts_[part].push_back({body[i], names_in(*body[i])});
    }
  }

  std::vector<Stmt> run() {
    for (size_t p = 1; p < parts_.size(); ++p) add_declarations(p);
    std::vector<Stmt> out;
    for (const auto& part : parts_) {
      std::vector<Stmt> stmts;
      bool works = false;
      for (const Line& line : part) {
        stmts.push_back(line.stmt);
        works |= declared(line.stmt).empty();
      }
      if (works || out.empty()) out.push_back(seq(std::move(stmts)));
    }
    return out;
  }

 private:
  struct Line {
    Stmt stmt;
    std::unordered_map<Symbol, int> names;
  };
  using Part = std::vector<Line>;

  /// Whether values may differ between the threads of a block.
  static bool may_differ_by_thread(const Node& stmt) {
    return any_of(
        stmt, [](const Name& n) { return n.id == "tid" || n.id == "lane" || n.id == "warp"; },
        [](const Call& call) {
          return !info(call.intrinsic).pure() && !info(call.intrinsic).orders();
        });
  }

  /// A value that can be rematerialized.
  bool is_rematerializable(const Expr& value) const {
    return is_pure(value) && !contains<Region>(*value) && !mentions_any(*value, vars_) &&
           !any_of(*value, [&](const Load& load) {
             return !saved_.count(load.buffer);  // saved memory is written once
           });
  }

  /// Adds the declarations of earlier parts that part `p` uses.
  void add_declarations(size_t p) {
    std::unordered_map<Symbol, int> used;
    for (const Line& line : parts_[p]) used.insert(line.names.begin(), line.names.end());
    Part front;
    std::set<Symbol> found;  // the nearest declaration of each name
    for (size_t q = p; q-- > 0;)
      for (size_t i = parts_[q].size(); i-- > 0;) {
        const Symbol name = declared(parts_[q][i].stmt);
        if (name.empty() || !used.count(name) || !found.insert(name).second) continue;
        const Line line = take(q, i, p, name);
        used.insert(line.names.begin(), line.names.end());
        front.push_back(line);
      }
    std::reverse(front.begin(), front.end());
    std::vector<Line>& part = parts_[p];
    part.insert(part.begin(), restored_.begin(), restored_.end());
    part.insert(part.begin(), front.begin(), front.end());
    restored_.clear();
    for (const auto& [name, other] : renamed_)
      for (Line& one : part)
        if (one.names.count(name)) one = line_of(rename(one.stmt, {{name, other}}));
    renamed_.clear();
  }

  static Line line_of(Stmt stmt) {
    auto names = names_in(*stmt);
    return {std::move(stmt), std::move(names)};
  }

  /// Declaration `i` of part `q`, for use in part `p`.
  Line take(size_t q, size_t i, size_t p, Symbol name) {
    const Line line = parts_[q][i];
    const Let* let = as<Let>(line.stmt);
    if (let && is_rematerializable(let->value)) return line;
    bool elsewhere = false;
    for (size_t r = q; r < p; ++r)
      for (const Line& other : parts_[r])
        elsewhere |= other.stmt.get() != line.stmt.get() && other.names.count(name) > 0;
    if (let) return carried_value(q, *let);
    if (!elsewhere) {
      parts_[q].erase(parts_[q].begin() + static_cast<ptrdiff_t>(i));
      return line;
    }
    if (const Var* var = as<Var>(line.stmt)) return carried_variable(line, q, p, *var);
    const Buffer* buffer = as<Buffer>(line.stmt);
    if (buffer && buffer->scope == Scope::barrier)
      diagnostics_
          .report(Diag::grid_barrier, barriers_[p - 1].span,
                  "barrier `" + name.str() + "` is used on both sides of it")
          .label(line.stmt->span, "its phases end with the launch")
          .help("allocate another barrier after T.sync_grid()");
    else if (buffer)
      carry(q, p, *buffer);
    renamed_[name] =
        buffer && buffer->scope != Scope::barrier ? places_[name].second : names_.fresh(name);
    return line;
  }

  // ---- values that several parts use

  std::vector<Expr> place(bool by_thread) const {
    std::vector<Expr> index = names_.block;
    if (by_thread) index.push_back(names_.thread);
    return index;
  }

  Symbol workspace(Symbol name, DType dtype, bool by_thread, const std::vector<Expr>& shape) {
    auto& made = workspaces_[name];
    if (made.empty()) made = names_.workspace(name, dtype, by_thread, shape);
    return made;
  }

  /// The value of a let, saved where it is computed.
  Line carried_value(size_t q, const Let& let) {
    const Type type = let.value->type;
    const Symbol saved = workspace(let.name, type.dtype, threads_differ_, {});
    if (saved_.insert(saved).second)
      parts_[q].push_back(
          line_of(store_at(saved, place(threads_differ_), name_ref(let.name, type))));
    return line_of(tilelab::let(let.name, load(saved, type.dtype, place(threads_differ_))));
  }

  Line carried_variable(const Line& line, size_t q, size_t p, const Var& var) {
    if (overwrites_first(p, var.name, nullptr)) return line;
    const Symbol saved = workspace(var.name, var.dtype, threads_differ_, {});
    parts_[q].push_back(
        line_of(store_at(saved, place(threads_differ_), name_ref(var.name, {var.dtype}))));
    Var restored(var);
    restored.init = load(saved, var.dtype, place(threads_differ_));
    return line_of(make(std::move(restored)));
  }

  /// Saves a buffer in the last part before `p` that has it, and restores it in `p`, where it has
  /// another name.
  void carry(size_t q, size_t p, const Buffer& buffer) {
    auto& [part, last] = places_.try_emplace(buffer.name, q, buffer.name).first->second;
    if (!overwrites_first(p, buffer.name, &buffer)) {
      const bool by_thread = buffer.scope == Scope::local;
      const Symbol saved = workspace(buffer.name, buffer.dtype, by_thread, buffer.shape);
      if (!by_thread) parts_[part].push_back(line_of(names_.barrier));
      parts_[part].push_back(line_of(moved(buffer, last, saved, true)));
      restored_.push_back(line_of(moved(buffer, buffer.name, saved, false)));
      if (!by_thread) restored_.push_back(line_of(names_.barrier));
    }
    part = p, last = names_.fresh(buffer.name);
  }

  static Stmt store_at(Symbol buffer, const std::vector<Expr>& index, Expr value) {
    std::vector<RegionDim> dims;
    for (const Expr& e : index) dims.push_back(point(e));
    return tilelab::store(buffer, std::move(dims), std::move(value));
  }

  /// Copies all of a buffer to its workspace, or back.
  Stmt moved(const Buffer& buffer, Symbol name, Symbol saved, bool save) const {
    if (buffer.scope == Scope::local) return moved_by_thread(buffer, name, saved, save);
    std::vector<RegionDim> here, there;
    for (const Expr& index : place(false)) there.push_back(point(index));
    for (const Expr& extent : buffer.shape) {
      here.push_back(slice(int_const(0), *int_value(extent)));
      there.push_back(here.back());
    }
    Copy copy;
    copy.src = region(name, buffer.dtype, std::move(here));
    copy.dst = region(saved, buffer.dtype, std::move(there));
    if (!save) std::swap(copy.src, copy.dst);
    return at(buffer.span, Stmt(make(std::move(copy))));
  }

  Stmt moved_by_thread(const Buffer& buffer, Symbol name, Symbol saved, bool save) const {
    std::vector<Expr> here, there = place(true);
    std::vector<Symbol> loops;
    for (size_t d = 0; d < buffer.shape.size(); ++d) {
      loops.push_back(Symbol(name.str() + "_i" + std::to_string(d)));
      here.push_back(name_ref(loops.back()));
      there.push_back(here.back());
    }
    Stmt body = save ? store_at(saved, there, load(name, buffer.dtype, here))
                     : store_at(name, here, load(saved, buffer.dtype, there));
    for (size_t d = loops.size(); d-- > 0;)
      body = for_loop(loops[d], int_const(0), buffer.shape[d], body, LoopMode::unroll);
    return at(buffer.span, body);
  }

  /// Whether the first statement of a part with that name only overwrites it, all of it.
  bool overwrites_first(size_t p, Symbol name, const Buffer* buffer) const {
    const auto first = std::find_if(parts_[p].begin(), parts_[p].end(),
                                    [&](const Line& line) { return line.names.count(name) > 0; });
    if (first == parts_[p].end()) return false;
    if (const Assign* assign = as<Assign>(first->stmt))
      return assign->name == name && !names_in(*assign->value).count(name);
    const Fill* fill = as<Fill>(first->stmt);
    const Copy* copy = as<Copy>(first->stmt);
    const Region* dst = as<Region>(fill ? fill->dst : copy ? copy->dst : nullptr);
    if (!buffer || !dst || dst->buffer != name) return false;
    if (copy && names_in(*copy->src).count(name)) return false;
    for (size_t d = 0; d < dst->dims.size(); ++d)
      if (!is_int(dst->dims[d].lo, 0) || int_value(buffer->shape[d]) != dst->dims[d].extent)
        return false;
    return true;
  }

  const std::vector<GridBarrier>& barriers_;
  const LaunchNames& names_;
  Diagnostics& diagnostics_;
  std::vector<Part> parts_;
  std::set<Symbol> vars_;
  bool threads_differ_ = false;
  std::unordered_map<Symbol, Symbol> workspaces_;
  std::set<Symbol> saved_;  // workspaces of values, which are written once
  /// The last part that has a buffer, and its name there.
  std::unordered_map<Symbol, std::pair<size_t, Symbol>> places_;
  // Of the part whose declarations are being added:
  std::vector<Line> restored_;
  std::unordered_map<Symbol, Symbol> renamed_;
};

}  // namespace

std::vector<Stmt> split_at_barriers(std::vector<Stmt> body,
                                    const std::vector<GridBarrier>& barriers,
                                    const LaunchNames& names, Diagnostics& diagnostics) {
  for (const Stmt& stmt : body)
    if (!barriers.empty() && has_return(*stmt))
      diagnostics.report(Diag::grid_barrier, barriers[0].span, "threads leave the kernel")
          .label(stmt->span, "here")
          .help("put the skipped statements under a condition, on each side of T.sync_grid()");
  return Parts(std::move(body), barriers, names, diagnostics).run();
}

}  // namespace tilelab::elaborate
