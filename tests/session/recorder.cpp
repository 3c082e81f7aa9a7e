// SPDX-License-Identifier: Apache-2.0
#include "tests/session/recorder.h"

#include <stdlib.h>

#include <deque>

namespace tilelab::test {

Session& session() {
  static Session* made = [] {
    // Never destroyed: the order of static destructors and Python's end is not ours to rely on.
    char directory[] = "/tmp/tilelab_test_XXXXXX";
    SessionOptions options;
    options.history_file = std::string(mkdtemp(directory)) + "/state/history";
    options.capture_descriptors = false;
    return make_session(options).release();
  }();
  return *made;
}

Recorder& recorder() {
  static auto* all = new std::deque<Recorder>;
  return all->emplace_back();
}

Run run(const std::string& code) {
  Recorder& to = recorder();
  return {session().execute(code, {}, to), to};
}

}  // namespace tilelab::test
