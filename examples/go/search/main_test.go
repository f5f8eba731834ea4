package main

import (
	"context"
	"strings"
	"testing"

	"contrastive.io/examples/internal/corpus"
)

func TestSearch(t *testing.T) {
	file := corpus.File(
		t,
		"texts.txt",
		"A man is eating food.\nThe moon circles the earth.\nSomeone plays a guitar.\n"+
			"Stocks fell on Monday.\n",
	)
	var out strings.Builder
	if err := search(context.Background(), corpus.Model(t), file, []string{"astronomy", "music"},
		&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if !strings.Contains(lines[1], "The moon") || !strings.Contains(lines[5], "guitar") {
		t.Fatal(out.String())
	}
	t.Log("\n" + out.String())
}
