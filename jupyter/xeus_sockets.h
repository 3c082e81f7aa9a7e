// SPDX-License-Identifier: Apache-2.0
// The five sockets and the requests answered on them, with what polls them. Part of
// xeus_server.cpp, its only includer, which documents it.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
#include "jupyter/contents.h"
#include "jupyter/debug_worker.h"
#include "jupyter/outbox.h"
#include "jupyter/requests.h"
#include "jupyter/xeus_gate.h"

namespace tilelab::jupyter {

// A stop flag for polling threads.

class StopFlag {
 public:
  StopFlag() : fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~StopFlag() { close(fd_); }
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;

  void set() {
    set_ = true;
    eventfd_write(fd_, 1);
  }
  explicit operator bool() const { return set_; }
  /// Stays readable once set.
  int fd() const { return fd_; }

 private:
  std::atomic<bool> set_{false};
  int fd_;
};

// Waits for ZeroMQ sockets and file descriptors.

inline zmq::pollitem_t readable(zmq::socket_t& socket) {
  return {socket.handle(), 0, ZMQ_POLLIN, 0};
}
inline zmq::pollitem_t readable(int fd) { return {nullptr, fd, ZMQ_POLLIN, 0}; }

/// Waits until an item is readable or `wait_ms` have passed (-1: no limit). After an interrupted
/// system call (zmq::poll would throw) nothing is readable, and the caller polls again.
template <size_t n> void poll(zmq::pollitem_t (&items)[n], int wait_ms = -1) {
  if (zmq_poll(items, n, wait_ms) >= 0) return;
  for (auto& item : items) item.revents = 0;
}

// Counts the clients that are connected to a socket. Part of xeus_server.cpp, its only includer.

/// Reads the events that ZeroMQ publishes about a bound socket. One thread, that of the socket.
class ClientCount {
 public:
  ClientCount(zmq::context_t& context, zmq::socket_t& counted)
      : counted_(counted), events_(context, zmq::socket_type::pair) {
    constexpr const char* address = "inproc://control-clients";
    zmq_socket_monitor(counted.handle(), address, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED);
    events_.connect(address);
  }
  /// Ends the events; before the socket closes.
  void stop() {
    zmq_socket_monitor(counted_.handle(), nullptr, 0);
    events_.close();
  }

  zmq::socket_t& events() { return events_; }

  /// Reads the pending events. Whether the last client has gone.
  bool last_has_gone() {
    const int before = clients_;
    zmq::multipart_t event;
    while (event.recv(events_, ZMQ_DONTWAIT)) {
      uint16_t kind = 0;
      if (event.size() > 0 && event.peek(0)->size() >= sizeof kind)
        std::memcpy(&kind, event.peek(0)->data(), sizeof kind);
      if (kind == ZMQ_EVENT_ACCEPTED) ++clients_;
      if (kind == ZMQ_EVENT_DISCONNECTED) --clients_;
    }
    return before > 0 && clients_ <= 0;
  }

 private:
  zmq::socket_t& counted_;
  zmq::socket_t events_;
  int clients_ = 0;
};

// The heartbeat channel: an echo.

/// Returns every message of a bound REP socket to its sender until `stop` is set: all its parts,
/// since a REP socket sends nothing before it has received the last one.
inline void echo_until(const StopFlag& stop, zmq::socket_t& socket) {
  while (!stop) {
    zmq::pollitem_t items[] = {readable(socket), readable(stop.fd())};
    poll(items);
    zmq::multipart_t beat;
    if (items[0].revents && beat.recv(socket, ZMQ_DONTWAIT)) beat.send(socket);
  }
}

// The five sockets and the requests answered on them. Part of xeus_server.cpp, its only includer,
// which documents it.

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
