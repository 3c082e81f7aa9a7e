// SPDX-License-Identifier: Apache-2.0
// Validates every incoming message. Part of xeus_server.cpp, its only includer.
#pragma once

#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>
#include <xeus/xauthentication.hpp>
#include <xeus/xkernel_configuration.hpp>
#include <xeus/xmessage.hpp>
#include <zmq_addon.hpp>

#include "jupyter/connection.h"
#include "jupyter/incoming.h"

namespace tilelab::jupyter {

/// A client's message, as far as it could be parsed.
struct Message {
  xeus::xmessage::guid_list client;
  Json header, parent;
  std::optional<Json> content;
  bool fits = true;  // the content, into the memory
  Json metadata;
  std::vector<std::string> buffers;
};

/// Any thread.
class Gate {
 public:
  Gate(const xeus::xauthentication& authentication, bool is_signed)
      : authentication_(authentication), is_signed_(is_signed) {}

  /// The message, or nullopt without a reply if it is malformed, badly signed or a replay.
  std::optional<Message> read(const zmq::multipart_t& wire) {
    constexpr size_t header = 1, parent = 2, metadata = 3, content = 4;  // after the signature
    Message message;
    size_t at = 0;
    for (; at < wire.size() && wire.peek(at)->to_string_view() != "<IDS|MSG>"; ++at)
      message.client.push_back(wire.peek(at)->to_string());
    size_t signature = at + 1;
    if (wire.size() <= signature + content) return std::nullopt;
    if (is_signed_ && !is_new_and_right(wire, signature)) return std::nullopt;
    auto part = [&](size_t i) { return read_json(wire.peek(signature + i)->to_string_view()); };
    std::optional<Json> names = part(header);
    if (!names || !has_names(*names)) return std::nullopt;
    message.header = std::move(*names);
    message.parent = part(parent).value_or(Json::object());
    try {
      message.content = part(content);
    } catch (const std::bad_alloc&) {
      message.fits = false;
    }
    message.metadata = part(metadata).value_or(Json::object());
    for (size_t i = signature + content + 1; i < wire.size(); ++i)
      message.buffers.push_back(wire.peek(i)->to_string());
    return message;
  }

 private:
  bool is_new_and_right(const zmq::multipart_t& wire, size_t signature) {
    auto raw = [&](size_t i) {
      const zmq::message_t* frame = wire.peek(signature + i);
      return xeus::xraw_buffer(frame->data<unsigned char>(), frame->size());
    };
    std::string right = authentication_.sign(raw(1), raw(2), raw(3), raw(4));
    if (!same_signature(right, wire.peek(signature)->to_string_view())) return false;
    std::lock_guard<std::mutex> lock(mutex_);
    return seen_.add(right);
  }

  const xeus::xauthentication& authentication_;
  bool is_signed_;
  std::mutex mutex_;
  SeenSignatures seen_;
};

/// The caller, Sockets::bind(), reads the other parts of the connection.
inline xeus::xconfiguration configuration_of(const Connection& connection) {
  xeus::xconfiguration config;
  config.m_key = connection.key;
  config.m_signature_scheme = connection.signature_scheme;
  return config;
}

}  // namespace tilelab::jupyter
