// Command service embeds texts over HTTP, and retrains itself in the background without dropping a
// request.
//
//	go run ./service -model MODEL -listen localhost:8080
//	curl -d '{"texts": ["a first text", "a second"]}' localhost:8080/embed
//	curl --data-binary @pairs.tsv localhost:8080/retrain
package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	folder := flag.String("model", "", "folder of the model")
	listen := flag.String("listen", "localhost:8080", "address to listen on")
	flag.Parse()
	service, err := open(*folder)
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{
		Addr:              *listen,
		Handler:           service.routes(),
		ReadHeaderTimeout: 10 * time.Second,
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	log.Printf("listening on %s", *listen)
	err = answer(ctx, server)
	stop()
	service.close()
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
