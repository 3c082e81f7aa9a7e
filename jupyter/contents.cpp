// SPDX-License-Identifier: Apache-2.0
#include "jupyter/contents.h"

#include <climits>
#include <nlohmann/json.hpp>

#include "jupyter/dates.h"

namespace tilelab::jupyter {

static const std::string kRequest = "_request";

std::string text_of(const Json& object, const char* key) {
  if (!object.is_object()) return "";
  auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

bool truth_of(const Json& object, const char* key, bool otherwise) {
  if (!object.is_object()) return otherwise;
  auto found = object.find(key);
  return found != object.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

bool is_request(const std::string& type) {
  return type.size() > kRequest.size() &&
         type.compare(type.size() - kRequest.size(), kRequest.size(), kRequest) == 0;
}

std::string reply_type(const std::string& request_type) {
  return request_type.substr(0, request_type.size() - kRequest.size()) + "_reply";
}

/// Clamps a number to the range of int: xeus converts without a check.
static Json in_range(const Json& number) {
  double value = number.get<double>(), limit = INT_MAX;
  if (value > limit || value < -limit) return value > 0 ? INT_MAX : -INT_MAX;
  return number;
}

Json tidy_content(const std::string& type, const Json& content) {
  Json tidied = Json::object();
  if (content.is_object()) {
    for (const auto& [key, value] : content.items())
      if (!value.is_null()) tidied[key] = value.is_number() ? in_range(value) : value;
  }
  if (type == "history_request") {
    for (const char* limit : {"stop", "n"})
      if (!tidied.contains(limit)) tidied[limit] = INT_MAX;
  }
  return tidied;
}

Json redated(Json header) {
  header["date"] = iso_date();
  return header;
}

}  // namespace tilelab::jupyter
