// SPDX-License-Identifier: Apache-2.0
// Silence on the terminal of the notebook server.
#pragma once

#include <iosfwd>

namespace tilelab::jupyter {

/// While it lives, std::cerr and std::clog write nowhere. xeus tells them of every request that it
/// can't answer; those get an error reply from us. Python and C have their own streams.
class QuietStreams {
 public:
  QuietStreams();
  ~QuietStreams();
  QuietStreams(const QuietStreams&) = delete;
  QuietStreams& operator=(const QuietStreams&) = delete;

 private:
  std::streambuf *cerr_, *clog_;
};

}  // namespace tilelab::jupyter
