// SPDX-License-Identifier: Apache-2.0
#include "python/used_names.h"

#include "core/ir/stmt.h"
#include "core/ir/traverse.h"

namespace tilelab::python {
namespace {

/// Every name that a function's kernels use, including through views of `viewed` names.
std::set<Symbol> used_with_views(const Func& func, const std::set<Symbol>& viewed) {
  std::set<Symbol> out;
  walk(*func.body, [&](const Node& node) {
    if (const View* n = as<View>(&node)) {
      if (viewed.count(n->name) == 0) return false;
      out.insert(n->buffer);
    }
    if (const Name* n = as<Name>(&node)) out.insert(n->id);
    if (const Load* n = as<Load>(&node)) out.insert(n->buffer);
    if (const Region* n = as<Region>(&node)) out.insert(n->buffer);
    if (const Store* n = as<Store>(&node)) out.insert(n->buffer);
    if (const TensorMap* n = as<TensorMap>(&node)) out.insert(n->buffer);
    return node.kind != Kind::Check && node.kind != Kind::CheckTensor;
  });
  return out;
}

}  // namespace

/// Iterates to a fixpoint: views may be of views.
std::set<Symbol> used_in_kernels(const Func& func) {
  std::set<Symbol> out = used_with_views(func, {});
  for (size_t before = out.size() + 1; before != out.size();) {
    before = out.size();
    out = used_with_views(func, out);
  }
  return out;
}

}  // namespace tilelab::python
