package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	contrastive "contrastive.io/go"

	"contrastive.io/examples/internal/corpus"
)

const quick = `{"lr": 0.002, "max_steps": 40, "test_share": 0.3, "near_duplicate": 1, "mining.relative_margin": -1e9, "resamples": 100}`

// similar is pairs whose second texts have three of the first ones' four words.
func similar(seed, count int) []string {
	words := strings.Fields("the cat dog bird house mat two old new fly run open cafe water tree green red blue small man")
	var lines []string
	for i := 0; i < count; i++ {
		w := make([]string, 5)
		for j := range w {
			seed = seed * 48271 % 2147483647
			w[j] = words[seed%20]
		}
		lines = append(lines, strings.Join(w[:4], " ")+"\t"+strings.Join([]string{w[2], w[0], w[3], w[4]}, " "))
	}
	return lines
}

// start makes a model with fresh weights.
func start(t *testing.T) string {
	t.Helper()
	model, err := contrastive.Create(contrastive.Set("tokenizer", "../../../tests/fixtures/models/bert_st"),
		contrastive.JSON(`{"layers": 1, "hidden_size": 32, "attention_heads": 2, "max_length": 32, "pooling": "mean"}`))
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

func says(t *testing.T, done string, err error, part string) {
	t.Helper()
	if err != nil || !strings.Contains(done, part) {
		t.Fatalf("%q, %v; %q was expected", done, err, part)
	}
}

func served(t *testing.T, url string) int {
	t.Helper()
	answer, err := http.Post(url+"/embed", "application/json", strings.NewReader(`{"texts": ["the cat"]}`))
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
	answer, err := http.Post(server.URL+"/pairs", "text/tab-separated-values", strings.NewReader(strings.Join(similar(1, 160), "\n")+"\n"))
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
	for deadline := time.Now().Add(time.Minute); served(t, server.URL) != 1; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no model took over within a minute")
		}
	}
	stop()
	<-ran
	if answer, err = http.Post(server.URL+"/rollback", "", nil); err != nil || answer.StatusCode != http.StatusOK || served(t, server.URL) != 0 {
		t.Fatal("the model before did not come back")
	}
	if answer, err = http.Post(server.URL+"/rollback", "", nil); err != nil || answer.StatusCode != http.StatusConflict {
		t.Fatal("there was no model before the first")
	}
	if answer, err = http.Post(server.URL+"/pairs", "", strings.NewReader("no pair")); err != nil || answer.StatusCode != http.StatusBadRequest {
		t.Fatal("a line without a tab was taken")
	}
	server.Close()
	models.close()
	again, err := open(folder, "", pairsOf(""), 160, contrastive.JSON(quick)) // as a restart of the service does
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
	models, err := open(filepath.Join(t.TempDir(), "models"), first, pairsOf(""), 160, contrastive.JSON(strings.Replace(quick, "{", `{"min_gain": 1, `, 1)))
	if err != nil {
		t.Fatal(err)
	}
	defer models.close()
	if err := models.collect(similar(1, 160)); err != nil {
		t.Fatal(err)
	}
	done, err := models.adapt(background)
	says(t, done, err, "kept the model")

	scores := []float64{1, 0.5} // of the model before, and of the one that takes over
	watched, err := open(filepath.Join(t.TempDir(), "watched"), first, func(context.Context, *contrastive.Model) (float64, error) {
		score := scores[0]
		scores = scores[1:]
		return score, nil
	}, 160, contrastive.JSON(quick))
	if err != nil {
		t.Fatal(err)
	}
	defer watched.close()
	if err := watched.collect(similar(1, 160)); err != nil {
		t.Fatal(err)
	}
	done, err = watched.adapt(background)
	says(t, done, err, "rolled back: the canary fell from 1.000 to 0.500")
	if number := watched.current.Load().number; number != 0 {
		t.Fatalf("model %d is served", number)
	}

	file := corpus.File(t, "canary.tsv", "the cat\tthe cat\na dog\ta dog\n")
	if recall, err := pairsOf(file)(background, watched.current.Load().Model); err != nil || recall != 1 {
		t.Fatal(recall, err)
	}
}
