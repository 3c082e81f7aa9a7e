// SPDX-License-Identifier: Apache-2.0
// Moore Threads: code for one GPU each, mcc or MTRTC, muTensorDescriptorEncode. Never run on its
// hardware; docs/musa-hardware.md lists how each part was verified.
#include "codegen/c_family/host.h"
#include "core/diagnostics/usage.h"
#include "runtime/device_header.h"
#include "runtime/failure.h"
#include "runtime/musa/mcc.h"
#include "runtime/platform.h"
#include "runtime/rtc.h"

namespace tilelab::runtime {

namespace {

constexpr DriverSource kSource{"musa",
                               "mu",
                               "libmusa.so.1",
                               "TILELAB_MUSA_DRIVER",
                               "torch.musa",
                               "MUSA_LAUNCH_BLOCKING",
                               "TensorDescriptorEncode"};

/// mcc if available, otherwise MTRTC.
struct Compiler {
  std::string mcc;
  const RuntimeCompiler* library = nullptr;

  std::string name() const { return mcc.empty() ? "MTRTC" : "mcc"; }
};

Compiler find_compiler(const std::string& kernel, const Target& target) {
  std::string no_program, no_library;
  Compiler found{find_mcc(&no_program)};
  if (found.mcc.empty()) found.library = RuntimeCompiler::get(kMtrtc, &no_library);
  if (!found.mcc.empty() || found.library) return found;
  throw Failure{usage::device_compiler,
                {kernel, std::string(target.name),
                 "no mcc (" + no_program + ") and no MTRTC (" + no_library + ")"},
                {},
                {"install the MUSA SDK of Moore Threads, or set TILELAB_MCC to mcc; `tilelab "
                 "compile FILE --target " +
                 std::string(target.name) +
                 " -o DIR` writes a program for another machine; %device sim needs "
                 "neither"}};
}

/// mcc takes options of clang's driver; a library takes those of its front end.
std::vector<std::string> library_options(const Target& target) {
  return {"--gpu-architecture=" + std::string(target.name), "--std=c++17", "--fmad=false"};
}

using Encode = Status (*)(void* descriptor, int type, unsigned rank, void* base,
                          const uint64_t* dims, const uint64_t* strides, int interleave,
                          uint64_t outside);

class Musa final : public Platform {
 public:
  const DriverSource& source() const override { return kSource; }

  const Target* target_of(int capability) const override {
    for (const Target& target : all_targets())
      if (runs(target, capability)) return &target;
    return nullptr;
  }

  bool runs(const Target& target, int capability) const override {
    return target.family == Family::musa && architecture_number(target.name) == capability;
  }

  std::string compiler(const std::string& kernel, const Target& target, int) const override {
    const Compiler found = find_compiler(kernel, target);
    std::string key = found.name() + " ";
    key += found.library ? found.library->version() : mcc_version(found.mcc);
    for (const std::string& option : found.library ? library_options(target) : mcc_options(target))
      key += " " + option;
    key += "\n";
    for (const auto& [name, text] : device_header()) key += name + "\n" + text;
    return key;
  }

  std::string compile(const std::string& kernel, const std::string& text, const Target& target,
                      int) const override {
    const Compiler found = find_compiler(kernel, target);
    std::string log;
    std::string image = found.library ? found.library->compile(text, device_header(),
                                                               library_options(target), false, &log)
                                      : compile_with_mcc(found.mcc, text, target, &log);
    if (image.empty()) throw rejected_code(kernel, found.name(), log);
    return image;
  }

  /// The box and the swizzle are operands of the instruction; the descriptor has neither.
  std::string describe(const Driver& driver, const MapRequest& request,
                       MapParameter* map) const override {
    const auto encode = reinterpret_cast<Encode>(driver.map_encoder);
    if (!encode) return "the driver has no muTensorDescriptorEncode";
    uint64_t dims[5] = {}, strides[5] = {};
    const size_t rank = request.dims.size();
    for (size_t i = 0; i < rank; ++i) {
      dims[i] = uint64_t(request.dims[i]);
      if (i + 1 < rank) strides[i] = uint64_t(request.strides[i]);
    }
    const Status status = encode(map, codegen::tensor_map_type(request.dtype, Family::musa),
                                 unsigned(rank), reinterpret_cast<void*>(request.base), dims,
                                 strides, 0, 0);  // NOLINT(*-no-int-to-ptr)
    return status == 0 ? "" : "muTensorDescriptorEncode: " + driver.status_text(status);
  }
};

}  // namespace

const Platform& musa() {
  static const Musa platform;
  return platform;
}

}  // namespace tilelab::runtime
