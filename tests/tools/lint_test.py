"""Each rule of tools/lint.py fires on a planted violation and is silent on its near miss."""

import importlib.util
import pathlib
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def _load_lint():
  spec = importlib.util.spec_from_file_location("lint", ROOT / "tools" / "lint.py")
  module = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(module)
  return module


lint = _load_lint()


@pytest.fixture
def plant(tmp_path):
  def write(name, text):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return lint.check(tmp_path)
  return write


def test_this_repository_is_clean():
  assert lint.check(ROOT) == []


@pytest.mark.parametrize("name, header, higher", [
    ("src/pallasite/base/ids.h", "pallasite/diag/diagnostic.h", True),
    ("src/pallasite/sim/machine.cc", "pallasite/ops/barrier.h", True),
    ("src/pallasite/api/session.bind.cc", "pallasite/cli/verbs.h", True),
    ("src/pallasite/sim/machine.cc", "pallasite/sim/frame.h", False),
    ("src/pallasite/sim/machine.cc", "pallasite/base/ids.h", False),
    ("src/pallasite/sim/machine.test.cc", "pallasite/ops/barrier.h", False),
])
def test_includes_go_down_the_layers(plant, name, header, higher):
  violations = plant(name, f'#include <vector>\n#include "{header}"\n')
  if higher:
    own, other = name.split("/")[2], header.split("/")[1]
    assert violations == [f"{name}:2: {own} includes {header}, and {other} is a higher layer"]
  else:
    assert violations == []


def test_includes_are_by_full_path(plant):
  (violation,) = plant("src/pallasite/sim/machine.cc", '#include "frame.h"\n')
  assert violation.startswith('src/pallasite/sim/machine.cc:1: "frame.h" is not of the form')


def test_constants_have_one_home(plant):
  assert plant("src/pallasite/ir/limits.h", "inline constexpr int64_t kMaxRank = 12;\n") == []
  # Of a class, of a file alone, of another namespace.
  other = "namespace other {\ninline constexpr int kMaxRank = 3;\n}  // namespace other\n"
  near = other + "  static constexpr int kMaxRank = 3;\nconstexpr int kMaxRank = 3;\n"
  assert plant("src/pallasite/sim/near.h", near) == []
  assert plant("src/pallasite/sim/view.cc", "inline constexpr size_t kMaxRank = 12;\n") == []
  assert plant("src/pallasite/sim/view.h", "\ninline constexpr size_t kMaxRank = 12;\n") == [
      "src/pallasite/sim/view.h:2: kMaxRank is defined in src/pallasite/ir/limits.h too: include that"]


@pytest.mark.parametrize("definition", [
    "inline constexpr std::string_view kNames[] = {", "inline constexpr Limits kLimits{1, 2};",
    "inline constexpr std::array<int, 3> kTable = {1, 2, 3};"])
def test_constants_of_all_kinds_have_one_home(plant, definition):
  plant("src/pallasite/ir/a.h", definition)
  (violation,) = plant("src/pallasite/ir/b.h", definition)
  assert "is defined in src/pallasite/ir/a.h too" in violation


def test_sources_lie_in_a_layer(plant):
  (violation,) = plant("src/pallasite/util/strings.h", "")
  assert violation.startswith("src/pallasite/util/strings.h:1: not in a layer")


def test_def_files_are_sorted(plant):
  name = "src/pallasite/ops/ops.def"
  assert plant(name, "PALLASITE_OP(Add)\nPALLASITE_OP(Sub)\n") == []
  assert plant(name, "// ops\nPALLASITE_OP(Sub)\nPALLASITE_OP(Add)\n") == [
      f"{name}:3: Add stands after Sub: sort the entries"]
  (twice,) = plant(name, "PALLASITE_OP(Add)\nPALLASITE_OP(Add)\n")
  assert "Add stands after Add" in twice


@pytest.mark.parametrize("code", [
    "import jax._src.core",
    "from jax._src import core",
    "from jax._src.pallas import primitives",
    "from jax import _src",
    "core = jax._src.core",
    "core = importlib.import_module('jax._src.core')",
])
def test_only_compat_touches_private_jax(plant, code):
  (violation,) = plant("python/pallasite/hook.py", f"'''Not jax._src itself.'''\n{code}\n")
  assert violation.startswith("python/pallasite/hook.py:2: jax._src outside _compat")


@pytest.mark.parametrize("name", ["_compat.py", "_compat/jax_0_12.py", "hook_test.py"])
def test_compat_and_tests_may_touch_private_jax(plant, name):
  assert plant(f"python/pallasite/{name}", "from jax._src import core\n") == []


def test_files_are_short(plant):
  assert plant("tests/long_test.py", "x = 1\n" * lint.MAX_LINES) == []
  (violation,) = plant("tests/long_test.py", "x = 1\n" * (lint.MAX_LINES + 1))
  assert violation.startswith("tests/long_test.py:801: 801 lines, more than 800")


@pytest.mark.skipif(shutil.which("clang-format-14") is None, reason="needs clang-format-14")
def test_format(plant, tmp_path):
  shutil.copy(ROOT / ".clang-format", tmp_path)
  plant("src/pallasite/base/a.cc", "int a;\n")
  assert lint.check_format(tmp_path) == []
  plant("src/pallasite/base/b.cc", "int a;\nint  b;\n")
  assert lint.check_format(tmp_path) == [
      "src/pallasite/base/b.cc:2: not formatted: run `make format`"]
