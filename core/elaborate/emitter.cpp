// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/emitter.h"

#include <algorithm>

namespace tilelab::elaborate {

void Emitter::open_block(bool conditional) {
  open_side_block();
  if (!conditional) unconditional_.insert(next_region_);
  regions_.push_back(next_region_++);
  region_names_.emplace_back();
}

Stmt Emitter::close_block() {
  regions_.pop_back();
  for (const MadeName& made : region_names_.back())
    if (--taken_[made.name] == 0) {
      taken_.erase(made.name);
      ended_.insert(made.name);
      int& free = free_number_[made.base];
      free = std::min(free, made.number);
    }
  region_names_.pop_back();
  return seq(close_side_block());
}

std::vector<Stmt> Emitter::close_side_block() {
  std::vector<Stmt> stmts = std::move(blocks_.back());
  blocks_.pop_back();
  return stmts;
}

bool Emitter::active(int region) const {
  return std::find(regions_.begin(), regions_.end(), region) != regions_.end();
}

bool Emitter::conditional_since(int region) const {
  for (size_t i = regions_.size(); i-- > 0 && regions_[i] != region;)
    if (!unconditional_.count(regions_[i])) return true;
  return false;
}

Symbol Emitter::fresh(Symbol base, bool forever) {
  if (base.empty() || base.str() == "_") base = "v";
  int& free = free_number_[base];
  int number = free;
  Symbol name = base;
  for (;; ++number) {
    if (number > 0) name = base.str() + "_" + std::to_string(number);
    if (taken_.count(name))
      free += free == number;
    else if (!forever || !ended_.count(name))
      break;
  }
  ++taken_[name];
  made_in_[name] = region();
  if (!forever) region_names_.back().push_back({name, base, number});
  free += free == number;
  return name;
}

bool Emitter::in_scope(Symbol name) const {
  const auto made = made_in_.find(name);
  return made == made_in_.end() || active(made->second);
}

bool Emitter::is_of_function(Symbol name) const {
  const auto made = made_in_.find(name);
  return made == made_in_.end() || made->second == 0;
}

Symbol Emitter::fresh_avoiding(const std::set<Symbol>& bound, Symbol base) {
  Symbol name = fresh(base, true);
  while (bound.count(name)) name = fresh(base, true);
  return name;
}

}  // namespace tilelab::elaborate
