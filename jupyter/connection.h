// SPDX-License-Identifier: Apache-2.0
// The connection file that a front end hands to a kernel.
#pragma once

#include <array>
#include <string>

namespace tilelab::jupyter {

struct Connection {
  std::string transport = "tcp", ip = "127.0.0.1", key, signature_scheme = "hmac-sha256";
  /// As text, because that is what an address is made of. In the order of port_names.
  std::array<std::string, 5> ports;
  /// Of CurveZMQ, in Z85; "" where nothing is encrypted.
  std::string curve_secret_key;
  /// Another kernel has had the file before: it is restarted, and its clients are still there.
  bool is_restart = false;
};

inline constexpr std::array<const char*, 5> port_names = {"shell_port", "control_port",
                                                          "stdin_port", "iopub_port", "hb_port"};

/// Throws std::runtime_error that says what is wrong with which member.
Connection parse_connection(const std::string& text);
/// The same of a file.
Connection read_connection(const std::string& file);

}  // namespace tilelab::jupyter
