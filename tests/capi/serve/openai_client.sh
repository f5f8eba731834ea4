#!/usr/bin/env bash
# openai_client.sh FOLDER: the real Python client of OpenAI, and LangChain's over it, against `contrastive serve` (openai_client.py). They are installed
# into a virtual environment in FOLDER once; where that cannot be done the test is skipped.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
requirements=(openai==3.54.0 langchain-openai==1.7.3 numpy==2.4.6)
skip() { echo "skipped: $*"; exit 77; }

if [ ! -e "$folder/complete" ]; then
  rm -rf "$folder"
  python3 -m venv "$folder" 2>"$folder.log" || skip "no virtual environment can be made: $(tail -n 1 "$folder.log")"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: "${requirements[@]}" >"$folder.log" 2>&1 ||
    skip "the clients cannot be installed: $(tail -n 1 "$folder.log")"
  touch "$folder/complete"
fi
cd "$here"
exec "$folder/bin/python" openai_client.py
