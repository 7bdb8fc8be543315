"""Runs JAX Pallas Mosaic GPU kernels on a CPU and explains every synchronisation fault."""


def __getattr__(name: str):
  if name == "__version__":
    from pallasite import _engine

    return _engine.version()
  raise AttributeError(f"module 'pallasite' has no attribute '{name}'")
