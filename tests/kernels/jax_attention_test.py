"""JAX's own Hopper attention, forward and backward, unmodified from its wheel."""

import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pallasite


@pytest.fixture(autouse=True)
def engine():
  with pallasite.install(arch="h100", num_sms=4):
    yield


def _inputs(q_len=128, kv_len=128, heads=2, kv_heads=1, dim=64):
  shapes = [(1, q_len, heads, dim), (1, kv_len, kv_heads, dim), (1, kv_len, kv_heads, dim)]
  return [jax.random.normal(jax.random.key(i), s, jnp.float16) for i, s in enumerate(shapes)]


def _reference(q, k, v, causal=False):
  q, k, v = (x.astype(jnp.float32) for x in (q, k, v))
  k, v = (jnp.repeat(x, q.shape[2] // x.shape[2], 2) for x in (k, v))
  scores = jnp.einsum("bqhd,bkhd->bhqk", q, k, precision="highest")
  if causal:
    scores = jnp.where(jnp.tri(*scores.shape[-2:], dtype=bool), scores, -jnp.inf)
  return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), v, precision="highest")


def _attention(**options):
  module = importlib.import_module("jax.experimental.pallas.ops.gpu.attention_mgpu")
  config = module.TuningConfig(
    **({"block_q": 64, "block_kv": 64, "max_concurrent_steps": 2} | options))
  return module, config


@pytest.mark.parametrize("function, causal", [
  ("attention", False), ("attention", True), ("attention_with_pipeline_emitter", False)])
def test_forward(function, causal):
  module, config = _attention(causal=causal)
  q, k, v = _inputs()
  got = getattr(module, function)(q, k, v, config, save_residuals=False)
  np.testing.assert_allclose(np.asarray(got, np.float32), _reference(q, k, v, causal), atol=5e-3)
  assert pallasite.last_report().verdict == "clean"


def test_backward():
  module, config = _attention(
    compute_wgs_bwd=1, block_q_dkv=64, block_kv_dkv=64, block_q_dq=64, block_kv_dq=64)
  q, k, v = _inputs()
  loss = lambda *x: module.attention(*x, config).astype(jnp.float32).sum()
  want_loss = lambda *x: _reference(*x).astype(jnp.float16).astype(jnp.float32).sum()
  got = jax.grad(loss, (0, 1, 2))(q, k, v)
  want = jax.grad(want_loss, (0, 1, 2))(q, k, v)
  for g, w in zip(got, want):
    np.testing.assert_allclose(np.asarray(g, np.float32), np.asarray(w, np.float32), atol=7e-2)
