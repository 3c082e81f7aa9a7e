// SPDX-License-Identifier: Apache-2.0
// Thread-safe, unlike the date functions of xeus 2.4.1 (which also omit leading zeros).
#include "jupyter/dates.h"

#include <time.h>

#include <cstdio>

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

}  // namespace tilelab::jupyter
