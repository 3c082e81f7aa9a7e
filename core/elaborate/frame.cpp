// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/frame.h"

#include <algorithm>

#include "core/diagnostics/usage.h"

namespace tilelab::elaborate {

bool is_forgotten_index(const Diagnostics& diagnostics, const Binding& binding) {
  const auto& all = diagnostics.all();
  return binding.shadows.known() && std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) {
           return d.id == usage::buffer_rebound && d.span == binding.span;
         });
}

void allow_rebinding(Diagnostics& diagnostics, const Binding& binding, Symbol name) {
  if (!binding.shadows.known()) return;
  const auto error = diagnostics.take(usage::buffer_rebound, binding.span);
  if (!error) return;
  Diagnostic& warning = diagnostics.report(usage::buffer_shadowed, binding.span, name);
  for (const Label& label : error->labels) warning.label(label.span, label.text);
}

const Binding* find(const Bindings& bindings, Symbol name) {
  for (const auto& [bound, binding] : bindings)
    if (bound == name) return &binding;
  return nullptr;
}

const Carried* Loop::variable(Symbol name) const {
  for (const Carried& one : carried)
    if (one.name == name) return &one;
  return nullptr;
}

Binding* Frame::find(Symbol name) {
  const auto found = names.find(name);
  return found == names.end() ? nullptr : &found->second;
}

void Frame::bind(Symbol name, Binding binding) {
  const auto [it, fresh] = names.try_emplace(name);
  Binding& place = it->second;
  const BufferRef* buffer = place.value.get<BufferRef>();
  binding.shadows = buffer ? (*buffer)->span : place.shadows;
  if (!replaced_.empty()) {
    auto& before = replaced_.back();
    const auto same = [&](const auto& entry) { return entry.first == name; };
    if (std::none_of(before.begin(), before.end(), same)) {
      std::optional<Binding> old;
      if (!fresh) old = std::move(place);
      before.emplace_back(name, std::move(old));
    }
  }
  place = std::move(binding);
}

Bindings Frame::close() {
  Bindings out;
  for (auto& [name, before] : replaced_.back()) {
    const auto it = names.find(name);
    out.emplace_back(name, std::move(it->second));
    if (before)
      it->second = std::move(*before);
    else
      names.erase(it);
  }
  replaced_.pop_back();
  return out;
}

Bindings Frame::bound_since(size_t depth) const {
  Bindings out;
  for (size_t i = depth; i < replaced_.size(); ++i)
    for (const auto& [name, before] : replaced_[i])
      if (!elaborate::find(out, name)) out.emplace_back(name, names.at(name));
  return out;
}

const Liveness& Frame::liveness() {
  if (!liveness_) liveness_ = std::make_unique<Liveness>(*function);
  return *liveness_;
}

}  // namespace tilelab::elaborate
