// Command scheduled embeds texts over HTTP, collects pairs, and adapts its model to them on a
// timer. A better model replaces the current one without a dropped request, unless the canary's
// queries find their documents less often with it. The previous model is kept for a rollback.
//
//	go run ./scheduled -models DIR -start MODEL -every 24h -canary canary.tsv
//	curl -d '{"texts": ["a first text"]}' localhost:8080/embed
//	curl --data-binary @clicks.tsv localhost:8080/pairs
//	curl -X POST localhost:8080/rollback
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log"
	"net/http"
	"os/signal"
	"strings"
	"syscall"
	"time"

	contrastive "contrastive.io/go"
)

func main() {
	folder := flag.String("models", "models", "folder of the models and the pairs")
	start := flag.String("start", "", "folder of the first model")
	canary := flag.String(
		"canary",
		"",
		"file of pairs that every model must find as well as the one before: query TAB document",
	)
	every := flag.Duration("every", 24*time.Hour, "time between two adaptations")
	least := flag.Int("pairs", 1000, "pairs that an adaptation begins with")
	gain := flag.Float64("min-gain", 0.01, "rise of nDCG@10 that a new model needs")
	listen := flag.String("listen", "localhost:8080", "address to listen on")
	flag.Parse()
	models, err := open(
		*folder,
		*start,
		pairsOf(*canary),
		*least,
		contrastive.Set("min_gain", *gain),
	)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	server := &http.Server{
		Addr:              *listen,
		Handler:           models.routes(),
		ReadHeaderTimeout: 10 * time.Second,
	}
	adapted := make(chan struct{})
	go func() {
		models.run(ctx, *every)
		close(adapted)
	}()
	log.Printf("listening on %s", *listen)
	err = answer(ctx, server)
	stop()
	<-adapted
	models.close()
	if err != nil {
		log.Fatal(err)
	}
}

// answer serves until the context is done, and returns when the running requests have finished.
func answer(ctx context.Context, server *http.Server) error {
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed: // such as a port that is in use
		return err
	case <-ctx.Done():
		patience, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		return server.Shutdown(patience)
	}
}

// run adapts on a timer until the context is done. A failed round changes nothing, and the next one
// tries again.
func (r *rotation) run(ctx context.Context, every time.Duration) {
	timer := time.NewTicker(every)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			if done, err := r.adapt(ctx); err != nil {
				log.Print("adapting failed: ", err)
			} else {
				log.Print(done)
			}
		}
	}
}

func (r *rotation) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /embed", func(w http.ResponseWriter, request *http.Request) {
		var wanted struct {
			Texts []string `json:"texts"`
		}
		if err := json.NewDecoder(http.MaxBytesReader(w, request.Body, 16<<20)).Decode(
			&wanted); err != nil {
			refuse(w, err)
			return
		}
		vectors, model, err := r.embed(request.Context(), wanted.Texts)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		reply(w, map[string]any{"model": model, "vectors": vectors.Rows()})
	})
	mux.HandleFunc("POST /pairs", func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, 64<<20))
		if err == nil {
			err = r.collect(strings.Split(strings.TrimRight(string(body), "\n"), "\n"))
		}
		if err != nil {
			refuse(w, err)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	})
	mux.HandleFunc("POST /rollback", func(w http.ResponseWriter, _ *http.Request) {
		if err := r.rollback(); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		reply(w, map[string]any{"model": r.current.Load().number})
	})
	return mux
}

func refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		status = http.StatusRequestEntityTooLarge
	}
	http.Error(w, err.Error(), status)
}

func reply(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // ignore errors: the client may have disconnected
}
