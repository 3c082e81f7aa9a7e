// SPDX-License-Identifier: Apache-2.0
// Silence on the terminal of the notebook server.
#pragma once

#include <iostream>

namespace tilelab::jupyter {

/// While it lives, std::cerr and std::clog write nowhere. xeus tells them of every request that it
/// can't answer; those get an error reply from us. Python and C have their own streams.
class QuietStreams {
 public:
  QuietStreams() : cerr_(std::cerr.rdbuf(nullptr)), clog_(std::clog.rdbuf(nullptr)) {}
  ~QuietStreams() {
    std::cerr.rdbuf(cerr_);
    std::clog.rdbuf(clog_);
  }
  QuietStreams(const QuietStreams&) = delete;
  QuietStreams& operator=(const QuietStreams&) = delete;

 private:
  std::streambuf *cerr_, *clog_;
};

}  // namespace tilelab::jupyter
