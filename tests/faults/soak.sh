#!/usr/bin/env bash
# soak.sh LANGUAGE SECONDS: the storm of C or of a binding (load, encode, search, train, cancel,
# close, forget, misuse, from many threads) for as long as that. It fails where a call gives what is
# not documented, where a thread hangs, and where memory, descriptors, threads or objects
# accumulate. The binding was built and tested by its test.sh, which runs the same for 60 s.
# LANGUAGE serve: the HTTP server under load (tests/program/serve/soak.py).
set -euo pipefail
cd "$(dirname "$0")/../.."
languages="c go rust java csharp serve"
language=${1:?a language: $languages}
seconds=${2:?how many seconds}
case $language in
  c) exec build/release/storm "$seconds" ;;
  go) exec bindings/go/internal/storm/storm.sh "$seconds" ;;
  rust) exec bindings/rust/storm.sh "$seconds" ;;
  java) exec bindings/java/storm/storm.sh "$seconds" ;;
  csharp) exec bindings/csharp/storm/storm.sh "$seconds" ;;
  serve)
    CONTRASTIVE_SERVE_PROGRAM=build/release/contrastive CONTRASTIVE_SERVE_FIXTURES=tests/fixtures \
      exec python3 -W ignore::ResourceWarning tests/program/serve/soak.py "$seconds"
    ;;
  *) echo "soak.sh: '$language' is none of $languages" >&2; exit 2 ;;
esac
