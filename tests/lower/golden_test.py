"""Kernels of JAX and one of our own, converted and compared with the text kept here.

PALLASITE_BLESS=1 writes the files anew; review the diff.
"""

import functools
import importlib
import importlib.util
import os
import pathlib
import re

import jax
import jax.numpy as jnp
import pytest

import pallasite
from pallasite import Module

HERE = pathlib.Path(__file__).parent
VERSION = ".".join(jax.__version__.split(".")[:2])
GOLDEN = HERE / "golden" / f"jax-{VERSION}"
# In the older version only what differs in kind is kept; the rest is converted and checked.
KEPT = {
  "0.11": {"two_warpgroups", "hopper_matmul", "ragged_dot"},
  "0.12": {
    "two_warpgroups",
    "hopper_matmul",
    "hopper_matmul_with_c",
    "hopper_matmul_cluster_m",
    "ragged_dot",
    "transposed_ragged_dot",
  },
}


def _op(module):
  return importlib.import_module(f"jax.experimental.pallas.ops.gpu.{module}")


def _two_warpgroups():
  spec = importlib.util.spec_from_file_location("two_warpgroups", HERE / "two_warpgroups.py")
  module = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(module)
  return module.run, (module.arguments(),)


def _hopper(c_dtype=None, wg=None, cluster=None, size=(128, 256, 128), **config):
  op = _op("hopper_matmul_mgpu")
  if wg:
    config["wg_dimension"] = op.MatmulDimension[wg]
  if cluster:
    config["cluster_dimension"] = op.MatmulDimension[cluster]
  config = dict(tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2) | config
  m, n, k = size
  c = None if c_dtype is None else jnp.zeros((m, n), c_dtype)

  def call(a, b):
    return op.matmul(a, b, c, op.TuningConfig(**config))

  return call, (jnp.zeros((m, k), jnp.float16), jnp.zeros((k, n), jnp.float16))


def _ragged(transpose=False, **config):
  op = _op("ragged_dot_mgpu")
  config = dict(
    block_m=64, block_n=64, block_k=64, max_concurrent_steps=2, grid_block_n=2
  ) | config

  def call(lhs, rhs, sizes):
    return op.ragged_dot(lhs, rhs, group_sizes=sizes, transpose_rhs=transpose, **config)

  return call, (
    jnp.zeros((128, 128), jnp.float16),
    jnp.zeros((3, 128, 128), jnp.float16),
    jnp.array([50, 0, 78], jnp.int32),
  )


def _transposed():
  op = _op("transposed_ragged_dot_mgpu")

  def call(lhs, rhs, sizes):
    with jax.numpy_dtype_promotion("standard"):
      return op.transposed_ragged_dot(
        lhs, rhs, group_sizes=sizes, block_m=64, block_n=64, block_k=64, max_concurrent_steps=2,
        grid_block_n=2,
      )

  x = jnp.zeros((128, 128), jnp.float16)
  return call, (x, x, jnp.array([50, 0, 78], jnp.int32))


KERNELS = {
  "two_warpgroups": _two_warpgroups,
  "hopper_matmul": _hopper,
  "hopper_matmul_wg_m": functools.partial(_hopper, wg="M"),
  "hopper_matmul_one_tile": functools.partial(_hopper, epi_tile_m=None, epi_tile_n=None),
  "hopper_matmul_with_c": functools.partial(_hopper, c_dtype=jnp.float32),
  "hopper_matmul_cluster_m": functools.partial(_hopper, cluster="M"),
  "hopper_matmul_cluster_n": functools.partial(_hopper, cluster="N"),
  "hopper_matmul_snake": functools.partial(
    _hopper, size=(256, 256, 256), max_concurrent_steps=3, grid_tile_width=2
  ),
  "ragged_dot": _ragged,
  "ragged_dot_transposed_rhs": functools.partial(_ragged, transpose=True),
  "ragged_dot_sizes_in_memory": functools.partial(_ragged, load_group_sizes_to_register=False),
  "transposed_ragged_dot": _transposed,
}


@pytest.fixture(scope="module", autouse=True)
def installed():
  with pallasite.install(arch="h100", num_sms=4):
    yield


@functools.cache
def converted(name):
  call, arguments = KERNELS[name]()
  return pallasite.export(call, *arguments).text


def _portable(text):
  """Without the folders of this machine."""
  text = text.replace(f"{HERE}{os.sep}", "")
  return re.sub(r'loc\("[^"]*/site-packages/', 'loc("', text)


@pytest.mark.parametrize("name", sorted(KEPT.get(VERSION, ())))
def test_text_is_the_kept_one(name):
  text = _portable(converted(name))
  path = GOLDEN / f"{name}.pir"
  if os.environ.get("PALLASITE_BLESS") == "1":
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
  assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_values_are_defined_once_and_before_use(name):
  for section in re.split(r"\n(?=func |kernel )", converted(name))[1:]:
    defined = []
    for line in section.splitlines():
      code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
      is_definition = re.compile(r"(%\d+)(?= \"\": | aliases|: |, %\d+ =| = |(?:, %\d+)* = )")
      new = is_definition.findall(code)
      used = [value for value in re.findall(r"%\d+", code) if value not in new]
      assert set(used) <= set(defined), line
      assert not set(new) & set(defined), line
      defined += new
    assert defined == [f"%{i}" for i in range(len(defined))]


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_every_op_leads_to_a_line_of_the_kernel(name):
  text = converted(name)
  locations = {}
  frame = re.compile(r'^#(\d+) = loc\("([^"]*)".*?\)(?: from #(\d+))?$', re.M)
  for number, file, origin in frame.findall(text):
    locations[number] = (file, origin)
  body = text[text.index("\nkernel "):]
  ops = [line for line in body.splitlines() if re.match(r" {4,}(%|[a-z]+\.)", line)]
  assert ops
  for line in ops:
    opened = line.endswith("{")
    match = re.search(r" #(\d+)$", line)
    assert match or opened or line.strip() == "control.yield", line
    if match:
      files, number = [], match[1]
      while number:
        file, number = locations[number]
        files.append(file)
      assert any("/pallas/ops/gpu/" in file or file.endswith("two_warpgroups.py") for file in files)


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_the_engine_accepts_the_text(name):
  assert Module(converted(name)).verify() == []


def test_ops_used_lists_what_the_kernels_use():
  listed = (HERE / "ops_used.txt").read_text().split()
  assert listed == sorted(set(listed))
  used = set()
  for name in KERNELS:
    used |= set(re.findall(r"(?:^ +|= )([a-z]+\.[a-z_0-9]+)(?= |$)", converted(name), re.M))
  assert used <= set(listed)
