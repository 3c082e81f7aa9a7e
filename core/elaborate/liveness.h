// SPDX-License-Identifier: Apache-2.0
// Liveness of Python names in the source of a function: which names a later statement may read
// before it binds them. Joins of control flow need variables for live names only.
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/syntax/tree.h"

namespace tilelab::elaborate {

class Liveness {
 public:
  explicit Liveness(const syntax::Node& function);
  /// Whether `name` is live after an `if`, `for`, `while` or `with`.
  bool after(const syntax::Node& statement, Symbol name) const;
  /// Whether it is live where an iteration of the loop starts or the loop ends.
  bool at_head(const syntax::Node& loop, Symbol name) const;

 private:
  using Names = std::set<Symbol>;
  struct Exits {  // live names where `break` and `continue` go
    const Names *broke = nullptr, *continued = nullptr;
  };
  // By line and column, which a statement shares with its rewritten form (T.If, T.While).
  using Places = std::map<std::pair<uint32_t, uint32_t>, Names>;

  void block(const syntax::Trees& body, Names& live, const Exits& exits);
  void statement(const syntax::Node& node, Names& live, const Exits& exits);
  void loop(const syntax::Node& node, Names& live);
  void read(const syntax::Node& expression, Names& live) const;
  void read_places(const syntax::Node& target, Names& live) const;
  void kill(const syntax::Node& target, Names& live) const;
  void capture(const syntax::Node& node, bool inner);
  const Names& uses(const syntax::Node& loop);
  bool live_in(const Places& places, const syntax::Node& node, Symbol name) const;

  Names candidates_;  // bound in a loop or branch: other names have one binding at a join
  Names captured_;    // read by nested functions: live everywhere
  Places after_, head_;
  std::unordered_map<const syntax::Node*, Names> uses_;
  bool recording_ = true;
};

/// The places where `body` binds names of its function: targets of assignments and loops, nested
/// functions. One node for each binding, in source order.
std::vector<const syntax::Node*> bindings_in(const syntax::Trees& body);

}  // namespace tilelab::elaborate
