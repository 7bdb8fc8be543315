#include "pallasite/sim/transfer.h"

#include <gtest/gtest.h>

#include <numeric>

#include "pallasite/numerics/element_type.h"

namespace pallasite {
namespace {

struct Fixture {
  Layout layout;
  View view;
  std::vector<std::byte> storage;
  Fixture(ElementType element, std::vector<int64_t> shape) {
    EXPECT_EQ(make_layout(Type::ref(MemorySpace::Smem, element, std::move(shape)), layout), "");
    view = whole_view(0, layout);
    storage.resize(layout.bytes());
  }
  Memory memory() { return {storage.data(), &layout}; }
  AccessPlan plan() const { return make_access_plan(view, layout, MemorySpace::Smem); }
  void slice(std::vector<int64_t> at, std::vector<int64_t> sizes) {
    std::vector<SliceStart> starts;
    for (int64_t a : at) starts.push_back({a, std::nullopt, ElementType::S32});
    ASSERT_EQ(view.index(starts, sizes, {}, {}), "");
  }
};

TEST(Transfer, StoresAndLoadsEveryElementSizeThroughAStridedView) {
  for (ElementType element : {ElementType::S4, ElementType::U2, ElementType::S8, ElementType::F16,
                              ElementType::S32, ElementType::S64, ElementType::F6E2M3FN}) {
    Fixture f(element, {6, 8});
    ASSERT_EQ(f.view.transpose(std::vector<int64_t>{1, 0}), "");
    f.slice({2, 1}, {3, 4});
    const AccessPlan plan = f.plan();
    const size_t bytes = register_bytes(element);
    std::vector<std::byte> in(12 * bytes), out(12 * bytes);
    for (size_t i = 0; i < 12; ++i) in[i * bytes] = std::byte(i % 2);
    store_view(plan, resolve(plan, nullptr), f.memory(), in.data());
    load_view(plan, resolve(plan, nullptr), f.memory(), out.data());
    EXPECT_EQ(in, out) << element_name(element);
    // View element (c, r) is storage element (r + 1, c + 2): (1, 2) has the value of index 1 * 4
    // + 2.
    std::vector<std::byte> one(bytes);
    unpack(element, f.storage.data(), (2 + 1) * 8 + 1 + 2, one.data(), 1);
    EXPECT_EQ(one[0], in[(1 * 4 + 2) * bytes]);
  }
}

TEST(Transfer, ClippedAccessReadsZeroAndDropsWritesOutside) {
  Fixture f(ElementType::S32, {4, 4});
  auto* values = reinterpret_cast<int32_t*>(f.storage.data());
  std::iota(values, values + 16, 1);
  f.slice({2, 3}, {3, 2});
  const AccessPlan plan = f.plan();
  const Access access = resolve(plan, nullptr);
  EXPECT_FALSE(access.in_bounds);
  int32_t out[6];
  load_view_clipped(plan, access, f.memory(), out);
  EXPECT_EQ((std::vector<int32_t>(out, out + 6)), (std::vector<int32_t>{12, 0, 16, 0, 0, 0}));
  const int32_t in[6] = {100, 101, 102, 103, 104, 105};
  store_view_clipped(plan, access, f.memory(), in);
  EXPECT_EQ(values[11], 100);
  EXPECT_EQ(values[15], 102);
  EXPECT_EQ(std::accumulate(values, values + 16, 0), 136 - 12 - 16 + 100 + 102);
}

TEST(Transfer, CopiesBetweenViewsOfDifferentStrides) {
  for (ElementType element : {ElementType::S4, ElementType::S16, ElementType::S32}) {
    Fixture from(element, {5, 6}), to(element, {7, 9});
    const size_t bytes = register_bytes(element);
    std::vector<std::byte> in(30 * bytes);
    for (size_t i = 0; i < 30; ++i) in[i * bytes] = std::byte(i % 7);
    store_view(from.plan(), resolve(from.plan(), nullptr), from.memory(), in.data());
    ASSERT_EQ(from.view.transpose(std::vector<int64_t>{1, 0}), "");
    to.slice({1, 2}, {6, 5});
    const AccessPlan a = to.plan(), b = from.plan();
    copy_view(a, resolve(a, nullptr), to.memory(), b, resolve(b, nullptr), from.memory());
    std::vector<std::byte> want(30 * bytes), got(30 * bytes);
    load_view(b, resolve(b, nullptr), from.memory(), want.data());
    load_view(a, resolve(a, nullptr), to.memory(), got.data());
    EXPECT_EQ(want, got) << element_name(element);
  }
}

TEST(Transfer, AccessWithoutTheDeclaredSwizzleSeesTheBytesOfTheHardware) {
  Layout layout;
  ASSERT_EQ(make_layout(Type::ref(MemorySpace::Smem, ElementType::F16, {8, 64},
                                  {{LayoutTransform::Kind::Unswizzle, {128}}}),
                        layout),
            "");
  std::vector<std::byte> storage(layout.bytes());
  const Memory memory{storage.data(), &layout};
  View declared = whole_view(0, layout), raw = declared;
  declared.swizzle_undone = 128;
  std::vector<uint16_t> values(8 * 64), seen(8 * 64);
  std::iota(values.begin(), values.end(), uint16_t{0});
  const AccessPlan d = make_access_plan(declared, layout, MemorySpace::Smem);
  const AccessPlan r = make_access_plan(raw, layout, MemorySpace::Smem);
  store_view(d, resolve(d, nullptr), memory, values.data());
  load_view(r, resolve(r, nullptr), memory, seen.data());
  for (int64_t row = 0; row < 8; ++row) {
    for (int64_t column = 0; column < 64; ++column) {
      EXPECT_EQ(seen[row * 64 + column], values[row * 64 + ((column / 8) ^ row) * 8 + column % 8]);
    }
  }
}

TEST(Transfer, RunsCoverExactlyTheTouchedBytes) {
  Fixture f(ElementType::S16, {4, 8});
  f.slice({1, 2}, {2, 3});
  const AccessPlan plan = f.plan();
  std::vector<std::pair<int64_t, int64_t>> runs;
  for_each_run(plan, resolve(plan, nullptr), f.layout, [&](int64_t first, int64_t bytes) {
    runs.push_back({first, bytes});
  });
  EXPECT_EQ(runs, (std::vector<std::pair<int64_t, int64_t>>{{20, 6}, {36, 6}}));
}

}  // namespace
}  // namespace pallasite
