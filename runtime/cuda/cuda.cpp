// SPDX-License-Identifier: Apache-2.0
// NVIDIA: the record of a GPU, NVRTC with the device header, cuTensorMapEncodeTiled.
#include "codegen/c_family/host.h"
#include "core/diagnostics/usage.h"
#include "core/support/progress.h"
#include "runtime/device_header.h"
#include "runtime/failure.h"
#include "runtime/platform.h"
#include "runtime/rtc.h"
#include "runtime/worker/worker.h"

namespace tilelab::runtime {

namespace {

constexpr DriverSource source_called(const char* device, bool graphs) {
  return {device,
          "cu",
          "libcuda.so.1",
          "TILELAB_CUDA_DRIVER",
          "torch.cuda",
          "CUDA_LAUNCH_BLOCKING",
          "TensorMapEncodeTiled",
          graphs};
}
constexpr DriverSource kHere = source_called("cuda", true),
                       kInWorker = source_called("cuda:worker", false);

/// Code of an architecture with a letter ("sm_90a") runs only on that GPU.
bool one_chip(const Target& target) {
  return target.name.find_last_not_of("0123456789") == target.name.size() - 1;
}

/// Machine code runs on later GPUs of the same generation; others need PTX.
bool needs_ptx(const Target& target, int capability) {
  return architecture_number(target.name) / 10 != capability / 10;
}

std::vector<std::string> options_for(const RuntimeCompiler& compiler, const Target& target,
                                     int capability) {
  const std::string number(target.name.substr(3));
  // canonicalize contracts; NVRTC must not.
  std::vector<std::string> options = {
      "--gpu-architecture=" + std::string(needs_ptx(target, capability) ? "compute_" : "sm_") +
          number,
      "--std=c++17", "--fmad=false"};
  // Kernels use no textures and nothing of the CUDA runtime, whose headers take NVRTC longer to
  // parse than ours.
  if (compiler.at_least(12, 8)) options.emplace_back("--minimal");
  return options;
}

const RuntimeCompiler& nvrtc(const std::string& kernel, const Target& target) {
  std::string problem;
  if (const RuntimeCompiler* found = RuntimeCompiler::get(kNvrtc, &problem)) return *found;
  throw Failure{usage::device_compiler,
                {kernel, std::string(target.name), "NVRTC not found (" + problem + ")"},
                {},
                {"install it: pip install nvidia-cuda-nvrtc-cu12, or the CUDA toolkit; or set "
                 "TILELAB_NVRTC to the library; %device sim needs none"}};
}

constexpr int kPromote256Bytes = 3;
constexpr const char* kNoFunctions = "-DTL_NO_FUNCTIONS";
constexpr const char* kForeign = "#include \"tl_foreign.h\"";
/// An empty kernel, compiled only to warm up (Platform::warm_compiler).
constexpr const char* kNothing =
    "#include \"tl_device.h\"\nextern \"C\" __global__ void tl_nothing() {}\n";

class Cuda : public Platform {
 public:
  const DriverSource& source() const override { return kHere; }

  const Target* target_of(int capability) const override {
    const Target* best = nullptr;
    for (const Target& target : all_targets())
      if (runs(target, capability) &&
          (!best || architecture_number(target.name) > architecture_number(best->name)))
        best = &target;
    return best;
  }

  bool runs(const Target& target, int capability) const override {
    if (target.family != Family::cuda) return false;
    const int number = architecture_number(target.name);
    return one_chip(target) ? number == capability : number <= capability;
  }

  std::string compiler(const std::string& kernel, const Target& target,
                       int capability) const override {
    const RuntimeCompiler& found = nvrtc(kernel, target);
    std::string key = "NVRTC " + found.version();
    for (const std::string& option : options_for(found, target, capability)) key += " " + option;
    key += "\n";
    for (const auto& [name, text] : device_header()) key += name + "\n" + text;
    return key;
  }

  void warm_compiler(const Target& target, int capability) const override {
    std::string problem, log;  // the first call reports errors
    const RuntimeCompiler* found = RuntimeCompiler::get(kNvrtc, &problem);
    if (!found) return;
    std::vector<std::string> options = options_for(*found, target, capability);
    options.emplace_back(kNoFunctions);
    found->compile(kNothing, device_header(), options, needs_ptx(target, capability), &log);
  }

  std::string compile(const std::string& kernel, const std::string& text, const Target& target,
                      int capability) const override {
    const RuntimeCompiler& found = nvrtc(kernel, target);
    std::vector<std::string> options = options_for(found, target, capability);
    if (!calls_functions(text)) options.emplace_back(kNoFunctions);
    if (text.find(kForeign) != text.npos) {  // the user's source may need all of CUDA
      std::erase(options, "--minimal");
      for (const std::string& folder : cuda_headers())
        options.push_back("--include-path=" + folder);
    }
    const PhaseScope phase("compiled by NVRTC");
    std::string log;
    std::string image =
        found.compile(text, device_header(), options, needs_ptx(target, capability), &log);
    if (!image.empty()) return image;
    throw rejected_code(kernel, "NVRTC", log);
  }

  std::string describe(const Driver& driver, const MapRequest& request,
                       MapParameter* map) const override {
    const auto encode = reinterpret_cast<worker::EncodeTiled>(driver.map_encoder);
    if (!encode) return "the driver has no cuTensorMapEncodeTiled";
    uint64_t dims[5] = {}, strides[5] = {};
    unsigned box[5] = {}, steps[5] = {1, 1, 1, 1, 1};
    const size_t rank = request.dims.size();
    for (size_t i = 0; i < rank; ++i) {
      dims[i] = uint64_t(request.dims[i]);
      box[i] = unsigned(request.box[i]);
      if (i + 1 < rank) strides[i] = uint64_t(request.strides[i]);
    }
    const int mask = int(request.swizzle.mask);
    const int swizzle = mask == 7 ? 3 : mask == 3 ? 2 : mask == 1;
    const Status status =
        encode(map, codegen::tensor_map_type(request.dtype, Family::cuda), unsigned(rank),
               request.base, dims, strides, box, steps, 0, swizzle, kPromote256Bytes, 0);
    return status == 0 ? "" : "cuTensorMapEncodeTiled: " + driver.status_text(status);
  }
};

class CudaWorker final : public Cuda {
 public:
  const DriverSource& source() const override { return kInWorker; }
  std::unique_ptr<Driver> open(std::string* problem) const override {
    *problem = Worker::cuda().start();
    return problem->empty() ? Worker::cuda().driver() : nullptr;
  }
};

}  // namespace

const Platform& cuda_worker() {
  static const CudaWorker platform;
  return platform;
}

const Platform& cuda() {
  static const Cuda platform;
  return platform;
}

}  // namespace tilelab::runtime
