// SPDX-License-Identifier: Apache-2.0
// The connection file, by which a front end configures a kernel.
#pragma once

#include <array>
#include <string>

namespace tilelab::jupyter {

struct Connection {
  std::string transport = "tcp", ip = "127.0.0.1", key, signature_scheme = "hmac-sha256";
  /// As text, as used in addresses. In the order of port_names.
  std::array<std::string, 5> ports;
  /// For CurveZMQ, in Z85; "" without encryption.
  std::string curve_secret_key;
  /// A previous kernel used the file: this is a restart, and clients are already connected.
  bool is_restart = false;
};

inline constexpr std::array<const char*, 5> port_names = {"shell_port", "control_port",
                                                          "stdin_port", "iopub_port", "hb_port"};

/// Throws std::runtime_error that names the member and its error.
Connection parse_connection(const std::string& text);
/// The same for a file.
Connection read_connection(const std::string& file);

}  // namespace tilelab::jupyter
