// SPDX-License-Identifier: Apache-2.0
#include "jupyter/connection.h"

#include <sys/stat.h>
#include <time.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "jupyter/incoming.h"

namespace tilelab::jupyter {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::runtime_error(what); }

std::string text_member(const Json& object, const char* name, const std::string& otherwise) {
  auto found = object.find(name);
  if (found == object.end() || found->is_null()) return otherwise;
  if (!found->is_string()) refuse(std::string(name) + " is not a string");
  return found->get<std::string>();
}

std::string port_member(const Json& object, const char* name) {
  auto found = object.find(name);
  if (found == object.end()) refuse(std::string("it has no ") + name);
  // With ipc sockets a port is the suffix of a file name: any number is valid.
  if (!found->is_number_integer()) refuse(std::string(name) + " is not an integer");
  if (*found < 1 || *found > 65535)
    refuse(std::string(name) + " is " + found->dump() + "; ports are 1 to 65535");
  return found->dump();
}

void check_choice(const char* name, const std::string& value,
                  std::initializer_list<const char*> choices) {
  std::string known;
  for (const char* choice : choices) {
    if (value == choice) return;
    known += std::string(known.empty() ? "" : ", ") + choice;
  }
  refuse(std::string(name) + " is " + value + "; this kernel supports " + known);
}

/// The key that the sockets need; clients have the public key.
std::string curve_key_of(const Json& object) {
  constexpr size_t z85_size = 40;
  std::string secret = text_member(object, "curve_secretkey", "");
  std::string open = text_member(object, "curve_publickey", "");
  if (secret.empty() != open.empty()) refuse("it has one CurveZMQ key; a server needs both");
  if (!secret.empty() && (secret.size() != z85_size || open.size() != z85_size))
    refuse("a CurveZMQ key has 40 characters (Z85)");
  return secret;
}

}  // namespace

Connection parse_connection(const std::string& text) {
  std::optional<Json> parsed = read_json(text);
  if (!parsed) refuse("it is not JSON");
  if (!parsed->is_object()) refuse("it is not a JSON object");
  Connection connection;
  connection.transport = text_member(*parsed, "transport", connection.transport);
  connection.ip = text_member(*parsed, "ip", connection.ip);
  connection.key = text_member(*parsed, "key", "");
  connection.signature_scheme =
      text_member(*parsed, "signature_scheme", connection.signature_scheme);
  check_choice("transport", connection.transport, {"tcp", "ipc"});
  // No key means no authentication.
  if (connection.key.empty()) connection.signature_scheme = "none";
  check_choice("signature_scheme", connection.signature_scheme, {"hmac-sha256", "none"});
  for (size_t i = 0; i < port_names.size(); ++i) {
    connection.ports[i] = port_member(*parsed, port_names[i]);
    for (size_t other = 0; other < i; ++other)
      if (connection.ports[i] == connection.ports[other])
        refuse(std::string(port_names[i]) + " is the same as " + port_names[other]);
  }
  connection.curve_secret_key = curve_key_of(*parsed);
  return connection;
}

namespace {

/// A file is written just before the kernel is first started, and is not changed later.
bool is_older(const std::string& file, int64_t ms) {
  struct stat found {};
  timespec now{};
  if (stat(file.c_str(), &found) != 0) return false;
  clock_gettime(CLOCK_REALTIME, &now);
  const timespec& then = found.st_mtim;
  return (now.tv_sec - then.tv_sec) * int64_t{1000} + (now.tv_nsec - then.tv_nsec) / 1'000'000 > ms;
}

}  // namespace

Connection read_connection(const std::string& file) try {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(std::strerror(errno));
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  if (stream.bad()) refuse("it cannot be read");
  Connection connection = parse_connection(text);
  connection.is_restart = is_older(file, 200);
  return connection;
} catch (const std::exception& e) {
  throw std::runtime_error("cannot read the connection file " + file + ": " + e.what());
}

}  // namespace tilelab::jupyter
