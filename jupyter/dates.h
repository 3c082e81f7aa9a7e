// SPDX-License-Identifier: Apache-2.0
// Dates of message headers: ISO 8601 with microseconds and time zone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tilelab::jupyter {

/// Now, as "2026-03-01T12:00:00.000045Z".
std::string iso_date();

/// Microseconds since 1970 of such a date, which may have fewer digits or another time zone.
std::optional<int64_t> microseconds_of(const std::string& date);

}  // namespace tilelab::jupyter
