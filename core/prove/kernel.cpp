// SPDX-License-Identifier: Apache-2.0
#include "core/prove/kernel.h"

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/fold.h"
#include "core/targets/target.h"

namespace tilelab::proving {
namespace {

Stmt with_values(const Stmt& body, const Substitution& values) {
  return rewrite_exprs(body, [&](const Expr& e) -> Expr {
    const Name* name = as<Name>(e);
    auto it = name ? values.find(name->id) : values.end();
    return it == values.end() ? folded(e) : it->second;
  });
}

}  // namespace

KernelFacts::KernelFacts(const sim::Launch& l) : launch(l), views(views_of(*l.kernel.body)) {
  Substitution values;
  for (const auto& [name, scalar] : l.scalars)
    values.emplace(name, constant({scalar.dtype, 1}, scalar.bits));
  body = with_values(l.kernel.body, values);
  for (size_t i = 0; i < l.memories.size(); ++i) global.emplace(l.memories[i].name, i);
  for_each(
      *body,
      [&](const Buffer& buffer) {
        if (!buffer.ring) own.emplace(buffer.name, &buffer);
      },
      [&](const Var& var) { vars.insert(var.name); });
  written = touched(*body, views).written;
  for (int64_t output : l.func.outputs)
    written.insert(to<Param>(l.func.params[size_t(output)]).name);
  if (const Target* target = find_target(l.func.target)) lanes = target->lanes;
}

Blocks KernelFacts::all_blocks() const {
  Blocks out;
  for (size_t a = 0; a < out.size(); ++a) out[a] = {0, launch.grid[a]};
  return out;
}

Stmt KernelFacts::body_of(const Blocks& blocks) const {
  Substitution values;
  for (size_t a = 0; a < launch.kernel.indices.size() && a < blocks.size(); ++a)
    if (blocks[a].size() == 1) values.emplace(launch.kernel.indices[a], int_const(blocks[a].first));
  return values.empty() ? body : with_values(body, values);
}

Dependences::Dependences(const KernelFacts& kernel, const Blocks& blocks, const Stmt& body) {
  const std::vector<Symbol>& indices = kernel.launch.kernel.indices;
  for (size_t a = 0; a < indices.size() && a < blocks.size(); ++a)
    if (blocks[a].size() > 1) add(indices[a], Dependence(1 << a));
  while (add_all(body)) {
  }
}

bool Dependences::add(Symbol name, Dependence more) {
  Dependence& known = of_[name];
  const Dependence before = known;
  known |= more;
  return known != before;
}

/// One pass over all bindings; returns whether anything changed.
bool Dependences::add_all(const Stmt& body) {
  bool changed = false;
  for_each(
      *body, [&](const Let& n) { changed |= add(n.name, (*this)(n.value)); },
      [&](const Var& n) { changed |= n.init && add(n.name, (*this)(n.init)); },
      [&](const Assign& n) { changed |= add(n.name, (*this)(n.value)); },
      [&](const For& n) { changed |= add(n.var, (*this)(n.lo) | (*this)(n.hi) | (*this)(n.step)); },
      [&](const TileLoop& n) {
        for (Symbol var : n.vars) changed |= add(var, 7);
      });
  return changed;
}

Dependence Dependences::operator()(Symbol name) const {
  auto it = of_.find(name);
  return it == of_.end() ? 0 : it->second;
}

Dependence Dependences::operator()(const Expr& expr) const {
  Dependence out = 0;
  for_each(
      *expr, [&](const Name& name) { out |= (*this)(name.id); }, [&](const Load&) { out |= kData; },
      [&](const Region&) { out |= kData; },
      [&](const Call& call) { out |= info(call.intrinsic).pure() ? 0 : kData; });
  return out;
}

}  // namespace tilelab::proving
