#include "pallasite/diag/kind.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>

#include "pallasite/diag/message_template.h"

namespace pallasite {
namespace {

class EveryKind : public testing::TestWithParam<size_t> {
 protected:
  Kind kind() const { return kind_at(GetParam()); }
  const KindFacts& facts() const { return facts_of(kind()); }
};

INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind, testing::Range<size_t>(0, kKindCount),
                         [](const auto& info) {
                           return std::string(name_of(kind_at(info.param)));
                         });

// "barrier.late-first-wait" -> "BarrierLateFirstWait"
std::string camel_case(std::string_view code) {
  std::string name;
  bool upper = true;
  for (char c : code) {
    if (c == '.' || c == '-') {
      upper = true;
    } else {
      name += upper ? static_cast<char>(std::toupper(c)) : c;
      upper = false;
    }
  }
  return name;
}

TEST_P(EveryKind, is_named_after_its_code) {
  EXPECT_EQ(camel_case(code_of(kind())), name_of(kind()));
  EXPECT_EQ(find_kind(code_of(kind())), kind());
}

TEST(Kinds, are_sorted_and_distinct) {
  for (size_t i = 1; i < kKindCount; ++i) {
    EXPECT_LT(name_of(kind_at(i - 1)), name_of(kind_at(i)));
  }
  EXPECT_FALSE(find_kind("barrier.no-such-kind"));
}

TEST_P(EveryKind, has_a_sentence_a_label_a_help_and_a_source) {
  EXPECT_FALSE(facts().message_variants().empty());
  EXPECT_FALSE(facts().label.empty());
  EXPECT_FALSE(facts().source.empty());
  for (const MessageVariant& message : facts().message_variants()) {
    EXPECT_FALSE(message.help.empty() && facts().help.empty()) << message.text;
  }
}

TEST_P(EveryKind, names_its_sentences_apart) {
  std::set<std::string_view> names;
  for (const MessageVariant& message : facts().message_variants()) {
    EXPECT_TRUE(names.insert(message.name).second) << message.name;
    // A single sentence needs no name, several need one each.
    EXPECT_EQ(message.name.empty(), facts().message_variants().size() == 1) << message.text;
  }
}

TEST_P(EveryKind, uses_only_arguments_that_it_declares) {
  std::set<std::string_view> used;
  auto check = [&](std::string_view text) {
    for (const TemplatePiece& piece : split_template(text)) {
      if (!piece.is_argument) continue;
      used.insert(piece.text);
      const ArgumentSpec* spec = facts().find_argument(piece.text);
      ASSERT_NE(spec, nullptr) << piece.text;
      EXPECT_TRUE(!piece.as_jax || spec->type == ArgumentType::Thread) << piece.text;
    }
  };
  check(facts().rule);
  check(facts().help);
  for (const MessageVariant& message : facts().message_variants()) {
    check(message.text);
    check(message.help);
  }
  for (const ArgumentSpec& spec : facts().argument_specs()) {
    EXPECT_TRUE(used.contains(spec.name)) << spec.name << " is declared and never said";
  }
}

void expect_house_style(std::string_view text) {
  if (text.empty()) return;
  EXPECT_FALSE(text.ends_with('.')) << text;
  EXPECT_FALSE(std::isupper(static_cast<unsigned char>(text.front())) &&
               std::islower(static_cast<unsigned char>(text[1])))
      << text;
  for (std::string_view word : {"illegal", "invalid", "not allowed", "please", "sorry"}) {
    EXPECT_EQ(text.find(word), std::string_view::npos) << text;
  }
}

TEST_P(EveryKind, follows_the_house_style_in_our_own_sentences) {
  expect_house_style(facts().label);
  expect_house_style(facts().rule);
  expect_house_style(facts().help);
  for (const MessageVariant& message : facts().message_variants()) {
    if (!message.from_jax) expect_house_style(message.text);
    expect_house_style(message.help);
  }
}

}  // namespace
}  // namespace pallasite
