package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	contrastive "contrastive.io/go"

	"contrastive.io/examples/internal/corpus"
)

// load is a set of clients that send requests without a pause, and their answers.
type load struct {
	answered, failed atomic.Int64
	newest           atomic.Int64
	stop             chan struct{}
	clients          sync.WaitGroup
}

func (l *load) run(t *testing.T, url string, client int) {
	defer l.clients.Done()
	for i := 0; ; i++ {
		select {
		case <-l.stop:
			return
		default:
		}
		body := fmt.Sprintf(
			`{"texts": ["request %d of client %d", "😀 and a second text"]}`,
			i,
			client,
		)
		answer, err := http.Post(url+"/embed", "application/json", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			l.failed.Add(1)
			return
		}
		var got embedding
		err = json.NewDecoder(answer.Body).Decode(&got)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || len(got.Vectors) != 2 ||
			len(got.Vectors[0]) == 0 {
			t.Errorf("%s: %v, %d vectors", answer.Status, err, len(got.Vectors))
			l.failed.Add(1)
			return
		}
		l.answered.Add(1)
		for newest := l.newest.Load(); int64(got.Model) > newest &&
			!l.newest.CompareAndSwap(newest, int64(got.Model)); newest = l.newest.Load() {
		}
	}
}

// Clients send requests without a pause while three models are trained and swapped in: no request
// fails, and the old models are freed.
func TestNoRequestIsDropped(t *testing.T) {
	service, err := open(corpus.Model(t))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(service.routes())
	l := &load{stop: make(chan struct{})}
	for client := range 6 {
		l.clients.Add(1)
		go l.run(t, server.URL, client)
	}
	before := 0
	for round := 1; round <= 3; round++ {
		expect(t, server.URL, corpus.Lines(corpus.Pairs()), http.StatusAccepted)
		expect(t, server.URL, "a\tb\n", http.StatusConflict)
		before = int(l.answered.Load())
		for deadline := time.Now().Add(60 * time.Second); int(l.newest.Load()) < round; time.Sleep(
			5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("no model %d after a minute: %s", round, *service.failure.Load())
			}
		}
		if int(l.answered.Load()) == before {
			t.Error("nothing was answered during the training")
		}
		waitForTraining(service)
	}
	expect(t, server.URL, "", http.StatusBadRequest)
	close(l.stop)
	l.clients.Wait()
	server.Close()
	service.close()
	t.Logf(
		"%d requests answered, %d failed, while 3 models were trained and swapped",
		l.answered.Load(),
		l.failed.Load(),
	)
	if l.failed.Load() != 0 || l.answered.Load() < 20 {
		t.Fail()
	}
	if live := contrastive.LiveHandles(); live != 0 {
		t.Fatalf("%d handles live after the service was closed", live)
	}
}

func waitForTraining(service *service) {
	service.training.Lock() // available again after the training has cleaned up
	defer service.training.Unlock()
}

func expect(t *testing.T, url, pairs string, status int) {
	t.Helper()
	answer, err := http.Post(
		url+"/retrain",
		"text/tab-separated-values",
		bytes.NewReader([]byte(pairs)),
	)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != status {
		t.Fatalf("retrain answered %s; %d was expected", answer.Status, status)
	}
}
