#!/usr/bin/env bash
# workflows.sh ROOT: actionlint finds nothing wrong with the workflows of .github, and the scripts
# that they run exist.
set -euo pipefail
cd "$1"
for command in $(sed -n 's/^ *run: *//p' .github/workflows/*.yml |
  grep -oE '(\.ci/run|[a-z]+/[a-z_./]+\.sh)'); do
  [ -x "$command" ] || { echo "workflows: $command is not an executable file of the tree" >&2;
    exit 1; }
done
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}
actionlint=$cache/actionlint-1.7.12/actionlint
if [ ! -x "$actionlint" ]; then
  echo 'skipped: workflows, because actionlint is not installed (packaging/bootstrap.sh go lint)'
  exit 77
fi
"$actionlint" .github/workflows/*.yml
echo "actionlint finds nothing in $(ls .github/workflows/*.yml | wc -l) workflows"
