// SPDX-License-Identifier: Apache-2.0
// A front end that records its calls, and the one session of the test program.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "session/session.h"

namespace tilelab::test {

class Recorder final : public Frontend {
 public:
  void stream(const std::string& name, const std::string& text) override {
    std::lock_guard lock(mutex);
    (name == "stderr" ? err : out) += text;
    log += name + "(" + text + ")";
  }
  void display(const MimeBundle& bundle, const std::string& id, bool update) override {
    std::lock_guard lock(mutex);
    displays.push_back(bundle);
    log += std::string(update ? "update" : "display") + (id.empty() ? "" : "#") + "(" +
           text(bundle) + ")";
  }
  void result(int count, const MimeBundle& bundle) override {
    results.push_back(bundle);
    log += "result" + std::to_string(count) + "(" + text(bundle) + ")";
  }
  void error(const std::string& ename, const std::string&,
             const std::vector<std::string>&) override {
    log += "error(" + ename + ")";
  }
  void clear_output(bool wait) override { log += wait ? "clear(wait)" : "clear"; }
  std::string input(const std::string& prompt, bool password) override {
    log += (password ? "password(" : "input(") + prompt + ")";
    if (on_input) on_input();
    if (answers.empty()) throw EndOfInput();
    std::string answer = answers.front();
    answers.erase(answers.begin());
    return answer;
  }
  void page(const MimeBundle& bundle) override { paged = text(bundle); }
  void set_next_input(const std::string& text, bool) override { next_input = text; }

  static std::string text(const MimeBundle& bundle) {
    const std::string* plain = bundle.find("text/plain");
    return plain ? *plain : "<no text/plain>";
  }

  std::mutex mutex;
  std::string log, out, err, paged, next_input;
  std::vector<MimeBundle> displays, results;
  std::vector<std::string> answers;
  std::function<void()> on_input;
};

/// The session of this process; made at the first call, ended at exit of main.
Session& session();
/// A fresh recorder; the session keeps writing to the last one, so recorders live on.
Recorder& recorder();
/// Runs a stored cell into a fresh recorder.
struct Run {
  ExecuteResult result;
  Recorder& to;
};
Run run(const std::string& code);

}  // namespace tilelab::test
