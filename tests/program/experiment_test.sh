#!/usr/bin/env bash
# experiment_test.sh PROGRAM ROOT: examples/experiments/experiment.py from end to end, with tiny
# models: grids over seeds, interruption and resume, failures, bad files. It also checks every
# experiment file of examples/ against the keys of the library.
root=$(realpath "$2")
model=$root/tests/fixtures/models/bert_st
source "$(dirname "$0")/checks.sh" "$1"
unset MODEL DATA
export CONTRASTIVE_PROGRAM=$contrastive PYTHONDONTWRITEBYTECODE=1
runner=$root/examples/experiments/experiment.py
experiment() { "$runner" "$@"; }

words=(the cat sat on a mat dog two birds fly over old house red closed cafe)
for i in $(seq 60); do
  echo "${words[i % 16]} ${words[i * 7 % 16]} ${words[i * 3 % 16]} ${words[i * 5 % 11]} $i"
done >texts.txt
printf '%b\n' '5\tthe cat sat\tthe cat sat' '1\tthe cat sat\ttwo birds fly' '3\ta dog\tthe dog' \
  '0\tred\tclosed house' '4\ta cat sat\tthe cat sat' '2\told house\ta dog' >sts.tsv
cat >grid.json <<'JSON'
{"name": "A grid", "about": "Two keys, two seeds.", "model": "${MODEL}", "train": "texts.txt",
 "base": {"method": "consert", "max_steps": "${STEPS}", "lr": 0.001, "schedule": "constant", "consert": {"view1": "dropout"}},
 "variables": {"STEPS": 60},
 "grid": {"consert.temperature": [0.05, 0.5], "batch_size": {"small": 8, "large": 16}},
 "seeds": [1, 2], "save_every": 10,
 "evaluate": [{"task": "sts", "config": {"data": "sts.tsv"}, "scale": 100, "figures": {"S": "spearman.all", "P": "pearson.all"}},
              {"task": "training", "figures": {"loss": "loss"}}],
 "averages": {"Avg": ["S", "P"]}, "lower": ["loss"], "digits": 2, "matrix": ["Avg"]}
JSON

whole_run() {
  expect 0 "a dry run" experiment grid.json --define MODEL="$model" --output whole --dry-run
  holds out "8 runs" "the runs are listed"
  [ ! -e whole ] && pass || complain "a dry run made a folder"
  expect 0 "2 x 2 x 2 runs" experiment grid.json --define MODEL="$model" --output whole --quiet
  for file in table.md table.csv table.json matrix.csv runs/0.05-small/seed-1/{run,result}.json \
    runs/0.5-large/seed-2/train/{metrics.jsonl,metrics.json,model/run.json}; do
    [ -s whole/$file ] && pass || complain "whole/$file is missing"
  done
  lacks whole/runs/0.5-large/seed-2/train/model/run.json "metrics.jsonl" \
    "a config that others can be trained by"
  [ "$(wc -l <whole/runs/0.5-large/seed-2/train/metrics.jsonl)" -eq 60 ] && pass ||
    complain "not one line of metrics for every update"
  holds whole/table.md "| consert.temperature | batch_size | runs | S | P | loss | Avg |" \
    "the columns, in the file's order"
  holds whole/table.md '| consert.temperature \ batch_size | small | large |' \
    "two keys make a matrix"
  holds whole/table.md "seed (1, 2)" "the seeds are stated"
  [ "$(grep -c '^| 0' whole/table.md)" -eq 6 ] && pass ||
    complain "four cells and two lines of the matrix were expected"
  [ "$(wc -l <whole/table.csv)" -eq 5 ] && pass ||
    complain "table.csv has $(wc -l <whole/table.csv) lines"
  python3 - <<'PY' || complain "the figures are not those of the runs"
import json, math
table = json.load(open("whole/table.json"))
assert table["columns"] == ["S", "P", "loss", "Avg"] and table["seeds"] == [1, 2] and len(table["cells"]) == 4
for cell in table["cells"]:
    label = "%s-%s" % (cell["grid"]["consert.temperature"], cell["grid"]["batch_size"])
    runs = [json.load(open("whole/runs/%s/seed-%d/result.json" % (label, seed))) for seed in (1, 2)]
    steps = [[json.loads(l) for l in open("whole/runs/%s/seed-%d/train/metrics.jsonl" % (label, seed))] for seed in (1, 2)]
    reports = [r["reports"][0]["report"] for r in runs]
    want = {"S": [100 * r["spearman"]["all"] for r in reports], "P": [100 * r["pearson"]["all"] for r in reports], "loss": [s[-1]["loss"] for s in steps]}
    want["Avg"] = [(a + b) / 2 for a, b in zip(want["S"], want["P"])]
    for name, values in want.items():
        figure = cell["figures"][name]
        mean = sum(values) / 2
        assert figure["n"] == 2 and all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(figure["values"], values)), (label, name)
        assert math.isclose(figure["mean"], mean, rel_tol=1e-9, abs_tol=1e-12)
        assert math.isclose(figure["std"], math.sqrt(sum((v - mean) ** 2 for v in values)), rel_tol=1e-6, abs_tol=1e-9)
    assert runs[0]["status"] == "finished"
    assert steps[0][-1]["loss"] != steps[1][-1]["loss"]  # the seed matters
for name, best in (("Avg", max), ("loss", min)):
    means = [c["figures"][name]["mean"] for c in table["cells"]]
    assert [c["figures"][name]["best"] for c in table["cells"]] == [m == best(means) for m in means]
PY
  passed=$((passed + 1))
  cp whole/table.md first.md
  local before after
  before=$(stat -c %Y.%y whole/runs/*/*/result.json)
  expect 0 "again: nothing to do" experiment grid.json --define MODEL="$model" --output whole \
    --quiet
  after=$(stat -c %Y.%y whole/runs/*/*/result.json)
  [ "$before" = "$after" ] && pass || complain "finished runs were made again"
  equal first.md whole/table.md "the same table"
  local file
  for file in run.json result.json; do
    cp -r whole nested && brackets metrics >nested/runs/0.05-small/seed-1/$file
    expect 3 "400,000 brackets in a run" experiment grid.json --define MODEL="$model" \
      --output nested --quiet
    rm -r nested
  done
  cp -r whole nested && rm nested/runs/0.05-small/seed-1/result.json &&
    brackets metrics >nested/runs/0.05-small/seed-1/train/metrics.json
  expect 1 "400,000 brackets in its metrics" experiment grid.json --define MODEL="$model" \
    --output nested --quiet
  holds nested/runs/0.05-small/seed-1/result.json "this is not what was written here" \
    "why the run failed"
  expect 0 "--json" experiment grid.json --define MODEL="$model" --output whole --json
  holds out '"columns":["S","P","loss","Avg"]' "the table on standard output"
}

# Models that are not kept are removed, at the next call at the latest: a run may have been killed
# between its last figure and the removal.
without_models() {
  cp -r whole bare
  sed 's/"seeds"/"keep_models": false, "seeds"/' grid.json >bare.json
  expect 0 "the same runs without their models" experiment bare.json --define MODEL="$model" \
    --output bare --quiet
  [ -z "$(find bare -name model)" ] && pass || complain "models were left: $(find bare -name model)"
  equal first.md bare/table.md "the same figures"
  [ -s bare/runs/0.5-large/seed-2/train/metrics.jsonl ] && pass ||
    complain "more than the models was removed"
}

# stop_when FILE SIGNAL ARGUMENTS...: runs an experiment in the background until a file exists, and
# sends it a signal. Returns its exit code.
stop_when() {
  local file=$1 signal=$2 pid code=0
  shift 2
  set -m
  "$runner" "$@" >out 2>err &
  pid=$!
  set +m
  for _ in $(seq 30000); do
    [ -e "$file" ] || ! kill -0 $pid 2>/dev/null && break
    sleep 0.01
  done
  kill -s "$signal" $pid
  wait $pid 2>/dev/null || code=$?
  return $code
}

# Interrupts an experiment three times in three ways. The result is that of the whole run.
interruption() {
  for _ in 1 2 3 4 5; do  # a training takes a tenth of a second: a signal may come too late
    rm -rf cut stopped
    expect 130 "Ctrl-C" stop_when cut/runs/0.05-large/seed-1/train/unfinished/state/run.json INT \
      grid.json --define MODEL="$model" --output cut --quiet
    holds err "the same command continues" "how to continue"
    [ ! -e cut/runs/0.05-large/seed-1/result.json ] && cp -r cut/runs/0.05-large/seed-1 stopped ||
      continue
    expect 137 "kill -9" stop_when cut/runs/0.5-small/seed-2/train/unfinished/state/run.json KILL \
      grid.json --define MODEL="$model" --output cut --quiet
    [ -e cut/runs/0.5-small/seed-2/result.json ] || break
  done
  [ -e stopped/train/unfinished/state ] && [ ! -e cut/runs/0.5-small/seed-2/result.json ] && pass ||
    complain "no runs were stopped in their middle"
  expect 0 "where it stands" experiment grid.json --define MODEL="$model" --output cut --dry-run
  holds out "runs/0.05-large/seed-1  [finished]" "what is done"
  holds out "runs/0.5-small/seed-2  [begun]" "what is begun"
  holds out "runs/0.5-large/seed-1  [new]" "what is new"
  holds cut/table.md "0 of 2" "the table shows what there is"
  # as if killed while it tidied up
  rm cut/runs/0.05-large/seed-1/result.json && mkdir cut/runs/0.05-large/seed-1/train/unfinished
  expect 143 "SIGTERM" stop_when cut/runs/0.5-large/seed-1/run.json TERM grid.json \
    --define MODEL="$model" --output cut --quiet
  expect 0 "the rest" experiment grid.json --define MODEL="$model" --output cut --quiet
  for file in table.md table.csv table.json matrix.csv; do
    equal whole/$file cut/$file "interrupted and whole"
  done
  local run
  for run in whole/runs/*/*; do
    equal $run/train/model/model.safetensors ${run/whole/cut}/train/model/model.safetensors \
      "the weights of ${run#whole/}"
    [ "$(grep -o '"step":[0-9]*' ${run/whole/cut}/train/metrics.jsonl)" = \
      "$(grep -o '"step":[0-9]*' $run/train/metrics.jsonl)" ] && pass ||
      complain "${run#whole/}: the updates in metrics.jsonl are not one after the other"
    [ ! -e ${run/whole/cut}/train/unfinished ] && pass ||
      complain "${run#whole/}: the saved state is still there"
  done
}

changes() {
  expect 2 "a changed setting" experiment grid.json --define MODEL="$model" --output cut \
    --set lr=0.002
  holds err "cut/runs/0.05-small/seed-1/run.json" "the run is named"
  holds err "config.lr was 0.001 and is 0.002" "the key and both values are named"
  expect 2 "a changed variable" experiment grid.json --define MODEL="$model" --define STEPS=61 \
    --output cut
  holds err "max_steps was 60 and is 61" "the key behind the variable"
  expect 0 "one more seed" experiment grid.json --define MODEL="$model" --output cut --seeds 1,2,3 \
    --only "0.05, small" --json
  holds out '"runs":3,"finished":3' "the third seed was made for one cell"
  holds out '"runs":3,"finished":2' "and for no other"
  sed 's/"task": "training"/"task": "geometry", "config": {"data": "sts.tsv"}/
    s/"loss": "loss"/"loss": "uniformity"/' grid.json >more.json
  expect 0 "another evaluation of trained models" experiment more.json --define MODEL="$model" \
    --output cut --seeds 1 --json
  holds out '"best":true' "it has figures"
  [ "$(wc -l <cut/runs/0.05-small/seed-1/train/metrics.jsonl)" -eq 60 ] && pass ||
    complain "the model was trained again"
}

rows_and_steps() {
  cat >rows.json <<'JSON'
{"name": "Rows", "create": {"tokenizer": "${MODEL}", "pooling": "cls", "layers": 1, "hidden_size": 16, "attention_heads": 2, "max_length": 32, "seed": "${SEED}"},
 "base": {"max_steps": 6, "batch_size": 8, "lr": 0.001},
 "steps": [{"name": "pre", "train": "texts.txt", "base": {"method": "clear", "clear.preset": "small", "clear.recipe": "del-word"}},
           {"name": "tune", "train": "texts.txt", "base": {"method": "simcse"}}],
 "rows": [{"name": "nothing", "steps": []},
          {"name": "both"},
          {"name": "MLM first", "set": {"pre:clear.objective": "mlm", "pre:clear.recipe": null, "tune:lr": 0.01}},
          {"name": "both, mean", "model_of": "both", "steps": [], "set": {"evaluate:encode.pooling": "mean"}},
          {"name": "a folder", "steps": [], "set": {"model": "${MODEL}"}},
          {"name": "explodes", "set": {"pre:lr": 1000, "pre:weight_decay": 10, "pre:max_steps": 60}},
          {"name": "after it", "model_of": "explodes", "steps": []}],
 "seeds": [3, 4], "evaluate": [{"task": "sts", "config": {"data": "sts.tsv"}, "figures": {"S": "spearman.all"}}]}
JSON
  expect 1 "rows, steps, a failure" experiment rows.json --define MODEL="$model" --output rows \
    --quiet
  holds err "4 of 13 runs failed" "how many failed"
  holds err "--retry-failed" "what to do"
  for name in "| nothing | 2 |" "| both | 2 |" "| both, mean | 2 |" "| a folder | 1 |" \
    "| explodes | 0, 2 failed | failed |"; do
    holds rows/table.md "$name" "a row"
  done
  holds rows/table.md "Failed: explodes, seed 3: NUMERIC" "why it failed"
  holds rows/table.md "Failed: after it, seed 4: SOURCE" "what begins with a failed run fails"
  lacks rows/table.md "NaN" "no NaN in the table"
  python3 - <<'PY' || complain "rows: the runs are not what the file says"
import json
plan = lambda row, seed: json.load(open("rows/runs/%s/seed-%d/run.json" % (row, seed)))
assert plan("both", 3)["start"]["create"]["seed"] == 3 and plan("both", 4)["start"]["create"]["seed"] == 4
assert [s["name"] for s in plan("both", 3)["steps"]] == ["pre", "tune"] and plan("both", 3)["steps"][1]["config"]["seed"] == 3
mlm = plan("MLM-first", 3)["steps"]
assert "clear.recipe" not in mlm[0]["config"] and mlm[0]["config"]["lr"] == 0.001 and mlm[1]["config"]["lr"] == 0.01
start = plan("both-mean", 4)["start"]
assert start["row"] == "both" and start["folder"] == "runs/both/seed-4" and start["trained_by"] == {k: plan("both", 4)[k] for k in ("start", "steps")}
assert plan("both-mean", 4)["evaluate"][0]["config"]["encode.pooling"] == "mean"
result = json.load(open("rows/runs/explodes/seed-3/result.json"))
assert result["status"] == "failed" and result["code"] == "NUMERIC", result
PY
  passed=$((passed + 1))
  expect 1 "failed runs are kept" experiment rows.json --define MODEL="$model" --output rows --quiet
  cp rows/runs/explodes/seed-3/run.json kept.json && echo >>rows/runs/explodes/seed-3/run.json
  expect 1 "--retry-failed" experiment rows.json --define MODEL="$model" --output rows --quiet \
    --retry-failed
  equal kept.json rows/runs/explodes/seed-3/run.json "the failed run was made again"
  rm -r rows/runs/both
  expect 2 "another model behind a row" experiment rows.json --define MODEL="$model" --output rows \
    --set tune:lr=0.5 --only "both, mean"
  holds err "rows/runs/both-mean/seed-3/run.json" "the run that began with the old one is named"
  holds err "start.trained_by.steps.1.config.lr" "and what is other about its model"
  expect 0 "--only with the row that it needs" experiment rows.json --define MODEL="$model" \
    --output some --quiet --only "both, mean" --seeds 3
  [ "$(ls some/runs | tr '\n' ' ')" = "both both-mean " ] && pass ||
    complain "--only made $(ls some/runs | tr '\n' ' ')"
  expect 2 "--only without such a row" experiment rows.json --define MODEL="$model" --output some \
    --only bothe
  holds err "did you mean 'both'" "the nearest row"
}

# A run that failed after its training is measured again and not trained again. A run that waited
# for its model is then made without --retry-failed.
retries() {
  cp sts.tsv later.tsv
  cat >retry.json <<'JSON'
{"name": "Retry", "model": "${MODEL}", "train": "texts.txt", "variables": {"NAME": "later", "FILE": "${NAME}.tsv", "YEAR": 1e3},
 "base": {"method": "consert", "max_steps": 4, "batch_size": 8, "x-note": "${FILE} of ${YEAR} and ${TYPED}"},
 "rows": [{"name": "a"}, {"name": "b", "model_of": "a", "steps": []}],
 "evaluate": [{"task": "sts", "config": {"data": "${FILE}", "encode.pooling": "${POOLING}"}, "figures": {"S": "spearman.all"}}]}
JSON
  export POOLING=layer:99:cls
  expect 1 "a failing evaluation" experiment retry.json --define MODEL="$model" --define TYPED=1e3 \
    --output retry --quiet
  holds retry/runs/a/seed-1/run.json '"x-note": "later.tsv of 1000.0 and 1e3"' \
    "variables in variables, and as they were typed"
  holds retry/table.md "Failed: b, seed 1: SOURCE" "what begins with it fails"
  [ -s retry/runs/a/seed-1/train/model/model.safetensors ] && pass ||
    complain "the trained model is not there"
  local before after
  before=$(stat -c %y%i retry/runs/a/seed-1/train/model/model.safetensors)
  export POOLING=cls
  expect 1 "failed runs wait for --retry-failed" experiment retry.json --define MODEL="$model" \
    --define TYPED=1e3 --output retry --quiet
  expect 0 "--retry-failed of one row" experiment retry.json --define MODEL="$model" \
    --define TYPED=1e3 --output retry --quiet --retry-failed --only a
  after=$(stat -c %y%i retry/runs/a/seed-1/train/model/model.safetensors)
  [ "$before" = "$after" ] && pass || complain "the model was trained again"
  expect 0 "what waited for it" experiment retry.json --define MODEL="$model" --define TYPED=1e3 \
    --output retry --quiet
  holds retry/table.md "| b | 1 |" "it was made by itself"
  unset POOLING
}

# bad CODE SED NAME TEXT...: the call fails for grid.json changed by SED, with a message that names
# the file and holds every text.
bad() {
  local code=$1 edit=$2 name=$3
  shift 3
  sed "$edit" grid.json >bad.json
  cmp -s grid.json bad.json && complain "$name: the edit changes nothing"
  expect "$code" "$name" experiment bad.json --define MODEL="$model" --output none
  local text
  for text in "bad.json" "$@"; do holds err "$text" "$name"; done
}

bad_files() {
  expect 4 "no such file" experiment nothing.json --output none
  bad 3 's/^{/[/' "no JSON" "not JSON"
  bad 3 's/"seeds": \[1, 2\]/"seeds": [1e999]/' "a number that no double holds" "not JSON"
  bad 3 's/"seeds": \[1, 2\]/"name": "B"/' "a key twice" "key 'name' is in one object twice"
  bad 2 's/"seeds"/"sedes"/' "an unknown key" "'sedes' is not known" "did you mean 'seeds'"
  bad 2 's/"max_steps"/"max_stebs"/' "an unknown train key" "'0.05, small'" "step 'train'" \
    "max_stebs" "max_steps"
  bad 2 's/"data": "sts.tsv"/"daten": "sts.tsv"/' "an unknown key of a task" "evaluate sts" \
    "unknown config key 'daten'"
  bad 2 's/"data": "sts.tsv"/"data": "sts.tsv", "encode.max_length": -3/' \
    "a value of a task out of range" "evaluate sts" "encode.max_length"
  bad 2 's/"task": "sts"/"task": "stss"/' "an unknown task" "stss"
  bad 2 's/"model": "${MODEL}"/"create": {"tokenizer": "${MODEL}", "pooling": "cls"}/
    s/"batch_size": {/"model:pooling": {/' "a setting without an effect" \
    "model:pooling" "begins with a new model"
  bad 2 's/"STEPS": 60/"STEPS": "${A}", "A": "${STEPS}"/' "variables in a circle" "variables"
  python3 -c 'print("{\"name\": " + "[" * 100000 + "]" * 100000 + "}")' >bad.json
  expect 3 "a hundred thousand brackets" experiment bad.json --output none
  holds err "nested deeper" "what is wrong with it"
  bad 2 's/\[0.05, 0.5\]/[]/' "an empty list" "grid.consert.temperature" "empty"
  bad 2 's/"grid": {.*}},/"grid": {},/' "an empty grid" "'grid'" "not empty"
  bad 2 's/\[0.05, 0.5\]/[0.05, 0.05]/' "a value twice" "grid.consert.temperature" "'0.05' twice"
  bad 2 's/\[0.05, 0.5\]/[0.05, -1]/' "a value out of range" "temperature" "'-1, small'"
  bad 2 's/"consert.temperature": \[/"tune:lr": [/' "a scope that is none" \
    "'tune' is not a step or a task"
  bad 2 's/\[1, 2\]/[1, 1]/' "a seed twice" "'seeds' has 1 twice"
  bad 2 's/"seeds": \[1, 2\]/"seeds": [-1]/' "a negative seed" "seeds"
  bad 2 's/"lr": 0.001/"seed": 3/' "a seed in base" "base.seed"
  bad 2 's/"save_every": 10/"save_every": "often"/' "a text for a number" "save_every" "often"
  bad 4 's/"train": "texts.txt"/"train": "missing.txt"/' "missing training data" "missing.txt" \
    "train"
  bad 4 's/"data": "sts.tsv"/"data": "missing.tsv"/' "missing evaluation data" "missing.tsv" \
    "evaluate sts"
  bad 2 's/\${STEPS}/${STEBS}/' "an unknown variable" '${STEBS} is not known' "base.max_steps" \
    "--define STEBS="
  bad 2 's/"averages": .*"lower"/"evaluat": [], "lower"/' "a slip" "'evaluat' is not known"
  bad 2 's/"train": "texts.txt"/"load": {"precision": "bfloat16"}, &/' \
    "weights that cannot be trained" "'precision' is bfloat16"
  bad 2 's/"S": "spearman.all"/"S": "speerman.all"/' "a figure that no report has" \
    "has no 'speerman.all'" "'0.05, small'"
  bad 2 's/"S": "spearman.all"/"S": "spearman.*"/' "several figures for one column" \
    "more than one figure for column 'S'"
  bad 2 's/"S": "spearman.all"/"S": "spearman"/' "what is no figure" \
    "'spearman' in the report of task 'sts' is not a number"
  bad 2 's/"S": "spearman.all"/"S": "sets.A.speerman.all"/' "a slip behind the name of a data set" \
    "has no 'sets.A.speerman.all'"
  printf '5\ta\tb\nnothing that is a pair\n' >broken.tsv
  sed 's/"data": "sts.tsv"/"data": "broken.tsv"/' grid.json >bad.json
  expect 3 "malformed evaluation data" experiment bad.json --define MODEL="$model" --output none
  holds err "broken.tsv:2" "file and line"
  [ ! -e none ] && pass || complain "a bad file made a folder"
  sed 's/"seeds"/"sedes"/; s/"digits": 2/"digits": "two"/; s/\${STEPS}/60/' grid.json >bad.json
  expect 2 "two mistakes" experiment bad.json --define MODEL="$model" --output none --json
  python3 - <<'PY' && pass || complain "both mistakes as JSON: $(cat err)"
import json
document = json.load(open("err"))
messages = [each["message"] for each in (document["error"], *document["others"])]
assert messages == ["key 'sedes' is not known", "key 'digits' takes a whole number from 0 to 15, not \"two\""], messages
PY
  expect 2 "an unknown option" experiment grid.json --define MODEL="$model" --ouput none
  holds err "--ouput" "which option"
  CONTRASTIVE_PROGRAM=$work/none expect 4 "no program" experiment grid.json \
    --define MODEL="$model" --output none
  holds err "CONTRASTIVE_PROGRAM" "how to name the program"
  expect 2 "the verb is gone" "$contrastive" experiment grid.json
  holds err "'experiment' is not a verb" "an unknown verb"
  sed 's/"loss": "loss"/"loss": "lose"/' grid.json >bad.json
  expect 2 "a metric that training does not have" experiment bad.json --define MODEL="$model" \
    --output figures --set max_steps=1 --quiet
  holds err "has no 'lose'" "said after the first run"
  [ "$(ls figures/runs/*/*/result.json | wc -l)" -eq 1 ] && pass ||
    complain "more than one run was made"
  expect 2 "no model" experiment grid.json --output none
  holds err '${MODEL} is not known' "the variable"
  MODEL=$'caf\xe9' expect 2 "a variable that is not UTF-8" experiment grid.json --output none
  holds err "MODEL is not UTF-8" "which variable"
  expect 2 "a definition that is not UTF-8" experiment grid.json --define MODEL=$'caf\xe9' \
    --output none
  mkfifo locked free
  (flock 9; echo >locked; read -r _ <free) 9>figures/.lock &
  read -r _ <locked
  expect 1 "a folder in use" experiment grid.json --define MODEL="$model" --output figures \
    --set max_steps=1
  holds err "another process" "who uses it"
  echo >free
  wait $!
}

# A missing data set leaves its columns open. Once it exists it is measured with the same model.
absent_sets() {
  mkdir -p suite/A suite/B tasks/SST-2
  cp sts.tsv suite/A/a.tsv && cp sts.tsv suite/B/b.tsv
  for i in 1 2 3 4 5 6 7 8; do
    printf '%d\tthe cat sat %d\n' $((i % 2)) $i
  done | tee tasks/SST-2/train.tsv >tasks/SST-2/dev.tsv
  cat >absent.json <<'JSON'
{"name": "Absent", "model": "${MODEL}", "train": "texts.txt", "base": {"method": "consert", "max_steps": 3, "batch_size": 8}, "digits": 2,
 "evaluate": [{"task": "sts", "config": {"data": "suite"}, "figures": {"A": "sets.A.spearman.all", "B": "sets.B.spearman.all", "C": "sets.C.spearman.all"}},
              {"task": "glue", "config": {"data": "tasks", "tasks": ["SST-2"], "epochs": 1}, "figures": {"SST-2": "tasks.SST-2.score"}},
              {"task": "glue", "config": {"data": "tasks", "tasks": ["CoLA"], "epochs": 1}, "figures": {"CoLA": "tasks.CoLA.score"}}],
 "averages": {"AB": ["A", "B"], "ABC": ["A", "B", "C"]}}
JSON
  expect 0 "data sets that are not there" experiment absent.json --define MODEL="$model" \
    --output absent
  holds err "warning: column C: no figures, because 'suite' has no such data set: it has A, B" \
    "a warning names the columns and what there is"
  holds err "warning: column CoLA: no figures, because tasks has no folder CoLA" \
    "and a task's folder"
  local figure='-?[01]\.[0-9]{2}'
  local row="Absent | 1 | $figure | $figure | – | [01]\.[0-9]{2} | – | $figure | –"
  grep -Eq "^\| ${row//|/\\|} \|\$" absent/table.md && pass ||
    complain "figures, and three open columns, were expected: $(cat absent/table.md)"
  local before after
  before=$(stat -c %y%i absent/runs/run/seed-1/train/model/model.safetensors)
  mkdir suite/C tasks/CoLA && cp sts.tsv suite/C/c.tsv && cp tasks/SST-2/*.tsv tasks/CoLA
  expect 0 "once they are there" experiment absent.json --define MODEL="$model" --output absent
  lacks err "no figures, because" "nothing is missing any more"
  lacks absent/table.md "–" "every column has its figure"
  after=$(stat -c %y%i absent/runs/run/seed-1/train/model/model.safetensors)
  [ "$before" = "$after" ] && pass || complain "the model was trained again"
  rm -r suite tasks && mkdir -p suite/A tasks && cp sts.tsv suite/A
  sed -i 's/"sets.A/"sets.X/; s/"sets.B/"sets.Y/' absent.json
  expect 4 "nothing to measure" experiment absent.json --define MODEL="$model" \
    --output nothing-there
  [ ! -e nothing-there ] && pass || complain "a run was made without anything to measure"
}

# An evaluation that was finished before Ctrl-C is not made again.
stopped_evaluation() {
  mkdir -p two/SST-2 two/CoLA
  for i in 1 2 3 4 5 6 7 8; do
    printf '%d\tthe cat sat %d\n' $((i % 2)) $i
  done | tee two/{SST-2,CoLA}/train.tsv two/CoLA/dev.tsv >two/SST-2/dev.tsv
  cat >two.json <<'JSON'
{"name": "Two", "model": "${MODEL}", "rows": [{"name": "start", "steps": []}],
 "evaluate": [{"task": "glue", "config": {"data": "two", "tasks": ["SST-2"], "epochs": 1}, "figures": {"SST-2": "tasks.SST-2.score"}},
              {"task": "glue", "config": {"data": "two", "tasks": ["CoLA"], "epochs": "${EPOCHS}"}, "figures": {"CoLA": "tasks.CoLA.score"}}],
 "averages": {"Avg": ["SST-2", "CoLA"]}}
JSON
  expect 130 "Ctrl-C in the second evaluation" stop_when two-out/runs/start/seed-1/result.json INT \
    two.json --define MODEL="$model" --define EPOCHS=1000000 --output two-out --quiet
  python3 - <<'PY' || complain "not the first report alone was kept"
import json
path = "two-out/runs/start/seed-1/result.json"
result = json.load(open(path))
assert [list(r["report"]["tasks"]) for r in result["reports"]] == [["SST-2"]] and result["status"] == "begun", result
result["reports"][0]["report"]["tasks"]["SST-2"]["score"] = 0.4242
json.dump(result, open(path, "w"))
PY
  passed=$((passed + 1))
  expect 0 "the rest" experiment two.json --define MODEL="$model" --define EPOCHS=1 \
    --output two-out --quiet
  holds two-out/table.md "| 0.4242 |" "what was measured before is not measured again"
  lacks two-out/table.md "–" "the second task has its figure, and the average too"
}

# A mean over some of the planned runs is never the best of a column.
best_of_all_runs() {
  cp -r whole lucky
  local best
  best=$(python3 - <<'PY'
import json
cells = json.load(open("whole/table.json"))["cells"]
best = max(cells, key=lambda cell: cell["figures"]["S"]["mean"])
label = "%s-%s" % (best["grid"]["consert.temperature"], best["grid"]["batch_size"])
path = "lucky/runs/%s/seed-1/result.json" % label
result = json.load(open(path))
for report in result["reports"]: report["report"]["spearman"]["all"] = None
json.dump(result, open(path, "w"))
path = "lucky/runs/%s/seed-2/result.json" % label
result = json.load(open(path))
for report in result["reports"]: report["report"]["spearman"]["all"] = 1.0
json.dump(result, open(path, "w"))
print(label)
PY
)
  expect 0 "one lucky seed" experiment grid.json --define MODEL="$model" --output lucky --quiet
  python3 - "$best" <<'PY' && pass || complain "the best of column S: $(cat lucky/table.md)"
import json, sys
cells = json.load(open("lucky/table.json"))["cells"]
label = lambda cell: "%s-%s" % (cell["grid"]["consert.temperature"], cell["grid"]["batch_size"])
lucky = [cell for cell in cells if label(cell) == sys.argv[1]][0]
others = [cell for cell in cells if cell is not lucky]
assert lucky["figures"]["S"]["mean"] == 100 and lucky["figures"]["S"]["n"] == 1 and not lucky["figures"]["S"]["best"]
top = max(cell["figures"]["S"]["mean"] for cell in others)
assert [cell["figures"]["S"]["best"] for cell in others] == [cell["figures"]["S"]["mean"] == top for cell in others]
PY
}

# Small data in the layout of examples/data/README.md, for every experiment.
make_data() {
  mkdir -p "$1"/sts/{STS12,STS13,STS14,STS15,STS16,STSB,SICK} "$1"/sts_multi/{STS17,STS14-es} \
    "$1"/senteval/{MR,CR,SUBJ,MPQA,SST2,SST5,TREC,MRPC} \
    "$1"/glue/{CoLA,SST-2,MRPC,QNLI,QQP,RTE,WNLI,MNLI,STS-B} "$1"/nli/{SNLI,MNLI} "$1"/train
  tee "$1"/sts/STS1{2,3,4,5,6}/a.tsv "$1"/sts/{STSB,SICK}/{train,dev,test}.tsv \
    "$1"/sts_multi/STS17/track{1.ar-ar,3.es-es,5.en-en}.tsv \
    "$1"/sts_multi/STS14-es/{wikipedia,news}.tsv "$1"/glue/STS-B/{train,dev}.tsv \
    "$1"/train/{sts-all,stsb-all,stsb-backtranslation}.tsv <sts.tsv >/dev/null
  local i
  for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
    printf '%d\tthe cat sat %d\n' $((i % 2)) $i
  done | tee "$1"/senteval/{MR,CR,SUBJ,MPQA}/all.tsv \
    "$1"/senteval/{SST2,SST5}/{train,dev,test}.tsv "$1"/glue/{CoLA,SST-2}/{train,dev}.tsv >/dev/null
  sed 's/^0/HUM/; s/^1/LOC/' "$1"/glue/CoLA/train.tsv |
    tee "$1"/senteval/TREC/{train,test}.tsv >/dev/null
  sed 's/$/\ta dog/' "$1"/glue/CoLA/train.tsv | tee "$1"/senteval/MRPC/{train,test}.tsv \
    "$1"/glue/{MRPC,QQP,RTE,WNLI,QNLI}/{train,dev}.tsv >/dev/null
  sed 's/^0/not_entailment/; s/^1/entailment/' -i "$1"/glue/{QNLI,RTE}/{train,dev}.tsv
  printf 'entailment\ta cat\ta cat\nneutral\ta cat\ta dog\ncontradiction\ta cat\tno cat\n' |
    tee "$1"/glue/MNLI/{train,dev_matched,dev_mismatched}.tsv "$1"/train/nli.tsv >/dev/null
}

# Every file of examples/experiments is valid: the library knows its keys, values and tasks, and
# with data every column is one that the task reports.
examples() {
  local variables=(DATA MODEL BERT_BASE BERT_LARGE SBERT_BASE SBERT_LARGE ROBERTA_BASE ROBERTA_LARGE
    MBERT VOCABULARY CORPUS SYNONYMS) defines=() name file count=0
  for name in "${variables[@]}"; do defines+=(--define "$name=/nowhere/$name"); done
  for file in "$root"/examples/experiments/*.json; do
    expect 0 "$(basename "$file")" experiment "$file" "${defines[@]}" --dry-run --quiet
    holds "$root/examples/experiments/README.md" "$(basename "$file")" \
      "the table of the README names it"
    count=$((count + 1))
  done
  make_data small
  echo '{}' >synonyms.json
  defines=(--define "DATA=small" --define "CORPUS=texts.txt" --define "SYNONYMS=synonyms.json")
  # It is as deep as the models of the papers, because the files name layers.
  expect 0 "a deep model" "$contrastive" create --tokenizer "$model" --pooling mean --layers 24 \
    --hidden-size 8 --attention-heads 1 --max-length 512 --output deep
  for name in "${variables[@]}"; do
    [[ $name =~ ^(DATA|CORPUS|SYNONYMS)$ ]] || defines+=(--define "$name=deep")
  done
  for file in "$root"/examples/experiments/*.json; do
    expect 0 "the columns of $(basename "$file")" experiment "$file" "${defines[@]}" --dry-run
    lacks err "missing:" "$(basename "$file"): data in the layout that is described"
    lacks err "warning:" "$(basename "$file"): every column"
  done
  sed 's/tasks.STS-B.score/tasks.STSB.score/' "$root"/examples/experiments/clear-table1.json \
    >slip.json
  expect 2 "a slip in one column" experiment slip.json "${defines[@]}" --dry-run
  holds err "has no 'tasks.STSB.score'" "which column"
  expect 2 "layers that a model does not have" experiment \
    "$root"/examples/experiments/sgopt-table4.json "${defines[@]}" --define "BERT_BASE=$model" \
    --dry-run
  holds err "'sgopt.lmin' is 4" "found before the first run"
  [ $count -ge 25 ] && pass || complain "only $count experiment files were found"
}

prepared_data() {
  mkdir -p data/sts/STSB data/sts/STS12
  printf '5\ta\tb\n' | tee data/sts/STSB/train.tsv data/sts/STSB/test.tsv >data/sts/STS12/MSRpar.tsv
  expect 0 "prepare.sh" "$root"/examples/data/prepare.sh data
  holds err "nothing is at data/nli/SNLI" "what is missing"
  [ "$(wc -l <data/train/sts-all.tsv) $(wc -l <data/train/stsb-all.tsv)" = "3 2" ] &&
    [ ! -e data/train/nli.tsv ] && pass || complain "prepare.sh made $(wc -l data/train/*)"
  expect 4 "prepare.sh without data" "$root"/examples/data/prepare.sh nothing
}

whole_run
without_models
interruption
changes
rows_and_steps
retries
absent_sets
stopped_evaluation
best_of_all_runs
bad_files
examples
prepared_data
finish
