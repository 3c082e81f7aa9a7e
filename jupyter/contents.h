// SPDX-License-Identifier: Apache-2.0
// Reads message contents that may be malformed: nothing here throws.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilelab::jupyter {

using Json = nlohmann::json;

/// The member if it is a string, otherwise "".
std::string text_of(const Json& object, const char* key);

/// The member if it is a boolean, otherwise `otherwise`.
bool truth_of(const Json& object, const char* key, bool otherwise);

/// "kernel_info_request" and similar: types that need a reply.
bool is_request(const std::string& type);

/// "kernel_info_request" -> "kernel_info_reply".
std::string reply_type(const std::string& request_type);

/// A request's content adapted to xeus' dispatcher: removes null members (it would throw), clamps
/// numbers to int, and makes absent limits of a history explicit (it would default to 10).
Json tidy_content(const std::string& type, const Json& content);

/// The header with the current date.
Json redated(Json header);

}  // namespace tilelab::jupyter
