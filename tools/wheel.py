"""Repairs the wheel, and shows that it runs where nothing of the build machine is: `make wheel`.

  python tools/wheel.py RAW.whl OUT_DIR PYTHON=JAX_VERSION...

Each PYTHON=JAX_VERSION is a Python and the version of JAX to install beside the wheel, in a clean
environment. There a process runs a kernel, in a mount namespace in which the libraries that came from
Debian packages are empty files, if the machine lets us make one; and in any case the libraries that
the process has loaded are compared with what the wheel may take from the system.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import zipfile

# Of the machine itself: what the policy manylinux lets a wheel take from it.
SYSTEM_LIBRARIES = (
  "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libc.so.6", "libdl.so.2", "libgcc_s.so.1",
  "libm.so.6", "libpthread.so.0", "librt.so.1", "libstdc++.so.6", "libutil.so.1",
)
# Of Debian packages, bundled with the wheel.
HIDDEN = ("libdnnl", "libfmt", "libgomp", "libOpenCL", "libsleef")

PROGRAM = '''
import json, os
import jax, jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu
import pallasite

def double(x, out):
  out[...] = x[...] * 2.0

x = jnp.arange(128.0)
with pallasite.install(arch="h100"):
  out = jax.jit(plgpu.kernel(double, out_type=jax.ShapeDtypeStruct((128,), jnp.float32)))(x)
assert (out == x * 2).all()
assert pallasite.last_report().verdict == "clean"
loaded = sorted({line.split()[-1] for line in open("/proc/self/maps") if ".so" in line})
print(json.dumps({"loaded": loaded, "package": os.path.dirname(pallasite.__file__)}))
'''


def main() -> int:
  raw, out_dir = map(pathlib.Path, sys.argv[1:3])
  wheel = repair(raw, out_dir)
  check_contents(wheel)
  print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
  for pair in sys.argv[3:]:
    python, _, version = pair.partition("=")
    try_out(wheel, python, version, out_dir)
  print(f"wheel: {wheel}")
  return 0


def repair(raw: pathlib.Path, out_dir: pathlib.Path) -> pathlib.Path:
  """Copies the libraries that the module needs into the wheel."""
  scratch = out_dir / "repaired"
  shutil.rmtree(scratch, ignore_errors=True)
  environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
  subprocess.run(
    [sys.executable, "-m", "auditwheel", "repair", "-w", str(scratch), str(raw)], check=True,
    env=environment, capture_output=True,
  )
  (made,) = scratch.glob("*.whl")
  return made


def check_contents(wheel: pathlib.Path):
  names = zipfile.ZipFile(wheel).namelist()
  assert re.fullmatch(r"pallasite-[\d.]+-cp312-abi3-manylinux_\d+_\d+_\w+\.whl", wheel.name), wheel
  assert "pallasite/py.typed" in names, "py.typed is missing: type checkers ignore the package"
  assert not [n for n in names if n.endswith("_test.py")], "tests are in the wheel"
  shown = subprocess.run(
    [sys.executable, "-m", "auditwheel", "show", str(wheel)], check=True, capture_output=True, text=True
  ).stdout
  # The first tag named is the best that the contents allow.
  assert "manylinux_" in shown, shown


def try_out(wheel: pathlib.Path, python: str, version: str, out_dir: pathlib.Path):
  name = re.sub(r"\W+", "-", f"{pathlib.Path(python).name}-jax-{version}")
  folder = (out_dir / name).resolve()
  shutil.rmtree(folder, ignore_errors=True)
  start = time.monotonic()
  subprocess.run([python, "-m", "venv", str(folder)], check=True)
  subprocess.run(
    [str(folder / "bin/python"), "-m", "pip", "install", "-q", str(wheel), f"jax=={version}",
     f"jaxlib=={version}"],
    check=True,
  )
  seconds = time.monotonic() - start
  (package,) = folder.glob("lib/python3*/site-packages")
  size = sum(f.stat().st_size for part in ("pallasite", "pallasite.libs")
             for f in (package / part).rglob("*") if f.is_file())
  script = folder / "try_out.py"
  script.write_text(PROGRAM)
  hidden = hidden_libraries()
  command, how = [str(folder / "bin/python"), str(script)], "as this machine is"
  if can_hide():
    command = ["unshare", "-rm", "sh", "-c", f"{hiding(hidden)} exec \"$@\"", "sh", *command]
    how = f"with {len(hidden)} libraries of Debian packages hidden"
  ended = subprocess.run(
    command, capture_output=True, text=True, cwd=folder, check=False,
    env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "JAX_PLATFORMS": "cpu"},
  )
  assert ended.returncode == 0, ended.stdout + ended.stderr
  check_loaded(ended.stdout, folder)
  print(f"  {name}: a kernel ran {how}; installed with JAX in {seconds:.0f} s, {size / 1e6:.0f} MB of it ours")
  doctor = subprocess.run([str(folder / "bin/pallasite"), "doctor"], capture_output=True, text=True,
                          cwd=folder, check=False, env={**os.environ, "JAX_PLATFORMS": "cpu"})
  assert doctor.returncode == 0, doctor.stdout + doctor.stderr


def hidden_libraries() -> list[str]:
  """Files of the system that the bundled libraries were copied from."""
  listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
  paths = re.findall(r"=> (\S+)", listed)
  found = {os.path.realpath(p) for p in paths if os.path.basename(p).startswith(HIDDEN)}
  return sorted(found)


def can_hide() -> bool:
  return shutil.which("unshare") is not None and subprocess.run(
    ["unshare", "-rm", "true"], capture_output=True, check=False
  ).returncode == 0


def hiding(paths: list[str]) -> str:
  return "".join(f"mount --bind /dev/null {path} && " for path in paths)


def check_loaded(printed: str, folder: pathlib.Path):
  """That all our module has loaded is of the wheel, or the policy lets it be of the system."""
  facts = json.loads(printed.splitlines()[-1])
  site = os.path.dirname(os.path.realpath(facts["package"]))
  assert site.startswith(str(folder)), f"another pallasite was tried out: {site}"
  for path in facts["loaded"]:
    base = os.path.basename(path)
    is_ours = base.startswith(HIDDEN)
    assert not is_ours or path.startswith(site), f"taken from the machine: {path}"
  modules = [p for p in facts["loaded"] if "/pallasite" in p.removeprefix(str(folder))]
  assert any("libdnnl" in p for p in modules), modules
  for module in modules:
    needed = re.findall(r"NEEDED\s+(\S+)", subprocess.run(
      ["objdump", "-p", module], capture_output=True, text=True, check=True).stdout)
    libs = {p.name for p in pathlib.Path(site, "pallasite.libs").iterdir()}
    other = [n for n in needed if n not in libs and n not in SYSTEM_LIBRARIES]
    assert not other, f"{module} needs {other}"


if __name__ == "__main__":
  sys.exit(main())
