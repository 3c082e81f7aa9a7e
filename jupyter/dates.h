// SPDX-License-Identifier: Apache-2.0
// Dates of message headers: ISO 8601 with microseconds and time zone.
#pragma once

#include <string>

namespace tilelab::jupyter {

/// Now, as "2026-03-01T12:00:00.000045Z".
std::string iso_date();

}  // namespace tilelab::jupyter
