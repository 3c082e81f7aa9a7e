// SPDX-License-Identifier: Apache-2.0
#include "jupyter/quiet_streams.h"

#include <iostream>

namespace tilelab::jupyter {

QuietStreams::QuietStreams() : cerr_(std::cerr.rdbuf(nullptr)), clog_(std::clog.rdbuf(nullptr)) {}

QuietStreams::~QuietStreams() {
  std::cerr.rdbuf(cerr_);
  std::clog.rdbuf(clog_);
}

}  // namespace tilelab::jupyter
