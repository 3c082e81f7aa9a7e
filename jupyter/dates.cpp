// SPDX-License-Identifier: Apache-2.0
// Thread-safe, unlike the dates that xeus 2.4.1 writes (which also lose leading zeros).
#include "jupyter/dates.h"

#include <time.h>

#include <cstdio>
#include <cstdlib>

namespace tilelab::jupyter {

std::string iso_date() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  gmtime_r(&now.tv_sec, &parts);
  char text[40];
  size_t length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  snprintf(text + length, sizeof text - length, ".%06ldZ", now.tv_nsec / 1000);
  return text;
}

std::optional<double> parse_iso_date(const std::string& text) {
  tm parts{};
  const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (!rest) return std::nullopt;
  double seconds = static_cast<double>(timegm(&parts));
  if (*rest == '.') {
    double scale = 0.1;
    for (++rest; *rest >= '0' && *rest <= '9'; ++rest, scale /= 10)
      seconds += (*rest - '0') * scale;
  }
  int hours = 0, minutes = 0;
  if ((*rest == '+' || *rest == '-') && sscanf(rest + 1, "%2d:%2d", &hours, &minutes) == 2)
    seconds -= (*rest == '+' ? 1 : -1) * (hours * 3600 + minutes * 60);
  return seconds;
}

}  // namespace tilelab::jupyter
