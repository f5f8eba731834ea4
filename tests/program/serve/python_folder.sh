# Sourced by the tests that need packages of Python: python_folder FOLDER REQUIREMENT... installs
# them into a virtual environment in FOLDER once, and ends the test as skipped, with the reason,
# where that cannot be done.
skip() { echo "skipped: $*"; exit 77; }

python_folder() {
  local folder=$1
  shift
  [ ! -e "$folder/complete" ] || return 0
  rm -rf "$folder"
  python3 -m venv "$folder" 2>"$folder.log" ||
    skip "no virtual environment can be made: $(tail -n 1 "$folder.log")"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: "$@" \
    >"$folder.log" 2>&1 || skip "$* cannot be installed: $(tail -n 1 "$folder.log")"
  touch "$folder/complete"
}
