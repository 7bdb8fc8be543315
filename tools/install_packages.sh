#!/bin/sh
# Installs the Debian packages named in debian-packages.txt that are missing, or says which they are.
set -eu

list=$(dirname "$0")/debian-packages.txt
wanted=$(sed 's/#.*//' "$list")

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "install_packages.sh: not a Debian system; these packages, or their like, must be there:" \
    $wanted >&2
  exit 0
fi

missing=
for package in $wanted; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  if [ "$status" != installed ]; then missing="$missing $package"; fi
done
if [ -z "$missing" ]; then exit 0; fi

if [ "$(id -u)" = 0 ]; then
  as_root=
elif sudo -n true 2>/dev/null; then
  as_root="sudo -n"
else
  echo "install_packages.sh: missing packages, and no right to install them. Run as root:" >&2
  echo "  apt-get update && apt-get install -y --no-install-recommends$missing" >&2
  exit 1
fi
echo "installing Debian packages:$missing"
$as_root apt-get update -q
$as_root env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -q --no-install-recommends $missing </dev/null
