"""Runs JAX Pallas Mosaic GPU kernels on a CPU and explains every synchronisation fault."""

from pallasite import _engine

__version__ = _engine.version()
