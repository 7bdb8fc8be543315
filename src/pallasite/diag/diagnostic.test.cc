#include "pallasite/diag/diagnostic.h"

#include <gtest/gtest.h>

#include "pallasite/base/check.h"
#include "pallasite/diag/render.h"

namespace pallasite {
namespace {

TEST(Verdict, the_worst_wins_in_the_order_of_the_exit_codes_page) {
  const Verdict order[] = {Verdict::Internal, Verdict::Error,      Verdict::Unsupported,
                           Verdict::Resource, Verdict::Incomplete, Verdict::Warning,
                           Verdict::Clean};
  for (size_t i = 0; i < std::size(order); ++i) {
    for (size_t j = i; j < std::size(order); ++j) {
      EXPECT_EQ(worst_of(order[i], order[j]), order[i]);
      EXPECT_EQ(worst_of(order[j], order[i]), order[i]);
    }
  }
}

TEST(Verdict, exit_codes) {
  EXPECT_EQ(exit_code_of(Verdict::Clean), 0);
  EXPECT_EQ(exit_code_of(Verdict::Warning), 0);
  EXPECT_EQ(exit_code_of(Verdict::Warning, true), 3);
  EXPECT_EQ(exit_code_of(Verdict::Error), 3);
  EXPECT_EQ(exit_code_of(Verdict::Unsupported), 4);
  EXPECT_EQ(exit_code_of(Verdict::Resource), 5);
  EXPECT_EQ(exit_code_of(Verdict::Internal), 6);
  EXPECT_EQ(exit_code_of(Verdict::Incomplete), 7);
}

TEST(DiagnosticBuilder, keeps_what_it_is_given) {
  SourceLocation location = SourceLocation::at("kernel.py", 3);
  ThreadName thread{.axes = {{"x", 0}}, .thread_axis = "wg", .thread = 1};
  Diagnostic diagnostic = DiagnosticBuilder(Kind::BarrierUnobservedPhase)
                              .arg("ref", "bar")
                              .at(location, thread)
                              .label("occurred earlier here", location)
                              .build();
  EXPECT_EQ(diagnostic.level, Level::Error);
  EXPECT_EQ(verdict_of(diagnostic), Verdict::Error);
  ASSERT_EQ(diagnostic.labels.size(), 2u);
  EXPECT_EQ(diagnostic.labels[0].text, "completes it again here");
  EXPECT_EQ(diagnostic.labels[0].thread, thread);
  EXPECT_EQ(*diagnostic.find("ref"), Argument(std::string("bar")));
  EXPECT_EQ(diagnostic.find("phase"), nullptr);
}

TEST(DiagnosticBuilder, takes_integers_and_text_of_every_type) {
  auto steps = [](auto value) {
    return DiagnosticBuilder(Kind::RunStepLimit).arg("steps", value).build();
  };
  EXPECT_EQ(steps(7), steps(int64_t{7}));
  EXPECT_EQ(steps(7), steps(size_t{7}));
  EXPECT_EQ(steps(7), steps(uint8_t{7}));
  auto what = [](auto value) {
    return DiagnosticBuilder(Kind::RunInternal).arg("what", value).build();
  };
  EXPECT_EQ(what("x"), what(std::string("x")));
  EXPECT_EQ(what("x"), what(std::string_view("x")));
  EXPECT_EQ(what("x"), what(Argument(std::string("x"))));
}

TEST(DiagnosticBuilder, refuses_what_the_facts_do_not_state) {
  DiagnosticBuilder builder(Kind::SmemOob);
  EXPECT_THROW(builder.arg("reff", "x"), InternalError);
  EXPECT_THROW(builder.arg("ref", 3), InternalError);
  EXPECT_THROW(builder.variant("peek"), InternalError);
  builder.arg("ref", "x");
  EXPECT_THROW(builder.arg("ref", "x"), InternalError);
  // Several sentences, none chosen.
  EXPECT_THROW(builder.build(), InternalError);
  builder.variant("read");
  // The sentence names the access and the shape.
  EXPECT_THROW(builder.build(), InternalError);
  builder.arg("access", Box{{0}, {9}}).arg("shape", Shape{8});
  EXPECT_EQ(message(builder.build()),
            "Out-of-bounds read of `x`: reading [0:9] but buffer has shape (8,).");
  builder.at({});
  EXPECT_THROW(builder.at({}), InternalError);
}

TEST(DiagnosticBuilder, a_changed_level_changes_the_verdict_of_a_finding_only) {
  Diagnostic unobserved =
      DiagnosticBuilder(Kind::BarrierUnobservedPhase).arg("ref", "bar").level(Level::Note).build();
  EXPECT_EQ(verdict_of(unobserved), Verdict::Clean);
  Diagnostic stopped =
      DiagnosticBuilder(Kind::RunStepLimit).arg("steps", 7).level(Level::Note).build();
  EXPECT_EQ(verdict_of(stopped), Verdict::Incomplete);
}

TEST(ThreadName, is_printed_in_the_words_of_the_user) {
  ThreadName thread;
  EXPECT_EQ(to_text(thread), "the only thread");
  EXPECT_EQ(to_jax_text(thread), "Warpgroup(the only thread)");
  thread.axes = {{"x", 0}, {"y", 3}};
  EXPECT_EQ(to_text(thread), "block (x=0, y=3)");
  thread.thread_axis = "wg";
  thread.thread = 1;
  thread.iterations = {{"", 2}};
  EXPECT_EQ(to_text(thread), "wg=1 of block (x=0, y=3), iteration 2");
  thread.warp = 3;
  thread.iterations = {{"k", 2}, {"", 5}};
  EXPECT_EQ(to_text(thread), "warp 3 of wg=1 of block (x=0, y=3), iteration 2 of `k`, iteration 5");
  EXPECT_EQ(to_jax_text(thread), "Warp(warp 3 of wg=1 of block (x=0, y=3))");
}

}  // namespace
}  // namespace pallasite
