// SPDX-License-Identifier: Apache-2.0
// Requests of the protocol, answered by a Session. Independent of sockets.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "jupyter/contents.h"
#include "jupyter/interrupts.h"
#include "jupyter/output_limit.h"
#include "session/session.h"

namespace tilelab::jupyter {

/// The server interface for requests. Everything concerns the current request.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual void stream(const std::string& name, const std::string& text) = 0;
  virtual void publish(const std::string& type, Json content) = 0;
  virtual void publish_comm(const CommMessage& message) = 0;
  /// The request's header, as JSON text.
  virtual std::string request_header() const = 0;
  /// Asks the client for a line. Throws Interrupted.
  virtual std::string ask(const std::string& prompt, bool password) = 0;
};

/// Each function handles one type of request, returns the content of its reply and does not throw.
/// All except kernel_info belong to the thread that owns the session. Those of Frontend may be
/// called by any thread of the user at any time: between cells, during a query, at exit.
class Requests final : public Frontend {
 public:
  Requests(Wire& wire, Interrupts& interrupts);
  /// Before the first request. Also queries the session for kernel_info.
  void attach(Session& session);

  Json execute(const std::string& code, bool silent, bool store_history,
               const Json& user_expressions, bool allow_stdin);
  Json complete(const std::string& code, int cursor);  // cursor -1: at the end
  Json inspect(const std::string& code, int cursor, int detail);
  Json is_complete(const std::string& code);
  Json history_tail(int n, bool output);
  Json history_range(int session, int start, int stop, bool output);
  Json history_search(const std::string& pattern, bool output, int n, bool unique);
  Json kernel_info() const;  // any thread
  /// False: no handler; the sender of such a comm_open gets a comm_close.
  bool comm_arrived(const CommMessage& message);
  Json comm_info(const std::string& target);
  // From the thread of DebugWorker.
  Json debug(const Json& request);
  void debugging_client_gone();
  /// Ends the wait of debug().
  void end_debugging();

  /// The number of the next cell, and of the last one.
  int next_count() const;
  int last_count() const { return last_count_; }
  /// The user called exit(n).
  bool exit_asked() const { return exit_asked_; }
  int exit_status() const { return exit_status_; }

  void stream(const std::string& name, const std::string& text) override;
  void display(const MimeBundle& bundle, const std::string& display_id, bool update) override;
  void result(int count, const MimeBundle& bundle) override;
  void error(const std::string& ename, const std::string& evalue,
             const std::vector<std::string>& traceback) override;
  void clear_output(bool wait) override;
  std::string input(const std::string& prompt, bool password) override;
  void page(const MimeBundle& bundle) override;
  void set_next_input(const std::string& text, bool replace) override;
  void comm(const CommMessage& message) override { wire_.publish_comm(message); }
  void debug_event(const std::string& event) override;
  std::string request_header() const override { return wire_.request_header(); }
  bool color_errors() const override;

 private:
  /// The default is the state between cells.
  struct CellState {
    bool runs = false, silent = false, allow_stdin = false, error_shown = false;
  };
  CellState cell();
  void set_cell(const CellState& state);
  void change_cell(bool CellState::*property, bool value);
  void add_payload(Json entry);
  Json take_payload();
  ExecuteResult run(const std::string& code, const ExecuteOptions& options);
  std::string python_version();
  void finish_output();

  Wire& wire_;
  Interrupts& interrupts_;
  Session* session_ = nullptr;
  std::mutex cell_mutex_;  // guards the next two, which threads of the user reach
  CellState cell_;
  Json payload_ = Json::array();  // of the next execute_reply
  std::mutex question_mutex_;     // a client answers one question at a time
  OutputLimit limit_;
  int last_count_ = 0;
  bool exit_asked_ = false, can_debug_ = false;
  int exit_status_ = 0;
  std::string banner_, version_;
};

}  // namespace tilelab::jupyter
