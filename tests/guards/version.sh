#!/usr/bin/env bash
# version.sh ROOT: every place that names the library's version says what CMakeLists.txt says, and
# no place is unknown to packaging/version.py.
set -euo pipefail
python3 "$1/packaging/version.py" check "$1"
