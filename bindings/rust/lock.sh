#!/usr/bin/env bash
# Makes Cargo.lock of a workspace, of the pinned versions and hashes in Cargo.lock.in and of the
# registry that this cargo knows: it names no host in the tree.
#
#   bindings/rust/lock.sh FOLDER...
set -euo pipefail
for folder in "$@"; do
  pins=$folder/Cargo.lock.in made=$folder/Cargo.lock
  [ ! "$made" -nt "$pins" ] || continue
  rm -f "$made"
  (cd "$folder" && cargo generate-lockfile --quiet) || {
    echo "lock.sh: cargo generate-lockfile failed in $folder" >&2; exit 1; }
  registry=$(sed -n 's/^source = "\(.*\)"$/\1/p' "$made" | sort -u)
  sed "s|@registry@|$registry|" "$pins" >"$made.new" && mv "$made.new" "$made"
done
