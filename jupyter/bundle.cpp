// SPDX-License-Identifier: Apache-2.0
#include "jupyter/bundle.h"

namespace tilelab::jupyter {

static std::string kilobytes(size_t bytes) { return std::to_string(bytes / 1000) + " kB"; }

std::string cut_text(const std::string& text, size_t limit) {
  constexpr size_t room_for_note = 100, longest_lost_line = 1000;
  if (text.size() <= limit) return text;
  size_t end = limit > room_for_note ? limit - room_for_note : 0;
  size_t line_end = text.rfind('\n', end);
  if (line_end != std::string::npos && end - line_end < longest_lost_line) {
    end = line_end;
  } else {
    while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // not within a UTF-8 sequence
  }
  return text.substr(0, end) + "\n... truncated: " + kilobytes(end) + " of " +
         kilobytes(text.size()) + " shown; request a smaller part";
}

/// Escaped; a cut within an escape sequence is harmless.
static std::string html_of_text(const std::string& text) {
  std::string html;
  for (char c : text) {
    if (c == '<') {
      html += "&lt;";
    } else if (c == '&') {
      html += "&amp;";
    } else {
      html += c;
    }
  }
  return html;
}

MimeBundle limit_bundle(const MimeBundle& bundle, size_t limit) {
  MimeBundle result;
  result.metadata = bundle.metadata;
  for (const auto& [mime, data] : bundle.parts) {
    bool image = mime.compare(0, 6, "image/") == 0 && mime != "image/svg+xml";
    if (image || data.size() <= limit) {
      result.parts.emplace_back(mime, data);
    } else if (mime == "text/plain") {
      result.parts.emplace_back(mime, cut_text(data, limit));
    } else if (mime == "text/html") {
      const std::string* plain = bundle.find("text/plain");
      std::string text = html_of_text(plain ? *plain : "this display");
      std::string note = "\n(its HTML is omitted: " + kilobytes(data.size()) + ")";
      if (text.size() + note.size() <= limit) text += note;
      result.parts.emplace_back(
          mime, "<pre style=\"font-family:monospace\">" + cut_text(text, limit - 60) + "</pre>");
    }
  }
  return result;
}

}  // namespace tilelab::jupyter
