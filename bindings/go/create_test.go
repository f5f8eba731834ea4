package contrastive_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	contrastive "contrastive.io/go"
)

func TestModelsFromNothing(t *testing.T) {
	texts, folder := t.TempDir()+"/texts.txt", t.TempDir()+"/vocabulary"
	must(
		t,
		os.WriteFile(
			texts,
			[]byte(strings.Repeat("the cat sat on the old house\na dog runs with two birds\n", 50)),
			0o644,
		),
	)
	must(t, contrastive.TrainVocabulary(background, texts, folder))
	recipe := contrastive.JSON(
		`{"layers": 1, "hidden_size": 16, "attention_heads": 2, "pooling": "mean"}`,
	)
	first, err := contrastive.Create(recipe, contrastive.Set("tokenizer", folder))
	must(t, err)
	defer first.Close()
	second, err := contrastive.Create(
		recipe,
		contrastive.Set("tokenizer", folder),
		contrastive.Set("seed", 77),
	)
	must(t, err)
	defer second.Close()
	equal(t, first.Dimension(), 16)
	one, err := first.EncodeText(background, "the cat")
	must(t, err)
	other, err := second.EncodeText(background, "the cat")
	must(t, err)
	if slices.Equal(one, other) {
		t.Fatal("two seeds gave the same weights")
	}
	_, err = contrastive.Create(recipe)
	fails(t, err, contrastive.ErrArgument, "tokenizer")
	fails(
		t,
		contrastive.TrainVocabulary(background, texts+"x", folder),
		contrastive.ErrNotFound,
		"texts.txtx",
	)
}
