#!/usr/bin/env bash
# ranks_test.sh PROGRAM FIXTURES: ranks as processes of the program: `--ranks`, the variables of
# launchers, a rank that is killed, stopped, cut off from the network or has other files, and a run
# that is resumed afterwards.
here=$(cd "$(dirname "$0")" && pwd)
fixtures=$(realpath "$2")
source "$here/checks.sh" "$1"
model=$fixtures/models/bert_st
for i in $(seq 60); do printf 'text %s of a\ttext %s of b\n' "$i" "$((i * 7 % 60))"; done >pairs.tsv
# Plain SGD: Adam would amplify gradients that are 0 except for rounding.
train=("$contrastive" train --quiet --method mnrl --model "$model" --batch-size 8 --lr 0.01 --seed 3
  --set optimizer=sgd --force)
pairs=(--train pairs.tsv)
weights() { sha256sum "$1/model.safetensors" | cut -d ' ' -f 1; }

# --- local ranks ---
expect 0 "one process" "${train[@]}" "${pairs[@]}" --max-steps 4 --output one
expect 0 "two ranks" "${train[@]}" "${pairs[@]}" --max-steps 4 --output two --ranks 2
expect 0 "two ranks again" "${train[@]}" "${pairs[@]}" --max-steps 4 --output again --ranks 2
[ "$(weights two)" = "$(weights again)" ] && pass || complain "two runs of two ranks differ"
expect 0 "two ranks as threads" "${train[@]}" "${pairs[@]}" --max-steps 4 --output threads \
  --set dist.mode=threads --set 'dist.devices=["cpu", "cpu"]'
[ "$(weights two)" = "$(weights threads)" ] && pass ||
  complain "ranks as threads and as processes differ"
[ "$(wc -l <two/metrics.jsonl)" -eq "$(wc -l <one/metrics.jsonl)" ] && pass ||
  complain "the records have another number of lines"
python3 - one/model.safetensors two/model.safetensors <<'PYTHON' && pass ||
import array, json, sys
def tensors(path):
    data = open(path, "rb").read()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    floats = {}
    for name, tensor in header.items():
        if name != "__metadata__" and tensor["dtype"] == "F32":
            begin, end = (8 + size + at for at in tensor["data_offsets"])
            floats[name] = array.array("f", data[begin:end])
    return floats
one, two = (tensors(path) for path in sys.argv[1:])
assert one.keys() == two.keys() and one
apart = max(abs(a - b) for k in one for a, b in zip(one[k], two[k]))
print(f"two processes and one differ by {apart:.2e}")
sys.exit(apart > 1e-6)
PYTHON
  complain "the weights of two ranks are not those of one process"
expect 0 "ranks go on with a run of one" "${train[@]}" "${pairs[@]}" --max-steps 6 --resume one \
  --output on --ranks 3
expect 2 "no number of ranks" "${train[@]}" "${pairs[@]}" --max-steps 1 --output bad --ranks 0
holds err "--ranks '0'" "no number of ranks"
absent 'tmp/contrastive-ranks*' "nothing is left"

# --- launchers ---
port=$((20000 + $$ % 12000))  # below those that the system gives to clients
# ranks SIZE STEPS OUTPUT ARGUMENTS...: as torchrun starts them; exit
# codes and messages in code.N and err.N
ranks() {
  local size=$1 steps=$2 output=$3 rank
  shift 3
  rm -f code.* err.*
  for rank in $(seq 0 $((size - 1))); do
    (
      code=0
      RANK=$rank WORLD_SIZE=$size MASTER_ADDR=127.0.0.1 MASTER_PORT=$port "${train[@]}" \
        "${pairs[@]}" --max-steps "$steps" --output "$output" --ranks env \
        --set dist.timeout=20 "$@" >/dev/null 2>"err.$rank" || code=$?
      echo "$code" >"code.$rank"
    ) &
  done
}
ranks 2 4 launched
wait
[ "$(cat code.0 code.1 | tr -d '\n')" = 00 ] && pass ||
  complain "ranks of a launcher: $(cat err.0 err.1)"
[ "$(weights launched)" = "$(weights two)" ] && pass ||
  complain "a launcher's ranks and local ones differ"
RANK=1 WORLD_SIZE=2 expect 0 "variables without --ranks make no rank" "${train[@]}" "${pairs[@]}" \
  --max-steps 4 --output alone
[ "$(weights alone)" = "$(weights one)" ] && pass ||
  complain "variables changed a run that did not ask for them"
RANK=2 WORLD_SIZE=2 expect 2 "a rank beyond the last" "${train[@]}" "${pairs[@]}" --max-steps 1 \
  --output bad --ranks env
holds err "this is rank 2" "a rank beyond the last"
expect 2 "no launcher" "${train[@]}" "${pairs[@]}" --max-steps 1 --output bad --ranks env
holds err "no launcher has set its variables" "no launcher"
python3 -c "
import socket, sys, time
listener = socket.create_server(('', $port))
print('listening', flush=True)
time.sleep(60)" >listening &
listener=$!
until grep -q listening listening; do sleep 0.05; done
code=0
RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port "${train[@]}" "${pairs[@]}" \
  --max-steps 1 --output bad --ranks env --set dist.timeout=3 2>err || code=$?
[ "$code" -ne 0 ] && pass || complain "a port in use was taken"
holds err "cannot listen on port $port" "a port in use"
kill "$listener"
wait "$listener" 2>/dev/null

# --- other files, another config ---
port=$((port + 1))
sed 's/text 9 /text nine /' pairs.tsv >other.tsv
RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port "${train[@]}" "${pairs[@]}" \
  --max-steps 2 --output bad --ranks env --set dist.timeout=20 2>err.0 &
first=$!
code=0
RANK=1 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port "${train[@]}" --train other.tsv \
  --max-steps 2 --output bad --ranks env --set dist.timeout=20 2>err.1 || code=$?
wait "$first" && complain "ranks with other files: rank 0 trains" || pass
[ "$code" -ne 0 ] && pass || complain "ranks with other files: rank 1 trains"
for rank in 0 1; do holds "err.$rank" "the data's fingerprint" "other files, rank $rank"; done

# --- a rank that dies, and one that hangs ---
lose() {  # lose SIGNAL OUTPUT: rank 1 of three gets the signal in the middle of a run
  port=$((port + 1))
  ranks 3 1000000 "$2" --checkpoints "$2.kept" --save-every 5 --set dist.timeout=8
  until [ "$(ls "$2.kept" 2>/dev/null | grep -c ^step-)" -ge 2 ] || [ -s code.0 ]; do
    sleep 0.1
  done
  local process
  process=$(grep -lz "^RANK=1\$" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3 |
    while read -r id; do
      grep -qz "^MASTER_PORT=$port\$" "/proc/$id/environ" 2>/dev/null &&
        [ "$(readlink "/proc/$id/exe")" = "$contrastive" ] && echo "$id"
    done | head -n 1)
  [ -n "$process" ] || { complain "rank 1 was not found"; return; }
  local begin=$SECONDS
  kill "-$1" "$process"
  until [ -s code.0 ] && [ -s code.2 ]; do
    sleep 0.1
    if [ $((SECONDS - begin)) -gt 60 ]; then complain "rank 0 or 2 waits for ever"; break; fi
  done
  echo "SIG$1: the other ranks ended after $((SECONDS - begin)) s"
  kill -KILL "$process" 2>/dev/null
  wait
  for rank in 0 2; do
    [ "$(cat code.$rank)" != 0 ] && pass || complain "SIG$1: rank $rank ended well"
    holds "err.$rank" "rank 1" "SIG$1: rank $rank names rank 1"
    holds "err.$rank" "no heartbeat" "SIG$1: rank $rank says why"
  done
}
lose KILL killed
expect 0 "a run goes on behind a rank that died" "${train[@]}" "${pairs[@]}" \
  --resume killed.kept --output killed_on --ranks 2 \
  --set max_steps=$((10#$(ls killed.kept | sed -n "s/^step-//p" | sort | tail -n 1) + 4))
lose STOP stopped

# --- two machines ---
# Rank 1 is in a separate network namespace, which one cable joins to that of rank 0. Runs FUNCTION
# there. Returns 77 if this machine has no network namespaces.
two_machines() {
  ip link set lo up && ip link add va type veth peer name vb || return 77
  unshare --net sleep 300 &
  other=$!
  until [ "$(readlink "/proc/$other/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do
    sleep 0.05
  done
  ip link set vb netns "$other" && ip address add 192.168.99.1/24 dev va && ip link set va up ||
    return 77
  nsenter -t "$other" -n sh -c \
    'ip link set lo up && ip address add 192.168.99.2/24 dev vb && ip link set vb up' || return 77
  local code=0
  "$1" || code=$?
  kill "$other"
  return $code
}
# start RANK ARGUMENTS...: in the background, on its machine, with
# the file hosts.RANK as its /etc/hosts
start() {
  local rank=$1 inside=()
  shift
  [ "$rank" = 0 ] || inside=(nsenter -t "$other" -n)
  (
    code=0
    "${inside[@]}" unshare --mount sh -c 'mount --bind "$0" /etc/hosts && exec env "$@"' \
      "hosts.$rank" RANK="$rank" WORLD_SIZE=2 MASTER_PORT=$port "${train[@]}" "${pairs[@]}" \
      --output far --ranks env --set dist.timeout=8 "$@" >/dev/null 2>"err.$rank" || code=$?
    echo "$code" >"code.$rank"
  ) &
  pids+=($!)
}
cut_link() {
  local pids=() rank
  export MASTER_ADDR=192.168.99.1
  for rank in 0 1; do start $rank --max-steps 1000000 --checkpoints cut.kept --save-every 5; done
  until [ "$(ls cut.kept 2>/dev/null | grep -c ^step-)" -ge 2 ] || [ -s code.0 ]; do sleep 0.1; done
  ip link set va down
  wait "${pids[@]}"
}
own_name() {
  local pids=() rank
  export MASTER_ADDR=first
  for rank in 0 1; do start $rank --max-steps 2; done
  wait "${pids[@]}"
}
no_way() {  # rank 1 waits for rank 0 where nobody but itself comes
  local pids=()
  export MASTER_ADDR=192.168.99.1
  start 0 --max-steps 2
  start 1 --max-steps 2 --set dist.interface=lo
  wait "${pids[@]}"
}
printf '127.0.0.1 localhost\n127.0.1.1 first\n' >hosts.0  # as Debian names a machine to itself
printf '127.0.0.1 localhost\n192.168.99.1 first\n' >hosts.1
export -f two_machines start cut_link own_name no_way
export port
apart() {  # apart FUNCTION: what became of it in code.N and err.N; fails where it was skipped
  local code=0
  rm -f code.* err.*
  port=$((port + 1))
  begin=$SECONDS
  { declare -p train pairs; echo "two_machines $1"; } >apart.sh
  unshare --net bash -c 'source ./apart.sh' || code=$?
  [ "$code" -ne 77 ] || echo "skipped: $1, this machine makes no pairs of network interfaces"
  [ "$code" -ne 77 ]
}
if unshare --net --mount true 2>/dev/null && command -v ip >/dev/null &&
  command -v nsenter >/dev/null; then
  if apart cut_link; then
    echo "a cut link: the ranks ended after at most $((SECONDS - begin)) s"
    for rank in 0 1; do
      [ "$(cat code.$rank)" != 0 ] && pass || complain "a cut link: rank $rank ended well"
    done
    holds err.0 "rank 1 sends no heartbeat" "a cut link, rank 0"
    holds err.1 "rank 0" "a cut link, rank 1"
  fi
  if apart own_name; then
    for rank in 0 1; do
      [ "$(cat code.$rank)" = 0 ] && pass ||
        complain "a machine that calls itself 127.0.1.1, rank $rank: $(cat err.$rank)"
    done
  fi
  if apart no_way; then
    echo "no way between the ranks: they ended after $((SECONDS - begin)) s"
    for rank in 0 1; do
      [ "$(cat code.$rank)" != 0 ] && pass ||
        complain "no way between the ranks: rank $rank ended well"
    done
    [ $((SECONDS - begin)) -lt 25 ] && pass ||
      complain "no way between the ranks: known after $((SECONDS - begin)) s of 8"
    holds err.0 "to connect the ranks" "no way between the ranks"
  fi
else
  echo "skipped: two machines, this one has no network namespaces for this user, or no ip and" \
    "nsenter"
fi
finish
