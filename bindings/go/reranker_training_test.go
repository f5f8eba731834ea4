package contrastive_test

import (
	"os"
	"path/filepath"
	"testing"

	contrastive "contrastive.io/go"
)

func triplets(t *testing.T) *contrastive.Dataset {
	t.Helper()
	path := filepath.Join(t.TempDir(), "triplets.jsonl")
	rows := `{"anchor": "a cat runs", "positive": "the cat ran", "negative": "red fish"}
{"anchor": "two birds", "positive": "birds in the air", "negative": "a house"}
{"anchor": "a dog", "positive": "the old dog", "negative": "the sun"}
{"anchor": "no one", "positive": "nobody here", "negative": "trees"}
`
	must(t, os.WriteFile(path, []byte(rows), 0o600))
	data, err := contrastive.OpenDataset(path)
	must(t, err)
	t.Cleanup(func() { data.Close() })
	return data
}

func TestRerankerTrains(t *testing.T) {
	start, data, folder := loadReranker(t, "bert"), triplets(t), filepath.Join(t.TempDir(), "run")
	keys := contrastive.JSON(
		`{"method": "reranker", "reranker.loss": "listwise", "batch_size": 2, "max_steps": 4, ` +
			`"lr": 0.01}`,
	)
	trainer, err := contrastive.NewRerankerTrainer(start, data, keys)
	must(t, err)
	defer trainer.Close()
	for range 2 {
		_, err = trainer.Step(background)
		must(t, err)
	}
	must(t, trainer.Save(folder))
	must(t, trainer.Run(background, nil))
	resumed, err := contrastive.ResumeRerankerTrainer(folder, start, data)
	must(t, err)
	defer resumed.Close()
	must(t, resumed.Run(background, nil))
	score := func(r *contrastive.Reranker) float32 {
		scores, err := r.Score(
			background,
			[]contrastive.TextPair{{Query: "a cat runs", Document: "the cat ran"}},
		)
		must(t, err)
		return scores[0]
	}
	whole, err := trainer.Reranker()
	must(t, err)
	defer whole.Close()
	other, err := resumed.BestReranker()
	must(t, err)
	defer other.Close()
	equal(t, score(whole), score(other))
	if score(whole) == score(start) {
		t.Fatal("nothing was trained")
	}
	_, err = trainer.Model()
	fails(t, err, contrastive.ErrState, "trains a reranker")
	_, err = contrastive.NewRerankerTrainer(start, data, contrastive.Set("method", "simcse"))
	fails(t, err, contrastive.ErrArgument, "trains sentence encoders")
	_, err = contrastive.NewRerankerTrainer(nil, data, keys)
	fails(t, err, contrastive.ErrArgument, "reranker is nil")
	_, err = contrastive.ResumeRerankerTrainer(folder, nil, data)
	fails(t, err, contrastive.ErrArgument, "reranker is nil")
}

func TestAModelBecomesAReranker(t *testing.T) {
	trainer, err := contrastive.NewTrainer(
		load(t),
		triplets(t),
		contrastive.JSON(`{"method": "reranker", "batch_size": 4, "max_steps": 1}`),
	)
	must(t, err)
	defer trainer.Close()
	must(t, trainer.Run(background, nil))
	reranker, err := trainer.Reranker()
	must(t, err)
	defer reranker.Close()
	equal(t, reranker.Labels(), 1)
}

func TestMineReranked(t *testing.T) {
	model, guide, data := load(t), loadReranker(t, "bert"), fill(t)
	output := filepath.Join(t.TempDir(), "mined.jsonl")
	report, err := model.MineReranked(
		background,
		guide,
		data,
		nil,
		output,
		contrastive.JSON(`{"relative_margin": -1e9, "num_negatives": 2}`),
	)
	must(t, err)
	negatives, _ := report.Number("negatives")
	equal(t, negatives, 16)
	_, err = model.MineReranked(background, nil, data, nil, output)
	fails(t, err, contrastive.ErrArgument, "guide is nil")
	_, err = model.MineReranked(background, loadReranker(t, "bert_labels"), data, nil, output)
	fails(t, err, contrastive.ErrArgument, "labels")
}
