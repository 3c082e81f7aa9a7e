// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rewrites/split_launches.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/elaborate/rewrites/returns.h"
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
  Parts(std::vector<Stmt> body, const std::vector<GridBarrier>& barriers,
        FunctionRef<Symbol(Symbol)> fresh, Diagnostics& diagnostics)
      : barriers_(barriers), fresh_(fresh), diagnostics_(diagnostics), parts_(barriers.size() + 1) {
    size_t part = 0;
    for (size_t i = 0; i < body.size(); ++i) {
      while (part < barriers.size() && barriers[part].place <= i) ++part;
      if (const Var* var = as<Var>(body[i])) vars_.insert(var->name);
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

  /// A value that can be rematerialized.
  bool is_rematerializable(const Expr& value) const {
    bool same = true;
    walk(*value, [&](const Node& node) {
      const Name* name = as<Name>(&node);
      const Call* call = as<Call>(&node);
      same &= !(name && vars_.count(name->id)) && node.kind != Kind::Load &&
              node.kind != Kind::Region && !(call && !info(call->intrinsic).pure());
      return same;
    });
    return same;
  }

  /// Adds the declarations of earlier parts that part `p` uses.
  void add_declarations(size_t p) {
    std::unordered_map<Symbol, int> used;
    for (const Line& line : parts_[p]) used.insert(line.names.begin(), line.names.end());
    Part front;
    for (size_t q = p; q-- > 0;)
      for (size_t i = parts_[q].size(); i-- > 0;) {
        const Symbol name = declared(parts_[q][i].stmt);
        if (name.empty() || !used.count(name)) continue;
        const Line line = take(q, i, p, name);
        used.insert(line.names.begin(), line.names.end());
        front.push_back(line);
      }
    std::reverse(front.begin(), front.end());
    parts_[p].insert(parts_[p].begin(), front.begin(), front.end());
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
    if (as<View>(line.stmt) && elsewhere) return renamed(line, p, name);
    if (let || elsewhere)
      diagnostics_
          .report(Diag::grid_barrier, barriers_[p - 1].span,
                  "`" + name.str() + "` is used on both sides of it")
          .label(line.stmt->span,
                 let ? "its value is loaded from memory" : "each block has a separate one")
          .help(
              let ? "compute it again after T.sync_grid()"
                  : "keep values across T.sync_grid() in a tensor, or use another buffer after it");
    else
      parts_[q].erase(parts_[q].begin() + static_cast<ptrdiff_t>(i));
    return line;
  }

  Line renamed(Line line, size_t p, Symbol name) {
    const std::unordered_map<Symbol, Symbol> names{{name, fresh_(name)}};
    for (Line& one : parts_[p])
      if (one.names.count(name)) {
        one.stmt = rename(one.stmt, names);
        one.names = names_in(*one.stmt);
      }
    line.stmt = rename(line.stmt, names);
    line.names = names_in(*line.stmt);
    return line;
  }

  const std::vector<GridBarrier>& barriers_;
  FunctionRef<Symbol(Symbol)> fresh_;
  Diagnostics& diagnostics_;
  std::vector<Part> parts_;
  std::set<Symbol> vars_;
};

}  // namespace

std::vector<Stmt> split_at_barriers(std::vector<Stmt> body,
                                    const std::vector<GridBarrier>& barriers,
                                    FunctionRef<Symbol(Symbol)> fresh, Diagnostics& diagnostics) {
  for (const Stmt& stmt : body)
    if (!barriers.empty() && has_return(*stmt))
      diagnostics.report(Diag::grid_barrier, barriers[0].span, "threads leave the kernel")
          .label(stmt->span, "here")
          .help("put the skipped statements under a condition, on each side of T.sync_grid()");
  return Parts(std::move(body), barriers, fresh, diagnostics).run();
}

}  // namespace tilelab::elaborate
