// SPDX-License-Identifier: Apache-2.0
// What a client sends is read without trust: nothing here throws, recurses or looks at dates.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace tilelab::jupyter {

using Json = nlohmann::json;

/// JSON text of any origin. Bytes that are no UTF-8 and halves of surrogate pairs become U+FFFD.
/// Nothing where it is no JSON, or nested deeper than any message needs: whoever copies or writes
/// JSON does so by recursion.
std::optional<Json> read_json(std::string_view text);
/// The same, where nothing but an object will do; {} is no worse than nothing.
Json read_object(std::string_view text);

/// Whether a header names what an answer needs: type, id and session, as text.
bool has_names(const Json& header);

/// Compares all of both; how long it takes tells nothing about where they differ.
bool same_signature(std::string_view a, std::string_view b);

/// Signatures that have been seen: a message that comes again is no request of the client.
class SeenSignatures {
 public:
  /// False: it is there already.
  bool add(const std::string& signature);

 private:
  static constexpr size_t kept = 65536;
  std::unordered_set<std::string> older_, newer_;
};

}  // namespace tilelab::jupyter
