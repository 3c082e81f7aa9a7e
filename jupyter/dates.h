// SPDX-License-Identifier: Apache-2.0
// Dates of message headers: ISO 8601 with microseconds and a zone.
#pragma once

#include <optional>
#include <string>

namespace tilelab::jupyter {

/// Now, as "2026-03-01T12:00:00.000045Z".
std::string iso_date();

/// Seconds since 1970 of "YYYY-MM-DDThh:mm:ss[.fraction][Z|+hh:mm|-hh:mm]"; no zone means UTC.
std::optional<double> parse_iso_date(const std::string& text);

}  // namespace tilelab::jupyter
