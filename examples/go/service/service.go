package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"

	contrastive "contrastive.io/go"
)

// service serves the current model while the next one is trained.
type service struct {
	current  atomic.Pointer[version]
	training sync.Mutex // held by the running training; only one may run
	ctx      context.Context
	stop     context.CancelFunc
	running  sync.WaitGroup
	failure  atomic.Pointer[string] // of the last training
}

// version is a model and its number, from 0.
type version struct {
	*contrastive.Model
	number int
}

func open(folder string) (*service, error) {
	model, err := contrastive.Load(folder)
	if err != nil {
		return nil, err
	}
	s := &service{}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.current.Store(&version{Model: model})
	return s, nil
}

func (s *service) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /embed", s.embed)
	mux.HandleFunc("POST /retrain", s.retrain)
	mux.HandleFunc("GET /status", s.status)
	return mux
}

// close stops a running training and frees the model.
func (s *service) close() {
	s.stop()
	s.running.Wait()
	s.current.Load().Close()
}

type embedding struct {
	Model   int         `json:"model"`
	Vectors [][]float32 `json:"vectors"`
}

func (s *service) embed(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Texts []string `json:"texts"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 16<<20)).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for {
		model := s.current.Load()
		vectors, err := model.Encode(r.Context(), request.Texts)
		switch {
		case errors.Is(err, contrastive.ErrClosed) && s.current.Load() != model:
			continue // swapped between the two lines above: use the new one
		case errors.Is(err, contrastive.ErrCancelled):
			return // the client has disconnected
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		reply(w, http.StatusOK, embedding{model.number, vectors.Rows()})
		return
	}
}

// retrain accepts pairs, one "text TAB text" per line, and returns at once. The training runs in
// the background.
func (s *service) retrain(w http.ResponseWriter, r *http.Request) {
	if !s.training.TryLock() {
		http.Error(w, "a training runs already", http.StatusConflict)
		return
	}
	data, err := contrastive.ReadDataset(
		http.MaxBytesReader(w, r.Body, 1<<30),
		contrastive.Set("data.format", "tsv"),
	)
	if err != nil {
		s.training.Unlock()
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.running.Add(1)
	go func() {
		defer s.running.Done()
		defer s.training.Unlock()
		defer data.Close()
		message := ""
		if err := s.train(data); err != nil {
			message = err.Error()
		}
		s.failure.Store(&message)
	}()
	reply(w, http.StatusAccepted, map[string]int{"pairs": data.Len()})
}

// train trains the next model from the current one and swaps them. Requests that use the old one
// finish with it.
func (s *service) train(data *contrastive.Dataset) error {
	old := s.current.Load()
	trainer, err := contrastive.NewTrainer(
		old.Model,
		data,
		contrastive.JSON(`{"method": "clsr", "clsr.encoder_init": "identity",
		"clsr.projection": "none", "epochs": 5, "batch_size": 16, "optimizer": "adamw", "lr": 0.001}`),
	)
	if err != nil {
		return err
	}
	defer trainer.Close()
	if err := trainer.Run(s.ctx, nil); err != nil {
		return err
	}
	trained, err := trainer.Model()
	if err != nil {
		return err
	}
	s.current.Store(&version{trained, old.number + 1})
	return old.Close()
}

func (s *service) status(w http.ResponseWriter, _ *http.Request) {
	model := s.current.Load()
	failure := ""
	if last := s.failure.Load(); last != nil {
		failure = *last
	}
	reply(
		w,
		http.StatusOK,
		map[string]any{"model": model.number, "dimension": model.Dimension(), "failure": failure},
	)
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // ignore errors: the client may have disconnected
}
