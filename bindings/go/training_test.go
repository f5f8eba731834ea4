package contrastive_test

import (
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	contrastive "contrastive.io/go"
)

func TestDatasets(t *testing.T) {
	data := fill(t)
	equal(t, data.Len(), len(pairs))
	fails(
		t,
		data.Add(contrastive.Pair("a", "b"), contrastive.Text("alone")),
		contrastive.ErrArgument,
		"example 1",
	)
	equal(t, data.Len(), len(pairs)+1) // the examples before the one that failed stay
	fails(t, data.Add(contrastive.Example{}), contrastive.ErrArgument, "columns")
	must(
		t,
		data.Add(
			contrastive.WithNegatives("a", "b", "c", ""),
			contrastive.WithNegatives("😀\x00", "\xff"),
		),
	)
	equal(t, data.Len(), len(pairs)+3)
	trainer := begin(t, load(t), data)
	fails(t, data.Add(pairs...), contrastive.ErrState, "trainer")
	trainer.Close()

	file := t.TempDir() + "/pairs.tsv"
	must(t, os.WriteFile(file, []byte("one\ttwo\nthree\tfour\nfive\n"), 0o644))
	_, err := contrastive.OpenDataset(file)
	fails(t, err, contrastive.ErrFormat, "pairs.tsv:3")
	opened, err := contrastive.OpenDataset(file, contrastive.Set("data.on_error", "skip"))
	must(t, err)
	defer opened.Close()
	equal(t, opened.Len(), 2)
	fails(t, opened.Add(contrastive.Pair("a", "b")), contrastive.ErrState, "file")
}

func TestReadersAreDatasets(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for format, lines := range map[string]string{
		"tsv": "the cat\ta cat\na dog\tthe dog\ntwo birds\tbirds\nred\tblue\n",
		"jsonl": `{"a": "the cat", "b": "a cat"}` + "\n" +
			`{"a": "\ud83d\ude00", "b": "the dog"}` + "\n" +
			`{"a": "1", "b": "2"}` + "\n" + `{"a": "3", "b": "4"}`,
	} {
		data, err := contrastive.ReadDataset(
			iotest.OneByteReader(strings.NewReader(lines)),
			contrastive.Set("data.format", format),
		)
		must(t, err)
		equal(t, data.Len(), 4)
		entries, err := os.ReadDir(os.TempDir())
		must(t, err)
		equal(t, len(entries), 0) // the file has no name, and still trains
		trainer := begin(t, load(t), data)
		data.Close()
		must(t, trainer.Run(background, nil))
	}
	_, err := contrastive.ReadDataset(iotest.ErrReader(io.ErrUnexpectedEOF))
	fails(t, err, contrastive.ErrIO, "unexpected EOF")
	fails(t, err, io.ErrUnexpectedEOF, "")
	_, err = contrastive.ReadDataset(strings.NewReader(""))
	fails(t, err, contrastive.ErrFormat, "no examples")
}

func TestARunStepsToItsEnd(t *testing.T) {
	trainer := begin(t, load(t), fill(t))
	if !math.IsNaN(trainer.Metric("loss")) || !math.IsNaN(trainer.Metric("no such metric")) {
		t.Fatal("a metric before it was measured")
	}
	made, err := trainer.Step(background)
	must(t, err)
	equal(t, made, true)
	steps := 1.0
	must(t, trainer.Run(background, func(trainer *contrastive.Trainer) error {
		steps++
		equal(t, trainer.Metric("step"), steps)
		if loss := trainer.Metric("loss"); math.IsNaN(loss) || loss <= 0 {
			t.Fatalf("loss %g", loss)
		}
		return nil
	}))
	equal(t, steps, 6)
	made, err = trainer.Step(background)
	must(t, err)
	equal(t, made, false)
	metrics, err := trainer.Metrics()
	must(t, err)
	equal(t, metrics["total_steps"], 6)
	config, err := trainer.Config()
	must(t, err)
	if !strings.Contains(config, `"clsr.temperature"`) ||
		!strings.Contains(config, `"batch_size":4`) {
		t.Fatal(config)
	}
	fails(t, trainer.Evaluate(background), contrastive.ErrState, "dev")
	wanted := errors.New("enough")
	equal(
		t,
		begin(
			t,
			load(t),
			fill(t),
		).Run(background, func(*contrastive.Trainer) error { return wanted }),
		wanted,
	)
}

func TestRanksOnThreadsTrainLikeOne(t *testing.T) {
	loss := func(options ...contrastive.Option) float64 {
		trainer, err := contrastive.NewTrainer(load(t), fill(t), append(
			options,
			contrastive.JSON(
				`{"method": "mnrl", "optimizer": "sgd", "lr": 0.1, "batch_size": 8, "max_steps": 2}`,
			),
		)...)
		must(t, err)
		defer trainer.Close()
		must(t, trainer.Run(background, nil))
		if len(options) > 0 {
			equal(t, trainer.Metric("ranks"), 2)
		}
		return trainer.Metric("loss")
	}
	one, two := loss(), loss(
		contrastive.JSON(`{"dist": {"mode": "threads", "devices": ["cpu", "cpu"]}}`),
	)
	if math.Abs(one-two) > 1e-5 {
		t.Fatalf("%g on one, %g on two ranks", one, two)
	}
}

func TestConfigsOfRunsAreChecked(t *testing.T) {
	model, data := load(t), fill(t)
	for _, wrong := range [][2]string{{`{"method": "clsr", "bach_size": 4}`, "batch_size"},
		{`{"method": "clrs"}`, "clsr"},
		{`{"method": "clsr", "lr": -1}`, "lr"}, {`{}`, "method"}} {
		_, err := contrastive.NewTrainer(model, data, contrastive.JSON(wrong[0]))
		fails(t, err, contrastive.ErrArgument, wrong[1])
	}
	fails(
		t,
		contrastive.CheckTraining(contrastive.JSON(`{"method": "clsr", "bach_size": 4}`)),
		contrastive.ErrArgument,
		"batch_size",
	)
	must(
		t,
		contrastive.CheckTraining(
			contrastive.Set("method", "clsr"),
			contrastive.Set("max_steps", 1),
		),
	)
	deep := contrastive.JSON(`{"method": "sgopt", "sgopt.lmax": 9}`)
	must(t, contrastive.CheckTraining(deep))
	must(t, contrastive.CheckTrainingFor(models+"/bert_st", deep, contrastive.Set("sgopt.lmax", 2)))
	fails(
		t,
		contrastive.CheckTrainingFor(models+"/bert_st", deep),
		contrastive.ErrArgument,
		"sgopt.lmax",
	)
	fails(t, contrastive.CheckTrainingFor("a\x00b", deep), contrastive.ErrArgument, "NUL")
	long := contrastive.JSON(`{"method": "simcse", "epochs": 1, "warmup_steps": 1000}`)
	must(t, contrastive.CheckTraining(long))
	fails(t, contrastive.CheckTrainingOn(data, "", long), contrastive.ErrArgument, "warmup_steps")
	must(
		t,
		contrastive.CheckTrainingOn(
			data,
			models+"/bert_st",
			long,
			contrastive.Set("warmup_steps", 1),
		),
	)
	fails(
		t,
		contrastive.CheckTrainingOn(data, models+"/bert_st", deep),
		contrastive.ErrArgument,
		"sgopt.lmax",
	)
	fails(t, contrastive.CheckTrainingOn(data, "a\x00b", deep), contrastive.ErrArgument, "NUL")
	fails(t, contrastive.CheckTrainingOn(nil, "", long), contrastive.ErrArgument, "nil")
	_, err := contrastive.NewTrainer(nil, data)
	fails(t, err, contrastive.ErrArgument, "nil")
}

func TestBatches(t *testing.T) {
	trainer := begin(t, load(t), nil)
	for i := range 6 {
		made, err := trainer.Batch(background, pairs[:4])
		must(t, err)
		equal(t, made, true)
		equal(t, trainer.Metric("step"), float64(i+1))
	}
	_, err := trainer.Step(background)
	fails(t, err, contrastive.ErrState, "")
	_, err = trainer.Batch(background, append(slices.Clone(pairs[:2]), contrastive.Text("alone")))
	fails(t, err, contrastive.ErrArgument, "same number")
	_, err = trainer.Batch(background, nil)
	fails(t, err, contrastive.ErrArgument, "")
	scored := begin(t, load(t), nil)
	_, err = scored.Batch(
		background,
		[]contrastive.Example{
			contrastive.ScoredPair("a cat", "the cat", 5),
			contrastive.Pair("😀\x00", "\xff"),
		},
	)
	must(t, err)
}

func TestTheTrainedModelIsAModel(t *testing.T) {
	model, data := load(t), fill(t)
	before, err := model.EncodeText(background, "the cat sat")
	must(t, err)
	trainer := begin(t, model, data, contrastive.Set("clsr.dimension", 8))
	must(t, trainer.Run(background, nil))
	trained, err := trainer.Model()
	must(t, err)
	defer trained.Close()
	best, err := trainer.BestModel()
	must(t, err)
	defer best.Close()
	trainer.Close()
	after, err := trained.EncodeText(background, "the cat sat")
	must(t, err)
	same, err := best.EncodeText(background, "the cat sat")
	must(t, err)
	equal(t, len(after), 8)
	if !slices.Equal(after, same) {
		t.Fatal("without a dev set the best model is the current one")
	}
	again, err := model.EncodeText(background, "the cat sat")
	must(t, err)
	if !slices.Equal(before, again) {
		t.Fatal("training changed the model that it started from")
	}
}

func TestAResumedRunIsTheSame(t *testing.T) {
	model, data := load(t), fill(t)
	whole, half := begin(t, model, data), begin(t, model, data)
	must(t, whole.Run(background, nil))
	for range 3 {
		_, err := half.Step(background)
		must(t, err)
	}
	folder := t.TempDir() + "/run"
	must(t, half.Save(folder))
	half.Close()
	resumed, err := contrastive.ResumeTrainer(folder, model, data)
	must(t, err)
	defer resumed.Close()
	equal(t, resumed.Metric("step"), 3)
	must(t, resumed.Run(background, nil))
	equal(t, resumed.Metric("loss"), whole.Metric("loss"))
	must(t, resumed.SaveBest(folder+"-resumed"))
	must(t, whole.SaveBest(folder+"-whole"))
	_, err = contrastive.ResumeTrainer(folder, model, data, contrastive.Set("lr", 1))
	fails(t, err, contrastive.ErrMismatch, "lr")
	_, err = contrastive.ResumeTrainer(models+"/bert_st", model, data)
	fails(t, err, contrastive.ErrNotFound, "")
	one, err := os.ReadFile(folder + "-whole/model.safetensors")
	must(t, err)
	other, err := os.ReadFile(folder + "-resumed/model.safetensors")
	must(t, err)
	if !slices.Equal(one, other) {
		t.Fatal("the weights of the resumed run differ")
	}
}

func TestFiguresOfTasksArriveAmongTheMetrics(t *testing.T) {
	file := t.TempDir() + "/sts.tsv"
	must(
		t,
		os.WriteFile(
			file,
			[]byte("5\tthe cat sat\tthe cat sat\n3\ta dog runs\tthe dog ran\n0\tred\ttwo birds\n"),
			0o644,
		),
	)
	trainer := begin(
		t,
		load(t),
		fill(t),
		contrastive.Set("evaluate.sts.data", file),
		contrastive.Set("evaluate_every", 2),
	)
	_, err := trainer.Step(background)
	must(t, err)
	if early := trainer.Metric("sts.spearman.all"); !math.IsNaN(early) {
		t.Fatalf("measured too early: %g", early)
	}
	must(t, trainer.Run(background, nil))
	trained, err := trainer.Model()
	must(t, err)
	defer trained.Close()
	report, err := trained.Evaluate(background, "sts", contrastive.Set("data", file))
	must(t, err)
	expected, ok := report.Number("spearman", "all")
	equal(t, ok, true)
	equal(t, trainer.Metric("sts.spearman.all"), expected)
	metrics, err := trainer.Metrics()
	must(t, err)
	equal(t, metrics["sts.spearman.all"], expected)
}

func TestDevSetsAndEvaluation(t *testing.T) {
	file := t.TempDir() + "/dev.tsv"
	must(
		t,
		os.WriteFile(
			file,
			[]byte("5\tthe cat sat\tthe cat sat\n3\ta dog runs\tthe dog ran\n0\tred\ttwo birds\n"),
			0o644,
		),
	)
	model := load(t)
	report, err := model.Evaluate(background, "sts", contrastive.Set("data", file))
	must(t, err)
	if spearman, ok := report.Number("spearman", "all"); !ok || spearman < -1 || spearman > 1 {
		t.Fatal(report)
	}
	if _, ok := report.Number("spearman", "none", "there"); ok {
		t.Fatal("a number that is not there")
	}
	trainer := begin(t, model, fill(t), contrastive.Set("dev", file))
	must(t, trainer.Evaluate(background))
	if score := trainer.Metric("dev"); math.IsNaN(score) {
		t.Fatal("no score on the dev set")
	}
	_, err = model.Evaluate(background, "sst", contrastive.Set("data", file))
	fails(t, err, contrastive.ErrArgument, "sts")
	_, err = model.Evaluate(background, "sts", contrastive.Set("data", file+"x"))
	fails(t, err, contrastive.ErrNotFound, "dev.tsvx")
}
