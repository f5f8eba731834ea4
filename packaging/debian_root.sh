# Sourced by packaging/natives.sh, packaging/packages/deb.sh and tests/packages/run.sh, which define
# say and die: Debian systems in folders of the cache, and commands inside them. Where a release is
# taken from, the first of these that is there:
#   CONTRASTIVE_DEBIAN_MIRROR_BULLSEYE   (or _BOOKWORM): the address of a mirror for this release
#                                        alone, such as one that has left the others
#   CONTRASTIVE_DEBIAN_MIRROR            the address of a mirror for all releases: Ubuntu needs it,
#                                        whose own mirrors do not have Debian
#   the mirror that apt has for this release, or, where it has none, for another release of Debian

# Whoever is not root becomes it by sudo: debootstrap, mounts and chroot ask for it.
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

# debian_mirror SUITE: prints the address.
debian_mirror() {
  local own=CONTRASTIVE_DEBIAN_MIRROR_${1^^} mirror known
  mirror=${!own:-${CONTRASTIVE_DEBIAN_MIRROR:-}}
  if [ -z "$mirror" ]; then
    known=$(apt-get indextargets --format \
      '$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(CODENAME)|$(REPO_URI)' 'Created-By: Packages' | sed -n \
      's/^Debian|Debian|main|//p')
    mirror=$(awk -F '|' -v suite="$1" '$1 == suite { print $2; exit }' <<<"$known")
    mirror=${mirror:-$(awk -F '|' '{ print $2; exit }' <<<"$known")}
  fi
  [ -n "$mirror" ] ||
    die "apt knows no Debian mirror here: set CONTRASTIVE_DEBIAN_MIRROR to the address of one"
  printf '%s\n' "$mirror"
}

# make_root FOLDER SUITE[:ARCH] [PACKAGE...]: a minimal Debian SUITE with those packages, for this
# machine's processor or for ARCH, whose programs then run by emulation; PACKAGE:ARCH is one for
# another processor. The folder appears complete or not at all. It notes in .recipe what it was made
# of, and is made again where that is something else. One run makes it, others wait.
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
  local recipe=$1 folder=$2 suite=${3%:*} for_arch=${3#*:} mirror missing=() package
  [ "$for_arch" != "$3" ] || for_arch=$(dpkg --print-architecture)
  shift 3
  emulate "$for_arch"
  command -v debootstrap >/dev/null || missing+=(debootstrap)
  [ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || missing+=(debian-archive-keyring)
  apt_install ${missing[@]+"${missing[@]}"}
  mirror=$(debian_mirror "$suite")
  say "making a root of Debian $suite for $for_arch in $folder"
  as_root rm -rf --one-file-system "$folder.new"
  as_root debootstrap --arch="$for_arch" --variant=minbase "$suite" "$folder.new" "$mirror" \
    >"$folder.log" 2>&1 || { tail -n 5 "$folder.log" >&2; die "debootstrap failed: $folder.log"; }
  for package in "$@"; do
    case $package in *:*) in_root "$folder.new" -- dpkg --add-architecture "${package#*:}" ;; esac
  done
  if [ $# -gt 0 ]; then
    in_root "$folder.new" -- sh -c 'apt-get update -qq &&
      DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"' \
      install "$@" >>"$folder.log" 2>&1 || {
        tail -n 5 "$folder.log" >&2; die "packages could not be installed: $folder.log"; }
  fi
  echo "$recipe" | as_root tee "$folder.new/.recipe" >/dev/null
  as_root rm -rf --one-file-system "$folder"
  as_root mv -T "$folder.new" "$folder"
}

# emulate ARCH: makes this machine's kernel start programs of that processor, with qemu-user, in any
# root. It registers qemu once after each boot, as Debian's own package does with systemd
# (binfmt_misc; F: the kernel opens qemu now, so no root needs a copy).
emulate() {
  local arch=$1 name magic=/proc/sys/fs/binfmt_misc
  [ "$arch" != "$(dpkg --print-architecture)" ] || return 0
  [ "$arch" = arm64 ] || die "programs for $arch are not known to run here"
  name=qemu-aarch64
  command -v $name-static >/dev/null || apt_install qemu-user-static
  [ -e $magic/register ] || as_root mount -t binfmt_misc binfmt_misc $magic ||
    die "this machine's kernel lets nobody say what runs programs for $arch (binfmt_misc)"
  [ ! -e $magic/$name ] || return 0
  # An ELF file of 64 bits for machine 183 (0xb7), whatever its system and whether it is a program
  # or a library.
  local bytes='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  local mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  printf '%s' ":$name:M::$bytes:$mask:$(command -v $name-static):F" |
    as_root tee $magic/register >/dev/null ||
      die "this machine's kernel does not take qemu for programs for $arch (binfmt_misc)"
}

# in_root FOLDER [USER=UID:GID] [SOURCE:TARGET[:ro]...] -- COMMAND...: runs COMMAND in the root with
# those folders mounted. A separate mount and process namespace ensures that no mount and no process
# is left. The environment has only PATH, HOME and the locale.
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
    path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    exec chroot --userspec="$user" "$folder" env -i PATH=$path HOME=/tmp LC_ALL=C.UTF-8 "$@"' \
    in_root "$folder" "$user" "${#binds[@]}" ${binds[@]+"${binds[@]}"} "$@"
}
