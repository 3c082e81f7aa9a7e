// SPDX-License-Identifier: Apache-2.0
#include "runtime/rtc.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <utility>

#include "runtime/driver.h"

namespace tilelab::runtime {

const RtcSource kNvrtc{
    "NVRTC",
    "nvrtc",
    "TILELAB_NVRTC",
    "CUBIN",
    "PTX",
    {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "/usr/local/cuda/lib64/libnvrtc.so"}};
const RtcSource kMtrtc{"MTRTC",  "mtrtc", "TILELAB_MTRTC",
                       "FatBin", nullptr, {"libmtrtc.so", "/usr/local/musa/lib/libmtrtc.so"}};

namespace {

std::mutex mutex;
std::vector<std::string> more_files;

std::vector<std::string> places(const RtcSource& source) {
  if (const char* given = std::getenv(source.variable); given && *given) return {given};
  std::vector<std::string> out = source.places;
  if (&source == &kNvrtc) out.insert(out.end(), more_files.begin(), more_files.end());
  return out;
}

}  // namespace

void add_nvrtc_paths(std::vector<std::string> files) {
  const std::lock_guard lock(mutex);
  more_files = std::move(files);
}

std::vector<std::string> cuda_headers() {
  std::vector<std::string> found;
  const auto add = [&](const std::string& folder) {
    if (access((folder + "/cuda_fp16.h").c_str(), R_OK) == 0) found.push_back(folder);
  };
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable); home && *home)
      add(std::string(home) + "/include");
  add("/usr/local/cuda/include");
  const std::lock_guard lock(mutex);
  for (const std::string& file : more_files) {  // nvidia/cuda_nvrtc/lib/libnvrtc.so.12
    const size_t lib = file.rfind("/lib/"), package = file.rfind('/', lib - 1);
    if (lib == file.npos || package == file.npos) continue;
    add(file.substr(0, lib) + "/include");
    add(file.substr(0, package) + "/cuda_runtime/include");
  }
  return found;
}

bool RuntimeCompiler::load(void* library, const RtcSource& source) {
  auto resolve = [&](auto& function, const std::string& name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, (source.prefix + name).c_str()));
    return function != nullptr;
  };
  auto image = [&](Image& out, const std::string& form) {
    return resolve(out.size, "Get" + form + "Size") && resolve(out.get, "Get" + form);
  };
#define RTC(field, name, ...) \
  if (!resolve(field##_, name)) return false;
#include "runtime/rtc.def"
#undef RTC
  return image(machine_, source.machine) && (!source.portable || image(portable_, source.portable));
}

std::unique_ptr<RuntimeCompiler> RuntimeCompiler::open(const RtcSource& source,
                                                       std::string* problem) {
  auto compiler = std::make_unique<RuntimeCompiler>();
  std::string last, first;
  for (const std::string& place : places(source)) {
    void* library = open_library(place, &last);
    if (library && compiler->load(library, source)) return compiler;
    if (library) last = place + " lacks functions";
    if (first.empty()) first = last;
  }
  *problem = first;
  return nullptr;
}

const RuntimeCompiler* RuntimeCompiler::get(const RtcSource& source, std::string* problem) {
  const std::lock_guard lock(mutex);
  static std::map<std::pair<const RtcSource*, std::string>, std::unique_ptr<RuntimeCompiler>>
      opened;  // by library path
  const char* given = std::getenv(source.variable);
  auto& compiler = opened[{&source, given ? given : ""}];
  if (!compiler) compiler = open(source, problem);
  return compiler.get();
}

std::string RuntimeCompiler::version() const {
  int major = 0, minor = 0;
  version_(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

bool RuntimeCompiler::at_least(int major, int minor) const {
  int its_major = 0, its_minor = 0;
  version_(&its_major, &its_minor);
  return std::pair{its_major, its_minor} >= std::pair{major, minor};
}

std::string RuntimeCompiler::read(Program program, const Image& image) {
  size_t bytes = 0;
  if (image.size(program, &bytes) != 0) return "";
  std::string out(bytes, '\0');
  if (image.get(program, out.data()) != 0) return "";
  return out;
}

std::string RuntimeCompiler::compile(const std::string& text,
                                     const std::map<std::string, std::string>& headers,
                                     const std::vector<std::string>& options, bool portable,
                                     std::string* log) const {
  std::vector<const char*> names, texts, words;
  for (const auto& [name, content] : headers) {
    names.push_back(name.c_str());
    texts.push_back(content.c_str());
  }
  for (const std::string& option : options) words.push_back(option.c_str());
  Program program = nullptr;
  int status =
      create_(&program, text.c_str(), "kernel.cu", int(names.size()), texts.data(), names.data());
  if (status == 0) status = compile_(program, int(words.size()), words.data());
  std::string image;
  if (program) {
    *log = read(program, {log_size_, log_});
    if (status == 0) image = read(program, portable ? portable_ : machine_);
    destroy_(&program);
  }
  if (image.empty() && log->size() <= 1) *log = "error " + std::to_string(status);
  return image;
}

}  // namespace tilelab::runtime
