#!/usr/bin/env bash
# report_test.sh PROGRAM FIXTURES: the pages of `contrastive report` are complete, load nothing, are
# safe against what texts and names hold, and say what is missing. Prints how many checks passed and
# fails if one did not.
model=$(realpath "$2")/models/bert_st
check=$(realpath "$(dirname "$0")")/check_page.py
rendered=$(realpath "$(dirname "$0")")/rendered_page.py
runner=$(realpath "$2/../..")/examples/experiments/experiment.py
source "$(dirname "$0")/checks.sh" "$1"
# page NAME FILE: checks the page. Its data are in `found` afterwards.
page() {
  if python3 "$check" "$2" >found 2>err; then
    pass
  else
    complain "$1: $(head -c 400 err)"; : >found
  fi
}
# says NAME CONDITION: a condition in Python on `data`, the data of the page in `found`.
says() {
  if python3 - "$2" 2>err <<'PYTHON'; then pass; else complain "$1: $(tail -c 400 err)"; fi
import json, sys
data = json.load(open("found"))["data"]
blocks = [block for section in data["sections"] for block in section["blocks"]]
charts = [block["chart"] for block in blocks if block["kind"] == "figure"]
curves = [curve for chart in charts for curve in chart.get("curves", [])]
assert eval(sys.argv[1]), sys.argv[1]
PYTHON
}

evil='<script>alert("x")</script>'
{
  printf '5\t%s\tthe cat sat\n' "$evil"
  printf '0\tred\tclosed house\n4.5\ta dog\tthe dog\n1\tthe cat sat\ttwo birds fly\n'
  printf '3\t\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xd7\xa2\xd7\x95\xd7\x9c\xd7\x9d\t'
  printf '\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80 '
  printf '\xf0\x9f\x8f\xb3\xef\xb8\x8f\xe2\x80\x8d\xf0\x9f\x8c\x88 emoji\n'
  printf '2\t%s\t\xff\xfe broken bytes\n' "$(head -c 3000 /dev/zero | tr '\0' m)"
} >sts.tsv
for i in 1 2 3 4 5 6 7 8; do printf 'the cat sat %d\ta cat sits %d\n' $i $i; done >pairs.tsv
printf 'a cat sits\tthe cat sat\ntwo birds fly\tbirds in the air\n' >dev.tsv

training() {
  expect 0 "a run" "$contrastive" train --method clsr --model "$model" --train pairs.tsv \
    --dev dev.tsv --output run --max-steps 12 --batch-size 4 --eval-every 3 --set watch_every=4 \
    --set lr=0.01
  if [ "$(grep -c '"step":' run/metrics.jsonl)" -eq 12 ]; then
    pass
  else
    complain "a line for each of 12 updates was expected in run/metrics.jsonl"
  fi
  expect 0 "its folder can be replaced" "$contrastive" train --method clsr --model "$model" \
    --train pairs.tsv --output run2 --max-steps 5 --batch-size 4
  expect 0 "resumed" "$contrastive" train --resume run2 --model "$model" --train pairs.tsv \
    --output run2 --max-steps 8
  if [ "$(grep -c '"step":' run2/metrics.jsonl)" -eq 8 ]; then
    pass
  else
    complain "the record of a resumed run begins with the run's own"
  fi
  mv run2 "odd <b>name"
}

one_run() {
  expect 0 "one run" "$contrastive" report run --output one.html
  page "one run" one.html
  for title in "Training loss" "Score on the dev set" "Learning rate" "Gradient norm" "Throughput" \
    "Alignment of the views" "Uniformity of the views" "Mean cosine of different examples" \
    "Effective rank" "Course through the alignment-uniformity plane"; do
    holds found "\"$title\"" "one run"
  done
  holds found "No scores, because no --eval-data was given" "what is missing is said"
  holds found "clsr.temperature" "the config"
  says "the best dev score is marked" 'any("best" in curve for curve in curves)'
  expect 2 "an existing page is kept" "$contrastive" report run --output one.html
  expect 0 "--force replaces it" "$contrastive" report run --output one.html --force
  expect 0 "to standard output" "$contrastive" report run --output -
  page "standard output" out
}

several_runs() {
  expect 0 "runs and the model they began with" "$contrastive" report run "odd <b>name" "$model" \
    --eval-data sts.tsv --output all.html --json
  lacks err "perplexity" "the map has few points, which the page chose"
  holds out '"spearman":' "--json tells the scores"
  cp out scores
  page "several runs" all.html
  for title in "Alignment and uniformity" "Human score and cosine: A  run" \
    "Human score and cosine: C  bert_st" "Map of pairs: A  run" "Map of pairs: C  bert_st" \
    "Cosines of texts: B  odd <b>name"; do
    holds found "$title" "several runs"
  done
  holds found "C: it is a model folder without run.json" "a model is no run"
  lacks all.html "<script>alert" "a text cannot become a script"
  lacks all.html "<b>" "a name cannot become markup"
  holds all.html '\u003cscript>alert' "the text itself is there"
  holds found "$(printf '\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d')" "a text from right to left"
  printf 'one\ntwo\nthree\n' >texts.txt
  expect 0 "texts of one's own" "$contrastive" report run --texts texts.txt --title "<i>A & B</i>" \
    --output texts.html
  page "texts of one's own" texts.html
  holds texts.html '"\u003ci>A & B\u003c/i>"' "the title is escaped"
  holds found "Heat map of the cosines of 3 texts" "three texts"
}

# The scores of the page are those of `contrastive eval`.
same_scores() {
  local score
  expect 0 "eval" "$contrastive" eval --model run --task sts --data sts.tsv --json
  score=$(python3 -c 'import json; print("%.4f" % json.load(open("out"))["spearman"]["all"])')
  page "the scores" all.html
  holds found "\"$score\"" "the score of eval is on the page"
}

# plotted NAME SCORE...: the figure of scores and cosines has pairs with these human scores, in this
# order.
plotted() {
  local name=$1 golds
  shift
  golds=$(printf '%s, ' "$@")
  says "$name" \
    "[chart['pairs']['x'] for chart in charts if chart['type'] == 'scores'] == [[$golds]]"
}

# The library reads pairs in every published form: the figures show the pairs that were scored.
published_pairs() {
  mkdir -p splits senteval sets/A sets/B
  printf 'pair_ID\tsentence_A\tsentence_B\trelatedness_score\n' >SICK_test_annotated.txt
  printf '6\tthe cat sat\ta dog\t1.5\n7\tred\tred house\t4.8\n9\ttwo birds fly\tbirds fly\t3.9\n' \
    >>SICK_test_annotated.txt
  printf 'index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\t' >dev.tsv.glue
  printf 'sentence2\tscore\n' >>dev.tsv.glue
  printf '0\tmain-captions\tMSRvid\t2012test\t0000\tnone\tnone\tthe cat sat\ta dog\t1.25\n' \
    >>dev.tsv.glue
  printf '1\tmain-captions\tMSRvid\t2012test\t0001\tnone\tnone\t' >>dev.tsv.glue
  printf 'red "house\tthe red house\t5.000\n' >>dev.tsv.glue
  printf '2\tmain-captions\tMSRvid\t2012test\t0002\tnone\tnone\ttwo birds fly\ta dog\t0.500\n' \
    >>dev.tsv.glue
  mkdir -p glue && mv dev.tsv.glue glue/dev.tsv
  printf '1\tunseen train text\ta dog\n2\tred\tunseen train text\n' >splits/train.tsv
  printf '1\tunseen dev text\ta dog\n3\tred\tunseen dev text\n' >splits/dev.tsv
  printf '0\tthe cat sat\ta dog\n4\tred\tred house\n2.5\tbirds\ttwo birds\n' >splits/test.tsv
  printf 'main-captions\tMSRvid\t2012test\t0024\t2.500\tthe cat sat\ta dog\n' >sts-test.csv
  printf 'main-news\theadlines\t2013\t0001\t5.000\tred\tred house\tlicence\n' >>sts-test.csv
  printf 'main-news\theadlines\t2013\t0002\t0.000\tbirds\told house\tlicence\n' >>sts-test.csv
  printf 'the cat sat\ta dog\nred\tred house\nnot scored\tby anyone\nbirds\ttwo birds\n' \
    >senteval/STS.input.headlines.txt
  printf '1\n4.5\n\n3\n' >senteval/STS.gs.headlines.txt
  printf '0\tthe cat sat\ta dog\n4\tred\tred house\n' >sets/A/x.tsv
  printf '3\tbirds\ttwo birds\n1\tred\tbirds\n' >sets/B/y.tsv
  shown() {  # NAME DATA SCORE...
    local name=$1 data=$2
    shift 2
    expect 0 "$name" "$contrastive" report "$model" --eval-data "$data" --output form.html --force
    page "$name" form.html
    plotted "$name" "$@"
    holds found "the cat sat" "$name: a sentence of a pair in the heat map"
  }
  shown "SICK" SICK_test_annotated.txt 1.5 4.8 3.9
  lacks found "relatedness_score" "a header is no pair"
  shown "GLUE's STS-B" glue/dev.tsv 1.25 5 0.5
  lacks found "main-captions" "the genre is no sentence"
  lacks found "MSRvid" "the file name is no sentence"
  shown "a folder with splits" splits 0 4 2.5
  lacks found "unseen" "what is shown is what was scored, the test split"
  shown "the STS benchmark's own file" sts-test.csv 2.5 5 0
  lacks found "headlines" "the name of a file is no sentence"
  shown "SentEval's files" senteval 1 4.5 3
  lacks found "not scored" "a pair without a score"
  shown "several data sets" sets 0 4 3 1
  holds found "Pearson, weighted mean" "the aggregations of Pearson"
  expect 0 "a sample" "$contrastive" report "$model" --eval-data sets --pairs 2 --output form.html \
    --force
  page "a sample" form.html
  plotted "a sample" 0 3
  holds found "1 in 2 of the 4 pairs" "how much of it is shown"
  ls "${TMPDIR:-/tmp}"/contrastive-report-* >/dev/null 2>&1 &&
    complain "files for the meantime were left" || pass
}

incomplete_runs() {
  cp -r run bare && rm bare/metrics.jsonl
  expect 0 "no metrics" "$contrastive" report bare --output bare.html
  page "no metrics" bare.html
  holds found "no curves of this run, because the folder holds no metrics.jsonl" \
    "why there are no curves"
  holds found '"titles": []' "no charts without metrics"
  sed 's/"metrics_file": *""/"metrics_file": "elsewhere.jsonl"/' run/run.json >bare/run.json
  cp run/metrics.jsonl elsewhere.jsonl
  expect 0 "metrics where the config says" "$contrastive" report bare --output bare.html --force
  page "metrics where the config says" bare.html
  holds found "Training loss" "the curve from the named file"
  cp -r run damaged && brackets method >damaged/run.json
  expect 3 "a config of 400,000 brackets" "$contrastive" report damaged --output damaged.html
  rm -r damaged && cp -r run damaged && sed -i '5s/.*/{"step": 5, "loss"/' damaged/metrics.jsonl
  expect 3 "a damaged line" "$contrastive" report damaged --output damaged.html --json
  holds err '"file":"damaged/metrics.jsonl","line":5' "file and line"
  expect 3 "a line without a step" sh -c \
    "printf '{\"loss\": 1}\n' >damaged/metrics.jsonl
    '$contrastive' report damaged --output damaged.html"
  holds err "damaged/metrics.jsonl:1:" "file and line"
  if [ -e damaged.html ]; then complain "a failed report left a page"; else pass; fi
  cp run/metrics.jsonl damaged/metrics.jsonl && printf '{"step": 13, "lo' >>damaged/metrics.jsonl
  expect 0 "a last line that is being written" "$contrastive" report damaged --output damaged.html
  page "a last line that is being written" damaged.html
  holds found "the last line of its metrics is incomplete" "the cut line is told"
  expect 4 "no such run" "$contrastive" report nothing --output n.html
  mkdir hollow
  expect 4 "a folder that is no run" "$contrastive" report hollow --output n.html
  expect 4 "no such eval data" "$contrastive" report run --eval-data nothing.tsv --output n.html
  expect 2 "no run" "$contrastive" report --output n.html
}

# An experiment's folder: its table and the curves of all its runs, with and without their models.
experiments() {
  cat >grid.json <<'JSON'
{"name": "Grid <b>&", "model": "${MODEL}", "train": "pairs.tsv", "base": {"method": "simcse", "max_steps": 6, "batch_size": 4},
 "grid": {"simcse.temperature": [0.05, 0.5]}, "seeds": [1, 2], "digits": 3,
 "evaluate": [{"task": "sts", "config": {"data": "sts.tsv"}, "figures": {"S": "spearman.all"}}]}
JSON
  sed 's/"seeds"/"keep_models": false, "seeds"/' grid.json >bare.json
  local kind
  for kind in grid bare; do
    expect 0 "an experiment" python3 -B "$runner" --program "$contrastive" $kind.json \
      --define MODEL="$model" --output made-$kind --quiet
    mv made-$kind moved-$kind
    mkdir -p moved-$kind/runs/.half.tmp-1-0 &&
      cp "$model"/* moved-$kind/runs/.half.tmp-1-0 2>/dev/null
    ln -s nowhere moved-$kind/runs/link
    expect 0 "its report" "$contrastive" report moved-$kind --output table-$kind.html --json
    holds out '"name":"0.5/seed-2/train"' "a run is called by its folders"
    [ "$(grep -o '"metrics":6' out | wc -l)" -eq 4 ] && pass ||
      complain "the curves of four runs were expected: $(cat out)"
    page "an experiment" table-$kind.html
    lacks found "no curves" "every run has its curves"
    holds found '"Training loss"' "the curves"
    lacks found "half" "what a killed saver left is no run"
    holds found "Experiment: Grid <b>&" "the table's name"
    python3 - $kind <<'PYTHON' && pass || complain "$kind: the table on the page"
import json, sys
table = json.load(open("moved-%s/table.json" % sys.argv[1]))
text = json.load(open("found"))["cells"]
for cell in table["cells"]:
    figure = cell["figures"]["S"]
    assert "%.3f ± %.3f" % (figure["mean"], figure["std"]) in text, figure
PYTHON
  done
  holds found "simcse.temperature" "the config, where no model was kept"
}

# Figures of tasks that a run evaluates are curves as well.
tasks() {
  expect 0 "a run that evaluates" "$contrastive" train --method clsr --model "$model" \
    --train pairs.tsv --output evaluated --max-steps 6 --batch-size 4 \
    --set evaluate.sts.data=sts.tsv --set evaluate_every=2
  expect 0 "its report" "$contrastive" report evaluated --output evaluated.html
  page "a run that evaluates" evaluated.html
  holds found "Task during training: sts.spearman.all" "a curve of the task"
  lacks found "Task during training: sts.pairs" "a count is no curve"
  expect 2 "the page is no input" "$contrastive" report run --eval-data sts.tsv --output sts.tsv \
    --force
  holds err "is an input" "what is wrong with it"
}

# Curves that are easy to get wrong: one point, gaps, a spike, tens of thousands of points, an
# earlier attempt in the same file, two stages.
odd_curves() {
  python3 - <<'PYTHON'
import json, math, os, shutil
def run(name, lines):
    shutil.copytree("run", name)
    with open(name + "/metrics.jsonl", "w") as file:
        for line in lines: file.write(json.dumps(line) + "\n")
run("single", [{"step": 1, "loss": 0.5, "lr": 0, "dev": 0.5, "best_dev": 0.5, "best_step": 1}])
run("gaps", [{"step": s, "loss": None if 30 < s < 60 or s % 7 == 0 else 1 / s, "grad_norm": 1e6 if s == 70 else 1} for s in range(1, 101)])
run("empty_loss", [{"step": s, "loss": None, "lr": 1e-30} for s in range(1, 5)])
run("long", [{"step": s, "loss": math.exp(-s / 5000) + (s * 7919 % 100) / 200, "lr": 2e-5} for s in range(1, 30001)])
run("again", [{"step": s, "loss": 5} for s in range(1, 9)] + [{"step": s, "loss": 1} for s in range(1, 5)])
run("stages", [{"step": s, "stage": stage, "loss": 1 / s, "lr": 1e-5} for stage in (1, 2) for s in range(1, 51)])
PYTHON
  for run in single gaps empty_loss long again stages; do
    expect 0 "$run" "$contrastive" report $run --output $run.html
    page "$run" $run.html
  done
  python3 "$check" empty_loss.html >found
  holds found "No loss curve: no line of the metrics has a loss" \
    "a metric without numbers is left out"
  python3 "$check" gaps.html >found
  holds found "(logarithmic)" "a spike makes the axis logarithmic"
  says "a gap is a null" 'None in curves[0]["y"]'
  python3 "$check" long.html >found
  says "30,000 points are thinned, and keep their range" \
    'all(len(curve["x"]) <= 500 for curve in curves) and len(curves[0]["range"]["low"]) == 500'
  python3 "$check" again.html >found
  holds found "8 lines of an earlier attempt were left out" "the earlier attempt is told"
  python3 "$check" stages.html >found
  says "the second stage is marked" 'charts[0]["rules"] == [[50, "stage 2"]]'
  holds found "over the updates" "a description of the curve"
  expect 0 "all of them at once" "$contrastive" report single gaps empty_loss long again stages \
    run --output odd.html
  page "all of them at once" odd.html
}

# Two seeds of each of ten cells: a curve for each cell, the mean over its seeds, without labels
# that would overlap.
many_runs() {
  python3 - <<'PYTHON'
import json, os
for cell in range(10):
    for seed in (1, 2):
        folder = "many/runs/cell-%d/seed-%d/train" % (cell, seed)
        os.makedirs(folder)
        json.dump({"method": "simcse", "seed": seed}, open(folder + "/run.json", "w"))
        with open(folder + "/metrics.jsonl", "w") as file:
            for step in range(1, 31): file.write(json.dumps({"step": step, "loss": cell + seed, "lr": 1e-5, "dev": cell / 10}) + "\n")
PYTHON
  expect 0 "twenty runs" "$contrastive" report many --output many.html
  page "twenty runs" many.html
  holds found "cell-3/train: from 4.5 to 4.5, at the end 4.5." "the mean over the seeds of a cell"
  says "one curve for each cell" 'not any("seed-" in curve["name"] for curve in curves)'
  lacks found "Not measured" "every run is in a curve"
  says "no labels" 'all(chart["crowded"] for chart in charts)'
  says "a curve has its name" 'any(curve["name"] == "cell-9/train" for curve in curves)'
  says "the runs of a cell have one colour" \
    '[run["name"][:6] for run in data["runs"] if run["colour"] == 1] == ["cell-1", "cell-1"]'
  says "and its curve the same" \
    '{curve["name"] for curve in curves if curve["colour"] == 1} == {"cell-1/train"}'
  rm -r many/runs/cell-[89]
  expect 0 "sixteen runs" "$contrastive" report many --output sixteen.html
  page "sixteen runs" sixteen.html
  says "labels at the ends" 'not any(chart["crowded"] for chart in charts)'
  holds found "cell-3/seed-2/train: from 5 to 5" "a curve for each run"
}

# Chromium draws every chart, without network, in both modes, on a telephone and in print.
rendering() {
  local got=0
  python3 "$rendered" one.html all.html texts.html bare.html table-grid.html evaluated.html \
    gaps.html empty_loss.html long.html single.html odd.html many.html sixteen.html >out 2>err ||
    got=$?
  case $got in
    0) pass ;;
    77) cat out ;;
    *) complain "Chromium: $(tail -c 2000 err)" ;;
  esac
}

training
one_run
several_runs
same_scores
published_pairs
incomplete_runs
experiments
tasks
odd_curves
many_runs
rendering
finish
