# Reads Debian "Translation-en" lists and prints one line a package: md5 TAB package TAB short description TAB first paragraph of the long one.
#
# Packages of one source (libfoo1, libfoo-dev, foo-doc, ...) describe themselves in nearly the same words, so a search for one would find its
# sisters and no figure would mean anything. Kept is one package per stem of its name, per short description and per paragraph.

function flush(    stem, key, plain) {
  if (package == "") return
  gsub(/[ \t]+/, " ", short); gsub(/[ \t]+/, " ", long)
  sub(/^ +/, "", long); sub(/ +$/, "", long); sub(/ +$/, "", short)
  stem = package
  sub(/^(lib|python3?-|golang-github-|golang-|node-|ruby-|r-cran-|r-bioc-|librust-|haskell-|libghc-|fonts-|elpa-)/, "", stem)
  gsub(/[0-9.+]+[a-z]?$/, "", stem)
  while (sub(/-(dev|dbg|dbgsym|doc|docs|common|data|bin|utils|tools|java|perl|cil|prof|examples|plugins?|modules?|headers|core|base|client|server|gtk|qt|nox|l10n|[0-9.]+)$/, "", stem)) ;
  plain = tolower(short)
  sub(/ *[(\[].*$/, "", plain); sub(/ +- .*$/, "", plain)
  key = substr(tolower(long), 1, 80)
  if (length(long) >= 60 && length(short) >= 12 && package !~ /-(dbg|dbgsym|l10n|locale)/ &&
      tolower(short " " long) !~ /transitional|dummy package|metapackage|meta-package|debugging symbols/ &&
      !(stem in stems) && !(plain in shorts) && !(key in longs)) {
    stems[stem]; shorts[plain]; longs[key]
    print md5 "\t" package "\t" short "\t" long
  }
  package = ""
}
/^Package: /         { flush(); package = $2; long = ""; short = ""; in_first = 0 }
/^Description-md5: / { md5 = $2 }
/^Description-en: /  { short = substr($0, 17); in_first = 1; next }
/^ \.$/              { in_first = 0 }
/^ /                 { if (in_first) long = long " " $0 }
/^$/                 { flush() }
END                  { flush() }
