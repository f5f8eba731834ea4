package contrastive_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	contrastive "contrastive.io/go"
)

func TestLoadTellsWhatIsWrong(t *testing.T) {
	_, err := contrastive.Load("no such folder")
	fails(t, err, contrastive.ErrNotFound, "no such folder")
	fails(t, err, fs.ErrNotExist, "no such folder")
	_, err = contrastive.Load(models + "/roberta_hf")
	fails(t, err, contrastive.ErrArgument, "pooling")
	_, err = contrastive.Load(models+"/bert_st", contrastive.Set("poolin", "mean"))
	fails(t, err, contrastive.ErrArgument, "pooling")
	_, err = contrastive.Load(models+"/bert_st", contrastive.JSON(`{"device": `))
	fails(t, err, contrastive.ErrFormat, "")
	var detail *contrastive.Error
	if !errors.As(err, &detail) || detail.Code != contrastive.ErrFormat ||
		detail.Code.String() != "FORMAT" {
		t.Fatalf("%#v", detail)
	}
	folder := t.TempDir()
	must(t, os.CopyFS(folder, os.DirFS(models+"/bert_st")))
	must(t, os.WriteFile(filepath.Join(folder, "config.json"), []byte("{"), 0o644))
	_, err = contrastive.Load(folder)
	fails(t, err, contrastive.ErrFormat, "config.json")
}

func TestModelTellsWhatItIs(t *testing.T) {
	model, err := contrastive.Load(models+"/roberta_hf", contrastive.Set("pooling", "cls"))
	must(t, err)
	defer model.Close()
	info, err := model.Info()
	must(t, err)
	equal(t, info.Family, "roberta")
	equal(t, info.Dimension, model.Dimension())
	equal(t, info.MaxLength, model.MaxLength())
	if info.DefaultPromptName != nil || len(info.Fingerprint) != 64 {
		t.Fatalf("%+v", info)
	}
	if !slices.Equal(info.Pooling, []string{"cls"}) || len(info.Notes) == 0 ||
		!strings.Contains(string(info.Raw), `"vocab_size"`) {
		t.Fatalf("%+v", info)
	}
}

func TestSaveLoadAndSnapshotGiveEqualEmbeddings(t *testing.T) {
	model := load(t)
	texts := []string{"the cat sat", "two birds fly", ""}
	expected, err := model.Encode(background, texts)
	must(t, err)
	folder := t.TempDir() + "/saved"
	must(t, model.Save(folder))
	loaded, err := contrastive.Load(folder)
	must(t, err)
	defer loaded.Close()
	snapshot, err := model.Snapshot()
	must(t, err)
	defer snapshot.Close()
	for _, other := range []*contrastive.Model{loaded, snapshot} {
		got, err := other.Encode(background, texts)
		must(t, err)
		if !slices.Equal(got.Values, expected.Values) {
			t.Fatal("the embeddings differ")
		}
	}
	must(t, os.WriteFile(t.TempDir()+"/file", nil, 0o644))
	fails(t, model.Save("/proc/nowhere/model"), contrastive.ErrIO, "/proc")
}

func TestEncodeOptions(t *testing.T) {
	model := load(t)
	texts := []string{
		"the cat sat",
		"a dog runs in the old house with two birds and a very red fish and a man who eats",
	}
	counts := make([]int32, 2)
	plain, err := model.Encode(
		background,
		texts,
		contrastive.Normalize(false),
		contrastive.TokenCounts(counts),
		contrastive.MaxLength(8),
	)
	must(t, err)
	if counts[0] > 8 || counts[1] <= 8 {
		t.Fatalf("token counts %v", counts)
	}
	unit, err := model.Encode(
		background,
		texts,
		contrastive.Normalize(true),
		contrastive.MaxLength(8),
		contrastive.BatchTokens(16),
	)
	must(t, err)
	score, err := contrastive.Score(plain.Row(1), unit.Row(1), contrastive.Cosine)
	must(t, err)
	if score < 0.99999 || slices.Equal(plain.Row(1), unit.Row(1)) {
		t.Fatalf("cosine %g of the same text with and without unit length", score)
	}
	short, err := model.Encode(
		background,
		texts,
		contrastive.TruncateDim(8),
		contrastive.Pooling("cls"),
		contrastive.PromptName("query"),
	)
	must(t, err)
	equal(t, short.Dimension, 8)
	equal(t, short.Len(), 2)
	prompted, err := model.EncodeText(background, "sat", contrastive.Prompt("the cat "))
	must(t, err)
	whole, err := model.EncodeText(background, "the cat sat")
	must(t, err)
	if !slices.Equal(prompted, whole) {
		t.Fatal("a prompt and a text do not give the embedding of their concatenation")
	}
	wide, err := model.EncodeDimension(contrastive.Pooling("mean+cls"))
	if err == nil {
		equal(t, wide, 64)
	}
	_, err = model.Encode(background, texts, contrastive.Pooling("maen"))
	fails(t, err, contrastive.ErrArgument, "mean")
	_, err = model.Encode(background, texts, contrastive.TokenCounts(make([]int32, 1)))
	fails(t, err, contrastive.ErrBuffer, "2 texts")
	_, err = model.Encode(background, texts, contrastive.MaxLength(1<<40))
	fails(t, err, contrastive.ErrArgument, "32 bits")
	out := []float32{7, 7}
	fails(t, model.EncodeInto(background, out, texts), contrastive.ErrBuffer, "64")
	equal(t, out[0], 7)
	roomy := make([]float32, 70)
	roomy[64] = 7
	must(t, model.EncodeInto(background, roomy, texts))
	equal(t, roomy[64], 7) // the rest is unchanged
	none, err := model.Encode(background, nil)
	must(t, err)
	equal(t, none.Len(), 0)
}

func TestAnyNumberOfGoroutinesMayEncode(t *testing.T) {
	model := load(t)
	expected, err := model.EncodeText(background, "the cat sat")
	must(t, err)
	var all sync.WaitGroup
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 100 {
				got, err := model.EncodeText(background, "the cat sat")
				if err != nil || !slices.Equal(got, expected) {
					t.Error("another embedding", err)
					return
				}
			}
		}()
	}
	all.Wait()
}

// Each failing call gets its own message, even if other goroutines fail at the same time on the
// same threads.
func TestMessagesBelongToTheirCalls(t *testing.T) {
	var all sync.WaitGroup
	for worker := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range 500 {
				name := "missing-" + strings.Repeat(
					"x",
					worker+1,
				) + "-" + strings.Repeat(
					"y",
					i%7,
				) + "!"
				if _, err := contrastive.Load(name); err == nil ||
					!strings.Contains(err.Error(), name) {
					t.Errorf("%q got %v", name, err)
					return
				}
			}
		}()
	}
	all.Wait()
}

func TestTokenize(t *testing.T) {
	model := load(t)
	text := "the cat sat"
	tokens, err := model.Tokenize(text, 0)
	must(t, err)
	var words []string
	for i, id := range tokens.IDs {
		token, err := model.Token(int(id))
		must(t, err)
		if tokens.Begins[i] >= 0 {
			if covered := text[tokens.Begins[i]:tokens.Ends[i]]; !strings.HasPrefix(token, "##") &&
				covered != token {
				t.Errorf("token %q stands for %q", token, covered)
			}
		}
		words = append(words, token)
	}
	if !strings.Contains(strings.Join(words, " "), "the cat") {
		t.Fatalf("%q", words)
	}
	long, err := model.Tokenize(strings.Repeat("the cat ", 1000), contrastive.NoLimit)
	must(t, err)
	equal(t, len(long.IDs), 2002)
	cut, err := model.Tokenize(strings.Repeat("the cat ", 1000), 0)
	must(t, err)
	equal(t, len(cut.IDs), model.MaxLength())
	pair, err := model.TokenizePair("the cat", "sat", 0)
	must(t, err)
	equal(t, pair.TypeIDs[0], 0)
	equal(t, pair.TypeIDs[len(pair.TypeIDs)-1], 1)
	_, err = model.Tokenize("the cat", 1)
	fails(t, err, contrastive.ErrArgument, "")
	unknown, err := model.Token(1 << 30)
	must(t, err)
	equal(t, unknown, "")
}
