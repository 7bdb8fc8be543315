#include "pallasite/cli/cli.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pallasite/api/display.h"
#include "pallasite/base/version.h"
#include "pallasite/cli/npy.h"
#include "pallasite/cli/verbs.h"

namespace pallasite {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKernel = R"(pir 1
#0 = loc("kernel.py", 7, 1, "negate")

kernel @negate {
  grid = [2] ["x"]
  input %0 "x": ref<gmem, i32[2]>
  output %1 "out": ref<gmem, i32[2]>
  body {
    %2 = thread.axis_index {axis = "x"} : i32
    %3 = view.index %0, %2 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32[]>
    %4 = view.index %1, %2 {sizes = [1], squeeze = [0], starts = [?]} : ref<gmem, i32[]>
    %5 = memory.load %3 : i32
    debug.print %5 {format = "x is {}"}
    %6 = arith.neg %5 : i32
    memory.store %4, %6
    control.yield
  } #0
}
)";

constexpr std::string_view kDeadlock = R"(pir 1

kernel @deadlock {
  grid = [1] ["x"]
  body {
    scope.run_scoped {collective_axes = []} {
      (%0 "ready": barrier<[], arrivals=1>)
      barrier.wait %0
      control.yield
    }
    control.yield
  }
}
)";

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() /
        ("pallasite_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
         std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, std::string_view contents) const {
    std::ofstream(path(name), std::ios::binary) << contents;
    return path(name);
  }

  static std::string read(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }

  static std::string ints(std::vector<int32_t> values) {
    NpyArray array{"<i4", {static_cast<int64_t>(values.size())}, {}};
    array.bytes.resize(values.size() * 4);
    std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
    return format_npy(array);
  }

  int cli(const std::vector<std::string>& args) {
    out_.str("");
    err_.str("");
    return run_cli(args, {.out = out_, .err = err_});
  }
  std::string out() const { return out_.str(); }
  std::string err() const { return err_.str(); }

 private:
  fs::path folder_;
  std::ostringstream out_, err_;
};

TEST_F(Cli, RunsAKernelOnFiles) {
  const std::string kernel = write("k.pir", kKernel);
  const std::string x = write("x.npy", ints({3, -4}));
  EXPECT_EQ(cli({"run", kernel, "--arg", "x=" + x, "--out", "out=" + path("y.npy"), "--workers",
                 "2", "--json", path("r.json")}),
            0)
      << err();
  EXPECT_EQ(out(), "[x=0] x is 3\n[x=1] x is -4\n");
  EXPECT_EQ(err(), "kernel negate on sm_90a (guessed from its ops): clean\n");
  EXPECT_EQ(read(path("y.npy")), ints({-3, 4}));
  const auto report = nlohmann::json::parse(read(path("r.json")));
  EXPECT_EQ(report.at("verdict"), "clean");
  EXPECT_EQ(report.at("stats").at("clusters"), 2);
}

TEST_F(Cli, ExitCodeTellsTheVerdict) {
  const std::string deadlock = write("d.pir", kDeadlock);
  EXPECT_EQ(cli({"run", deadlock}), 3);
  EXPECT_NE(err().find("sched.deadlock"), std::string::npos) << err();
  // The .pir line stands for a source line where there is none.
  EXPECT_NE(err().find("d.pir:8"), std::string::npos) << err();
  EXPECT_NE(err().find("barrier.wait %0"), std::string::npos) << err();
  EXPECT_NE(err().find(": error\n"), std::string::npos) << err();
  const std::string kernel = write("k.pir", kKernel);
  const std::string x = write("x.npy", ints({3, -4}));
  EXPECT_EQ(
      cli({"run", kernel, "--arg", "x=" + x, "--max-steps", "1", "--out", "out=" + path("y.npy")}),
      7);
  EXPECT_FALSE(fs::exists(path("y.npy")));
  EXPECT_EQ(cli({"run", write("bad.pir", "pir 1\nkernel @x {")}), 3);
  EXPECT_NE(err().find("bad.pir:2"), std::string::npos) << err();
}

TEST_F(Cli, RecordsAndReplays) {
  const std::string kernel = write("k.pir", kKernel);
  const std::string x = "x=" + write("x.npy", ints({3, -4}));
  EXPECT_EQ(cli({"run", kernel, "--arg", x, "--schedule", "random", "--seed", "3", "--record",
                 path("s.json")}),
            0)
      << err();
  EXPECT_EQ(
      cli({"run", kernel, "--arg", x, "--replay", path("s.json"), "--record", path("again.json")}),
      0)
      << err();
  EXPECT_EQ(read(path("again.json")), read(path("s.json")));
  EXPECT_EQ(cli({"run", kernel, "--arg", x, "--replay", path("s.json"), "--async-values", "late"}),
            3);
  EXPECT_NE(err().find("sched.replay-mismatch"), std::string::npos) << err();
  EXPECT_EQ(cli({"run", kernel, "--arg", x, "--replay", path("s.json"), "--schedule", "fixed"}),
            kUsageError);
}

TEST_F(Cli, ReplayIsAVerb) {
  const std::string kernel = write("k.pir", kKernel);
  const std::string x = "x=" + write("x.npy", ints({3, -4}));
  ASSERT_EQ(cli({"run", kernel, "--arg", x, "--schedule", "random", "--seed", "-3", "--record",
                 path("s.json")}),
            0)
      << err();
  EXPECT_EQ(cli({"replay", path("s.json"), kernel, "--arg", x}), 0) << err();
  EXPECT_EQ(out(), "[x=0] x is 3\n[x=1] x is -4\n");
  EXPECT_EQ(cli({"replay", path("s.json"), kernel, "--arg", "x=" + write("z.npy", ints({0, 0}))}),
            3);
  EXPECT_NE(err().find("sched.replay-mismatch"), std::string::npos) << err();
}

TEST_F(Cli, ArraysThatTheKernelDoesNotTakeAreUsageErrors) {
  const std::string kernel = write("k.pir", kKernel);
  const std::string x = write("x.npy", ints({3, -4})), longer = write("z.npy", ints({3, -4, 5}));
  NpyArray floats{"<f4", {2}, std::vector<std::byte>(8)};
  const std::string other = write("f.npy", format_npy(floats));
  const std::pair<std::vector<std::string>, std::string_view> wrong[] = {
      {{}, "argument `x` is missing"},
      {{"--arg", "x=" + longer}, "argument `x` has shape (3,)"},
      {{"--arg", "x=" + other}, "argument `x` has element type float32"},
      {{"--arg", "x=" + x, "--arg", "y=" + x}, "no argument `y`"},
  };
  for (const auto& [arrays, message] : wrong) {
    std::vector<std::string> args = {"run",  "--schedule", "random",
                                     kernel, "--out",      "out=" + path("y.npy")};
    args.insert(args.end(), arrays.begin(), arrays.end());
    EXPECT_EQ(cli(args), kUsageError) << err();
    EXPECT_NE(err().find(message), std::string::npos) << err();
    // Nothing ran, so no schedule found it.
    EXPECT_EQ(err().find("random schedule"), std::string::npos) << err();
    EXPECT_FALSE(fs::exists(path("y.npy")));
    const bool is_missing = message.ends_with("missing");
    EXPECT_EQ(err().find("--arg NAME=FILE.npy") != std::string::npos, is_missing) << err();
  }
  EXPECT_EQ(cli({"run", write("bad.pir", "pir 1\nkernel @x {"), "--schedule", "random"}), 3);
  EXPECT_EQ(err().find("random schedule"), std::string::npos) << err();
}

TEST_F(Cli, AFileThatIsNoScheduleIsAUsageError) {
  const std::string kernel = write("k.pir", kKernel);
  const std::string x = "x=" + write("x.npy", ints({3, -4}));
  for (const std::string_view contents : {"", "not JSON", "{}", "[1]", R"({"schedule": 7})"}) {
    const std::string file = write("s.json", contents);
    EXPECT_EQ(cli({"replay", file, kernel, "--arg", x}), kUsageError) << contents;
    EXPECT_NE(err().find("the file is no schedule"), std::string::npos) << err();
    EXPECT_EQ(cli({"run", kernel, "--arg", x, "--replay", file}), kUsageError) << contents;
    EXPECT_NE(err().find("the file is no schedule"), std::string::npos) << err();
    EXPECT_EQ(cli({"run", kernel, "--arg", x, "--schedule", file}), kUsageError) << contents;
    EXPECT_NE(err().find("--replay " + file), std::string::npos) << err();
  }
}

TEST_F(Cli, AFaultOfARandomScheduleSaysHowToSeeItAgain) {
  const std::string kernel = write("a deadlock.pir", kDeadlock);
  EXPECT_EQ(cli({"run", "--schedule", "random", "--seed", "7", "--async-values=late", kernel}), 3);
  EXPECT_NE(err().find("\n  pallasite run --schedule random --seed 7 --async-values late '" +
                       kernel + "'\n"),
            std::string::npos)
      << err();
  EXPECT_EQ(cli({"run", kernel}), 3);
  EXPECT_EQ(err().find("to see it again"), std::string::npos) << err();
}

TEST_F(Cli, CheckNeedsNoInputsAndKeepsNoOutputs) {
  const std::string kernel = write("k.pir", kKernel);
  EXPECT_EQ(cli({"check", kernel, "--json", "-", "--quiet", "--print-block", "x=1"}), 0) << err();
  EXPECT_EQ(out().substr(0, 7), "x is 0\n") << out();
  EXPECT_EQ(nlohmann::json::parse(out().substr(7)).at("verdict"), "clean");
  EXPECT_EQ(err(), "");
  EXPECT_EQ(cli({"check", write("d.pir", kDeadlock)}), 3);
  // Nothing runs, so nothing is found.
  EXPECT_EQ(cli({"check", "--no-run", write("d.pir", kDeadlock)}), 0);
  EXPECT_EQ(cli({"check", kernel, "--out", "out=y.npy"}), kUsageError);
}

TEST_F(Cli, TheEnvironmentStatesOptions) {
  const std::string deadlock = write("d.pir", kDeadlock);
  ::setenv("PALLASITE_SCHEDULE", "random", 1);
  ::setenv("PALLASITE_SEED", "5", 1);
  EXPECT_EQ(cli({"run", deadlock}), 3);
  EXPECT_NE(err().find("--schedule random --seed 5"), std::string::npos) << err();
  EXPECT_EQ(cli({"run", "--seed", "6", deadlock}), 3);
  EXPECT_NE(err().find("--schedule random --seed 6"), std::string::npos) << err();
  ::setenv("PALLASITE_SEED", "five", 1);
  EXPECT_EQ(cli({"run", deadlock}), kUsageError);
  EXPECT_NE(err().find("PALLASITE_SEED"), std::string::npos) << err();
  ::unsetenv("PALLASITE_SCHEDULE");
  ::unsetenv("PALLASITE_SEED");
  // Whether a kernel is run or only judged, it is for the same chip.
  ::setenv("PALLASITE_ARCH", "b200", 1);
  const std::vector<std::string> judging[] = {{"verify", deadlock},
                                              {"check", "--no-run", deadlock},
                                              {"verify", "--arch", "h100", deadlock}};
  const std::string_view chips[] = {"sm_100a", "sm_100a", "sm_90a"};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(cli(judging[i]), 0) << err();
    EXPECT_NE(out().find(chips[i]), std::string::npos) << out();
  }
  ::setenv("PALLASITE_ARCH", "z80", 1);
  EXPECT_EQ(cli({"verify", deadlock}), kUsageError);
  EXPECT_NE(err().find("PALLASITE_ARCH"), std::string::npos) << err();
  ::unsetenv("PALLASITE_ARCH");
}

TEST_F(Cli, PrintsOfSomeBlocks) {
  const std::string kernel = write("k.pir", kKernel);
  const std::string x = "x=" + write("x.npy", ints({3, -4}));
  EXPECT_EQ(cli({"run", kernel, "--arg", x}), 0);
  EXPECT_EQ(out(), "[x=0] x is 3\n[x=1] x is -4\n");
  // One thread is left: nothing to tell apart.
  EXPECT_EQ(cli({"run", kernel, "--arg", x, "--print-block", "x=1"}), 0);
  EXPECT_EQ(out(), "x is -4\n");
  EXPECT_EQ(cli({"run", kernel, "--arg", x, "--print-block", "x=2"}), 0);
  EXPECT_EQ(out(), "");
  EXPECT_EQ(cli({"run", kernel, "--arg", x, "--print-block", "z=1"}), kUsageError);
  EXPECT_NE(err().find("the kernel's axes are x"), std::string::npos) << err();
  for (const char* wrong : {"x", "=1", "x=", "x=a", "x=1 2"}) {
    EXPECT_EQ(cli({"run", kernel, "--arg", x, "--print-block", wrong}), kUsageError) << wrong;
  }
}

TEST_F(Cli, TakesAProgramApart) {
  std::string request;
  const auto start = [&](const std::vector<std::string>& args) {
    std::ostringstream out, err;
    request.clear();
    return run_cli(args, {.out = out, .err = err, .python = [&](const std::string& text) {
                            request = text;
                            return 0;
                          }});
  };
  EXPECT_EQ(start({"run", "--arch=h100", "--seed", "-2", "--quiet", "a.py", "--seed", "x.pir"}), 0);
  auto got = nlohmann::json::parse(request);
  EXPECT_EQ(got.at("script"), "a.py");
  EXPECT_EQ(got.at("args"), nlohmann::json({"--seed", "x.pir"}));
  EXPECT_EQ(got.at("options"), nlohmann::json({{"arch", "h100"}, {"seed", -2}}));
  EXPECT_EQ(got.at("quiet"), true);
  EXPECT_EQ(start({"check", "--no-run", "-m", "a.b", "-m", "c"}), 0);
  got = nlohmann::json::parse(request);
  EXPECT_EQ(got.at("verb"), "check");
  EXPECT_EQ(got.at("module"), "a.b");
  EXPECT_EQ(got.at("args"), nlohmann::json({"-m", "c"}));
  EXPECT_EQ(got.at("no_run"), true);
  EXPECT_EQ(start({"run", "--arg", "x=x.npy", "a.py"}), kUsageError);
  EXPECT_EQ(start({"run", "-m"}), kUsageError);
  EXPECT_EQ(start({"run", "--seed"}), kUsageError);
  EXPECT_EQ(start({"run", "--num-sms", "0", "a.py"}), kUsageError);
  // Without Python there is no program to run.
  EXPECT_EQ(cli({"run", "a.py"}), kUsageError);
  EXPECT_NE(err().find("no Python"), std::string::npos) << err();
}

TEST_F(Cli, SuggestsWhatMayBeMeant) {
  EXPECT_EQ(cli({"chek"}), kUsageError);
  EXPECT_NE(err().find("did you mean check?"), std::string::npos) << err();
  EXPECT_EQ(cli({"run", "--schedul", "random", "k.pir"}), kUsageError);
  EXPECT_NE(err().find("did you mean --schedule?"), std::string::npos) << err();
}

TEST_F(Cli, EveryVerbHasHelpWithExamples) {
  for (const VerbSpec& verb : all_verbs()) {
    EXPECT_EQ(cli({std::string(verb.name), "--help"}), 0);
    EXPECT_NE(out().find("Examples:\n  "), std::string::npos) << verb.name;
    for (std::string_view option : verb.options) {
      EXPECT_NE(out().find("  " + std::string(option)), std::string::npos) << option;
    }
    for (const std::string& script : {completion_for_bash(), completion_for_zsh()}) {
      EXPECT_NE(script.find(verb.name), std::string::npos);
      for (std::string_view option : verb.options) {
        EXPECT_NE(script.find(option), std::string::npos) << option;
      }
    }
  }
}

TEST_F(Cli, DoctorAndCompletion) {
  EXPECT_EQ(cli({"doctor", "--json", "-"}), 0);
  EXPECT_EQ(nlohmann::json::parse(out()).at("version"), version());
  EXPECT_EQ(cli({"completion", "fish"}), kUsageError);
  EXPECT_EQ(cli({"completion", "zsh"}), 0);
  EXPECT_EQ(out(), completion_for_zsh());
}

TEST(Progress, IsShownAfterAWhileAndGoneAtTheEnd) {
  std::ostringstream terminal;
  {
    ProgressLine line(&terminal, "k", std::chrono::hours(1));
    line.update(1, 2);
  }
  EXPECT_EQ(terminal.str(), "");
  {
    ProgressLine line(&terminal, "k", std::chrono::seconds(0));
    line.update(1, 2);
    EXPECT_EQ(terminal.str().find("\rpallasite: k: 1 of 2 clusters (50%)"), 0u) << terminal.str();
  }
  EXPECT_TRUE(terminal.str().ends_with("\r\x1b[K"));
  EXPECT_EQ(progress_text("k", 25, 100, 5),
            "pallasite: k: 25 of 100 clusters (25%), 5 a second, about 15 s left");
  EXPECT_EQ(progress_text("k", 0, 1, 5), "pallasite: k: 0 of 1 clusters, 5 s");
}

TEST_F(Cli, UsageErrors) {
  const std::string kernel = write("k.pir", kKernel);
  const std::string x = write("x.npy", ints({3, -4}));
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"jog"},
      {"run"},
      {"run", path("missing.pir")},
      {"run", kernel, "--workers", "0"},
      {"run", kernel, "--max-steps", "-1"},
      {"run", kernel, "--checks", "races"},
      {"run", kernel, "--arch", "z80"},
      {"run", kernel, "--arg", "x"},
      {"run", kernel, "--arg", "x=" + path("missing.npy")},
      {"run", kernel, "--arg", "x=" + kernel},
      {"run", kernel, "--arg", "x=" + x, "--out", "y=" + path("y.npy")},
      {"run", kernel, "--arg", "x=" + x, "--out", "out=" + path("no/such/folder.npy")},
      {"explain"},
      {"explain", "sched.deadlock", "--all"},
      {"explain", "sched.deadlok"},
      {"ops", "barrier.weight"},
      {"verify"},
  };
  for (const auto& args : wrong) {
    EXPECT_EQ(cli(args), kUsageError) << testing::PrintToString(args);
    EXPECT_NE(err(), "") << testing::PrintToString(args);
  }
  EXPECT_EQ(cli({"--version"}), 0);
  EXPECT_EQ(cli({"run", "--help"}), 0);
  EXPECT_NE(out().find("--async-values"), std::string::npos);
}

TEST_F(Cli, Verify) {
  EXPECT_EQ(cli({"verify", write("k.pir", kKernel)}), 0);
  EXPECT_NE(out().find("kernel negate can run on sm_90a"), std::string::npos) << out();
  std::string text(kKernel);
  text.replace(text.find("arith.neg %5 : i32"), 18, "arith.neg %5 : f32");
  const std::string wrong = write("wrong.pir", text);
  EXPECT_EQ(cli({"verify", wrong}), 3);
  EXPECT_NE(err().find("wrong.pir:14"), std::string::npos) << err();
  EXPECT_EQ(cli({"verify", wrong, "--json", "-"}), 3);
  const auto report = nlohmann::json::parse(out());
  EXPECT_EQ(report.at("findings").at(0).at("code"), "ir.verify");
  EXPECT_EQ(report.at("verdict"), "error");
}

TEST_F(Cli, Explain) {
  EXPECT_EQ(cli({"explain", "sched.deadlock"}), 0);
  EXPECT_NE(out().find("sched.deadlock (error)"), std::string::npos) << out();
  EXPECT_EQ(cli({"explain", "sched.deadlock", "--json"}), 0);
  EXPECT_EQ(nlohmann::json::parse(out()).at("record").at("errorCode"), "sched.deadlock");
  cli({"explain", "sched.deadlok"});
  EXPECT_NE(err().find("did you mean sched.deadlock"), std::string::npos) << err();
  EXPECT_EQ(cli({"explain", "--all"}), 0);
  EXPECT_NE(out().find("\nrun.internal: "), std::string::npos);
  EXPECT_EQ(cli({"explain", "--all", "--json"}), 0);
  EXPECT_GT(nlohmann::json::parse(out()).size(), 20u);
}

TEST_F(Cli, Ops) {
  EXPECT_EQ(cli({"ops"}), 0);
  EXPECT_NE(out().find("\nbarrier.wait (barrier)\n"), std::string::npos) << out();
  EXPECT_EQ(cli({"ops", "memory.load"}), 0);
  EXPECT_NE(out().find("kernel @example"), std::string::npos) << out();
  EXPECT_EQ(cli({"ops", "--json"}), 0);
  EXPECT_GT(nlohmann::json::parse(out()).size(), 30u);
  EXPECT_EQ(cli({"ops", "load"}), kUsageError);
  EXPECT_NE(err().find("memory.load"), std::string::npos) << err();
}

TEST(Npy, ReadsWhatNumpyWrites) {
  std::string file("\x93NUMPY\x01\x00", 8);
  const std::string header = "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }\n";
  file += static_cast<char>(header.size());
  file += '\0';
  file += header;
  for (char value : {1, 2, 3, 4, 5, 6}) file += std::string{value, '\0'};
  const NpyArray array = parse_npy(file);
  EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 3}));
  std::vector<int16_t> values(6);
  std::memcpy(values.data(), array.bytes.data(), 12);
  EXPECT_EQ(values, (std::vector<int16_t>{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(element_type_of(array, ElementType::F32), "int16");

  // Version 2 has a longer length; nothing is lost on the way there and back.
  std::string second = format_npy(array);
  EXPECT_EQ(second.find("\n") % 64, 63u);
  second.replace(6, 4, std::string("\x02\x00", 2) + second.substr(8, 2) + std::string(2, '\0'));
  EXPECT_EQ(parse_npy(second).bytes, array.bytes);
  EXPECT_EQ(parse_npy(format_npy({"|b1", {}, {std::byte{1}}})).shape, std::vector<int64_t>{});
  EXPECT_EQ(parse_npy(format_npy({"<f4", {0, 7}, {}})).shape, (std::vector<int64_t>{0, 7}));
  EXPECT_EQ(parse_npy(format_npy({"<f4", {1}, std::vector<std::byte>(4)})).shape,
            std::vector<int64_t>{1});
}

TEST(Npy, TakesTypesOfOtherPackagesForWhatIsWanted) {
  const NpyArray two_bytes{"<V2", {1}, std::vector<std::byte>(2)};
  EXPECT_EQ(element_type_of(two_bytes, ElementType::BF16), "bfloat16");
  EXPECT_EQ(element_type_of(two_bytes, ElementType::F32), "<V2");
  const NpyArray one_byte{"|V1", {1}, std::vector<std::byte>(1)};
  EXPECT_EQ(element_type_of(one_byte, ElementType::S4), "int4");
  EXPECT_EQ(element_type_of(one_byte, ElementType::F8E5M2), "float8_e5m2");
  EXPECT_EQ(element_type_of({"|i1", {1}, {}}, ElementType::S4), "int8");
  EXPECT_EQ(descr_of(ElementType::BF16), "<V2");
  EXPECT_EQ(descr_of(ElementType::Bool), "|b1");
  EXPECT_EQ(descr_of(ElementType::U64), "<u8");
}

TEST(Npy, RefusesEveryShortFile) {
  const std::string whole = format_npy({"<f4", {2}, std::vector<std::byte>(8)});
  EXPECT_NO_THROW(parse_npy(whole));
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(parse_npy(std::string_view(whole).substr(0, length)), NpyError) << length;
  }
  for (const char* descr : {">f4", "O", "<f", "<f99", "<m8[ns]"}) {
    EXPECT_THROW(parse_npy(format_npy({descr, {2}, std::vector<std::byte>(8)})), NpyError) << descr;
  }
  EXPECT_THROW(parse_npy(format_npy(
                   {"<f4", {int64_t{1} << 40, int64_t{1} << 40}, std::vector<std::byte>(8)})),
               NpyError);
}

}  // namespace
}  // namespace pallasite
