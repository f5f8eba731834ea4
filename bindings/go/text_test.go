package contrastive_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	contrastive "contrastive.io/go"
)

// Every text gives the same embedding as in C for the same bytes, alone and in a batch.
func TestTextsThatBreakBindings(t *testing.T) {
	model := load(t)
	texts := map[string]string{
		"empty":              "",
		"a space":            " ",
		"emoji":              "😀 family 👨‍👩‍👧‍👦 flag 🇩🇪",
		"NUL":                "a\x00b",
		"only NUL":           "\x00",
		"invalid UTF-8":      "a\xff\xfe b \xc0\x80 \xf5",
		"cut sequence":       "end \xf0\x9f\x98",
		"surrogate in UTF-8": "\xed\xa0\x80 the \xed\xb0\x80",
		"ten megabytes":      strings.Repeat("the cat sat ", 10<<20/12),
		"combining":          "e\u0301 a\u030a " + strings.Repeat("\u0301", 100),
		"right to left":      "שלום עולם \u202e abc",
		"control":            "a\u200bb\u00adc\tg\r\nh\x7f",
	}
	dimension := model.Dimension()
	var all []string
	var expected []float32
	for name, text := range texts {
		embedding := make([]float32, dimension)
		if status := encodeInC(model.Pointer(), text, embedding); status != 0 {
			t.Fatalf("%s: C answers status %d", name, status)
		}
		alone, err := model.EncodeText(background, text)
		must(t, err)
		if !slices.Equal(alone, embedding) {
			t.Errorf("%s: not what C computes", name)
		}
		all, expected = append(all, text), append(expected, embedding...)
	}
	together, err := model.Encode(background, all)
	must(t, err)
	for i := range expected {
		if difference := together.Values[i] - expected[i]; difference > 1e-6 || difference < -1e-6 {
			t.Fatalf(
				"text %d of the batch differs by %g from the same text alone",
				i/dimension,
				difference,
			)
		}
	}
}

func TestInvalidUTF8ReadsAsReplacement(t *testing.T) {
	model := load(t)
	for _, pair := range [][2]string{{"a\xffb", "a\ufffdb"}, {"\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
		{"\xf0\x9f\x98", "\ufffd"}} {
		broken, err := model.Tokenize(pair[0], 0)
		must(t, err)
		whole, err := model.Tokenize(pair[1], 0)
		must(t, err)
		if !slices.Equal(broken.IDs, whole.IDs) {
			t.Errorf("%q: ids %v, those of %q are %v", pair[0], broken.IDs, pair[1], whole.IDs)
		}
	}
}

func TestAStrictModelRefusesInvalidUTF8(t *testing.T) {
	strict, err := contrastive.Load(models+"/bert_st", contrastive.Set("invalid_utf8", "error"))
	must(t, err)
	defer strict.Close()
	_, err = strict.EncodeText(background, "the \xffcat")
	fails(t, err, contrastive.ErrFormat, "texts[0] is not valid UTF-8 at byte 4")
	_, err = strict.Encode(background, []string{"a", "\xf0\x9f"})
	fails(t, err, contrastive.ErrFormat, "texts[1]")
	_, err = strict.Tokenize("\xff", 0)
	fails(t, err, contrastive.ErrFormat, "byte 0")
	_, err = strict.EncodeText(background, "the 😀 \ufffd")
	must(t, err)
}

func TestNamesWithNULAreRefused(t *testing.T) {
	model := load(t)
	_, err := contrastive.Load("folder\x00of another name")
	fails(t, err, contrastive.ErrArgument, "NUL byte, at 6")
	fails(t, model.Save("a\x00b"), contrastive.ErrArgument, "NUL")
	_, err = model.Encode(background, []string{"a"}, contrastive.Prompt("a\x00b"))
	fails(t, err, contrastive.ErrArgument, "prompt")
	_, err = contrastive.ParseConfig("{}\x00")
	fails(t, err, contrastive.ErrArgument, "NUL")
}

func TestPathsAreUTF8(t *testing.T) {
	model := load(t)
	path := t.TempDir() + "/modèle 😀 模型"
	must(t, model.Save(path))
	again, err := contrastive.Load(path)
	must(t, err)
	again.Close()
	_, err = contrastive.Load(path + "-missing")
	fails(t, err, contrastive.ErrNotFound, "modèle 😀 模型-missing")
}

// The collector does not move the texts of a batch while C reads them.
func TestTextsUnderGarbageCollection(t *testing.T) {
	model := load(t)
	expected, err := model.EncodeText(background, "the cat sat")
	must(t, err)
	defer collecting()()
	for range 300 {
		text := strings.Clone("the cat sat")
		got, err := model.EncodeText(background, text, contrastive.Prompt(strings.Clone("")))
		must(t, err)
		if !slices.Equal(got, expected) {
			t.Fatal("the embedding changed")
		}
	}
}

func TestMoreTextThanOneCallTakes(t *testing.T) {
	texts, large := make([]string, 33), strings.Repeat(" ", 1<<26)
	for i := range texts {
		texts[i] = large
	}
	_, err := load(t).Encode(background, texts)
	fails(t, err, contrastive.ErrLimit, "2214592512 bytes")
}

// Options are evaluated once: if one changed in between, the dimension would not fit the
// embeddings.
func TestOptionsAreReadOnce(t *testing.T) {
	count := 0
	_, err := load(
		t,
	).Encode(background, []string{"the cat sat", "a dog runs"}, contrastive.Counted(&count))
	must(t, err)
	equal(t, count, 1)
}

// Another goroutine replaces texts by longer and shorter ones while a call reads them: the limit
// holds, and nothing outside of the texts is read.
func TestTextsThatChangeUnderACall(t *testing.T) {
	if raceEnabled {
		t.Skip("this test needs a race, which the race detector would report")
	}
	// All are slices of one text, so a torn read is never out of bounds.
	whole, stop, ended := strings.Repeat(
		"the cat sat ",
		5000,
	), make(
		chan struct{},
	), make(
		chan struct{},
	)
	texts := []string{whole[:10], "a dog runs"}
	go func() {
		defer close(ended)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				texts[0] = whole[:10+i%2*40000]
			}
		}
	}()
	refused := 0
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); {
		bytes, told, err := contrastive.PackedUpTo(100, texts)
		if err != nil {
			fails(t, err, contrastive.ErrLimit, "at most 100")
			refused++
		} else if bytes > 100 || int(told) != bytes {
			t.Fatalf("%d bytes, of which offsets tell %d", bytes, told)
		}
	}
	model := load(t)
	for range 300 {
		for _, some := range [][]string{texts, texts[:1]} {
			_, err := model.Encode(background, some)
			must(t, err)
		}
	}
	close(stop)
	<-ended
	if refused == 0 {
		t.Error("no text changed")
	}
}
