// SPDX-License-Identifier: Apache-2.0
// The five sockets and the requests answered on them. Part of xeus_server.cpp, its only includer,
// which documents it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <xeus/xauthentication.hpp>
#include <xeus/xcontrol_messenger.hpp>
#include <xeus/xkernel_configuration.hpp>
#include <xeus/xmiddleware.hpp>
#include <xeus/xserver.hpp>
#include <xeus/xzmq_serializer.hpp>
#include <zmq.hpp>
#include <zmq_addon.hpp>

#include "core/support/check.h"
#include "jupyter/abort_rule.h"
#include "jupyter/client_count.h"
#include "jupyter/contents.h"
#include "jupyter/debug_worker.h"
#include "jupyter/outbox.h"
#include "jupyter/requests.h"
#include "jupyter/stop_flag.h"
#include "jupyter/xeus_gate.h"

namespace tilelab::jupyter {

using xeus::channel;
using Header = std::shared_ptr<const Json>;
constexpr auto kReplace = Json::error_handler_t::replace;

/// The request that a channel is answering.
struct Request {
  xeus::xmessage::guid_list client;
  Header header = std::make_shared<Json>(Json::object());
  std::string type;
  bool replied = true;
  bool stop_on_error = false;
  bool aborted = false;
  int64_t begun_ms = 0;
};

/// There is no second interpreter to send messages to.
class NoMessenger final : public xeus::xcontrol_messenger {
  Json send_to_shell_impl(const Json&) override {
    return Json::object({{"status", "error"}, {"what", "not supported"}});
  }
};

class Sockets final : public xeus::xserver {
 public:
  Sockets(zmq::context_t& context, const xeus::xconfiguration& config);

  void bind(const Connection& connection);

  void attach(Interrupts& interrupts) { interrupts_ = &interrupts; }
  void attach(Requests& requests) { requests_ = &requests; }

  // Called from any thread, even between cells.
  void stream(const std::string& name, const std::string& text) {
    outbox_.stream(name, text, shell_parent());
  }
  void publish_output(const std::string& type, Json content) {
    outbox_.push(make_publication(type, *shell_parent(), std::move(content)));
  }
  void publish_comm(const CommMessage& message);
  std::string request_header() { return shell_parent()->dump(-1, ' ', false, kReplace); }
  std::string ask(const std::string& prompt, bool password);

 private:
  struct Queued {
    zmq::multipart_t wire;
    bool before_failure;  // it had arrived before the reply that reported a failed cell
  };

  void send_shell_impl(xeus::xmessage message) override { reply(message, channel::SHELL); }
  void send_control_impl(xeus::xmessage message) override { reply(message, channel::CONTROL); }
  void publish_impl(xeus::xpub_message message, channel c) override;
  void start_impl(xeus::xpub_message first) override;
  void stop_impl() override;
  // Input goes through ask(), aborts through AbortRule.
  void send_stdin_impl(xeus::xmessage) override { UNREACHABLE("xeus asks for input"); }
  void abort_queue_impl(const listener&, long) override {}
  void update_config_impl(xeus::xconfiguration&) const override {}
  xeus::xcontrol_messenger& get_control_messenger_impl() override { return messenger_; }

  Request& request(channel c) { return c == channel::SHELL ? shell_request_ : control_request_; }
  void begin(const Message& message, channel c);
  void answer_comm(const Message& message, const Json& content, channel c);
  void answer_comm_info(const Json& content);
  void answer(zmq::multipart_t wire, channel c, bool before_failure);
  void answer_any(zmq::multipart_t wire, channel c, bool before_failure);
  void refuse(channel c, const std::string& ename, const std::string& evalue);
  void send_error(channel c, const std::string& ename, const std::string& evalue);
  void reply(const xeus::xmessage& message, channel c);
  void publish_status(const char* state, channel c) {
    outbox_.push(
        make_publication("status", *request(c).header, Json::object({{"execution_state", state}})));
  }
  Header shell_parent() {
    std::lock_guard<std::mutex> lock(header_mutex_);
    return shell_request_.header;
  }
  void send_debug_replies();
  void collect_queued();
  // Replaces invalid UTF-8 instead of throwing.
  void send(zmq::socket_t& socket, xeus::xmessage message) {
    xeus::xzmq_serializer::serialize(std::move(message), *authentication_, kReplace).send(socket);
  }
  void send(xeus::xpub_message message) {
    xeus::xzmq_serializer::serialize_iopub(std::move(message), *authentication_, kReplace)
        .send(iopub_);
  }
  void send_item(Outbox<xeus::xpub_message, Header>::Item item);
  void welcome_subscriber();

  void serve_shell();
  void serve_control();
  void serve_iopub();
  void await_subscribers();

  Json make_header(const std::string& type) const {
    return redated(xeus::make_header(type, user_, session_));
  }
  xeus::xpub_message make_publication(const std::string& type, const Json& parent, Json content,
                                      Json metadata = Json::object(),
                                      xeus::buffer_sequence buffers = {});

  zmq::socket_t shell_, control_, stdin_, iopub_, heartbeat_;
  std::unique_ptr<xeus::xauthentication> authentication_;
  Gate gate_;
  ClientCount control_clients_;
  DebugWorker<Request> debug_worker_;
  NoMessenger messenger_;
  Interrupts* interrupts_ = nullptr;
  Requests* requests_ = nullptr;
  Request shell_request_, control_request_;
  std::mutex header_mutex_;   // guards client and header of shell_request_, which threads read
  std::deque<Queued> queue_;  // received on the shell socket, not yet answered
  AbortRule abort_rule_;
  Outbox<xeus::xpub_message, Header> outbox_;
  int64_t publish_from_ = 0;  // in the outbox's clock
  StopFlag stopped_;
  std::string user_, session_;
};

}  // namespace tilelab::jupyter
