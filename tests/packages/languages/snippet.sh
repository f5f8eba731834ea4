# Sourced by common.sh and by tests/guards/packages.sh, which define die: the lines that a README
# gives its readers.
# shellcheck shell=bash

# snippet FILE LANGUAGE [WORDS]: the first block of that language in a README, or the first after a
# line that contains WORDS.
snippet() {
  awk -v language="$2" -v word="${3:-}" '
    word != "" && index($0, word) > 0 { word = "" }
    /^```/ && word == "" { if (inside) exit; inside = index($0, "```" language) == 1; next }
    inside' "$1" | grep . || die "$1 has no block of '$2' ${3:+behind '$3'}"
}
