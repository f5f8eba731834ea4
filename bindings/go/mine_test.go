package contrastive_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	contrastive "contrastive.io/go"
)

func TestMine(t *testing.T) {
	model, data, folder := load(t), fill(t), t.TempDir()
	corpus, err := contrastive.NewDataset(
		contrastive.Text("a cat runs"),
		contrastive.Text("the birds sit"),
		contrastive.Text("red fish"),
	)
	must(t, err)
	defer corpus.Close()
	output, keys := filepath.Join(
		folder,
		"mined.jsonl",
	), contrastive.JSON(
		`{"relative_margin": -1e9, "num_negatives": 2, "output_format": "n-tuple"}`,
	)
	report, err := model.Mine(background, data, corpus, output, keys)
	must(t, err)
	rows, _ := report.Number("rows")
	equal(t, rows, 8)
	documents, _ := report.Number("documents")
	equal(t, documents, 11)
	mined, err := contrastive.OpenDataset(output)
	must(t, err)
	defer mined.Close()
	equal(t, mined.Len(), 8)
	report, err = model.MineGuided(background, model, data, nil, output, keys)
	must(t, err)
	negatives, _ := report.Number("negatives")
	equal(t, negatives, 16)

	none := filepath.Join(folder, "none.jsonl")
	_, err = model.Mine(background, data, nil, none, contrastive.Set("num_negativs", 1))
	fails(t, err, contrastive.ErrArgument, "num_negatives")
	_, err = model.Mine(background, nil, nil, none)
	fails(t, err, contrastive.ErrArgument, "pairs is nil")
	_, err = model.MineGuided(background, nil, data, nil, none)
	fails(t, err, contrastive.ErrArgument, "guide is nil")
	cancelled, cancel := context.WithCancel(background)
	cancel()
	if _, err = model.Mine(cancelled, data, nil, none); err == nil {
		t.Fatal("a cancelled context was ignored")
	}
	if _, err = os.Stat(none); err == nil {
		t.Fatal("a file was written")
	}
}
