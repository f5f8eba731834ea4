# Sourced by packaging/natives.sh, packaging/packages/deb.sh and tests/packages/run.sh, which define say and die: Debian systems in folders of the cache, and commands inside them.
# The mirror is the one that apt uses here where this is Debian; elsewhere, or for a release that has left it, CONTRASTIVE_DEBIAN_MIRROR names one.

# Whoever is not root becomes it by sudo: debootstrap, mounts and chroot ask for it.
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

debian_mirror() {
  local mirror=${CONTRASTIVE_DEBIAN_MIRROR:-}
  [ -n "$mirror" ] || mirror=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(REPO_URI)' 'Created-By: Packages' |
    sed -n 's/^Debian|Debian|main|//p' | head -n 1)
  [ -n "$mirror" ] || die "apt knows no Debian mirror here: set CONTRASTIVE_DEBIAN_MIRROR to the address of one"
  printf '%s\n' "$mirror"
}

# make_root FOLDER SUITE [PACKAGE...]: a minimal Debian SUITE with those packages. The folder appears complete or not at all. It notes in .recipe what it was
# made of, and is made anew where that is something else. One run makes it, others wait.
make_root() {
  local folder=$1 recipe making
  recipe=$(printf '%s\n' "${@:2}" | sha256sum | cut -d ' ' -f 1)
  mkdir -p "$(dirname "$folder")"
  exec {making}>"$folder.lock"
  flock "$making"
  [ "$(cat "$folder/.recipe" 2>/dev/null)" = "$recipe" ] || new_root "$recipe" "$@"
  exec {making}>&-
}
new_root() {  # new_root RECIPE FOLDER SUITE [PACKAGE...]
  local recipe=$1 folder=$2 suite=$3 mirror missing=()
  shift 3
  command -v debootstrap >/dev/null || missing+=(debootstrap)
  [ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || missing+=(debian-archive-keyring)
  apt_install ${missing[@]+"${missing[@]}"}
  mirror=$(debian_mirror)
  say "making a root of Debian $suite in $folder"
  as_root rm -rf --one-file-system "$folder.new"
  as_root debootstrap --variant=minbase "$suite" "$folder.new" "$mirror" >"$folder.log" 2>&1 || { tail -n 5 "$folder.log" >&2; die "debootstrap failed: $folder.log"; }
  if [ $# -gt 0 ]; then
    in_root "$folder.new" -- sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"' install "$@" \
      >>"$folder.log" 2>&1 || { tail -n 5 "$folder.log" >&2; die "packages could not be installed: $folder.log"; }
  fi
  echo "$recipe" | as_root tee "$folder.new/.recipe" >/dev/null
  as_root rm -rf --one-file-system "$folder"
  as_root mv -T "$folder.new" "$folder"
}

# in_root FOLDER [USER=UID:GID] [SOURCE:TARGET[:ro]...] -- COMMAND...: runs COMMAND in the root with those folders mounted, in a mount and process namespace
# of its own: no mount and no process of it stays behind. The environment is empty but for PATH, HOME and the locale.
in_root() {
  local folder=$1 user=0:0 binds=()
  shift
  while [ "$1" != -- ]; do
    case $1 in USER=*) user=${1#USER=} ;; *) binds+=("$1") ;; esac
    shift
  done
  shift
  # shellcheck disable=SC2016  # expanded inside
  as_root unshare --mount --pid --fork --kill-child bash -c '
    set -e
    folder=$1 user=$2 count=$3
    shift 3
    mount -t proc proc "$folder/proc"
    mount --rbind /dev "$folder/dev"
    for ((i = 0; i < count; i++)); do
      bind=$1 options=bind
      shift
      case $bind in *:ro) options=bind,ro bind=${bind%:ro} ;; esac
      mkdir -p "$folder${bind#*:}"
      mount --bind "${bind%%:*}" "$folder${bind#*:}"
      [ $options = bind ] || mount -o remount,bind,ro "$folder${bind#*:}"
    done
    exec chroot --userspec="$user" "$folder" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 "$@"' \
    in_root "$folder" "$user" "${#binds[@]}" ${binds[@]+"${binds[@]}"} "$@"
}
