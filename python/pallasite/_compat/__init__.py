"""Everything that touches JAX's private modules.

`common.py` holds what is the same in all supported versions; one file per version range holds what
is not. Nothing outside this package imports from `jax._src`.
"""

import warnings

import jax

from pallasite._compat.common import *  # noqa: F403
from pallasite._compat.mosaic import *  # noqa: F403

_VERSION = tuple(int(part) for part in jax.__version__.split(".")[:2])
_OLDEST, _NEWEST = (0, 11), (0, 12)

if _VERSION < _OLDEST:
  raise ImportError(f"pallasite needs JAX 0.11.1 or newer, found {jax.__version__}")
if _VERSION > _NEWEST:
  warnings.warn(
    f"pallasite was tested with JAX 0.11.1 to 0.12.0.1, found {jax.__version__}", stacklevel=2
  )

if _VERSION == (0, 11):
  from pallasite._compat.v0_11 import *  # noqa: F403
else:
  from pallasite._compat.v0_12 import *  # noqa: F403
