// SPDX-License-Identifier: Apache-2.0
// %help, %device, %target, %history: the commands without Python code.
#include <errno.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_set>

#include "core/support/escape.h"
#include "core/support/text.h"
#include "core/targets/target.h"
#include "python/interpreter.h"
#include "session/command.h"
#include "session/devices.h"
#include "views/json.h"
#include "views/shown.h"

namespace tilelab {
namespace {

std::string padded(std::string text, size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

std::string setting(const char* name) {
  return python::call("tilelab._compiler.settings", "get", {name}).value.text();
}

void set_setting(const char* name, const std::string& value) {
  python::call("tilelab._compiler.settings", "put", {name, value});
}

}  // namespace

std::string command_page(const Command& command) {
  return command_help(command) +
         python::call("tilelab._session.shell", "command_text", {command.name}).value.text();
}

CommandOutput command_help_page(CommandCall& call) {
  if (!call.args.empty()) {
    std::string name = call.args[0];
    name.erase(0, name.find_first_not_of("%:"));
    if (const Command* command = find_command(name))
      return {.text = hanging(command_page(*command)), .page = true};
    const std::vector<std::string> words(call.args.begin() + 1, call.args.end());
    python::CallResult shown =
        python::call("tilelab._session.shell", "text_of", {name, join(words, " ")});
    if (shown.ok && !shown.value.text().empty()) return {.text = shown.value.text(), .page = true};
    if (name.rfind("T.", 0) == 0)
      return CommandOutput::failed(
          python::call("tilelab._session.shell", "missing_name", {name}).value.text());
    return CommandOutput::failed(unknown_command(name));
  }
  std::string text = "Type Python, a kernel, or a command. See COMMAND --help for more.\n\n";
  std::string rows;
  for (const Command& command : commands()) {
    std::string head = std::string(command.kinds & line_command ? "%" : "%%") + command.name;
    text += "  " + padded(head, 14) + command.doc + "\n";
    rows += "<tr><td style=\"text-align:left\"><code>" + html_text(head + " " + command.usage) +
            "</code></td><td style=\"text-align:left\">" + html_text(command.doc) + "</td></tr>";
  }
  text +=
      "\n  name? name??  shows an object, and its source\n"
      "  !command      runs it in the system shell\n";
  return {.text = hanging(text), .html = "<table>" + rows + "</table>", .page = true};
}

CommandOutput command_device(CommandCall& call) {
  if (call.args.size() > 1) return CommandOutput::failed("%device takes one name");
  std::string current = setting("device");
  if (!call.args.empty()) {
    std::string name = call.args[0], base = device_base(name);
    if (base.empty()) {
      std::string near = nearest(name, device_names());
      return CommandOutput::failed("unknown device " + name +
                                   (near.empty() ? "; there are " + join(device_names(), ", ")
                                                 : "; did you mean " + near + "?"));
    }
    for (const DeviceInfo& device : find_devices(name))
      if (device.name == base && !device.present)
        return CommandOutput::failed("device " + base + ": " + device.detail +
                                     "; see tilelab doctor");
    if (std::string why = check_pair(name, setting("target")); !why.empty())
      return CommandOutput::failed(why);
    set_setting("device", name);
    return {.text = "device " + name + "\n"};
  }
  std::string text = "device " + current + "\n";
  std::vector<JsonRow> rows;
  for (const DeviceInfo& device : find_devices(current)) {
    text +=
        "  " + padded(device.name, 6) + (device.present ? "" : "absent: ") + device.detail + "\n";
    rows.push_back({{"name", device.name}, {"present", device.present}, {"detail", device.detail}});
  }
  std::string torch = python::call("tilelab._redirect", "state", {}).value.text();
  if (!torch.empty()) text += "  " + padded("torch", 6) + torch + "\n";
  return {.text = hanging(text),
          .json = json_of({{"device", current}, {"torch", torch}}, "devices", rows)};
}

/// The target that `auto` means for the current device.
static std::string target_of_device(const std::string& device) {
  std::string base = device_base(device);
  if (device == "auto")
    for (const DeviceInfo& each : find_devices())
      if (each.present && (each.name == "musa" || each.name == "cuda")) {
        base = each.name;
        break;
      }
  if (base == "musa" || base == "cuda") return "the target of the GPU (" + base + ")";
  if (base == "cpu") return "the target of the device, cpu";
  return std::string(kSimulatedTarget) + ", for the simulated GPU";
}

CommandOutput command_target(CommandCall& call) {
  if (!call.args.empty()) {
    std::string problem, name = call.args[0];
    if (name != "auto") {
      const Target* target = parse_target(name, &problem);
      if (!target) return CommandOutput::failed(problem);
      name = target->name;
    }
    if (std::string why = check_pair(setting("device"), name); !why.empty())
      return CommandOutput::failed(why);
    set_setting("target", name);
    return {.text = "target " + name + "\n"};
  }
  std::string current = setting("target");
  std::string text = "target " + current +
                     (current == "auto" ? ": " + target_of_device(setting("device")) : "") + "\n";
  std::vector<JsonRow> rows;
  for (const Target& target : all_targets()) {
    text += "  " + padded(std::string(target.name), 8) + std::string(target.doc) + "\n";
    rows.push_back({{"name", std::string(target.name)}, {"doc", std::string(target.doc)}});
  }
  return {.text = hanging(text), .json = json_of({{"target", current}}, "targets", rows)};
}

namespace {

/// The range that %history shows: "4", "4-6", "~1/2", "~1/".
struct Range {
  int session = 0;  // 0 = this one, 1 = the previous one ...
  int first = 1, last = 1 << 30;
};

bool parse_range(const std::string& text, Range& range) {
  std::string rest = text;
  if (rest[0] == '~') {
    size_t slash = rest.find('/');
    range.session = std::atoi(rest.c_str() + 1);
    if (range.session < 1) return false;
    rest = slash == std::string::npos ? "" : rest.substr(slash + 1);
  }
  if (rest.empty()) return range.session > 0;
  if (rest.find_first_not_of("0123456789-") != std::string::npos) return false;
  size_t dash = rest.find('-');
  range.first = std::atoi(rest.c_str());
  range.last = dash == std::string::npos ? range.first
               : dash + 1 < rest.size()  ? std::atoi(rest.c_str() + dash + 1)
                                         : 1 << 30;
  return range.first > 0;
}

std::string select_entries(const CommandCall& call, std::vector<HistoryEntry>& chosen) {
  std::string pattern = call.option("-g");
  bool all = call.has("-g") || call.has("-l");
  for (const std::string& arg : call.args) all = all || arg[0] == '~';
  std::vector<HistoryEntry> entries = call.session->history(all);
  // The command's line is the last entry of this session.
  int current = entries.empty() ? 0 : entries.back().session;
  for (const std::string& arg : call.args) {
    Range range;
    if (!parse_range(arg, range)) return arg + " is not a range of lines; see %history --help";
    for (const HistoryEntry& entry : entries)
      if (entry.session == current - range.session && entry.line >= range.first &&
          entry.line <= range.last)
        chosen.push_back(entry);
  }
  if (call.args.empty()) chosen = std::move(entries);
  if (call.has("-g")) {
    if (pattern.find_first_of("*?[") == std::string::npos) pattern = "*" + pattern + "*";
    std::erase_if(chosen, [&](const HistoryEntry& entry) {
      return fnmatch(pattern.c_str(), entry.input.c_str(), 0) != 0;
    });
  }
  return "";
}

CommandOutput written(const std::string& path, const std::string& text) {
  FILE* file = std::fopen(path.c_str(), "wx");
  if (!file && errno == EEXIST)
    return CommandOutput::failed(path + " exists; %save -f " + path + " overwrites it");
  bool good = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file) good = std::fclose(file) == 0 && good;
  if (!good) return CommandOutput::failed(path + ": " + std::strerror(errno));
  return {.text = "wrote " + path + "\n"};
}

}  // namespace

CommandOutput command_history(CommandCall& call) {
  std::vector<HistoryEntry> chosen;
  if (std::string error = select_entries(call, chosen); !error.empty())
    return CommandOutput::failed(error);
  if (call.has("-u")) {
    std::unordered_set<std::string> seen;
    std::erase_if(chosen, [&](const HistoryEntry& e) { return !seen.insert(e.input).second; });
  }
  if (call.has("-l")) {
    size_t count = size_t(std::max(0, std::atoi(call.option("-l").c_str())));
    if (chosen.size() > count) chosen.erase(chosen.begin(), chosen.end() - long(count));
  }
  std::string text;
  std::vector<JsonRow> rows;
  for (const HistoryEntry& entry : chosen) {
    std::string place =
        (entry.session ? std::to_string(entry.session) + "/" : "") + std::to_string(entry.line);
    if (call.has("-n") || call.has("-g")) text += padded(place + ": ", 6);
    text += entry.input + (entry.input.ends_with('\n') ? "" : "\n");
    if (call.has("-o") && !entry.output.empty()) text += entry.output + "\n";
    rows.push_back({{"session", int64_t(entry.session)},
                    {"line", int64_t(entry.line)},
                    {"input", entry.input},
                    {"output", entry.output}});
  }
  if (call.has("-f")) return written(call.option("-f"), text);
  return {.text = text, .json = json_of(rows)};
}

}  // namespace tilelab
