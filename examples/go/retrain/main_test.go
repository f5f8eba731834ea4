package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"contrastive.io/examples/internal/corpus"
)

func TestRetrain(t *testing.T) {
	pairs := corpus.Pairs()
	j := job{model: corpus.Model(t), train: corpus.File(t, "train.tsv", corpus.Lines(pairs[:48])),
		test: corpus.File(
			t,
			"test.tsv",
			corpus.Lines(pairs[48:]),
		), output: t.TempDir() + "/model", steps: 60}
	var out strings.Builder
	if err := retrain(context.Background(), j, &out); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + out.String())
	found := regexp.MustCompile(`MRR@10 ([0-9.]+)`).FindAllStringSubmatch(out.String(), -1)
	var before, after float64
	fmt.Sscan(found[0][1], &before)
	fmt.Sscan(found[1][1], &after)
	if after <= before {
		t.Fatalf("MRR@10 %g before and %g after", before, after)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	j.resume = true
	if err := retrain(ended, j, &out); err == nil {
		t.Fatal("a run whose context is over")
	}
}
