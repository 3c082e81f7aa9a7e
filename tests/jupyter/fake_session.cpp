// SPDX-License-Identifier: Apache-2.0
// A session without Python: what the server does is tested with neither the compiler nor an
// interpreter. A cell is a list of lines "verb argument"; see run_line().
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "session/history.h"
#include "session/session.h"

namespace tilelab {

namespace {

using Clock = std::chrono::steady_clock;

struct Failure {
  std::string ename, evalue;
};

class FakeSession final : public Session {
 public:
  ExecuteResult execute(const std::string& code, const ExecuteOptions& options,
                        Frontend& frontend) override {
    interrupted_ = false;
    frontend_ = &frontend;
    result_ = {};
    result_.count = options.store_history ? ++count_ : count_;
    try {
      for (size_t at = 0; at < code.size();) {
        size_t end = std::min(code.find('\n', at), code.size());
        run_line(code.substr(at, end - at));
        at = end + 1;
      }
    } catch (const Failure& failure) {
      fail(failure);
    } catch (const Interrupted&) {
      fail({"KeyboardInterrupt", ""});
    }
    for (const auto& [name, expression] : options.user_expressions) {
      bool ok = expression != "bad";
      result_.user_expressions.push_back(
          {name, ok, {{{"text/plain", "'" + expression + "'"}}}, ok ? "" : "NameError", ""});
    }
    if (options.store_history) history_.push_back({2, count_, code, ""});
    return result_;
  }

  /// The target "echo": what comes goes back.
  bool comm(const CommMessage& message, Frontend& frontend) override {
    if (message.type == "comm_open" && message.content.find("\"echo\"") == std::string::npos)
      return false;
    if (message.content.find("throw") != std::string::npos) throw std::runtime_error("no comm");
    frontend.comm(
        {"comm_msg", "", message.content, R"({"of":)" + message.header + "}", message.buffers});
    return true;
  }
  std::string comms(const std::string& target) override {
    return target == "echo" ? R"({"one": {"target_name": "echo"}})" : "{}";
  }
  Completions complete(const std::string& code, int cursor) override {
    if (code == "throw") throw std::runtime_error("completion is broken");
    return {{{"out", "command", "(text)"}, {"over", "command", ""}}, cursor - 1, cursor};
  }
  MimeBundle inspect(const std::string& code, int cursor, int detail) override {
    if (code == "nothing") return {};
    return {{{"text/plain", code + " at " + std::to_string(cursor) + (detail ? " source" : "")}}};
  }
  IsComplete is_complete(const std::string& code) override {
    if (code.find("...") != std::string::npos) return {Completeness::incomplete, "  "};
    if (code == "?") return {Completeness::unknown, ""};
    return {code == ")" ? Completeness::invalid : Completeness::complete, ""};
  }
  std::vector<HistoryEntry> history(bool all_sessions) const override {
    std::vector<HistoryEntry> entries;
    if (all_sessions) entries = {{1, 1, "old one", ""}, {1, 2, "old two", ""}};
    entries.insert(entries.end(), history_.begin(), history_.end());
    return entries;
  }
  int next_count() const override { return count_ + 1; }
  void interrupt() override { interrupted_ = true; }
  std::string banner() const override { return "a fake session"; }

 private:
  void fail(const Failure& failure) {
    result_.ok = false;
    result_.ename = failure.ename;
    result_.evalue = failure.evalue;
    result_.traceback = {failure.ename + ": " + failure.evalue};
    if (failure.ename != "Unshown")
      frontend_->error(failure.ename, failure.evalue, result_.traceback);
  }

  void sleep(double seconds, bool interruptible) {
    auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (Clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      if (interruptible && interrupted_) throw Interrupted();
    }
  }

  void run_line(const std::string& line) {
    size_t space = std::min(line.find(' '), line.size());
    std::string verb = line.substr(0, space);
    std::string text = line.substr(std::min(space + 1, line.size()));
    MimeBundle plain{{{"text/plain", text}}};
    if (verb == "out") frontend_->stream("stdout", text + "\n");
    if (verb == "err") frontend_->stream("stderr", text + "\n");
    if (verb == "bytes") frontend_->stream("stdout", std::string("a\xff\xfez", 4));
    if (verb == "result") frontend_->result(result_.count, plain);
    if (verb == "show") frontend_->display(plain, "", false);
    if (verb == "named") frontend_->display(plain, "name", false);
    if (verb == "update") frontend_->display(plain, "name", true);
    if (verb == "clear") frontend_->clear_output(text == "wait");
    if (verb == "page") frontend_->page(plain);
    if (verb == "next") frontend_->set_next_input(text, false);
    if (verb == "fail") throw Failure{text, "as expected"};
    if (verb == "throw") throw std::runtime_error(text);
    if (verb == "throw_int") throw 42;
    if (verb == "sleep") sleep(std::atof(text.c_str()), true);
    if (verb == "stubborn") sleep(std::atof(text.c_str()), false);
    if (verb == "input") frontend_->stream("stdout", frontend_->input(text, false) + "\n");
    if (verb == "password") frontend_->stream("stdout", frontend_->input(text, true) + "\n");
    if (verb == "many")
      for (int i = 0; i < std::atoi(text.c_str()); ++i) frontend_->stream("stdout", "line\n");
    if (verb == "big") {
      std::string lines;
      while (lines.size() < std::strtoul(text.c_str(), nullptr, 10)) lines += "0123456789\n";
      frontend_->display({{{"text/plain", lines}, {"text/html", "<b>" + lines + "</b>"}}}, "",
                         false);
    }
    if (verb == "exit") {
      result_.exit = true;
      result_.exit_status = std::atoi(text.c_str());
    }
  }

  Frontend* frontend_ = nullptr;
  ExecuteResult result_;
  std::vector<HistoryEntry> history_;
  int count_ = 0;
  std::atomic<bool> interrupted_{false};
};

}  // namespace

std::unique_ptr<Session> make_session(const SessionOptions&) {
  return std::make_unique<FakeSession>();
}

std::string default_history_file() { return ""; }

}  // namespace tilelab
