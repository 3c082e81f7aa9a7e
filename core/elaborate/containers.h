// SPDX-License-Identifier: Apache-2.0
// Lists, tuples and dicts during elaboration know their nesting and their number of items, so that
// limits.h holds at any time and recursive walks over items end soon.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/support/symbol.h"

namespace tilelab::elaborate {

struct Value;
struct HostObject;
using HostRef = std::shared_ptr<HostObject>;

/// Levels of containers, and the number of items with the items of items: a container that occurs
/// twice counts twice.
struct Extent {
  int64_t nesting = 0, items = 0;
  bool fits() const;
};

/// What containers share. A list that grows also grows the containers that hold it.
class Container {
 public:
  const Extent& extent() const { return extent_; }
  /// Counts `item` as an item of `container`, `count` times: -1 removes it.
  static void add(const std::shared_ptr<Container>& container, const Value& item,
                  int64_t count = 1);
  /// The extent beyond a limit that this container or one that holds it would get by `more`.
  std::optional<Extent> excess(const Extent& more) const;

 private:
  struct Holder {
    std::weak_ptr<Container> container;
    int64_t times;
  };
  void grow(const Extent& more);
  void hold(const std::shared_ptr<Container>& holder, int64_t count);

  Extent extent_{1, 0};
  bool grows_ = false;           // contains a list or an object
  std::vector<Holder> holders_;  // of a container that grows
  friend Value list_of(std::vector<Value> items);
  friend Value dict_of(std::vector<std::pair<Value, Value>> items);
  friend Value object_of(HostRef type, std::string type_name, Symbol prefix, int region);
};

/// The container that a value is or consists of: of a function, its defaults. Null for others.
std::shared_ptr<Container> container_of(const Value& value);
/// What a value adds to a container as an item.
Extent extent_as_item(const Value& value);

}  // namespace tilelab::elaborate
