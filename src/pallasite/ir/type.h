// Types of IR values: arrays in registers, refs to memory, and arrays of mbarriers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pallasite/numerics/element_type.h"

namespace pallasite {

enum class MemorySpace : uint8_t { Gmem, Smem, Tmem, Regs };

std::string_view memory_space_name(MemorySpace space);

// A layout transform that an allocation declares: how its physical array becomes the logical one.
// Same meaning as JAX's UnswizzleRef and UntilingTransform; the list is applied left to right to
// the physical shape.
struct LayoutTransform {
  enum class Kind : uint8_t { Unswizzle, Untile };
  Kind kind = Kind::Unswizzle;
  // Unswizzle: {swizzle in bytes: 16, 32, 64 or 128}. Untile: the tile's extents, minor-most dims.
  std::vector<int64_t> arguments;

  bool operator==(const LayoutTransform&) const = default;
};

// What an array of mbarriers is (plgpu.Barrier, plgpu.ClusterBarrier).
struct BarrierSpec {
  int64_t num_arrivals = 1;
  bool orders_tensor_core = false;
  // ClusterBarrier: what it collects arrivals over, each a group of cluster axes that count as one
  // axis (mostly a single one); empty for a plain Barrier.
  std::vector<std::vector<std::string>> cluster_axes;
  bool leader_tracked = false;

  bool is_cluster() const { return !cluster_axes.empty(); }
  bool operator==(const BarrierSpec&) const = default;
};

struct Type {
  enum class Form : uint8_t {
    // An array (or, with an empty shape, a scalar) in registers: `f32[64,64]`, `i32`.
    Array,
    // A ref to memory: `ref<smem, f16[2,8,1,8,64], unswizzle(128), untile(8,64)>`.
    Ref,
    // A ref to an array of mbarriers: `barrier<[2], arrivals=1>`.
    Barrier,
  };

  Form form = Form::Array;
  ElementType element = ElementType::S32;
  // Array: its shape. Ref: the shape of this view; of an allocation, the *physical* shape.
  // Barrier: the shape of the barrier array (rank 0 selects one barrier).
  std::vector<int64_t> shape;
  MemorySpace space = MemorySpace::Gmem;
  // Only on the type of an allocation (run_scoped argument or kernel parameter).
  std::vector<LayoutTransform> transforms;
  BarrierSpec barrier;

  bool is_array() const { return form == Form::Array; }
  bool is_scalar() const { return form == Form::Array && shape.empty(); }
  bool is_ref() const { return form == Form::Ref; }
  bool is_barrier() const { return form == Form::Barrier; }
  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t element_count() const {
    int64_t n = 1;
    for (int64_t d : shape) n *= d;
    return n;
  }

  bool operator==(const Type&) const = default;

  static Type array(ElementType element, std::vector<int64_t> shape = {}) {
    Type t;
    t.element = element;
    t.shape = std::move(shape);
    return t;
  }
  static Type ref(MemorySpace space, ElementType element, std::vector<int64_t> shape,
                  std::vector<LayoutTransform> transforms = {}) {
    Type t = array(element, std::move(shape));
    t.form = Form::Ref;
    t.space = space;
    t.transforms = std::move(transforms);
    return t;
  }
  static Type barriers(BarrierSpec spec, std::vector<int64_t> shape) {
    Type t;
    t.form = Form::Barrier;
    t.space = MemorySpace::Smem;
    t.shape = std::move(shape);
    t.barrier = std::move(spec);
    return t;
  }
};

// The text form, as in a .pir file.
std::string to_string(const Type& type);

}  // namespace pallasite
