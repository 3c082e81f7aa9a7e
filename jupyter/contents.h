// SPDX-License-Identifier: Apache-2.0
// Reading message contents that a client may have filled badly: nothing here throws.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilelab::jupyter {

using Json = nlohmann::json;

/// The member if it is a string, else "".
std::string text_of(const Json& object, const char* key);

/// The member if it is a boolean, else `otherwise`.
bool truth_of(const Json& object, const char* key, bool otherwise);

/// "kernel_info_request" and the like: types that want a reply.
bool is_request(const std::string& type);

/// "kernel_info_request" -> "kernel_info_reply".
std::string reply_type(const std::string& request_type);

/// A request's content as the dispatcher of xeus needs it: null means absent (it would throw),
/// numbers are in the range of int, and absent limits of a history mean all of it (it would take
/// 10).
Json tidy_content(const std::string& type, const Json& content);

/// The header with the present date.
Json redated(Json header);

}  // namespace tilelab::jupyter
