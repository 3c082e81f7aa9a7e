// SPDX-License-Identifier: Apache-2.0
#include "core/support/escape.h"

namespace tilelab {

std::string html_text(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '$': out += "<span>$</span>"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace tilelab
