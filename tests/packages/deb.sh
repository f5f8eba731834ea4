# Debian packages, installed as an administrator does it and used by an ordinary user, on Debian 12 and on Debian 11.
# shellcheck shell=bash
for suite in $suites; do
  fresh "$suite" gcc libc6-dev pkg-config
  as_admin sh -c 'apt-get update -qq' >/dev/null 2>&1 || true
  snapshot "$work/before"
  install() { as_admin env DEBIAN_FRONTEND=noninteractive sh -c 'cd /packages/deb && apt-get install -y -qq --no-install-recommends "$@"' install "$@"; }

  # The program and the library, without what trains.
  expect "$suite: install contrastive" 0 "" install "./libcontrastive0_${version}_amd64.deb" "./contrastive_${version}_amd64.deb"
  embeds_and_searches contrastive
  says_what_training_needs contrastive "libcontrastive-torch.so.0 is neither in"
  # The service is there and off; its unit is one that systemd understands as far as can be said without a running systemd.
  expect "$suite: the service is there" 0 "ExecStart=/usr/bin/contrastive serve" as_admin sh -c 'cat /lib/systemd/system/contrastive.service'
  expect "$suite: the service is off" 0 "" as_admin sh -c 'test -z "$(find /etc/systemd -name "contrastive.service")"'

  # What programs are compiled with.
  expect "$suite: install libcontrastive-dev" 0 "" install "./libcontrastive-dev_${version}_amd64.deb"
  expect "$suite: ten lines of C" 0 "$ten_lines_print" as_reader sh -c 'gcc work/ten.c -o ten $(pkg-config --cflags --libs contrastive) && ./ten'

  # The part that trains, without LibTorch; and with it where the description says.
  expect "$suite: install libcontrastive-torch0" 0 "" install "./libcontrastive-torch0_${version}_amd64.deb"
  says_what_training_needs contrastive "LibTorch was not found"
  expect "$suite: another LibTorch" 9 "it is LibTorch 2.4.1+cpu, and 2.11.0 is needed" as_reader sh -c "$an_old_libtorch && CONTRASTIVE_LIBTORCH=old exec contrastive config train"
  expect "$suite: LibTorch in /opt" 0 "" as_admin sh -c 'tar xzf /packages/contrastive-libtorch-*-linux-x64.tar.gz -C /opt'
  trains contrastive
  as_admin rm -rf /opt/libtorch

  expect "$suite: installed twice" 0 "" as_admin env DEBIAN_FRONTEND=noninteractive sh -c 'cd /packages/deb && apt-get install -y -qq --reinstall ./*.deb && contrastive version'
  expect "$suite: remove" 0 "" as_admin env DEBIAN_FRONTEND=noninteractive apt-get purge -y -qq contrastive libcontrastive0 libcontrastive-torch0 libcontrastive-dev
  as_reader rm -rf ten old
  left_behind "$work/before"
done
