// SPDX-License-Identifier: Apache-2.0
// Thread-safe, unlike the date functions of xeus 2.4.1 (which also omit leading zeros).
#include "jupyter/dates.h"

#include <time.h>

#include <cstdint>
#include <cstdio>
#include <optional>

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

std::optional<int64_t> microseconds_of(const std::string& date) {
  tm parts{};
  int end = 0;
  if (std::sscanf(date.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &parts.tm_year, &parts.tm_mon,
                  &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &end) != 6)
    return std::nullopt;
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  const char* at = date.c_str() + end;
  int64_t fraction = 0;
  if (*at == '.')
    for (int64_t unit = 100'000; *++at >= '0' && *at <= '9'; unit /= 10)
      fraction += unit * (*at - '0');
  char sign = 'Z';
  int hours = 0, minutes = 0;
  std::sscanf(at, "%c%2d:%2d", &sign, &hours, &minutes);
  const int64_t zone = (sign == '-' ? -60 : 60) * (60 * hours + minutes);
  return (timegm(&parts) - zone) * 1'000'000 + fraction;
}

}  // namespace tilelab::jupyter
