#include "pallasite/sim/view.h"

#include <gtest/gtest.h>

#include <numeric>

namespace pallasite {
namespace {

Type tiled(std::vector<int64_t> physical, int64_t swizzle, std::vector<int64_t> tile,
           ElementType element = ElementType::F16) {
  return Type::ref(MemorySpace::Smem, element, std::move(physical),
                   {{LayoutTransform::Kind::Unswizzle, {swizzle}},
                    {LayoutTransform::Kind::Untile, std::move(tile)}});
}

Layout layout_of(const Type& type) {
  Layout layout;
  EXPECT_EQ(make_layout(type, layout), "");
  return layout;
}

// Element offsets in view order, from the digits alone.
std::vector<int64_t> offsets(const AccessPlan& plan) {
  const Access access = resolve(plan, nullptr);
  std::vector<int64_t> result = {access.offset};
  for (const AccessDigit& digit : plan.strides) {
    std::vector<int64_t> next;
    for (int64_t base : result) {
      for (int64_t i = 0; i < digit.size; ++i) next.push_back(base + i * digit.stride);
    }
    result = std::move(next);
  }
  return result;
}

TEST(Layout, PhysicalAndLogicalOffsetsAreInverse) {
  const Type types[] = {tiled({2, 8, 1, 8, 64}, 128, {8, 64}), tiled({4, 2, 8, 32}, 64, {8, 32}),
                        tiled({4, 2, 8, 16}, 32, {8, 16}), tiled({3, 5, 8, 8}, 16, {8, 8}),
                        tiled({2, 2, 8, 128}, 128, {8, 128}, ElementType::S8)};
  for (const Type& type : types) {
    const Layout layout = layout_of(type);
    std::vector<bool> seen(layout.element_count());
    for (int64_t i = 0; i < layout.element_count(); ++i) {
      const int64_t p = layout.physical_offset(i, layout.swizzle);
      ASSERT_EQ(layout.logical_offset(p, layout.swizzle), i);
      ASSERT_FALSE(seen[p]);
      seen[p] = true;
    }
  }
}

TEST(Layout, SwizzleMovesChunksAsTheHardwareDoes) {
  // semantics.md 3: in rows of s bytes, chunk ^= row % 8, (row / 2) % 4, (row / 4) % 2.
  for (int64_t s : {128, 64, 32}) {
    for (int64_t address = 0; address < 2048; ++address) {
      const int64_t row = address / s, chunk = address % s / 16;
      const int64_t shift = s == 128 ? row % 8 : s == 64 ? row / 2 % 4 : row / 4 % 2;
      EXPECT_EQ(swizzle_byte(address, s), row * s + (chunk ^ shift) * 16 + address % 16);
    }
  }
}

TEST(Layout, RefusesTransformsThatDoNotFit) {
  Layout layout;
  EXPECT_EQ(make_layout(tiled({2, 1, 8, 32}, 128, {8, 64}), layout),
            "dim 3 has extent 32 but the tiling says 64");
  EXPECT_EQ(make_layout(tiled({8, 64}, 48, {8, 64}), layout),
            "a swizzle of 48 bytes: 16, 32, 64 and 128 exist");
}

TEST(View, DeclaredTransformsGiveThePlainRowMajorArray) {
  const Layout layout = layout_of(tiled({2, 8, 2, 8, 64}, 128, {8, 64}));
  EXPECT_EQ(layout.logical_shape, (std::vector<int64_t>{2, 64, 128}));
  View view = whole_view(0, layout);
  view.swizzle_undone = 128;
  ASSERT_EQ(view.untile(std::vector<int64_t>{8, 64}), "");
  EXPECT_EQ(view.shape(), (std::vector<int64_t>{2, 64, 128}));
  const AccessPlan plan = make_access_plan(view, layout, MemorySpace::Smem);
  EXPECT_FALSE(plan.remapped);
  EXPECT_EQ(plan.strides.size(), 1u);
  std::vector<int64_t> want(2 * 64 * 128);
  std::iota(want.begin(), want.end(), 0);
  EXPECT_EQ(offsets(plan), want);
}

TEST(View, SliceOfSliceAndTransposeAreStridedLoops) {
  const Layout layout = layout_of(Type::ref(MemorySpace::Gmem, ElementType::F32, {16, 32}));
  View view = whole_view(0, layout);
  const auto slice = [&](std::vector<int64_t> at, std::vector<int64_t> sizes,
                         std::vector<int64_t> squeeze = {}) {
    std::vector<SliceStart> starts;
    for (int64_t a : at) starts.push_back({a, std::nullopt, ElementType::S32});
    return view.index(starts, sizes, {}, squeeze);
  };
  ASSERT_EQ(slice({4, 0}, {8, 32}), "");
  ASSERT_EQ(slice({1, 8}, {2, 3}), "");
  ASSERT_EQ(view.transpose(std::vector<int64_t>{1, 0}), "");
  EXPECT_EQ(offsets(make_access_plan(view, layout, MemorySpace::Gmem)),
            (std::vector<int64_t>{168, 200, 169, 201, 170, 202}));
  ASSERT_EQ(slice({0, 1}, {3, 1}, {1}), "");
  EXPECT_EQ(offsets(make_access_plan(view, layout, MemorySpace::Gmem)),
            (std::vector<int64_t>{200, 201, 202}));
}

TEST(View, ReshapeSplitsAndMergesDims) {
  const Layout layout = layout_of(Type::ref(MemorySpace::Smem, ElementType::F32, {4, 6}));
  View view = whole_view(0, layout);
  ASSERT_EQ(view.transpose(std::vector<int64_t>{1, 0}), "");
  ASSERT_EQ(view.reshape(std::vector<int64_t>{3, 2, 4}), "");
  ASSERT_EQ(view.reshape(std::vector<int64_t>{3, 8}), "");
  std::vector<int64_t> want;
  for (int64_t c = 0; c < 6; ++c) {
    for (int64_t r = 0; r < 4; ++r) want.push_back(r * 6 + c);
  }
  EXPECT_EQ(offsets(make_access_plan(view, layout, MemorySpace::Smem)), want);
  // One element of a merged dim, and a slice that covers whole inner digits.
  View one = view;
  const std::vector<SliceStart> at = {{1, {}, ElementType::S32}, {5, {}, ElementType::S32}};
  ASSERT_EQ(one.index(at, std::vector<int64_t>{1, 1}, {}, std::vector<int64_t>{0, 1}), "");
  EXPECT_EQ(offsets(make_access_plan(one, layout, MemorySpace::Smem)),
            (std::vector<int64_t>{want[1 * 8 + 5]}));
  View half = view;
  const std::vector<SliceStart> from = {{0, {}, ElementType::S32}, {4, {}, ElementType::S32}};
  ASSERT_EQ(half.index(from, std::vector<int64_t>{1, 4}, {}, std::vector<int64_t>{0}), "");
  EXPECT_EQ(offsets(make_access_plan(half, layout, MemorySpace::Smem)),
            (std::vector<int64_t>(want.begin() + 4, want.begin() + 8)));
  View cut = view;
  const std::vector<SliceStart> odd = {{0, {}, ElementType::S32}, {3, {}, ElementType::S32}};
  EXPECT_EQ(cut.index(odd, std::vector<int64_t>{1, 4}, {}, {}),
            "dim 1 was merged from several dims and the slice cuts them");
}

TEST(View, DynamicStartsMoveTheAccessAndAreCheckedPerDim) {
  const Layout layout = layout_of(Type::ref(MemorySpace::Gmem, ElementType::F32, {16, 32}));
  View view = whole_view(0, layout);
  const std::vector<SliceStart> starts = {{0, Slot{0}, ElementType::S32},
                                          {0, Slot{8}, ElementType::S64}};
  ASSERT_EQ(view.index(starts, std::vector<int64_t>{4, 8}, {}, {}), "");
  const AccessPlan plan = make_access_plan(view, layout, MemorySpace::Gmem);
  alignas(8) std::byte registers[16] = {};
  const auto at = [&](int32_t row, int64_t column) {
    *reinterpret_cast<int32_t*>(registers) = row;
    *reinterpret_cast<int64_t*>(registers + 8) = column;
    return resolve(plan, registers);
  };
  EXPECT_EQ(at(3, 5).offset, 3 * 32 + 5);
  EXPECT_TRUE(at(12, 24).in_bounds);
  EXPECT_FALSE(at(13, 0).in_bounds);
  EXPECT_FALSE(at(0, 25).in_bounds);
  EXPECT_FALSE(at(-1, 0).in_bounds);
  EXPECT_FALSE(at(0, INT64_MAX).in_bounds);
  EXPECT_FALSE(at(0, INT64_MIN).in_bounds);
}

TEST(View, AnotherSwizzleIsRemapped) {
  const Layout layout = layout_of(tiled({1, 1, 8, 64}, 128, {8, 64}));
  View view = whole_view(0, layout);
  const AccessPlan plan = make_access_plan(view, layout, MemorySpace::Smem);
  EXPECT_TRUE(plan.remapped);
}

}  // namespace
}  // namespace pallasite
