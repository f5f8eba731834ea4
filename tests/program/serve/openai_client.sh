#!/usr/bin/env bash
# openai_client.sh FOLDER: the real Python client of OpenAI, and LangChain's over it, against
# `contrastive serve` (openai_client.py). They are installed into a virtual environment in FOLDER
# once; where that cannot be done the test is skipped.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/program/serve/python_folder.sh
. "$here/python_folder.sh"
python_folder "$1" openai==3.54.0 langchain-openai==1.7.3 numpy==2.4.6
cd "$here"
exec "$1/bin/python" openai_client.py
