# Sourced by guards: the folder with the pinned clang-format and clang-tidy, in `tools`; where they
# are not installed the guard is skipped (77).
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}/clang-tools-22.1.8
if [ ! -d "$cache" ]; then
  echo "skipped: $(basename "$0" .sh), because clang-format and clang-tidy are not installed" \
    "(packaging/bootstrap.sh lint)"
  exit 77
fi
