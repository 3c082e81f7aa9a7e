// SPDX-License-Identifier: Apache-2.0
// The program `tilelab`, which embeds Python.
#include "python/form.h"

int main(int argc, char** argv) { return tilelab::run_command_line({argv + 1, argv + argc}); }
