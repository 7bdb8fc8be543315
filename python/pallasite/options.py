"""Options of a run: what `install` and `Params` state, the environment, pyproject.toml.

The fields of `Options`, and `OTHER_OPTIONS`, are the one table of options. Signatures, help texts,
flags, `doctor` and docs/options.md are made from it.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import json
import os
import pathlib
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pallasite import chips, silence
from pallasite.errors import UnsupportedError


@dataclass(frozen=True)
class Option:
  """One entry of the table."""

  name: str
  # "text", "integer", "flag", "names": strings separated by commas, in TOML also an array; or
  # "tables": an array of tables, in a variable as JSON.
  kind: str
  default: object
  # One sentence.
  meaning: str
  # The values there are; empty where these do not make a list.
  choices: tuple[str, ...] = ()
  # Those of the choices that this version cannot do yet.
  unbuilt: tuple[str, ...] = ()
  # Of an integer; the engine and the command line have the same ones.
  minimum: int | None = None
  maximum: int | None = None
  # Who takes it as an argument: "install" means `install`, `check` and `Params`.
  taken_by: str = "install"

  @property
  def variable(self) -> str:
    return f"PALLASITE_{self.name.upper()}"

  @property
  def flag(self) -> str:
    return f"--{self.name.replace('_', '-')}"


def _option(kind: str, default, meaning: str, **more):
  return dataclasses.field(default=default, metadata={"kind": kind, "meaning": meaning, **more})


_CHECKS = ("none", "default", "values", "compile")
# `all` would promise the others.
_UNBUILT_CHECKS = ("races", "definedness", "all")


@dataclass(frozen=True)
class Options:
  arch: str | None = _option(
    "text",
    None,
    "The chip to be, as h100, b200, a100 or an architecture such as sm_90a; when given, JAX's "
    "questions about its device are answered as that chip would, and when not, the kernel's own "
    "ops decide.",
  )
  num_sms: int | None = _option(
    "integer",
    None,
    "How many SMs the chip says it has; persistent kernels launch so many blocks.",
    minimum=1,
    maximum=2**31 - 1,
  )
  checks: str = _option(
    "names",
    "default",
    "What is checked, one name or several: none, default (all checks of a run), values (the same "
    "today), compile (what JAX's own lowering for the chip says). races, definedness and all are "
    "not built yet.",
  )
  on_finding: str = _option(
    "text",
    "raise",
    "Whether an error in a kernel raises, warns, or is only recorded.",
    choices=("raise", "warn", "record"),
  )
  seed: int = _option(
    "integer", 0, "The seed of a run's random choices.", minimum=-(2**63), maximum=2**63 - 1
  )
  schedule: str = _option(
    "text", "fixed", "The order in which threads run.", choices=("fixed", "random")
  )
  schedules: int = _option(
    "integer",
    0,
    "How many random schedules, of the seeds from 1 on, each run tries after the stated one.",
    minimum=0,
    maximum=1_000_000,
  )
  async_values: str = _option(
    "text",
    "eager",
    "Whether asynchronous copies write at their issue or as late as they may.",
    choices=("eager", "late"),
  )
  max_steps: int | None = _option(
    "integer",
    None,
    "The step at which a run that does not end is given up.",
    minimum=1,
    maximum=2**63 - 1,
  )
  workers: int | None = _option(
    "integer", None, "How many threads of the host run clusters.", minimum=1, maximum=1024
  )
  numerics: str = _option(
    "text",
    "declared",
    "The arithmetic of matrix products: as declared, as the hardware does it, or exact.",
    choices=("declared", "hardware", "exact"),
    unbuilt=("hardware", "exact"),
  )
  uninitialized_memory: str = _option(
    "text",
    "nan",
    "What memory holds before a kernel writes it.",
    choices=("nan", "zero"),
    taken_by="Params",
  )
  # Where each value is from. Two sets of options are equal whatever their sources.
  sources: Mapping[str, str] = dataclasses.field(default_factory=dict, compare=False, repr=False)

  def __post_init__(self):
    for option in RUN_OPTIONS:
      _validate(option, getattr(self, option.name), option.name)

  @property
  def chip(self) -> chips.Chip | None:
    return chips.chip(self.arch) if self.arch is not None else None

  def compile_key(self) -> tuple:
    """What a traced or lowered program depends on; part of JAX's jit key."""
    return (
      self.chip.arch if self.chip else None,
      self.num_sms,
      self.uninitialized_memory,
      self.asks_compiler,
    )

  @property
  def asks_compiler(self) -> bool:
    """Whether JAX's own lowering for the chip is asked about each kernel."""
    return "compile" in self._check_names()

  def _check_names(self) -> set[str]:
    return {name.strip() for name in self.checks.split(",")}

  def run_options(self) -> dict:
    """What the engine reads when a kernel runs."""
    names = (
      "on_finding",
      "seed",
      "schedule",
      "schedules",
      "async_values",
      "max_steps",
      "workers",
    )
    # What the compiler says is known before a run.
    own = self._check_names() - {"compile"}
    if "default" in own:
      engine_checks = "default"
    else:
      engine_checks = "values" if "values" in own else "none"
    return {"checks": engine_checks, **{name: getattr(self, name) for name in names}}

  def with_stated(self, stated: Mapping[str, object], source: str) -> Options:
    """These options, with those that a call states in their place."""
    return dataclasses.replace(
      self, **stated, sources={**self.sources, **dict.fromkeys(stated, source)}
    )


RUN_OPTIONS = tuple(
  Option(name=field.name, default=field.default, **field.metadata)
  for field in dataclasses.fields(Options)
  if field.metadata
)
# Those that are read from the environment and pyproject.toml, and are no argument of `install`.
OTHER_OPTIONS = (
  Option(
    "silence",
    "tables",
    (),
    "Findings that are known and do not count, each by code, path or ref, and with a reason.",
    taken_by="every way in",
  ),
  Option(
    "pytest",
    "text",
    "",
    "The chip that pytest runs kernels on without being asked to, `auto` to let their ops decide; "
    "empty or `off` for none.",
    taken_by="pytest",
  ),
  Option(
    "baseline", "text", "", "The file of known findings that do not fail a test.", taken_by="pytest"
  ),
  Option(
    "allow_no_kernels",
    "flag",
    False,
    "Whether a test session in which no kernel ran may pass.",
    taken_by="pytest",
  ),
)
TABLE = RUN_OPTIONS + OTHER_OPTIONS
OPTION_NAMES = tuple(option.name for option in RUN_OPTIONS)
INSTALL_NAMES = tuple(option.name for option in RUN_OPTIONS if option.taken_by == "install")

_BY_NAME = {option.name: option for option in TABLE}


# ---- values


def _validate(option: Option, value, said: str):
  """Raises for a value that an option cannot have; `said` is how the user said it."""
  if option.kind == "integer":
    if value is None and option.default is None:
      return
    if not isinstance(value, int) or isinstance(value, bool):
      raise ValueError(f"{said}={value!r}: expected an integer")
    if option.minimum is not None and value < option.minimum:
      raise ValueError(f"{said}={value}: expected at least {option.minimum}")
    if option.maximum is not None and value > option.maximum:
      raise ValueError(f"{said}={value}: expected at most {option.maximum}")
    return
  if option.name == "arch":
    if value is not None:
      try:
        chips.chip(value)
      except UnsupportedError as error:
        raise UnsupportedError(str(error) if said == "arch" else f"{said}: {error}") from None
    return
  if option.name == "checks":
    if not isinstance(value, str):
      raise ValueError(f"{said}={value!r}: expected a string, names separated by commas")
    for name in map(str.strip, value.split(",")):
      if name in _UNBUILT_CHECKS:
        raise UnsupportedError(
          f"{said}={name!r} is not built yet: races and undefined values are found by no check. "
          "Every check there is: 'default,compile'"
        )
      if name not in _CHECKS:
        expected = ", ".join(map(repr, _CHECKS))
        raise ValueError(f"{said}={name!r}: expected one of {expected}{_near(name, _CHECKS)}")
    return
  if option.kind == "flag":
    if not isinstance(value, bool):
      raise ValueError(f"{said}={value!r}: expected true or false")
    return
  if option.kind == "tables":
    if not isinstance(value, (list, tuple)):
      raise ValueError(f"{said}={value!r}: expected an array of tables")
    silence.read_entries(value, said.removesuffix(" silence"))
    return
  if option.kind == "text" and not option.choices:
    if not isinstance(value, str):
      raise ValueError(f"{said}={value!r}: expected a string")
    return
  if value not in option.choices:
    near = _near(value, option.choices) if isinstance(value, str) else ""
    expected = ", ".join(map(repr, option.choices))
    raise ValueError(f"{said}={value!r}: expected one of {expected}{near}")
  if value in option.unbuilt:
    raise UnsupportedError(f"{said}={value!r} is not built yet")


def _near(name: str, known: Iterable[str]) -> str:
  found = difflib.get_close_matches(name, known, n=1)
  return f"; did you mean {found[0]!r}?" if found else ""


def refuse_unknown(who: str, stated: Iterable[str], known: Iterable[str] = INSTALL_NAMES):
  """A TypeError for arguments that are no options, as Python's own but with what may be meant."""
  known = tuple(known)
  for name in stated:
    if name not in known:
      raise TypeError(
        f"{who} has no option {name!r}{_near(name, known)} (options: {', '.join(known)})"
      )


# ---- where values come from


def resolve(
  stated: Mapping[str, object],
  source: str = "install(...)",
  folder: str | os.PathLike | None = None,
) -> Options:
  """Options from what a call states, then PALLASITE_* variables, then pyproject.toml.

  What is stated counts even if it is the default.
  """
  values, sources = {}, {}
  for name, (value, origin) in _outside(folder).items():
    if name in OPTION_NAMES and name not in stated:
      values[name], sources[name] = value, origin
  sources.update(dict.fromkeys(stated, source))
  return Options(**values, **stated, sources=sources)


def value_of(name: str, folder: str | os.PathLike | None = None):
  """The value of one option outside of any call: environment, then pyproject.toml, then default."""
  found = _outside(folder).get(name)
  return found[0] if found is not None else _BY_NAME[name].default


def _outside(folder: str | os.PathLike | None) -> dict[str, tuple[object, str]]:
  """Value and source of each option that no call states, where it is not the default."""
  return {**_from_pyproject(folder), **_from_environment()}


def _from_environment() -> dict[str, tuple[object, str]]:
  values = {}
  for option in TABLE:
    text = os.environ.get(option.variable)
    if text:
      value = _value_of_text(option, text)
      _validate(option, value, option.variable)
      values[option.name] = (value, option.variable)
  return values


def _value_of_text(option: Option, text: str):
  if option.kind == "integer":
    try:
      return int(text)
    except ValueError:
      raise ValueError(f"{option.variable}={text!r}: expected an integer") from None
  if option.kind == "flag":
    return {"1": True, "true": True, "0": False, "false": False}.get(text.lower(), text)
  if option.kind == "tables":
    try:
      return json.loads(text)
    except json.JSONDecodeError as error:
      raise ValueError(f"{option.variable}: expected JSON ({error})") from None
  return text


def pyproject_file(folder: str | os.PathLike | None = None) -> pathlib.Path | None:
  """The nearest pyproject.toml of a folder (the current one) or those around it."""
  start = pathlib.Path(folder or pathlib.Path.cwd()).absolute()
  for candidate in (start, *start.parents):
    file = candidate / "pyproject.toml"
    if file.is_file():
      return file
  return None


def _from_pyproject(folder: str | os.PathLike | None) -> dict[str, tuple[object, str]]:
  file = pyproject_file(folder)
  if file is None:
    return {}
  try:
    table = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("pallasite", {})
  except tomllib.TOMLDecodeError as error:
    raise ValueError(f"{file}: {error}") from None
  source = f"{file} [tool.pallasite]"
  values = {}
  for name, value in table.items():
    option = _BY_NAME.get(name)
    if option is None:
      raise ValueError(f"{source} has the unknown key {name!r}{_near(name, _BY_NAME)}")
    if option.kind == "names" and isinstance(value, list):
      value = ",".join(map(str, value))
    _validate(option, value, f"{source} {name}")
    values[name] = (value, source)
  return values


def unknown_variables() -> list[str]:
  """PALLASITE_* variables that are no options, most likely misspelt ones."""
  known = {option.variable for option in TABLE}
  near = {name: difflib.get_close_matches(name, known, n=1, cutoff=0.8) for name in os.environ}
  return sorted(
    name for name in os.environ if name.startswith("PALLASITE_") and name not in known and near[name]
  )


# ---- what is made from the table


@dataclass(frozen=True)
class OptionState:
  """One option as it stands."""

  name: str
  value: object
  # "default", a variable, a file and its table, or a call.
  source: str
  variable: str
  # In [tool.pallasite] of pyproject.toml.
  key: str
  choices: tuple[str, ...]
  meaning: str
  option: Option


def listing(
  folder: str | os.PathLike | None = None, installed: Options | None = None
) -> list[OptionState]:
  """Every option, its value here and where that is from.

  Args:
    folder: where pyproject.toml is looked for; None for the current folder.
    installed: the options that are in force, where there are any.
  """
  outside = _outside(folder)
  states = []
  for option in TABLE:
    if installed is not None and option.name in OPTION_NAMES:
      value = getattr(installed, option.name)
      source = installed.sources.get(option.name, "default")
    else:
      value, source = outside.get(option.name, (option.default, "default"))
    states.append(
      OptionState(
        option.name,
        value,
        source,
        option.variable,
        option.name,
        option.choices,
        option.meaning,
        option,
      )
    )
  return states


def signature(
  names: Iterable[str], result: object = inspect.Signature.empty
) -> inspect.Signature:
  """Of a function that takes these options as keywords."""
  annotations = {field.name: field.type for field in dataclasses.fields(Options)}
  return inspect.Signature(
    [
      inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=_BY_NAME[name].default,
        annotation=annotations[name],
      )
      for name in names
    ],
    return_annotation=result,
  )


def argument_docs(names: Iterable[str], indent: str = "  ") -> str:
  """The `Args:` part of a docstring."""
  lines = [f"{indent}Args:"]
  for name in names:
    option = _BY_NAME[name]
    choices = f" One of {', '.join(map(repr, option.choices))}." if option.choices else ""
    lines += textwrap.wrap(
      f"{name}: {option.meaning}{choices}",
      100,
      initial_indent=f"{indent}  ",
      subsequent_indent=f"{indent}    ",
    )
  return "\n".join(lines)


def takes_options(names: Iterable[str], result: object = inspect.Signature.empty) -> Callable:
  """Gives a function of keywords the signature and the docs of the table.

  It is a function of `**stated` so that it can tell what was stated from what was not.
  """
  names = tuple(names)

  def decorate(function):
    function.__signature__ = signature(names, result)
    function.__doc__ = f"{inspect.cleandoc(function.__doc__)}\n\n{argument_docs(names, '')}\n"
    return function

  return decorate
