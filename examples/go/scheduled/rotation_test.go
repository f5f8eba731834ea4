package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	contrastive "contrastive.io/go"

	"contrastive.io/examples/internal/corpus"
)

const quick = `{"lr": 0.002, "max_steps": 40, "test_share": 0.3, "near_duplicate": 1, ` +
	`"mining.relative_margin": -1e9, "resamples": 100}`

// similar returns pairs; each second text has three of the first text's four words.
func similar(seed, count int) []string {
	words := strings.Fields(
		"the cat dog bird house mat two old new fly run open cafe water tree green red blue small man",
	)
	var lines []string
	for i := 0; i < count; i++ {
		w := make([]string, 5)
		for j := range w {
			seed = seed * 48271 % 2147483647
			w[j] = words[seed%20]
		}
		lines = append(
			lines,
			strings.Join(w[:4], " ")+"\t"+strings.Join([]string{w[2], w[0], w[3], w[4]}, " "),
		)
	}
	return lines
}

// start makes a model with fresh weights.
func start(t *testing.T) string {
	t.Helper()
	model, err := contrastive.Create(
		contrastive.Set("tokenizer", "../../../tests/fixtures/models/bert_st"),
		contrastive.JSON(
			`{"layers": 1, "hidden_size": 32, "attention_heads": 2, "max_length": 32, "pooling": "mean"}`,
		),
	)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	folder := filepath.Join(t.TempDir(), "start")
	if err := model.Save(folder); err != nil {
		t.Fatal(err)
	}
	return folder
}

// begin opens a folder with that model, and collects pairs.
func begin(t *testing.T, folder, first string, watch canary, least int, pairs ...string) *rotation {
	t.Helper()
	models, err := open(folder, first, watch, least, contrastive.JSON(quick))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(models.close)
	if len(pairs) > 0 {
		if err := models.collect(pairs); err != nil {
			t.Fatal(err)
		}
	}
	return models
}

// holds returns which of the names are in the folder of the models.
func (r *rotation) holds(t *testing.T, want bool, names ...string) {
	t.Helper()
	for _, name := range names {
		if exists(filepath.Join(r.folder, name)) != want {
			t.Fatalf("%s is there: %v was expected", name, want)
		}
	}
}

func says(t *testing.T, done string, err error, part string) {
	t.Helper()
	if err != nil || !strings.Contains(done, part) {
		t.Fatalf("%q, %v; %q was expected", done, err, part)
	}
}

func served(t *testing.T, url string) int {
	t.Helper()
	answer, err := http.Post(
		url+"/embed",
		"application/json",
		strings.NewReader(`{"texts": ["the cat"]}`),
	)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var got struct{ Model int }
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	return got.Model
}

func TestABetterModelTakesOverAndComesBack(t *testing.T) {
	background, folder := context.Background(), filepath.Join(t.TempDir(), "models")
	models, err := open(folder, start(t), pairsOf(""), 160, contrastive.JSON(quick))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(models.routes())
	done, err := models.adapt(background)
	says(t, done, err, "0 pairs of 160")
	answer, err := http.Post(
		server.URL+"/pairs",
		"text/tab-separated-values",
		strings.NewReader(strings.Join(similar(1, 160), "\n")+"\n"),
	)
	if err != nil || answer.StatusCode != http.StatusAccepted {
		t.Fatal(answer, err)
	}
	answer.Body.Close()
	ctx, stop := context.WithCancel(background)
	ran := make(chan struct{})
	go func() {
		models.run(ctx, 20*time.Millisecond)
		close(ran)
	}()
	for deadline := time.Now().Add(time.Minute); served(t,
		server.URL) != 1; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no model took over within a minute")
		}
	}
	stop()
	<-ran
	if answer, err = http.Post(server.URL+"/rollback", "", nil); err != nil ||
		answer.StatusCode != http.StatusOK ||
		served(t, server.URL) != 0 {
		t.Fatal("the model before did not come back")
	}
	if answer, err = http.Post(server.URL+"/rollback", "", nil); err != nil ||
		answer.StatusCode != http.StatusConflict {
		t.Fatal("there was no model before the first")
	}
	for body, status := range map[string]int{"no pair": 400, "": 400, "\n": 400,
		strings.Repeat("a", 64<<20+1): 413} {
		if answer, err = http.Post(server.URL+"/pairs", "", strings.NewReader(body)); err != nil ||
			answer.StatusCode != status {
			t.Fatalf("%d bytes without a tab: %v, %v", len(body), answer, err)
		}
	}
	server.Close()
	models.close()
	again, err := open(
		folder,
		"",
		pairsOf(""),
		160,
		contrastive.JSON(quick),
	) // as a restart of the service does
	if err != nil || again.current.Load().number != 0 {
		t.Fatal(err)
	}
	again.close()
	if live := contrastive.LiveHandles(); live != 0 {
		t.Fatalf("%d handles live", live)
	}
}

func TestAModelThatIsNotBetterOrFailsTheCanaryDoesNotStay(t *testing.T) {
	background, first := context.Background(), start(t)
	models, err := open(
		filepath.Join(t.TempDir(), "models"),
		first,
		pairsOf(""),
		160,
		contrastive.JSON(strings.Replace(quick, "{", `{"min_gain": 1, `, 1)),
	)
	if err != nil {
		t.Fatal(err)
	}
	defer models.close()
	if err := models.collect(similar(1, 160)); err != nil {
		t.Fatal(err)
	}
	done, err := models.adapt(background)
	says(t, done, err, "kept the model")
	if err := models.collect(similar(2, 160)); err != nil {
		t.Fatal(err)
	}
	done, err = models.adapt(background)
	says(t, done, err, "kept the model")
	models.holds(t, true, "model-1.tsv", "model-2.tsv") // the pairs of both rounds
	models.holds(t, false, "model-1", "model-2", "round.tsv")

	scores := []float64{1, 0.5} // scores of the served model, and of the new one
	var watched *rotation
	watched = begin(
		t,
		filepath.Join(t.TempDir(), "watched"),
		first,
		func(context.Context, *contrastive.Model) (float64, error) {
			if number := watched.current.Load().number; number != 0 {
				t.Errorf("model %d is served before the canary was asked", number)
			}
			score := scores[0]
			scores = scores[1:]
			return score, nil
		},
		160,
		similar(1, 160)...)
	done, err = watched.adapt(background)
	says(t, done, err, "kept the model: the canary fell from 1.000 to 0.500")
	if number := watched.current.Load().number; number != 0 {
		t.Fatalf("model %d is served", number)
	}
	watched.holds(t, true, "model-1", "model-1.tsv")

	file := corpus.File(t, "canary.tsv", "the cat\tthe cat\na dog\ta dog\n")
	if recall, err := pairsOf(file)(background, watched.current.Load().Model); err != nil ||
		recall != 1 {
		t.Fatal(recall, err)
	}
}

func TestACanaryThatFailsLeavesTheModelAndThePairs(t *testing.T) {
	background, asked, failing := context.Background(), 0, errors.New("the canary is ill")
	models := begin(
		t,
		filepath.Join(t.TempDir(), "models"),
		start(t),
		func(context.Context, *contrastive.Model) (float64, error) {
			if asked++; asked == 1 ||
				asked == 3 { // of the served model, and in the next round of the new one
				return 0, failing
			}
			return 1, nil
		},
		160,
		similar(1, 160)...)
	for range 2 {
		if done, err := models.adapt(background); !errors.Is(err, failing) ||
			models.current.Load().number != 0 {
			t.Fatal(done, err)
		}
		models.holds(t, true, "round.tsv")
	}
	done, err := models.adapt(background)
	says(t, done, err, "serves a better model")
	models.holds(t, false, "round.tsv")
}

func TestARoundThatWasBrokenOffGoesOn(t *testing.T) {
	background, folder, first := context.Background(), filepath.Join(
		t.TempDir(),
		"models",
	), start(
		t,
	)
	// Long enough to be stopped in the middle.
	slow := contrastive.JSON(
		strings.Replace(
			quick,
			`"lr": 0.002, "max_steps": 40`,
			`"lr": 0.0001, "max_steps": 1000`,
			1,
		),
	)
	interrupt := func(models *rotation) {
		t.Helper()
		models.keys = slow
		ctx, stop := context.WithCancel(background)
		go func() {
			for !exists(filepath.Join(folder, "model-1.adapting", "split.done.json")) {
				time.Sleep(time.Millisecond)
			}
			stop()
		}()
		if done, err := models.adapt(ctx); !errors.Is(err, contrastive.ErrCancelled) {
			t.Fatal(done, err)
		}
		models.holds(t, true, "round.tsv", "model-1.adapting")
	}
	interrupt(begin(t, folder, first, pairsOf(""), 160, similar(1, 160)...))
	again := begin(t, folder, "", pairsOf(""), 160) // as a restart of the service does
	again.keys = slow
	done, err := again.adapt(background)
	says(t, done, err, "serves a better model")
	again.holds(t, true, "model-1", "model-1.tsv")
	again.holds(t, false, "round.tsv", "model-1.adapting")

	folder = filepath.Join(t.TempDir(), "others")
	interrupt(begin(t, folder, first, pairsOf(""), 160, similar(1, 160)...))
	others := begin(t, folder, "", pairsOf(""), 160)
	others.keys = contrastive.JSON(
		strings.Replace(quick, "{", `{"seed": 7, `, 1),
	) // the started round does not belong to them
	if done, err := others.adapt(background); !errors.Is(err, contrastive.ErrMismatch) {
		t.Fatal(done, err)
	}
	others.holds(t, true, "round.tsv")
	others.holds(t, false, "model-1.adapting")
	done, err = others.adapt(background)
	says(t, done, err, "serves a better model")
}

func TestARollbackDuringARoundWins(t *testing.T) {
	background, folder, first := context.Background(), filepath.Join(
		t.TempDir(),
		"models",
	), start(
		t,
	)
	begin(t, folder, first, pairsOf(""), 160)
	copied := os.CopyFS(filepath.Join(folder, "model-1"), os.DirFS(first))
	if err := errors.Join(copied,
		os.WriteFile(filepath.Join(folder, "served"), []byte("1 0\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	var url string
	asked := 0
	models := begin(t, folder, "", func(context.Context, *contrastive.Model) (float64, error) {
		if asked++; asked == 2 { // the new model exists, but is not served yet
			if served(t, url) != 1 {
				t.Error("nothing is served during a round")
			}
			if answer, err := http.Post(url+"/rollback", "", nil); err != nil ||
				answer.StatusCode != http.StatusOK {
				t.Error(answer, err)
			}
		}
		return 1, nil
	}, 160, similar(1, 160)...)
	server := httptest.NewServer(models.routes())
	defer server.Close()
	url = server.URL
	done, err := models.adapt(background)
	says(t, done, err, "the model was changed meanwhile")
	if served(t, url) != 0 {
		t.Fatal("the rollback was lost")
	}
	models.holds(t, true, "model-2", "round.tsv")
	done, err = models.adapt(background) // the restored model learns from the same pairs
	says(t, done, err, "serves a better model")
	if served(t, url) != 3 {
		t.Fatal("a number was used twice")
	}
}

func TestABadRoundDoesNotStopTheNext(t *testing.T) {
	background := context.Background()
	models := begin(t, filepath.Join(t.TempDir(), "models"), start(t), pairsOf(""), 1)
	for round := 1; round <= 2; round++ { // too few pairs for a test, twice
		if err := models.collect(similar(round, 1)); err != nil {
			t.Fatal(err)
		}
		if done, err := models.adapt(background); !errors.Is(err, contrastive.ErrArgument) {
			t.Fatal(done, err)
		}
		models.holds(t, true, fmt.Sprintf("failed-%d.tsv", round))
		models.holds(t, false, "round.tsv", "model-1.adapting")
	}
	if err := models.collect(append(similar(1, 160), "a line\twith a \x00")); err != nil {
		t.Fatal(err)
	}
	done, err := models.adapt(background)
	says(t, done, err, "serves a better model")
}

func TestRequestsThatRunAreAnsweredAtTheEnd(t *testing.T) {
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := answer(context.Background(), &http.Server{Addr: address}); err == nil {
		t.Fatal("a port that is taken was listened on")
	}
	listener.Close()
	ctx, stop := context.WithCancel(context.Background())
	answered := false
	server := &http.Server{
		Addr: address,
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			stop() // as on a signal
			time.Sleep(200 * time.Millisecond)
			answered = true
		}),
	}
	go func() {
		for ctx.Err() == nil {
			if reply, err := http.Get("http://" + address); err == nil {
				reply.Body.Close()
			}
		}
	}()
	if err := answer(ctx, server); err != nil || !answered {
		t.Fatal("a request was dropped: ", err)
	}
}
