"""The engine loads beside the installed JAX."""

import importlib.metadata

import jax
import jax.numpy as jnp

import pallasite


def test_version_is_that_of_the_installed_distribution():
  assert pallasite.__version__ == importlib.metadata.version("pallasite")


def test_jax_runs_with_the_engine_loaded():
  assert jax.jit(lambda x: x + 1)(jnp.float32(1)) == 2
