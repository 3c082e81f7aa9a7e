// SPDX-License-Identifier: Apache-2.0
// The device header under nvcc, where there is one: nothing runs, it has to compile.
#include "tests/codegen/harness.h"

using namespace tilelab;
using namespace tilelab::test;

TEST(cuda_smoke_kernels_compile) {
  if (!has_nvcc()) return;
  codegen::ScratchDirectory scratch;
  for (const char* file : {"smoke_cuda.cu", "elementwise.mu", "softmax.mu"}) {
    std::string log;
    const int status = codegen::run_program(
        {"nvcc", "-x", "cu", "-std=c++17", "-gencode=arch=compute_80,code=sm_80",
         "-gencode=arch=compute_90a,code=sm_90a", "-fmad=false", "-Werror", "all-warnings",
         "-I" + codegen::device_directory(), "-c",
         std::string(TILELAB_TEST_DIR) + "/kernels/" + file, "-o", scratch.path() + "/out.o"},
        &log);
    if (status != 0) fail(file, status, log);
  }
}
