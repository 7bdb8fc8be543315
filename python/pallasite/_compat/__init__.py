"""Everything that touches JAX's private modules.

`common.py` holds what is the same in all supported versions; one file per version range holds what
is not. Nothing outside this package imports from `jax._src`.
"""

import re
import warnings

import jax

from pallasite._compat.common import *  # noqa: F403
from pallasite._compat.dispatch import *  # noqa: F403
from pallasite._compat.exported import *  # noqa: F403
from pallasite._compat.mosaic import *  # noqa: F403

# Of a version such as 0.12.1.dev20261201 the part that counts.
_VERSION = tuple(int(part) for part in re.match(r"[\d.]*\d", jax.__version__)[0].split("."))
_OLDEST, _NEWEST = (0, 11, 1), (0, 12, 0, 1)

if _VERSION < _OLDEST:
  raise ImportError(f"pallasite needs JAX 0.11.1 or newer, found {jax.__version__}")
# Whether this version is no newer than those that the tests ran with.
is_known_jax = _VERSION <= _NEWEST
if not is_known_jax:
  warnings.warn(
    f"pallasite was tested with JAX 0.11.1 to 0.12.0.1, found {jax.__version__}: kernels run as "
    "under 0.12.0.1, and what is new in them is unsupported",
    stacklevel=2,
  )

if _VERSION[:2] == (0, 11):
  from pallasite._compat.v0_11 import *  # noqa: F403
else:
  from pallasite._compat.v0_12 import *  # noqa: F403
