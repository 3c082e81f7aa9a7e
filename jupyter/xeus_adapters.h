// SPDX-License-Identifier: Apache-2.0
// Forwards the calls of xeus' dispatcher to Requests. Part of xeus_server.cpp, its only includer.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <xeus/xhistory_manager.hpp>
#include <xeus/xinterpreter.hpp>

#include "jupyter/requests.h"

namespace tilelab::jupyter {

class Interpreter final : public xeus::xinterpreter {
 public:
  void attach(Requests& requests) { requests_ = &requests; }

 private:
  void configure_impl() override {}
  Json execute_request_impl(int, const std::string& code, bool silent, bool store_history,
                            Json user_expressions, bool allow_stdin) override {
    return requests_->execute(code, silent, store_history, user_expressions, allow_stdin);
  }
  Json complete_request_impl(const std::string& code, int cursor) override {
    return requests_->complete(code, cursor);
  }
  Json inspect_request_impl(const std::string& code, int cursor, int detail) override {
    return requests_->inspect(code, cursor, detail);
  }
  Json is_complete_request_impl(const std::string& code) override {
    return requests_->is_complete(code);
  }
  Json kernel_info_request_impl() override { return requests_->kernel_info(); }
  void shutdown_request_impl() override {}

  Requests* requests_ = nullptr;
};

class HistoryManager final : public xeus::xhistory_manager {
 public:
  void attach(Requests& requests) { requests_ = &requests; }

 private:
  void configure_impl() override {}
  void store_inputs_impl(int, int, const std::string&, const std::string&) override {
    // The session keeps the history itself.
  }
  Json get_tail_impl(int n, bool, bool output) const override {
    return requests_->history_tail(n, output);
  }
  Json get_range_impl(int session, int start, int stop, bool, bool output) const override {
    return requests_->history_range(session, start, stop, output);
  }
  Json search_impl(const std::string& pattern, bool, bool output, int n,
                   bool unique) const override {
    return requests_->history_search(pattern, output, n, unique);
  }

  Requests* requests_ = nullptr;
};

}  // namespace tilelab::jupyter
