// SPDX-License-Identifier: Apache-2.0
// Silences the terminal of the notebook server.
#pragma once

#include <iosfwd>

namespace tilelab::jupyter {

/// During its lifetime, std::cerr and std::clog are discarded. xeus logs every request that it
/// cannot answer; those get an error reply. Python and C have separate streams.
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
