#include "pallasite/diag/catalogue.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "pallasite/diag/diagnostic.h"
#include "pallasite/diag/render.h"

namespace pallasite {
namespace {

class EveryEntry : public testing::TestWithParam<size_t> {
 protected:
  Kind kind() const { return kind_at(GetParam()); }
  const KindFacts& facts() const { return facts_of(kind()); }
  const CatalogueEntry& entry() const { return entry_of(kind()); }
  bool exempt() const { return !entry().exemption.empty(); }
};

INSTANTIATE_TEST_SUITE_P(Kinds, EveryEntry, testing::Range<size_t>(0, kKindCount),
                         [](const auto& info) {
                           return std::string(name_of(kind_at(info.param)));
                         });

Argument sample_argument(ArgumentType type) {
  switch (type) {
    case ArgumentType::Integer:
      return int64_t{3};
    case ArgumentType::Text:
      return std::string("x");
    case ArgumentType::Names:
      return Names{"a", "b"};
    case ArgumentType::Box:
      return Box{{0, 8}, {4, 9}};
    case ArgumentType::Thread:
      return ThreadName{.axes = {{"x", 1}}, .thread_axis = "wg", .thread = 2};
    case ArgumentType::Shape:
      return Shape{4, 8};
  }
  return int64_t{0};
}

Diagnostic sample(Kind kind, const MessageVariant& variant) {
  DiagnosticBuilder builder(kind);
  builder.variant(std::string(variant.name));
  for (const ArgumentSpec& spec : facts_of(kind).argument_specs()) {
    builder.arg(spec.name, sample_argument(spec.type));
  }
  return builder.at(SourceLocation::at("kernel.py", 1)).build();
}

TEST_P(EveryEntry, messages_match_their_own_pattern_and_no_more_than_needed) {
  std::regex pattern(message_pattern(kind()));
  for (const MessageVariant& variant : facts().message_variants()) {
    std::string text = message(sample(kind(), variant));
    EXPECT_TRUE(std::regex_search(text, pattern)) << text << "\n" << message_pattern(kind());
    EXPECT_EQ(text.find_first_of("{}"), std::string::npos) << text;
    EXPECT_EQ(help(sample(kind(), variant)).find_first_of("{}"), std::string::npos);
  }
  EXPECT_FALSE(std::regex_search("an unrelated sentence", pattern) && kind() != Kind::IrParse);
}

// What JAX's interpreter prints, with its ids and keys: our patterns find these too, and our own
// messages hold the parts between the values in the same order.
struct JaxMessage {
  Kind kind;
  const char* text;
  // What a test written for JAX searches for.
  const char* test_pattern;
};

const JaxMessage kJaxMessages[] = {
    {Kind::BarrierUnobservedPhase, "Barrier completed phase 1, but no threads observed phase 0.",
     R"(Barrier completed phase 1, but no threads observed phase 0.)"},
    {Kind::BarrierMissedPhase,
     "Thread Warpgroup(block=0, id=1) only observed barrier up to phase 0, but barrier completed "
     "up to "
     "phase 2, meaning thread Warpgroup(block=0, id=1) missed observing phase 1.",
     R"(only observed barrier up to phase \d+, but barrier completed up to phase \d+, meaning)"},
    {Kind::BarrierLateFirstWait,
     "Thread Warpgroup(block=0, id=1) is waiting at barrier 140 for the first time, but barrier is "
     "already "
     "at phase 2. Any thread that participates in the barrier must do so in all phases.",
     R"(Thread Warpgroup\(.+\) is waiting at barrier \w+ for the first time, but barrier is already at phase \d)"},
    {Kind::BarrierPendingAtDealloc, "Barrier deallocated with 1 arrivals pending.",
     R"(Barrier deallocated with \d+ arrivals pending.)"},
    {Kind::BarrierReallocUnobserved,
     "When barrier 140 was deallocated, thread Warpgroup(block=0, id=1) had only observed barrier "
     "up to "
     "phase 0, but barrier completed up to phase 1.",
     nullptr},
    {Kind::BarrierIndex,
     "Attempting to operate on barrier without indexing, but `num_barriers = 2`",
     R"(Attempting to operate on barrier without indexing, but `num_barriers = \d`)"},
    {Kind::SmemOob,
     "Out-of-bounds read of HostAllocationKey(0, 1): reading [3, 0:128] but buffer has shape (2, "
     "128).",
     R"(Out-of-bounds read of .*: reading \[.*\] but buffer has shape)"},
    {Kind::GmemOob,
     "Out-of-bounds block index (3,) for HostAllocationKey(0, 1), input \"x\" in iteration (3,): "
     "reading "
     "[384:512] but input has shape (400,).",
     nullptr},
    {Kind::ScopeCollectiveAxes,
     "Scoped allocation must have the thread axis in its collective axes.",
     R"(Scoped allocation must have the thread axis in its collective axes\.)"},
    {Kind::ScopeCollectiveAxes,
     "Collective axis `unknown_axis` not found among axes `['c0', 'c1', 't']`", nullptr},
    {Kind::TmaUnawaitedRead,
     "Not all copy_smem_to_gmem read-side operations completed before kernel finished on thread "
     "Warpgroup(block=0, id=1).",
     R"(Not all copy_smem_to_gmem read-side operations completed before)"},
    {Kind::SmemExhausted,
     "Mosaic GPU kernel exceeds available shared memory: smem_bytes=262144 > max_smem_bytes=232448",
     R"(exceeds available shared memory)"},
};

TEST(Catalogue, patterns_find_the_messages_of_jax_and_patterns_of_its_tests_find_ours) {
  for (const JaxMessage& jax : kJaxMessages) {
    EXPECT_TRUE(std::regex_search(jax.text, std::regex(message_pattern(jax.kind)))) << jax.text;
    if (jax.test_pattern == nullptr) continue;
    std::string ours = message(sample(jax.kind, facts_of(jax.kind).message_variants()[0]));
    EXPECT_TRUE(std::regex_search(ours, std::regex(jax.test_pattern))) << ours;
  }
  const MessageVariant* dealloc = facts_of(Kind::BarrierReallocUnobserved).find_message("dealloc");
  std::regex test_pattern(
      R"(When barrier \d+ was deallocated, thread Warpgroup\(.+\) had only observed)");
  EXPECT_TRUE(
      std::regex_search(message(sample(Kind::BarrierReallocUnobserved, *dealloc)), test_pattern));
}

TEST_P(EveryEntry, has_a_complete_entry_or_a_reason_why_not) {
  if (exempt()) {
    EXPECT_EQ(find_entry(code_of(kind())), nullptr);
    EXPECT_TRUE(entry().slug.empty());
    return;
  }
  EXPECT_EQ(find_entry(code_of(kind())), &entry());
  EXPECT_FALSE(entry().slug.empty());
  EXPECT_EQ(entry().slug.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
            std::string::npos);
  EXPECT_GT(entry().documentation.size(), 60u);
  EXPECT_FALSE(entry().triggers.empty());
  EXPECT_FALSE(entry().situations.empty());
  EXPECT_FALSE(entry().solutions.used().empty());
  EXPECT_FALSE(entry().prevention.used().empty());
  EXPECT_FALSE(entry().tags.used().empty());
  EXPECT_FALSE(entry().before.empty());
  EXPECT_FALSE(entry().after.empty());
  EXPECT_NE(entry().before, entry().after);
  std::set<std::string_view> strategies = {"validation", "fix-kernel", "rerun", "report"};
  EXPECT_TRUE(strategies.contains(entry().handling)) << entry().handling;
}

TEST_P(EveryEntry, python_examples_are_complete_scripts) {
  if (exempt() || entry().language != ExampleLanguage::Python) return;
  for (std::string_view script : {entry().before, entry().after}) {
    EXPECT_TRUE(script.starts_with("import jax\n")) << script;
    EXPECT_NE(script.find("\ndef run():\n"), std::string::npos) << script;
    EXPECT_TRUE(script.ends_with('\n'));
  }
}

TEST(Catalogue, exemptions_are_few_and_each_has_its_reason) {
  std::set<std::string_view> exempt;
  for (size_t i = 0; i < kKindCount; ++i) {
    if (!entry_of(kind_at(i)).exemption.empty()) exempt.insert(code_of(kind_at(i)));
  }
  std::set<std::string_view> expected = {"run.internal"};
  EXPECT_EQ(exempt, expected);
}

TEST(Catalogue, near_misses_are_suggested) {
  EXPECT_EQ(suggest_codes("barrier.missed-phas").at(0), "barrier.missed-phase");
  EXPECT_EQ(suggest_codes("scope.collective_axes").at(0), "scope.collective-axes");
  EXPECT_EQ(suggest_codes("deadlock").at(0), "sched.deadlock");
  EXPECT_EQ(suggest_codes("mma"), (std::vector<std::string>{"mma.dtype", "mma.shape"}));
  EXPECT_LE(suggest_codes("barrier").size(), 3u);
  EXPECT_TRUE(suggest_codes("entirely different").empty());
}

TEST(Catalogue, json_has_the_fields_of_the_published_form) {
  nlohmann::json list = nlohmann::json::parse(catalogue_to_json());
  ASSERT_EQ(list.size(), kKindCount - 1);
  std::set<std::string> ids;
  for (const nlohmann::json& entry : list) {
    const nlohmann::json& record = entry.at("record");
    EXPECT_TRUE(ids.insert(record.at("id")).second);
    for (const char* field : {"repo",
                              "slug",
                              "errorCode",
                              "errorMessage",
                              "messagePattern",
                              "errorType",
                              "errorClass",
                              "httpStatus",
                              "severity",
                              "documentation",
                              "triggerScenarios",
                              "commonSituations",
                              "solutions",
                              "exampleFix",
                              "handlingStrategy",
                              "validationCode",
                              "typeGuard",
                              "tryCatchPattern",
                              "preventionTips",
                              "tags",
                              "schemaVersion"}) {
      EXPECT_TRUE(record.contains(field)) << record.at("slug") << " lacks " << field;
    }
    EXPECT_TRUE(entry.at("pallasite").at("exampleLanguage").is_string());
  }
}

TEST_P(EveryEntry, is_explained) {
  std::string text = explain(kind());
  EXPECT_TRUE(text.starts_with(code_of(kind()))) << text;
  for (std::string_view line : {"  ", "source of the rule"}) {
    EXPECT_NE(text.find(line), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace pallasite
