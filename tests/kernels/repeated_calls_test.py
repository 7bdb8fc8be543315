"""Calls of one jitted function, again and again: from the third on JAX's native dispatch makes them,
and each is to be what the first was."""

import contextlib
import functools
import gc
import subprocess
import sys
import textwrap
import threading
import tracemalloc
import warnings
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallasite
from pallasite.session import session

X = np.arange(128, dtype=np.float32)
TIMES = 5


@pytest.fixture(autouse=True)
def installed():
  with pallasite.install(arch="h100"):
    yield


def copy_to(start, x, length=64):
  """Writes x[:length] to [start, start + length) of zeros: out of bounds from start 65 on."""

  @functools.partial(plgpu.kernel, out_type=jax.ShapeDtypeStruct((128,), x.dtype))
  def kernel(start_ref, x_ref, out_ref):
    out_ref[...] = jnp.zeros((128,), x.dtype)
    out_ref[pl.ds(start_ref[0], length)] = x_ref[pl.ds(0, length)]

  return kernel(start[None], x)


def wanted(start, x, length=64):
  out = np.zeros_like(x)
  out[start : start + length] = x[:length]
  return out


def add(number, x):
  @functools.partial(plgpu.kernel, out_type=jax.ShapeDtypeStruct(x.shape, x.dtype))
  def kernel(x_ref, out_ref):
    out_ref[...] = x_ref[...] + jnp.array(number, x.dtype)

  return kernel(x)


def python_calls(function, *args) -> int:
  count = 0

  def see(_frame, event, _argument):
    nonlocal count
    count += event == "call"

  sys.setprofile(see)
  try:
    function(*args)
  finally:
    sys.setprofile(None)
  return count


def test_little_python_runs_once_a_function_is_known():
  function = jax.jit(functools.partial(add, 1))
  x = jnp.asarray(X)
  counts = [python_calls(function, x) for _ in range(TIMES)]
  assert max(counts[2:]) < 60 < counts[1] / 2


def test_every_call_computes_and_is_reported():
  function = jax.jit(copy_to)
  for start in range(TIMES):
    session.reset()
    np.testing.assert_array_equal(function(jnp.int32(start), X), wanted(start, X))
    assert session.runs == 1
    assert session.last.verdict == "clean"


def test_a_fault_is_the_same_error_in_every_call_and_the_next_call_runs():
  function = jax.jit(copy_to)
  texts = []
  for _ in range(TIMES):
    with pytest.raises(pallasite.KernelError) as found:
      function(jnp.int32(100), X)
    assert found.value.report.findings[0].code == "gmem.oob"
    assert found.value.__cause__ is None
    texts.append(str(found.value))
    np.testing.assert_array_equal(function(jnp.int32(3), X), wanted(3, X))
  assert len(set(texts)) == 1
  assert "[100:164]" in texts[0] and "pallasite report" not in texts[0]


def test_options_of_the_moment_hold():
  function = jax.jit(copy_to)
  for _ in range(TIMES):
    # Warnings are given once.
    session.reset()
    with pytest.raises(pallasite.KernelError):
      function(jnp.int32(100), X)
    with pallasite.install(arch="h100", on_finding="warn"), pytest.warns(pallasite.KernelWarning):
      function(jnp.int32(100), X)
    with pallasite.install(arch="h100", on_finding="record"):
      function(jnp.int32(100), X)
      assert session.last.verdict == "error"


def test_arguments_in_every_form():
  function = jax.jit(
    lambda number, x, *, length=64, twice: {"a": copy_to(number, x, length), "b": (x * twice, None)},
    static_argnames=("length",),
  )
  for round_ in range(TIMES):
    for length in (32, 64):
      for dtype in (np.float32, np.float16):
        x = X.astype(dtype)
        out = function(jnp.int32(round_), x=x, length=length, twice=2)
        np.testing.assert_array_equal(out["a"], wanted(round_, x, length))
        np.testing.assert_array_equal(out["b"][0], x * 2)
        assert out["b"][1] is None


def test_donated_arguments():
  function = jax.jit(functools.partial(add, 1), donate_argnums=0)
  for _ in range(TIMES):
    x = jnp.asarray(X) + 0
    np.testing.assert_array_equal(function(x), X + 1)
    assert x.is_deleted()


def test_what_is_traced_anew_is_called_anew():
  number = 1

  @jax.jit
  def function(x):
    return add(number, x)

  for number in range(1, 4):  # noqa: B007 - the traced function reads it.
    for _ in range(TIMES):
      np.testing.assert_array_equal(function(X), X + number)
    function.clear_cache()
  for number in range(1, 4):
    jax.clear_caches()
    for _ in range(TIMES):
      np.testing.assert_array_equal(function(X), X + number)


def test_functions_under_transformations():
  inner = jax.jit(functools.partial(add, 1))
  outer = jax.jit(lambda x: inner(inner(x)))
  rows = jax.jit(jax.vmap(inner))
  for _ in range(TIMES):
    np.testing.assert_array_equal(inner(X), X + 1)
    np.testing.assert_array_equal(outer(X), X + 2)
    np.testing.assert_array_equal(rows(np.stack([X, -X])), np.stack([X, -X]) + 1)
    assert jax.eval_shape(inner, X).shape == X.shape
    assert "128" in inner.lower(X).as_text()
    np.testing.assert_array_equal(jax.make_jaxpr(inner)(X).out_avals[0].shape, X.shape)
    with jax.disable_jit():
      np.testing.assert_array_equal(inner(X), X + 1)


def test_an_error_of_the_user_stays_what_it_is():
  @jax.jit
  def function(x):
    if x.shape != X.shape:
      raise ValueError("not this shape")
    return add(1, x)

  for _ in range(TIMES):
    np.testing.assert_array_equal(function(X), X + 1)
    with pytest.raises(ValueError, match="^not this shape") as found:
      function(X[:64])
    assert type(found.value) is ValueError


def test_nothing_is_kept_alive():
  class Number:
    value = 1

  number = Number()
  function = jax.jit(lambda x: add(number.value, x))
  for _ in range(TIMES):
    function(X)
  gone = weakref.ref(number)
  del function, number
  gc.collect()
  assert gone() is None


def test_threads_call_one_function():
  function = jax.jit(copy_to)
  wrong = []

  def call(start):
    for i in range(20):
      bad = (i + start) % 5 == 0
      try:
        out = function(jnp.int32(100 + start if bad else start), X)
        if bad or not np.array_equal(out, wanted(start, X)):
          wrong.append((start, i))
      except pallasite.KernelError as error:
        if not bad or f"[{100 + start}:{164 + start}]" not in str(error):
          wrong.append((start, i, str(error)))

  threads = [threading.Thread(target=call, args=(start,)) for start in range(4)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  assert wrong == []


def test_after_uninstall_kernels_are_jax_s_own():
  function = jax.jit(functools.partial(add, 1))
  for _ in range(TIMES):
    function(X)
  pallasite.uninstall()
  try:
    with pytest.raises(Exception) as found:  # noqa: PT011 - JAX's, of whichever class.
      function(X)
    assert not isinstance(found.value, pallasite.KernelError)
  finally:
    pallasite.install(arch="h100")
  for _ in range(TIMES):
    np.testing.assert_array_equal(function(X), X + 1)


@pytest.mark.parametrize("before", [1, TIMES])
def test_nans_are_looked_for_where_jax_is_told_to(before):
  function = jax.jit(functools.partial(add, float("nan")))
  for _ in range(TIMES):
    for _ in range(before):
      function(X)
    with jax.debug_nans(True), pytest.raises(FloatingPointError):
      function(X)


def test_other_errors_of_a_program_are_the_same_in_every_call():
  def act():
    if armed:
      raise TypeError("not now")

  function, faulty, armed = in_the_middle(act), jax.jit(copy_to), False
  for before in (0, TIMES):
    for _ in range(before):
      function(jnp.int32(0), X)
      faulty(jnp.int32(0), X)
    armed = True
    for _ in range(TIMES):
      with pytest.raises(jax.errors.JaxRuntimeError, match="not now") as found:
        function(jnp.int32(0), X)
      assert not isinstance(found.value, pallasite.KernelError)
      # Python's `-W error`.
      with warnings.catch_warnings(), pallasite.install(arch="h100", on_finding="warn"):
        warnings.simplefilter("error")
        session.reset()
        with pytest.raises(jax.errors.JaxRuntimeError, match="KernelWarning"):
          faulty(jnp.int32(100), X)
    armed = False


def test_little_python_runs_after_a_fault_in_whichever_call():
  for faulty in range(TIMES):
    function = jax.jit(copy_to)
    for number in range(TIMES + 2):
      if number == faulty:
        with pytest.raises(pallasite.KernelError):
          function(jnp.int32(100), X)
      else:
        function(jnp.int32(0), X)
    assert python_calls(function, jnp.int32(0), X) < 80, faulty


def test_a_program_without_kernels_is_jax_s_own_whatever_its_name():
  def make():
    def function(x):
      return add(1, x)

    def other(x):
      return x + 1

    other.__name__ = other.__qualname__ = "function"
    return jax.jit(function), jax.jit(other)

  with_kernel, without = make()
  x = jnp.asarray(X)
  for _ in range(TIMES):
    np.testing.assert_array_equal(with_kernel(x), without(x))
  assert python_calls(without, x) < 3 < python_calls(with_kernel, x)
  pallasite.uninstall()
  try:
    _, without = make()
    for _ in range(TIMES):
      without(x)
    assert python_calls(without, x) < 3
  finally:
    pallasite.install(arch="h100")


def test_jitting_a_function_anew_keeps_nothing():
  def function(x):
    return add(1, x)

  def grown(times):
    for _ in range(times):
      jax.jit(function)(X)
    gc.collect()
    here = tracemalloc.Filter(True, pallasite._compat.dispatch.__file__)
    statistics = tracemalloc.take_snapshot().filter_traces([here]).statistics("filename")
    return sum(entry.size for entry in statistics)

  tracemalloc.start()
  try:
    before = grown(20)
    assert grown(500) < before + 500 * 16
  finally:
    tracemalloc.stop()


@pytest.mark.parametrize("filtering", ["off", "remove_frames", "tracebackhide"])
def test_an_error_keeps_its_arguments_no_longer_than_it_lives(filtering):
  function = jax.jit(copy_to)
  before = jax.config.jax_traceback_filtering
  jax.config.update("jax_traceback_filtering", filtering)
  gc.collect()
  gc.disable()
  try:
    for _ in range(TIMES):
      x = jnp.asarray(X) + 0
      gone = weakref.ref(x)
      with contextlib.suppress(pallasite.KernelError):
        function(jnp.int32(100), x)
      del x
      assert gone() is None
  finally:
    gc.enable()
    jax.config.update("jax_traceback_filtering", before)


def in_the_middle(act):
  """A jitted `copy_to` within whose program, and before whose kernel, `act()` is called."""

  def back(x):
    act()
    return np.asarray(x)

  @jax.jit
  def function(start, x):
    return copy_to(start, jax.pure_callback(back, jax.ShapeDtypeStruct(x.shape, x.dtype), x))

  return function


@pytest.mark.parametrize("before", range(4))
@pytest.mark.parametrize("again", [True, False])
def test_uninstall_and_install_while_a_call_is_under_way(before, again):
  armed = False

  def act():
    if armed:
      pallasite.uninstall()
      if again:
        pallasite.install(arch="h100")

  function = in_the_middle(act)
  for _ in range(before):
    function(jnp.int32(1), X)
  for _ in range(3):
    armed = True
    try:
      np.testing.assert_array_equal(function(jnp.int32(3), X), wanted(3, X))
      pallasite.install(arch="h100")
      with pytest.raises(pallasite.KernelError) as found:
        function(jnp.int32(100), X)
      assert found.value.findings[0].code == "gmem.oob"
      assert "pallasite report" not in str(found.value)
    finally:
      armed = False
      pallasite.install(arch="h100")
    # Nothing of it stays.
    for _ in range(TIMES):
      np.testing.assert_array_equal(function(jnp.int32(4), X), wanted(4, X))
      with pytest.raises(pallasite.KernelError):
        function(jnp.int32(100), X)


def test_calls_of_kernels_within_calls_of_kernels():
  inner = jax.jit(copy_to)
  seen = []

  def act():
    seen.append(np.asarray(inner(jnp.int32(2), X)))
    with pytest.raises(pallasite.KernelError):
      inner(jnp.int32(100), X)

  function = in_the_middle(act)
  for _ in range(TIMES):
    session.reset()
    np.testing.assert_array_equal(function(jnp.int32(3), X), wanted(3, X))
    assert session.verdicts == ["clean", "error", "clean"]
    np.testing.assert_array_equal(seen.pop(), wanted(2, X))


def test_a_compiled_program_is_ours_wherever_it_was_called_first():
  compiled = jax.jit(copy_to).lower(jnp.int32(0), X).compile()
  pallasite.uninstall()
  try:
    np.testing.assert_array_equal(compiled(jnp.int32(3), X), wanted(3, X))
  finally:
    pallasite.install(arch="h100")
  for _ in range(TIMES):
    with pytest.raises(pallasite.KernelError):
      compiled(jnp.int32(100), X)


def test_signals_at_any_moment_of_short_calls():
  done = run(
    """
    import functools, os, signal, threading, time
    import jax, numpy as np, jax.numpy as jnp, pallasite
    from jax.experimental.pallas import mosaic_gpu as plgpu
    pallasite.install(arch="h100")

    @functools.partial(plgpu.kernel, out_type=jax.ShapeDtypeStruct((128,), jnp.float32))
    def kernel(x_ref, out_ref):
      out_ref[...] = x_ref[...] + 1

    function = jax.jit(kernel)
    x = jnp.arange(128.0)
    for _ in range(4):
      function(x)

    class Woken(Exception):
      pass

    def wake(number, frame):
      raise Woken

    for raised, handler in ((KeyboardInterrupt, signal.default_int_handler), (Woken, wake)):
      signal.signal(signal.SIGINT, handler)
      seen = 0
      for delay in range(300):
        sent = threading.Event()

        def send():
          sent.wait()
          time.sleep(delay * 2e-6)
          os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=send)
        thread.start()
        try:
          sent.set()
          while True:
            function(x)
        except raised:
          seen += 1
        thread.join()
      assert seen == 300, seen
      np.testing.assert_array_equal(function(x), x + 1)
    print("all right")
    """
  )
  assert done.stdout.strip().endswith("all right"), done.stderr


def run(script: str) -> subprocess.CompletedProcess:
  return subprocess.run(
    [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=300
  )


def test_inputs_on_other_devices():
  done = run(
    """
    import jax, numpy as np, jax.numpy as jnp, functools, pallasite
    from jax.experimental.pallas import mosaic_gpu as plgpu
    from jax.sharding import NamedSharding, PartitionSpec as P
    jax.config.update("jax_num_cpu_devices", 2)
    pallasite.install(arch="h100")
    X = np.arange(128, dtype=np.float32)

    @functools.partial(plgpu.kernel, out_type=jax.ShapeDtypeStruct((128,), jnp.float32))
    def kernel(x_ref, out_ref):
      out_ref[...] = x_ref[...] + 1

    function = jax.jit(kernel)
    mesh = jax.make_mesh((2,), ("d",))
    devices = jax.devices("cpu")
    for _ in range(5):
      for device in devices:
        out = function(jax.device_put(X, device))
        assert out.devices() == {device}, out.devices()
        np.testing.assert_array_equal(out, X + 1)
      both = function(jax.device_put(X, NamedSharding(mesh, P())))
      assert both.devices() == set(devices)
      np.testing.assert_array_equal(both, X + 1)
    print("all right")
    """
  )
  assert done.stdout.strip().endswith("all right"), done.stderr


def test_faults_on_several_devices_of_a_function_known_from_one():
  done = run(
    """
    import functools, jax, numpy as np, jax.numpy as jnp, pallasite
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import mosaic_gpu as plgpu
    from jax.sharding import NamedSharding, PartitionSpec as P
    jax.config.update("jax_num_cpu_devices", 2)
    pallasite.install(arch="h100")
    session = pallasite.session.session
    X = np.arange(128, dtype=np.float32)

    @functools.partial(plgpu.kernel, out_type=jax.ShapeDtypeStruct((128,), jnp.float32))
    def kernel(start_ref, x_ref, out_ref):
      out_ref[pl.ds(start_ref[0], 64)] = x_ref[pl.ds(0, 64)]

    function = jax.jit(kernel)
    replicated = NamedSharding(jax.make_mesh((2,), ("d",)), P())
    for _ in range(5):
      function(jnp.array([0]), X)
    for _ in range(5):
      for start in (0, 100):
        session.reset()
        failed = False
        try:
          function(*jax.device_put((jnp.array([start]), X), replicated))
        except pallasite.KernelError as error:
          failed = error.report.findings[0].code == "gmem.oob"
        assert failed == (start == 100), start
        assert session.verdicts == ["error" if failed else "clean"] * 2, session.verdicts
        assert [session.last.data["device"]] == [1]
      function(jnp.array([0]), X)
    print("all right")
    """
  )
  assert done.stdout.strip().endswith("all right"), done.stderr


def test_ctrl_c_in_a_later_call():
  done = run(
    """
    import functools, os, signal, threading, time
    import jax, numpy as np, jax.numpy as jnp, pallasite
    from jax import lax
    from jax.experimental.pallas import mosaic_gpu as plgpu
    pallasite.install(arch="h100")

    @functools.partial(plgpu.kernel, out_type=jax.ShapeDtypeStruct((1,), jnp.int32))
    def kernel(count_ref, out_ref):
      out_ref[0] = lax.fori_loop(0, count_ref[0], lambda i, x: x * 3 + i, 1)

    function = jax.jit(kernel)
    for _ in range(4):
      function(jnp.array([3]))
    threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    try:
      function(jnp.array([2**31 - 1]))
    except KeyboardInterrupt:
      print("interrupted", time.monotonic() - start < 30)
    function(jnp.array([3]))
    print(pallasite.last_report().verdict)
    """
  )
  assert done.stdout.split("\n")[:2] == ["interrupted True", "clean"], done.stdout + done.stderr
