// SPDX-License-Identifier: Apache-2.0
// Maps names of the IR to C identifiers, unchanged where C allows it.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/support/symbol.h"

namespace tilelab::codegen {

class Names {
 public:
  /// C scopes: declarations inside end with the scope.
  void open();
  void close();
  /// Reserves a name of the kernel, so that generated names differ from it.
  void reserve(Symbol id);
  /// A C name for a new declaration of `id`, different from everything visible here: in C a
  /// declaration hides the outer name already in its initializer.
  std::string declare(Symbol id);
  /// The same for a loop variable: passes number them (i_14), but in C a separate scope suffices
  /// (i).
  std::string declare_loop(Symbol id);
  /// A generated C name, different from all names of the kernel.
  std::string make(const std::string& wish);
  /// The C name of `id` at this point; "" if it has none.
  std::string find(Symbol id) const;

 private:
  struct Scope {
    std::unordered_map<Symbol, std::string> names;
    std::unordered_set<std::string> taken;
    std::unordered_map<std::string, int> last;  // the latest suffix of a name
  };
  std::string numbered(const std::string& base);
  std::string enter(Symbol id, const std::string& name);
  bool visible(const std::string& name) const;
  std::vector<Scope> scopes_;
  std::unordered_set<std::string> reserved_;
};

/// Strips the number that passes append: i of i_14.
Symbol unnumbered(Symbol id);

/// `text` with all characters that C does not allow in an identifier spelled out, and with a suffix
/// `_` or a prefix `u_` if it is a keyword, a macro or a name of the device header.
std::string c_identifier(std::string_view text);

}  // namespace tilelab::codegen
