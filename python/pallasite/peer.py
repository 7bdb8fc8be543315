"""For JAX's own test suites: PEER_ENGINE=pallasite.peer:install."""

from __future__ import annotations

import os

import pallasite

# Blocks that a persistent kernel launches. Few, because each is simulated.
_NUM_SMS = 4


def install():
  """Installs pallasite for the whole process; the result has `reset()`."""
  return pallasite.install(
    arch=os.environ.get("PEER_ARCH", "sm90"),
    num_sms=int(os.environ.get("PEER_CORES") or _NUM_SMS),
  )
