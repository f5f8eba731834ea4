# Debian packages, installed as an administrator does it and used by an ordinary user, on Debian 12
# and on Debian 11.
# shellcheck shell=bash disable=SC2154
made deb
[ "$arch" = arm64 ] || made tarball  # LibTorch for /opt
# What README.Debian has the administrator type, without systemctl: no systemd runs here.
typed=$(sed -n 's/^  \([a-z]\)/\1/p' "$root/packaging/packages/debian/contrastive.README.Debian")
grep -q '^systemctl enable' <<<"$typed" ||
  die "README.Debian does not say how the service is started"
typed=$(grep -v '^systemctl' <<<"$typed")
# What the unit starts, with what systemd would hand it, on a port that is free; a client asks it
# with the key and without.
serves='. /etc/contrastive/serve.env
export CREDENTIALS_DIRECTORY=/etc/contrastive $(sed -n "s/^Environment=//p" "$unit")
command=$(sed -n "s/^ExecStart=//p" "$unit" | sed "s/--port 8000/--port 0/")
eval "$command" >/tmp/served 2>&1 &
server=$!
port=
for ((i = 0; i < 2400; i++)); do
  port=$(sed -n "s|.*http://127.0.0.1:\([0-9]*\).*|\1|p" /tmp/served | head -n 1)
  [ -z "$port" ] && kill -0 "$server" || break
  sleep 0.25
done
[ -n "$port" ] || { cat /tmp/served; exit 1; }
ask() {
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n%bConnection: close\r\n\r\n" "$1" >&3
  head -n 1 <&3
  exec 3>&-
}
ask "Authorization: Bearer $(cat /etc/contrastive/keys)\r\n"
ask ""
kill "$server"
wait "$server"
rm /tmp/served'
for suite in $suites; do
  fresh "$suite" gcc libc6-dev pkg-config
  as_admin sh -c 'apt-get update -qq' >/dev/null 2>&1 || true
  snapshot "$work/before"
  install() {
    as_admin env DEBIAN_FRONTEND=noninteractive sh -c \
      'cd /packages/deb && apt-get install -y -qq --no-install-recommends "$@"' install "$@"
  }

  # The program and the library, without the training plugin.
  expect "$suite: install contrastive" 0 "" install "./libcontrastive0_${version}_${arch}.deb" \
    "./contrastive_${version}_${arch}.deb"
  embeds_and_searches contrastive
  says_what_training_needs contrastive "libcontrastive-torch.so.0 is neither in"
  # The service is there and off; its unit is one that systemd understands as far as can be said
  # without a running systemd.
  expect "$suite: the service is there" 0 "ExecStart=/usr/bin/contrastive serve" as_admin sh -c \
    'cat /lib/systemd/system/contrastive.service'
  expect "$suite: its settings are there" 0 "#CONTRASTIVE_MODEL=/var/lib/contrastive-models/model" \
    as_admin cat /etc/contrastive/serve.env
  expect "$suite: they are the administrator's" 0 "/etc/contrastive/serve.env" as_admin dpkg-query \
    -W -f '${Conffiles}' contrastive
  expect "$suite: README.Debian's commands" 0 "-rw------- 1 root root" \
    in_root "$machine" "$model:/srv/all-MiniLM-L6-v2:ro" -- sh -euc "cd /srv; $typed
    ls -l /etc/contrastive/keys"
  expect "$suite: what the service starts answers" 0 "HTTP/1.1 200" in_root "$machine" -- env \
    unit=/lib/systemd/system/contrastive.service bash -uc "$serves"
  grep -q 'HTTP/1.1 401' "$work/printed" || failed "$suite: it answers those who have no key"
  as_admin rm -rf /etc/contrastive/keys /var/lib/contrastive-models/model  # the administrator's own
  for file in libcontrastive0/{CHANGELOG.md,NOTICE,THIRD_PARTY_LICENSES} \
    contrastive/{NOTICE,THIRD_PARTY_LICENSES}; do
    expect "$suite: $file" 0 "" bash -c 'zcat -f "$1"* | cmp - "$2"' compare \
      "$machine/usr/share/doc/$file" "$root/${file#*/}"
  done
  expect "$suite: the service is off" 0 "" as_admin sh -c \
    'test -z "$(find /etc/systemd -name "contrastive.service")"'

  # What programs are compiled with.
  expect "$suite: install libcontrastive-dev" 0 "" install \
    "./libcontrastive-dev_${version}_${arch}.deb"
  expect "$suite: ten lines of C" 0 "$ten_lines_print" as_reader sh -c \
    'gcc work/ten.c -o ten $(pkg-config --cflags --libs contrastive) && ./ten'

  # The training plugin, first without LibTorch, then with it in the folder that the description
  # names.
  expect "$suite: install libcontrastive-torch0" 0 "" install \
    "./libcontrastive-torch0_${version}_${arch}.deb"
  says_what_training_needs contrastive "LibTorch was not found"
  expect "$suite: another LibTorch" 9 "it is LibTorch 2.4.1+cpu, and 2.11 is needed" as_reader \
    sh -c "$an_old_libtorch && CONTRASTIVE_LIBTORCH=old exec contrastive config train"
  if [ "$arch" = arm64 ]; then
    reader_has=("${by_pip[@]}")
    trains contrastive
    reader_has=()
  else
    expect "$suite: LibTorch in /opt" 0 "" as_admin sh -c \
      'tar xzf /packages/tarball/contrastive-libtorch-*-linux-x64.tar.gz -C /opt'
    trains contrastive
    as_admin rm -rf /opt/libtorch
  fi

  expect "$suite: installed twice" 0 "" as_admin env DEBIAN_FRONTEND=noninteractive sh -c \
    'cd /packages/deb && apt-get install -y -qq --reinstall ./*.deb && contrastive version'
  expect "$suite: remove" 0 "" as_admin env DEBIAN_FRONTEND=noninteractive apt-get purge -y -qq \
    contrastive libcontrastive0 libcontrastive-torch0 libcontrastive-dev
  as_reader rm -rf ten old
  left_behind "$work/before"
done
