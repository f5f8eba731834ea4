# Sourced by bootstrap.sh and the scripts of packaging/toolchains, which define say and die.

# apt_install PACKAGE...: as root or with sudo, asking nothing; without arguments there is nothing
# to do.
apt_install() {
  [ $# -gt 0 ] || return 0
  command -v apt-get >/dev/null || die "this script knows Debian and Ubuntu; elsewhere install: $*"
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "need root or sudo to install: $*"
    sudo=(sudo)
  fi
  say "installing $*"
  # another apt may be at work on this machine
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y \
    -qq --no-install-recommends "$@" >/dev/null
}
