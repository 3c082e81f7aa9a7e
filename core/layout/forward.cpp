// SPDX-License-Identifier: Apache-2.0
#include "core/layout/forward.h"

#include <algorithm>
#include <unordered_map>

#include "core/layout/recognize.h"
#include "core/support/extents.h"

namespace tilelab {

int64_t ForwardMap::elements() const { return volume(shape); }

Index ForwardMap::element(int64_t number) const {
  Index index(shape.size());
  for (size_t d = shape.size(); d-- > 0; number /= shape[d]) index[d] = number % shape[d];
  return index;
}

Index output_shape(const ForwardMap& map) {
  Index extents(map.coordinates.empty() ? 0 : map.coordinates[0].size(), 1);
  for (const Index& place : map.coordinates)
    for (size_t d = 0; d < place.size(); ++d) extents[d] = std::max(extents[d], place[d] + 1);
  return extents;
}

ForwardMap with_leading(const ForwardMap& map, const Index& leading) {
  if (leading.empty()) return map;
  ForwardMap out;
  out.shape = leading;
  int64_t copies = out.elements();
  ForwardMap front{leading, {}, 0, {}};
  for (int64_t c = 0; c < copies; ++c)
    for (const Index& place : map.coordinates) {
      Index longer = front.element(c);
      longer.insert(longer.end(), place.begin(), place.end());
      out.coordinates.push_back(std::move(longer));
    }
  out.shape.insert(out.shape.end(), map.shape.begin(), map.shape.end());
  return out;
}

namespace {

ForwardLayout faulty(ForwardFault fault) { return {{}, {}, std::move(fault)}; }

ForwardFault negative_fault(const ForwardMap& map) {
  for (size_t e = 0; e < map.coordinates.size(); ++e)
    for (int64_t c : map.coordinates[e])
      if (c < 0) return {ForwardFault::What::negative, map.element(int64_t(e)), {}, {}};
  for (size_t t = 0; t < map.threads.size(); ++t)
    if (map.threads[t] < 0)
      return {ForwardFault::What::negative, map.element(int64_t(t) % map.elements()), {}, {}};
  return {};
}

ForwardLayout address_layout(const ForwardMap& map, int64_t element_bytes) {
  Index extents = output_shape(map);
  LayoutTable table{map.shape, {}};
  std::unordered_map<int64_t, int64_t> owner;
  int64_t least = INT64_MAX;
  for (int64_t e = 0; e < map.elements(); ++e) {
    int64_t address = row_major_number(map.coordinates[size_t(e)], extents);
    auto [found, fresh] = owner.emplace(address, e);
    if (!fresh)
      return faulty({ForwardFault::What::clash, map.element(found->second), map.element(e),
                     map.coordinates[size_t(e)]});
    least = std::min(least, address);
    table.places.push_back({0, 0, address});
  }
  for (Place& place : table.places) place.address -= least;
  if (auto found = recognize_swizzled(table, element_bytes))
    return {found->layout, found->swizzle, {}};
  return faulty({ForwardFault::What::no_digits, {}, {}, {}});
}

/// Registers of all elements: explicit, or numbered per thread.
std::vector<int64_t> registers_of(const ForwardMap& map) {
  std::vector<int64_t> registers;
  Index extents = output_shape(map);
  std::unordered_map<int64_t, int64_t> held;
  for (int64_t e = 0; e < map.elements(); ++e)
    registers.push_back(map.coordinates.empty()
                            ? held[map.threads[size_t(e)]]++
                            : row_major_number(map.coordinates[size_t(e)], extents));
  return registers;
}

ForwardLayout fragment_layout(const ForwardMap& map) {
  int64_t count = map.elements();
  std::vector<int64_t> registers = registers_of(map);
  std::unordered_map<int64_t, int64_t> owner;  // of (thread, register)
  int64_t most = 1 + *std::max_element(registers.begin(), registers.end());
  LayoutTable table{map.shape, {}};
  table.shape.insert(table.shape.begin(), map.replicas);
  for (int64_t r = 0; r < map.replicas; ++r)
    for (int64_t e = 0; e < count; ++e) {
      int64_t thread = map.threads[size_t(r * count + e)], reg = registers[size_t(e)];
      auto [found, fresh] = owner.emplace(thread * most + reg, e);
      if (!fresh && found->second != e)
        return faulty(
            {ForwardFault::What::clash, map.element(found->second), map.element(e), {thread, reg}});
      table.places.push_back({thread, reg, 0});
    }
  std::optional<Layout> found = recognize(table);
  if (!found) return faulty({ForwardFault::What::no_digits, {}, {}, {}});
  Layout layout = *found;
  for (const Digit& digit : layout.dims[0])  // the replica dimension
    if (digit.kind == 't' && digit.extent > 1) layout.rep.push_back(digit);
  layout.shape.erase(layout.shape.begin());
  layout.dims.erase(layout.dims.begin());
  return {layout, {}, {}};
}

}  // namespace

ForwardLayout layout_of(const ForwardMap& map, int64_t element_bytes) {
  ForwardFault fault = negative_fault(map);
  if (fault.what != ForwardFault::What::none) return faulty(std::move(fault));
  return map.is_fragment() ? fragment_layout(map) : address_layout(map, element_bytes);
}

ForwardMap linear_map(const Index& shape) {
  ForwardMap map{shape, {}, 0, {}};
  for (int64_t e = 0; e < map.elements(); ++e) map.coordinates.push_back(map.element(e));
  return map;
}

ForwardMap replicated_map(const Index& shape, int64_t threads) {
  ForwardMap map{shape, {}, threads, {}};
  for (int64_t e = 0; e < map.elements(); ++e) map.coordinates.push_back({e});
  for (int64_t t = 0; t < threads; ++t)
    map.threads.insert(map.threads.end(), size_t(map.elements()), t);
  return map;
}

std::optional<ForwardMap> bank_swizzled(const Index& shape, int64_t element_bytes,
                                        int64_t panel_bytes) {
  if (shape.size() < 2) return std::nullopt;
  int64_t rows = shape[shape.size() - 2], cols = shape.back();
  int64_t chunk = 16 / element_bytes, width = panel_bytes / element_bytes;
  if (element_bytes > 16 || rows % 8 != 0 || cols % width != 0) return std::nullopt;
  ForwardMap matrix{{rows, cols}, {}, 0, {}};
  int64_t chunks = panel_bytes / 16;  // 8, 4, 2: rows at distance 1, 2, 4 share an exchange
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j) {
      int64_t c = (j / chunk) % chunks ^ (i % 8) / (8 / chunks);
      matrix.coordinates.push_back({j / width, i, c * chunk + j % chunk});
    }
  return with_leading(matrix, Index(shape.begin(), shape.end() - 2));
}

ForwardMap widest_bank_swizzle(const Index& shape, int64_t element_bytes, bool pad) {
  for (int64_t panel : {128, 64, 32})
    if (auto map = bank_swizzled(shape, element_bytes, panel)) return *map;
  ForwardMap map = linear_map(shape);
  if (!pad || shape.size() < 2 || shape.back() * element_bytes % 32 != 0) return map;
  int64_t pitch = shape.back() + 16 / element_bytes;
  for (Index& place : map.coordinates) {
    int64_t col = place.back();
    place.pop_back();
    place.back() = place.back() * pitch + col;
  }
  return map;
}

}  // namespace tilelab
