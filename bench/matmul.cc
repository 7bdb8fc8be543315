// How far the engine is from what its work must cost: JAX's Hopper matmul against a bare loop over
// the same tiles and against one call of the library, in turns, in one process.
//
//   library  f16 to f32 of both operands, one product of the whole size, f32 to f16
//   loop     tiles copied into buffers as a pipeline would, widened once each, multiplied tile by
//            tile, narrowed, copied out
//   engine   the kernel as JAX traces it (bench/kernels), on one worker
//
// Only ratios mean something: times are of this machine, as busy as it is.
#include <dnnl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pallasite/api/session.h"
#include "pallasite/numerics/convert.h"
#include "pallasite/numerics/float_mode.h"

extern "C" void omp_set_num_threads(int);

namespace pallasite {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using Half = uint16_t;

struct Problem {
  std::string kernel;
  int64_t m, n, k;
  // Of one warpgroup; two of them lie side by side in n.
  int64_t tile_m, tile_n, tile_k;
};

void widen(const Half* from, float* to, int64_t count) {
  convert(ElementType::F16, from, ElementType::F32, to, static_cast<size_t>(count));
}

void narrow(const float* from, Half* to, int64_t count) {
  convert(ElementType::F32, from, ElementType::F16, to, static_cast<size_t>(count));
}

void check(bool good, const std::string& what) {
  if (!good) throw std::runtime_error(what);
}

// C = A * B + beta * C, row-major.
void multiply(const float* a, const float* b, int64_t ldb, float* c, int64_t m, int64_t n,
              int64_t k, float beta) {
  const dnnl_status_t status = dnnl_sgemm('N', 'N', m, n, k, 1.0f, a, k, b, ldb, beta, c, n);
  check(status == dnnl_success, "dnnl_sgemm failed");
}

void copy_rows(const Half* from, int64_t from_stride, Half* to, int64_t to_stride, int64_t rows,
               int64_t cols) {
  for (int64_t row = 0; row < rows; ++row) {
    std::memcpy(to + row * to_stride, from + row * from_stride,
                static_cast<size_t>(cols) * sizeof(Half));
  }
}

struct Arrays {
  explicit Arrays(const Problem& p) : a(size(p.m * p.k)), b(size(p.k * p.n)), out(size(p.m * p.n)) {
    // Small multiples of 1/8, so that no element of the product overflows f16.
    uint32_t state = 1;
    const auto next = [&] {
      state = state * 1664525u + 1013904223u;
      return (static_cast<float>(state >> 28) - 7.5f) / 8.0f;
    };
    for (std::vector<Half>* values : {&a, &b}) {
      for (Half& value : *values) {
        const float wide = next();
        narrow(&wide, &value, 1);
      }
    }
  }
  static size_t size(int64_t count) { return static_cast<size_t>(count); }

  std::vector<Half> a, b, out;
};

class Library {
 public:
  explicit Library(const Problem& p)
      : p_(p),
        a_(Arrays::size(p.m * p.k)),
        b_(Arrays::size(p.k * p.n)),
        c_(Arrays::size(p.m * p.n)) {}

  void operator()(Arrays& arrays) {
    widen(arrays.a.data(), a_.data(), p_.m * p_.k);
    widen(arrays.b.data(), b_.data(), p_.k * p_.n);
    multiply(a_.data(), b_.data(), p_.n, c_.data(), p_.m, p_.n, p_.k, 0.0f);
    narrow(c_.data(), arrays.out.data(), p_.m * p_.n);
  }

 private:
  Problem p_;
  std::vector<float> a_, b_, c_;
};

class Loop {
 public:
  explicit Loop(const Problem& p)
      : p_(p),
        a_(Arrays::size(p.tile_m * p.tile_k)),
        b_(Arrays::size(p.tile_k * p.tile_n)),
        out_(Arrays::size(p.tile_m * p.tile_n)),
        wide_a_(a_.size()),
        wide_b_(b_.size()) {
    for (std::vector<float>& sum : sums_) sum.resize(out_.size());
  }

  void operator()(Arrays& arrays) {
    const auto [kernel, m, n, k, tile_m, tile_n, tile_k] = p_;
    for (int64_t row = 0; row < m; row += tile_m) {
      for (int64_t col = 0; col < n; col += 2 * tile_n) {
        for (int64_t depth = 0; depth < k; depth += tile_k) {
          copy_rows(&arrays.a[Arrays::size(row * k + depth)], k, a_.data(), tile_k, tile_m, tile_k);
          widen(a_.data(), wide_a_.data(), tile_m * tile_k);
          for (int64_t half = 0; half < 2; ++half) {
            copy_rows(&arrays.b[Arrays::size(depth * n + col + half * tile_n)], n, b_.data(),
                      tile_n, tile_k, tile_n);
            widen(b_.data(), wide_b_.data(), tile_k * tile_n);
            multiply(wide_a_.data(), wide_b_.data(), tile_n, sums_[half].data(), tile_m, tile_n,
                     tile_k, depth == 0 ? 0.0f : 1.0f);
          }
        }
        for (int64_t half = 0; half < 2; ++half) {
          narrow(sums_[half].data(), out_.data(), tile_m * tile_n);
          copy_rows(out_.data(), tile_n, &arrays.out[Arrays::size(row * n + col + half * tile_n)],
                    n, tile_m, tile_n);
        }
      }
    }
  }

 private:
  Problem p_;
  std::vector<Half> a_, b_, out_;
  std::vector<float> wide_a_, wide_b_;
  std::vector<float> sums_[2];
};

class Engine {
 public:
  Engine(const Problem& p, uint32_t workers) : p_(p) {
    const std::string path = fmt::format("{}/bench/kernels/{}.pir", PALLASITE_SOURCE_DIR, p.kernel);
    std::ifstream file(path);
    check(file.good(), "cannot read " + path);
    std::stringstream text;
    text << file.rdbuf();
    options_.workers = workers;
    loaded_ = session_.load(text.str(), path, options_);
  }

  void operator()(Arrays& arrays) {
    const auto array = [](std::vector<Half>& values, int64_t rows, int64_t cols) {
      HostArray made;
      made.dtype = "float16";
      made.shape = {rows, cols};
      made.data = reinterpret_cast<std::byte*>(values.data());
      return made;
    };
    const HostArray inputs[] = {array(arrays.a, p_.m, p_.k), array(arrays.b, p_.k, p_.n)};
    const HostArray outputs[] = {array(arrays.out, p_.m, p_.n)};
    const Report report = session_.run(*loaded_, inputs, outputs, options_);
    check(report.verdict == Verdict::Clean, p_.kernel + " is not clean");
    check(!report.host.serial_after_conflict, p_.kernel + " ran twice");
  }

 private:
  Problem p_;
  RunOptions options_;
  Session session_;
  std::shared_ptr<const LoadedModule> loaded_;
};

struct Contestant {
  std::string name;
  std::function<void(Arrays&)> run;
  std::vector<double> seconds;
  // Of all threads of the process.
  std::vector<double> cpu_seconds;

  double median() const { return median_of(seconds); }
  double median_cpu() const { return median_of(cpu_seconds); }
  static double median_of(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
  }
  double best() const { return std::ranges::min(seconds); }
};

// Runs all in turns, so that a busy machine slows each alike. Outputs have to agree with the first.
void compete(const Problem& p, std::vector<Contestant>& contestants, int rounds) {
  Arrays arrays(p);
  std::vector<float> expected(arrays.out.size()), got(arrays.out.size());
  for (Contestant& contestant : contestants) {
    std::ranges::fill(arrays.out, Half{0x7e00});
    contestant.run(arrays);
    widen(arrays.out.data(), got.data(), p.m * p.n);
    if (&contestant == &contestants.front()) expected = got;
    float largest = 0, error = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      const float difference = std::abs(got[i] - expected[i]);
      if (!(difference <= error)) error = difference;
    }
    check(error <= 2e-3f * largest, fmt::format("{} of {}: error {}, largest element {}",
                                                contestant.name, p.kernel, error, largest));
  }
  for (int round = 0; round < rounds; ++round) {
    for (Contestant& contestant : contestants) {
      const std::clock_t cpu_start = std::clock();
      const Clock::time_point start = Clock::now();
      contestant.run(arrays);
      contestant.seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
      contestant.cpu_seconds.push_back(static_cast<double>(std::clock() - cpu_start) /
                                       CLOCKS_PER_SEC);
    }
  }
}

Json to_json(const Problem& p, const std::vector<Contestant>& contestants) {
  Json times = Json::object();
  for (const Contestant& contestant : contestants) {
    times[contestant.name] = {{"median_ms", contestant.median() * 1e3},
                              {"best_ms", contestant.best() * 1e3},
                              {"cpu_ms", contestant.median_cpu() * 1e3}};
  }
  return {{"kernel", p.kernel},
          {"size", {p.m, p.n, p.k}},
          {"tile", {p.tile_m, p.tile_n, p.tile_k}},
          {"rounds", contestants.front().seconds.size()},
          {"times", std::move(times)}};
}

double ratio(const Json& result, const char* a, const char* b, const char* time = "median_ms") {
  return result["times"][a][time].get<double>() / result["times"][b][time].get<double>();
}

int run(int argc, char** argv) {
  int rounds = 41;
  bool as_json = false;
  CLI::App app("Measures the engine against a bare loop over the same tiles and one library call.");
  app.add_option("--rounds", rounds, "runs of each contestant")->check(CLI::Range(1, 100000));
  app.add_flag("--json", as_json, "print JSON instead of a table");
  CLI11_PARSE(app, argc, argv);

  // One thread each: the library would start its own.
  omp_set_num_threads(1);
  const ScopedFloatMode float_mode;
  Json results = Json::object();
  results["matmul"] = Json::array();
  for (const Problem& p : {Problem{"matmul_512", 512, 512, 512, 64, 64, 64},
                           Problem{"matmul_1024", 1024, 1024, 1024, 128, 128, 64}}) {
    Library library(p);
    Loop loop(p);
    Engine engine(p, 1);
    std::vector<Contestant> contestants = {{"library", std::ref(library), {}, {}},
                                           {"loop", std::ref(loop), {}, {}},
                                           {"engine", std::ref(engine), {}, {}}};
    compete(p, contestants, rounds);
    Json result = to_json(p, contestants);
    result["loop_per_library"] = ratio(result, "loop", "library");
    result["engine_per_loop"] = ratio(result, "engine", "loop");
    results["matmul"].push_back(std::move(result));
  }
  const Problem p = {"matmul_16_blocks", 1024, 1024, 512, 64, 64, 64};
  Engine one(p, 1), two(p, 2);
  std::vector<Contestant> contestants = {{"one_worker", std::ref(one), {}, {}},
                                         {"two_workers", std::ref(two), {}, {}}};
  compete(p, contestants, rounds);
  Json workers = to_json(p, contestants);
  workers["speedup"] = ratio(workers, "one_worker", "two_workers");
  // Of the best times: what a free second core gives.
  workers["speedup_best"] = ratio(workers, "one_worker", "two_workers", "best_ms");
  // What two cores would give if both were free: the work itself costs this much more or less.
  workers["speedup_by_cpu_time"] = 2 * ratio(workers, "one_worker", "two_workers", "cpu_ms");
  results["workers"] = workers;

  if (as_json) {
    fmt::print("{}\n", results.dump(2));
    return 0;
  }
  fmt::print("{:<18} {:>11} {:>11} {:>11}   {:>12} {:>11}\n",
             "f16, median of " + std::to_string(rounds), "library ms", "loop ms", "engine ms",
             "loop/library", "engine/loop");
  for (const Json& result : results["matmul"]) {
    const auto median = [&](const char* name) {
      return result["times"][name]["median_ms"].get<double>();
    };
    fmt::print("{:<18} {:>11.2f} {:>11.2f} {:>11.2f}   {:>12.2f} {:>11.2f}\n",
               result["kernel"].get<std::string>(), median("library"), median("loop"),
               median("engine"), result["loop_per_library"].get<double>(),
               result["engine_per_loop"].get<double>());
  }
  fmt::print(
      "{:<18} two workers are {:.2f} times as fast as one ({:.2f} by best times, {:.2f} by CPU "
      "time)\n",
      p.kernel, workers["speedup"].get<double>(), workers["speedup_best"].get<double>(),
      workers["speedup_by_cpu_time"].get<double>());
  return 0;
}

}  // namespace
}  // namespace pallasite

int main(int argc, char** argv) {
  try {
    return pallasite::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
