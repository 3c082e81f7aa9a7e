// SPDX-License-Identifier: Apache-2.0
// The server: five ZeroMQ sockets around xeus' dispatcher. Only this file, xeus_adapters.h,
// xeus_sockets.h and xeus_gate.h use xeus; they support versions 2.4 and later 2.x (3, 4 and 6
// changed the interface).
//
// xeus 2.4.1 provides the wire format and dispatches requests. Defects of its servers are corrected
// in the two functions that every message passes, reply() and publish_impl(): a request without a
// reply gets one before its idle status, statuses and counters are completed, dates are rewritten.
// Threads: the one that calls serve() has shell and stdin and runs the session; control, heartbeat
// and iopub have one each, so that interrupts and shutdowns are processed while a cell runs.
#include <memory>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <thread>
#include <xeus/xkernel.hpp>
#include <xeus/xkernel_configuration.hpp>
#include <xeus/xzmq_serializer.hpp>
#include <zmq.hpp>
#include <zmq_addon.hpp>

#include "jupyter/connection.h"
#include "jupyter/contents.h"
#include "jupyter/quiet_streams.h"
#include "jupyter/server.h"
#include "jupyter/watcher.h"
#include "jupyter/xeus_adapters.h"
#include "jupyter/xeus_sockets.h"

namespace tilelab::jupyter {

namespace {

RequestIdentity identity_of(const Json& header) {
  return {text_of(header, "session"), text_of(header, "date")};
}

}  // namespace

Sockets::Sockets(zmq::context_t& context, const xeus::xconfiguration& config)
    : shell_(context, zmq::socket_type::router),
      control_(context, zmq::socket_type::router),
      stdin_(context, zmq::socket_type::router),
      iopub_(context, zmq::socket_type::xpub),
      heartbeat_(context, zmq::socket_type::rep),
      authentication_(xeus::make_xauthentication(config.m_signature_scheme, config.m_key)),
      gate_(*authentication_, config.m_signature_scheme != "none"),
      control_clients_(context, control_),
      user_(xeus::get_user_name()) {
  // A subscription begins with welcome_subscriber(): a client would take messages sent before the
  // welcome for all there are.
  iopub_.set(zmq::sockopt::xpub_manual, 1);
  // Statuses must not be dropped after a burst of output.
  iopub_.set(zmq::sockopt::sndhwm, 0);
}

void Sockets::bind(const Connection& connection) {
  zmq::socket_t* sockets[] = {&shell_, &control_, &stdin_, &iopub_, &heartbeat_};
  for (size_t i = 0; i < connection.ports.size(); ++i) {
    if (!connection.curve_secret_key.empty()) {
      sockets[i]->set(zmq::sockopt::curve_server, 1);
      sockets[i]->set(zmq::sockopt::curve_secretkey, connection.curve_secret_key);
    }
    xeus::init_socket(*sockets[i], connection.transport, connection.ip, connection.ports[i]);
  }
  // Clients that lost a kernel retry each socket after 100 to 200 ms (libzmq's default).
  constexpr int reconnected_ms = 300;
  if (connection.is_restart) publish_from_ = decltype(outbox_)::now_ms() + reconnected_ms;
}

// ---- requests

void Sockets::begin(const Message& message, channel c) {
  Request& now = request(c);
  {
    std::lock_guard<std::mutex> lock(header_mutex_);
    now.client = message.client;
    now.header = std::make_shared<const Json>(message.header);
  }
  now.type = text_of(message.header, "msg_type");
  now.replied = !is_request(now.type);  // comm messages have no reply
  now.stop_on_error = now.aborted = false;
  now.begun_ms = decltype(outbox_)::now_ms();
}

/// A message that is too large for the memory costs its own answer, not the session.
void Sockets::answer(zmq::multipart_t wire, channel c, bool before_failure) {
  Request& now = request(c);
  now.replied = true;  // the one before, until this one is known
  try {
    answer_any(std::move(wire), c, before_failure);
  } catch (const std::bad_alloc&) {
    if (now.replied) return;
    send_error(c, "MemoryError", "the memory is full");
    publish_status("idle", c);
  }
}

void Sockets::answer_any(zmq::multipart_t wire, channel c, bool before_failure) {
  std::optional<Message> message = gate_.read(wire);
  if (!message) return;
  begin(*message, c);
  Request& now = request(c);
  if (!message->fits) return refuse(c, "MemoryError", "the memory is full");
  if (!message->content)
    return refuse(c, "BadRequest", "the content is not JSON, or nested too deep");
  Json content = tidy_content(now.type, *message->content);
  if (!is_request(now.type)) return answer_comm(*message, content, c);
  if (now.type == "comm_info_request" && c == channel::SHELL) return answer_comm_info(content);
  bool executes = now.type == "execute_request";
  if (c == channel::CONTROL && now.type == "debug_request") {
    publish_status("busy", c);
    return debug_worker_.add(*requests_, now, std::move(content));
  }
  if (c == channel::CONTROL) {
    // The session belongs to the shell's thread; other requests wait there.
    bool here = now.type == "kernel_info_request" || now.type == "interrupt_request" ||
                now.type == "shutdown_request";
    if (!here)
      return refuse(c, "BadRequest", now.type + " is not supported on the control channel");
    if (now.type == "interrupt_request" && interrupts_->request(identity_of(message->header)))
      interrupt_started_processes();
  } else if (executes) {
    std::string session = text_of(message->header, "session");
    now.aborted = abort_rule_.aborts(session, before_failure) || requests_->exit_asked();
    if (now.aborted)
      return refuse(
          c, "Aborted",
          requests_->exit_asked() ? "exit() has ended this session" : "an earlier cell failed");
    abort_rule_.started(session);
    interrupts_->announce(identity_of(message->header));
    now.stop_on_error =
        truth_of(content, "stop_on_error", true) && !truth_of(content, "silent", false);
  }
  xeus::xmessage tidied(message->client, message->header, message->parent, Json::object(),
                        std::move(content), {});
  if (c == channel::SHELL) {
    notify_shell_listener(std::move(tidied));
  } else {
    notify_control_listener(std::move(tidied));
  }
}

/// Bypasses xeus' comm handling, which stores names in strings of a fixed length. Opening a comm
/// for an unknown target closes it at once.
void Sockets::answer_comm(const Message& message, const Json& content, channel c) {
  auto text = [](const Json& json) { return json.dump(-1, ' ', false, kReplace); };
  const std::string& type = request(c).type;
  bool is_known = type == "comm_open" || type == "comm_msg" || type == "comm_close";
  publish_status("busy", c);
  bool taken = is_known && c == channel::SHELL &&
               requests_->comm_arrived({type, text(message.header), text(content),
                                        text(message.metadata), message.buffers});
  if (type == "comm_open" && !taken)
    outbox_.push(
        make_publication("comm_close", *request(c).header,
                         {{"comm_id", text_of(content, "comm_id")}, {"data", Json::object()}}));
  publish_status("idle", c);
}

void Sockets::answer_comm_info(const Json& content) {
  const Request& now = shell_request_;
  publish_status("busy", channel::SHELL);
  reply(xeus::xmessage(now.client, make_header(reply_type(now.type)), *now.header, Json::object(),
                       requests_->comm_info(text_of(content, "target_name")), {}),
        channel::SHELL);
  publish_status("idle", channel::SHELL);
}

/// Answers a request with an error, bypassing the dispatcher.
void Sockets::refuse(channel c, const std::string& ename, const std::string& evalue) {
  publish_status("busy", c);
  if (!request(c).replied) send_error(c, ename, evalue);
  publish_status("idle", c);
}

void Sockets::send_error(channel c, const std::string& ename, const std::string& evalue) {
  Request& now = request(c);
  now.stop_on_error = false;
  Json content = {
      {"status", "error"}, {"ename", ename}, {"evalue", evalue}, {"traceback", Json::array()}};
  reply(xeus::xmessage(now.client, make_header(reply_type(now.type)), *now.header, Json::object(),
                       std::move(content), {}),
        c);
}

void Sockets::send_debug_replies() {
  while (auto done = debug_worker_.take()) {
    control_request_ = std::move(done->origin);
    reply(xeus::xmessage(control_request_.client, make_header("debug_reply"),
                         *control_request_.header, Json::object(), std::move(done->content), {}),
          channel::CONTROL);
    publish_status("idle", channel::CONTROL);
  }
}

void Sockets::reply(const xeus::xmessage& message, channel c) {
  Request& now = request(c);
  Json content = message.content().is_object() ? message.content() : Json::object();
  if (!content.contains("status")) content["status"] = "ok";
  if (now.type == "execute_request") {
    // An aborted cell has no number: front ends would show it as executed.
    if (!now.aborted) content["execution_count"] = requests_->last_count();
    if (text_of(content, "status") == "error" && now.stop_on_error) collect_queued();
  }
  send(c == channel::SHELL ? shell_ : control_,
       xeus::xmessage(message.identities(), redated(message.header()), message.parent_header(),
                      message.metadata(), std::move(content), {}));
  now.replied = true;  // not if that fails: then a smaller reply says so
}

/// Collects requests that arrive before a failed cell's reply is sent: their senders did not know
/// of the failure. A cell that fails at once may overtake those sent right after it, so wait for
/// that burst.
void Sockets::collect_queued() {
  constexpr int64_t short_run_ms = 20;
  constexpr int burst_gap_ms = 2;
  int64_t run_ms = decltype(outbox_)::now_ms() - shell_request_.begun_ms;
  for (;;) {
    zmq::pollitem_t items[] = {readable(shell_)};
    poll(items, run_ms < short_run_ms ? burst_gap_ms : 0);
    zmq::multipart_t wire;
    if (!items[0].revents || !wire.recv(shell_, ZMQ_DONTWAIT)) break;
    queue_.push_back({std::move(wire), true});
  }
  abort_rule_.failed();
}

// ---- publications

xeus::xpub_message Sockets::make_publication(const std::string& type, const Json& parent,
                                             Json content, Json metadata,
                                             xeus::buffer_sequence buffers) {
  return xeus::xpub_message("kernel." + type, make_header(type), parent, std::move(metadata),
                            std::move(content), std::move(buffers));
}

void Sockets::publish_comm(const CommMessage& message) {
  xeus::buffer_sequence buffers;
  for (const std::string& bytes : message.buffers) buffers.emplace_back(bytes.begin(), bytes.end());
  outbox_.push(make_publication(message.type, *shell_parent(), read_object(message.content),
                                read_object(message.metadata), std::move(buffers)));
}

void Sockets::publish_impl(xeus::xpub_message message, channel c) {
  std::string type = text_of(message.header(), "msg_type");
  if (type == "shutdown" || type == "interrupt") return;  // not in the protocol
  Json content = message.content();
  if (type == "execute_input") content["execution_count"] = requests_->next_count();
  if (type == "status" && text_of(content, "execution_state") == "idle" && !request(c).replied)
    send_error(c, "BadRequest", "no answer to this " + request(c).type);
  outbox_.push(xeus::xpub_message(message.topic(), redated(message.header()),
                                  message.parent_header(), message.metadata(), std::move(content),
                                  message.buffers()));
}

void Sockets::send_item(Outbox<xeus::xpub_message, Header>::Item item) {
  try {
    if (!item.message) {
      auto& stream = item.stream;
      item.message.emplace(make_publication(
          "stream", *stream.parent, {{"name", stream.name}, {"text", std::move(stream.text)}}));
    }
    send(std::move(*item.message));
  } catch (const std::bad_alloc&) {
    send(make_publication("stream", *shell_parent(),
                          {{"name", "stderr"}, {"text", "output lost: the memory is full\n"}}));
  }
}

/// Notifies a new subscriber that it receives everything from now on.
void Sockets::welcome_subscriber() {
  zmq::message_t subscription;
  if (!iopub_.recv(subscription, zmq::recv_flags::dontwait)) return;
  std::string text = subscription.to_string();
  if (text.empty()) return;
  std::string topic = text.substr(1);
  if (text[0] != 1) return iopub_.set(zmq::sockopt::unsubscribe, topic);  // 0 unsubscribes
  iopub_.set(zmq::sockopt::subscribe, topic);
  send(xeus::xpub_message(topic.empty() ? "iopub_welcome" : topic, make_header("iopub_welcome"),
                          Json::object(), Json::object(), Json::object({{"subscription", topic}}),
                          {}));
}

// ---- input

std::string Sockets::ask(const std::string& prompt, bool password) {
  outbox_.flush();  // show earlier output before the question
  zmq::multipart_t stale;
  while (stale.recv(stdin_, ZMQ_DONTWAIT)) {
  }
  Interrupts::Input input(*interrupts_);
  if (stopped_) throw Interrupted();  // stop() interrupts once, perhaps before this wait
  Json header = make_header("input_request");
  std::string id = text_of(header, "msg_id");
  xeus::xmessage::guid_list client;
  Header parent;
  {
    std::lock_guard<std::mutex> lock(header_mutex_);
    client = shell_request_.client;
    parent = shell_request_.header;
  }
  send(stdin_, xeus::xmessage(client, std::move(header), *parent, Json::object(),
                              {{"prompt", prompt}, {"password", password}}, {}));
  for (;;) {
    zmq::pollitem_t items[] = {readable(stdin_), readable(interrupts_->wake_fd()),
                               readable(input.signal_fd())};
    poll(items);
    if (items[1].revents || (items[2].revents && input.take_signal())) throw Interrupted();
    zmq::multipart_t answer;
    if (!items[0].revents || !answer.recv(stdin_, ZMQ_DONTWAIT)) continue;
    auto message = gate_.read(answer);
    // Only the client that was asked may answer.
    if (!message || !message->content || message->client != client) continue;
    // Some clients name the question that they answer; an answer to another one is late.
    std::string answered = text_of(message->parent, "msg_id");
    if (answered.empty() || answered == id) return text_of(*message->content, "value");
  }
}

// ---- threads

void Sockets::stop_impl() {
  constexpr int patience_s = 2;  // clients send SIGTERM after 2.5
  end_process_within(patience_s, requests_->exit_status());
  stopped_.set();
  interrupts_->request();
}

void Sockets::serve_shell() {
  // After exit() the client must receive the reply before it notices the kernel's end; most then
  // send a shutdown_request.
  constexpr int farewell_ms = 500;
  while (!stopped_) {
    if (queue_.empty()) {
      zmq::pollitem_t items[] = {readable(shell_), readable(stopped_.fd())};
      poll(items, requests_->exit_asked() ? farewell_ms : -1);
      if (requests_->exit_asked() && !items[0].revents) stop();
      zmq::multipart_t wire;
      if (!items[0].revents || !wire.recv(shell_, ZMQ_DONTWAIT)) continue;
      queue_.push_back({std::move(wire), false});
    }
    Queued next = std::move(queue_.front());
    queue_.pop_front();
    if (!stopped_) answer(std::move(next.wire), channel::SHELL, next.before_failure);
  }
}

void Sockets::serve_control() {
  while (!stopped_) {
    zmq::pollitem_t items[] = {readable(control_), readable(stopped_.fd()),
                               readable(debug_worker_.ready_fd()),
                               readable(control_clients_.events())};
    poll(items);
    zmq::multipart_t wire;
    if (items[0].revents && wire.recv(control_, ZMQ_DONTWAIT))
      answer(std::move(wire), channel::CONTROL, false);
    if (items[2].revents) send_debug_replies();
    if (items[3].revents && control_clients_.last_has_gone()) debug_worker_.client_gone();
  }
}

/// A client would miss messages published before its iopub socket reconnects, although its shell
/// socket may have sent a cell already.
void Sockets::await_subscribers() {
  for (int64_t left; (left = publish_from_ - decltype(outbox_)::now_ms()) > 0;) {
    zmq::pollitem_t items[] = {readable(iopub_), readable(stopped_.fd())};
    poll(items, static_cast<int>(left));
    if (items[0].revents) welcome_subscriber();
    if (items[1].revents) return;
  }
}

void Sockets::serve_iopub() {
  await_subscribers();
  int wait_ms = -1;
  for (;;) {
    zmq::pollitem_t items[] = {readable(iopub_), readable(outbox_.wake_fd())};
    poll(items, wait_ms);
    if (items[0].revents) welcome_subscriber();
    auto taken = outbox_.take();
    for (auto& item : taken.items) send_item(std::move(item));
    if (taken.finished) return;
    wait_ms = taken.wait_ms;
  }
}

void Sockets::start_impl(xeus::xpub_message first) {
  session_ = text_of(first.header(), "session");
  publish(std::move(first), channel::SHELL);
  std::thread iopub([this] { serve_iopub(); });
  std::thread control([this] { serve_control(); });
  std::thread heartbeat([this] { echo_until(stopped_, heartbeat_); });
  serve_shell();
  control.join();
  heartbeat.join();
  debug_worker_.finish(*requests_);
  control_clients_.stop();
  outbox_.finish();
  iopub.join();
  for (auto* socket : {&shell_, &control_, &stdin_, &iopub_, &heartbeat_}) socket->close();
}

// ---- the kernel

namespace {

std::unique_ptr<xeus::xserver> make_sockets(xeus::xcontext& context,
                                            const xeus::xconfiguration& config,
                                            Json::error_handler_t) {
  return std::make_unique<Sockets>(context.get_wrapped_context<zmq::context_t>(), config);
}

class XeusServer final : public Server {
 public:
  XeusServer(const Connection& connection, Interrupts& interrupts)
      : XeusServer(connection, std::make_unique<Interpreter>(),
                   std::make_unique<HistoryManager>()) {
    sockets_.bind(connection);
    sockets_.attach(interrupts);
    interrupts_ = &interrupts;
  }

  void serve(Requests& requests) override {
    interpreter_.attach(requests);
    history_.attach(requests);
    sockets_.attach(requests);
    QuietStreams quiet;
    kernel_.start();
  }
  void stop() override { sockets_.stop(); }
  void interrupt() override { interrupts_->request(); }
  void stream(const std::string& name, const std::string& text) override {
    sockets_.stream(name, text);
  }
  void publish(const std::string& type, Json content) override {
    sockets_.publish_output(type, std::move(content));
  }
  void publish_comm(const CommMessage& message) override { sockets_.publish_comm(message); }
  std::string request_header() const override { return sockets_.request_header(); }
  std::string ask(const std::string& prompt, bool password) override {
    return sockets_.ask(prompt, password);
  }

 private:
  XeusServer(const Connection& connection, std::unique_ptr<Interpreter> interpreter,
             std::unique_ptr<HistoryManager> history)
      : interpreter_(*interpreter),
        history_(*history),
        kernel_(configuration_of(connection), xeus::get_user_name(),
                xeus::make_context<zmq::context_t>(), std::move(interpreter), make_sockets,
                std::move(history)),
        sockets_(static_cast<Sockets&>(kernel_.get_server())) {}

  Interpreter& interpreter_;
  HistoryManager& history_;
  xeus::xkernel kernel_;
  Sockets& sockets_;
  Interrupts* interrupts_ = nullptr;
};

}  // namespace

std::unique_ptr<Server> open_server(const std::string& connection_file, Interrupts& interrupts) {
  Connection connection = read_connection(connection_file);
  try {
    return std::make_unique<XeusServer>(connection, interrupts);
  } catch (const zmq::error_t& e) {
    throw std::runtime_error("cannot open the ports of " + connection_file + ": " + e.what());
  }
}

}  // namespace tilelab::jupyter
