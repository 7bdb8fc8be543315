#include "pallasite/api/build_info.h"

#include <dnnl.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "pallasite/base/version.h"
#include "pallasite/numerics/convert.h"

namespace pallasite {

namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

std::string machine() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "unknown";
#endif
}

std::string instruction_set() {
  if (convert_path_supported(ConvertPath::Avx512)) return "AVX-512";
  if (convert_path_supported(ConvertPath::Avx2)) return "AVX2";
  return "portable";
}

}  // namespace

BuildInfo build_info() {
  const dnnl_version_t* library = dnnl_version();
  return {
    .version = std::string(version()), .compiler = compiler(),
#if defined(NDEBUG)
    .build = "release",
#else
    .build = "debug",
#endif
    .machine = machine(), .instruction_set = instruction_set(),
    .onednn = fmt::format("{}.{}.{}", library->major, library->minor, library->patch),
    .processors = std::thread::hardware_concurrency(),
  };
}

std::string to_json(const BuildInfo& info) {
  return nlohmann::ordered_json{
      {"version", info.version},
      {"compiler", info.compiler},
      {"build", info.build},
      {"machine", info.machine},
      {"instruction_set", info.instruction_set},
      {"onednn", info.onednn},
      {"processors", info.processors},
  }
      .dump();
}

}  // namespace pallasite
