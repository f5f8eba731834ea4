#!/usr/bin/env bash
# old_program.sh PROGRAM HEADER TESTS: runs the program that was compiled with the header of the
# last release, and looks that it calls every function of it.
set -euo pipefail
program=$1 header=$2 tests=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
not_called=$(grep -o '\bcs_[a-z0-9_]*(' "$header" | sort -u | while read -r call; do
  grep -q -F "$call" "$tests/abi/every_call.c" || echo "$call"; done)
[ -z "$not_called" ] || { printf 'tests/abi/every_call.c does not call %s)\n' "$not_called" >&2;
  exit 1; }
"$program" "$tests/fixtures" "$work"
