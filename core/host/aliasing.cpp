// SPDX-License-Identifier: Apache-2.0
#include "core/host/aliasing.h"

#include "core/ir/traverse.h"
#include "core/targets/target.h"

namespace tilelab::host {

std::set<Symbol> written_tensors(const Func& func) {
  std::set<Symbol> out;
  if (!func.body) return out;
  walk(*func.body, [&](const Node& node) {
    if (const CheckTensor* check = as<CheckTensor>(&node); check && check->write)
      out.insert(check->buffer);
    return node.kind == Kind::Seq;
  });
  return out;
}

std::vector<std::pair<size_t, size_t>> separate_tensors(const Func& func) {
  const Target* target = find_target(func.target);
  if (!target || target->family == Family::cpu) return {};
  const std::set<Symbol> written = written_tensors(func);
  std::vector<std::pair<size_t, size_t>> out;
  const auto is_written = [&](size_t i) {
    return written.count(to<Param>(func.params[i]).name) != 0;
  };
  for (size_t i = 0; i < func.params.size(); ++i) {
    const Buffer* read = as<Buffer>(to<Param>(func.params[i]).tensor);
    if (!read || read->aliased || is_written(i)) continue;
    for (size_t j = 0; j < func.params.size(); ++j)
      if (is_written(j)) out.emplace_back(i, j);
  }
  return out;
}

}  // namespace tilelab::host
