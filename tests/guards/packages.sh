#!/usr/bin/env bash
# What registries and users ask of packages, checked on the sources: metadata complete, the licence
# in each, READMEs that read well outside the tree.
#
#   tests/guards/packages.sh ROOT
set -euo pipefail
cd "${1:?usage: packages.sh ROOT}"
status=0
wrong() { echo "$*"; status=1; }

# has FILE WORD...: each word is in the file.
has() {
  local file=$1 word
  shift
  for word in "$@"; do grep -qF -- "$word" "$file" || wrong "$file: has no $word"; done
}

# --- Maven: what the parent has, its modules inherit
has bindings/java/pom.xml '<name>' '<description>' '<url>https://' '<licenses>' \
  '<distribution>repo</distribution>' '<developers>' '<scm ' '<connection>scm:git:' \
  '<include>LICENSE</include>' '<include>NOTICE</include>' '<project.build.outputTimestamp>'
modules=0
for pom in bindings/java/*/pom.xml; do
  [ "$pom" != bindings/java/consumer/pom.xml ] || continue
  has "$pom" '<artifactId>contrastive-parent</artifactId>' '<name>' '<description>' \
    maven-source-plugin maven-javadoc-plugin maven-resources-plugin '<Automatic-Module-Name>'
  modules=$((modules + 1))
done
[ $modules -ge 4 ] || wrong "only $modules Maven modules were looked at"

# --- NuGet
for nuspec in bindings/csharp/Contrastive{,.Torch,.Extensions.AI}.nuspec; do
  has "$nuspec" '<id>' '<authors>' '<license type="expression">Apache-2.0</license>' \
    '<readme>README.md</readme>' '<projectUrl>https://' '<description>' '<tags>' \
    '<repository type="git"' '<copyright>' '<icon>icon.png</icon>' '<releaseNotes>' \
    '<group targetFramework=".NETStandard2.0"'
done
has bindings/csharp/Contrastive.nuspec 'id="System.Memory"' \
  '<group targetFramework="net8.0"'
for nuspec in bindings/csharp/Contrastive.{Torch,Extensions.AI}.nuspec; do
  has $nuspec 'id="Contrastive" version="[$version$]"'
done

# --- Go and Rust: the files of their folders are published
has bindings/go/go.mod 'module contrastive.io/go'
has bindings/rust/Cargo.toml license homepage repository description rust-version
for crate in contrastive contrastive-sys; do
  has bindings/rust/$crate/Cargo.toml 'license.workspace' 'homepage.workspace' \
    'repository.workspace' 'rust-version.workspace' description 'readme = ' 'keywords = ' \
    'categories = ' 'include = ' '"/LICENSE"' '"/README.md"' 'links = '
  words=$(sed -n 's/^keywords = \[\(.*\)\]$/\1/p' bindings/rust/$crate/Cargo.toml | grep -o \
    '"[^"]*"' | wc -l)
  [ "$words" -le 5 ] ||
    wrong "bindings/rust/$crate/Cargo.toml: $words keywords; a registry takes five"
done
for copy in bindings/go bindings/rust/contrastive bindings/rust/contrastive-sys; do
  cmp -s LICENSE $copy/LICENSE || wrong "$copy/LICENSE is not the LICENSE of the repository"
done
has NOTICE libcontrastive THIRD_PARTY_LICENSES

# --- READMEs travel without the tree
readmes=0
for readme in bindings/java/README.md bindings/csharp/README.md \
  bindings/csharp/Contrastive.Extensions.AI/README.md bindings/go/README.md \
  bindings/rust/README.md bindings/rust/contrastive-sys/README.md; do
  relative=$(grep -noE '\]\([^)]*\)' "$readme" | grep -vE '\]\((https?://|#)' || true)
  [ -z "$relative" ] || wrong "$readme: links that lead nowhere outside the repository: $relative"
  readmes=$((readmes + 1))
done

# --- tests/packages run lines of these READMEs. They find them by the language and the words
# before.
# Those tests are run manually, and long after an edit.
# shellcheck source=tests/packages/languages/snippet.sh
. tests/packages/languages/snippet.sh
die() { echo "$*"; exit 1; }
root=$PWD lines=0
while IFS=: read -r file call; do
  readme=$(sed -n "s|^readme=\$root/|$root/|p" "$file")
  (eval "$call") >/dev/null || wrong "$file: $call finds nothing"
  lines=$((lines + 1))
done < <(grep -oE "snippet \"[^\"]+\" ([a-z]+|'')( '[^']+')?" tests/packages/*.sh)
[ $lines -ge 10 ] || wrong "only $lines lines of READMEs that tests/packages run were looked for"

[ $status -ne 0 ] || echo "packages.sh: $modules Maven modules, 3 NuGet packages, a Go module, 2" \
  "crates, $readmes READMEs, $lines snippets of them"
exit $status
