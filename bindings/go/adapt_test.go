package contrastive_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	contrastive "contrastive.io/go"
)

const quick = `{"lr": 0.002, "max_steps": 40, "test_share": 0.3, "near_duplicate": 1, ` +
	`"mining.relative_margin": -1e9, "resamples": 100}`

// similar returns 160 pairs; each second text has three words of the first.
func similar(t *testing.T) *contrastive.Dataset {
	words := strings.Fields(
		"the cat dog bird house mat two old new fly run open cafe water tree green red blue small man",
	)
	data, err := contrastive.NewDataset()
	must(t, err)
	t.Cleanup(func() { data.Close() })
	draw := 1
	for i := 0; i < 160; i++ {
		w := make([]string, 5)
		for j := range w {
			draw = draw * 48271 % 2147483647
			w[j] = words[draw%20]
		}
		must(
			t,
			data.Add(
				contrastive.Pair(
					strings.Join(w[:4], " "),
					strings.Join([]string{w[2], w[0], w[3], w[4]}, " "),
				),
			),
		)
	}
	return data
}

func TestAdapt(t *testing.T) {
	model, err := contrastive.Create(
		contrastive.Set("tokenizer", filepath.Join(models, "bert_st")),
		contrastive.JSON(
			`{"layers": 1, "hidden_size": 32, "attention_heads": 2, "max_length": 32, "pooling": "mean"}`,
		),
	)
	must(t, err)
	defer model.Close()
	data, folder := similar(t), t.TempDir()
	corpus, err := contrastive.NewDataset(contrastive.Text("one man walks"))
	must(t, err)
	defer corpus.Close()
	output, none := filepath.Join(folder, "adapted"), filepath.Join(folder, "none")
	ctx, reports := heard(t, background)
	report, err := model.Adapt(ctx, data, corpus, output, contrastive.JSON(quick))
	must(t, err)
	phases := map[string]bool{}
	for _, one := range *reports {
		phases[one.What] = true
	}
	if len(phases) < 2 {
		t.Errorf("Adapt reported only %v", phases)
	}
	gain, _ := report.Number("figures", "ndcg@10", "gain")
	reason, _ := report.Text("reason")
	if !report.Flag("shipped") || gain <= 0 || !strings.Contains(reason, "ndcg@10 went from") {
		t.Fatal(report)
	}
	adapted, err := contrastive.Load(output)
	must(t, err)
	defer adapted.Close()
	report, err = model.Adapt(
		background,
		data,
		nil,
		none,
		contrastive.JSON(quick),
		contrastive.Set("min_gain", 1),
	)
	must(t, err)
	equal(t, report.Flag("shipped"), false)

	_, err = model.Adapt(background, corpus, nil, none)
	fails(t, err, contrastive.ErrArgument, "a text without a second one")
	_, err = model.Adapt(background, data, nil, none, contrastive.Set("min_gian", 1))
	fails(t, err, contrastive.ErrArgument, "min_gain")
	_, err = model.Adapt(background, nil, nil, none)
	fails(t, err, contrastive.ErrArgument, "pairs is nil")
	cancelled, cancel := context.WithCancel(background)
	cancel()
	if _, err = model.Adapt(cancelled, data, nil, none); err == nil {
		t.Fatal("a cancelled context was ignored")
	}
	if _, err = os.Stat(none); err == nil {
		t.Fatal("a model was written")
	}
}
