// Command service embeds texts over HTTP, and retrains itself in the background without dropping a request.
//
//	go run ./service -model MODEL -listen localhost:8080
//	curl -d '{"texts": ["a first text", "a second"]}' localhost:8080/embed
//	curl --data-binary @pairs.tsv localhost:8080/retrain
package main

import (
	"context"
	"errors"
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
	server := &http.Server{Addr: *listen, Handler: service.routes(), ReadHeaderTimeout: 10 * time.Second}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	go func() {
		<-ctx.Done()
		patience, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		_ = server.Shutdown(patience) // requests that run are answered
	}()
	log.Printf("listening on %s", *listen)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Print(err)
	}
	service.close()
}
