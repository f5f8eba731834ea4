#!/usr/bin/env bash
# warnings.sh ROOT BUILD: every file that a build compiles is compiled with the warnings, programs,
# C tests and fault injectors too.
set -euo pipefail
commands=$2/compile_commands.json
[ -s "$commands" ] || { echo "$commands is missing: configure the build first" >&2; exit 1; }
without=$(grep '"command":' "$commands" | grep -v -e ' -Wall -Wextra ' | sed \
  's/.* -c //; s/",\?$//' || true)
[ -z "$without" ] || {
  printf 'compiled without -Wall -Wextra (target_link_libraries(... contrastive_warnings)):\n%s\n' \
  "$without" >&2; exit 1; }
echo "$(grep -c '"command":' "$commands") compile commands with the warnings"
