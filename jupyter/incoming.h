// SPDX-License-Identifier: Apache-2.0
// Parses untrusted client messages: nothing here throws, recurses or parses dates.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace tilelab::jupyter {

using Json = nlohmann::json;

/// Parses untrusted JSON. Invalid UTF-8 and lone surrogates become U+FFFD. Nullopt if it is
/// invalid, or nested deeper than any message needs: copying and writing JSON are recursive.
std::optional<Json> read_json(std::string_view text);
/// The same for an object; {} if it is invalid.
Json read_object(std::string_view text);

/// Whether a header has the fields that a reply needs: type, id and session, as text.
bool has_names(const Json& header);

/// Compares in constant time, independent of where they differ.
bool same_signature(std::string_view a, std::string_view b);

/// Signatures already seen: a repeated message is a replay.
class SeenSignatures {
 public:
  /// False: already present.
  bool add(const std::string& signature);

 private:
  static constexpr size_t kept = 65536;
  std::unordered_set<std::string> older_, newer_;
};

}  // namespace tilelab::jupyter
