#!/usr/bin/env bash
# Everything that wants a CUDA device, in one call below 10 minutes: see README.md.
#
#   tests/gpu/run.sh [--seconds N] [--only PART] PACK OUT    PACK is what pack.sh made, the archive
#                                                            or the folder; OUT/table.md,
#                                                            OUT/results.jsonl and
#                                                            OUT/log.txt are written, within N
#                                                            seconds (by default 555); PART: tests,
#                                                            encode or train
#   tests/gpu/run.sh --rehearse LIBHOST_CUDA PACK OUT        small, on the device that the host
#                                                            plays (tests/host_cuda)
set -euo pipefail
command -v python3 >/dev/null || { echo "run.sh: python3 is not there" >&2; exit 2; }
exec python3 "$(dirname "$0")/run.py" "$@"
