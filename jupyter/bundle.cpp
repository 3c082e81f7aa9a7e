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

MimeBundle limit_bundle(const MimeBundle& bundle, size_t limit) {
  MimeBundle result = bundle;
  for (auto& [mime, data] : result.parts)
    if (mime == "text/plain") data = cut_text(data, limit);
  return result;
}

}  // namespace tilelab::jupyter
