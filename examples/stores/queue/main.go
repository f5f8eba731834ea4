// Command queue embeds the rows of the table of schema.sql as they arrive, until SIGTERM or Ctrl-C.
// Any number of processes may run at once.
//
//	hf download sentence-transformers/all-MiniLM-L6-v2 --local-dir all-MiniLM-L6-v2  # gets the model
//	queue -model all-MiniLM-L6-v2
//
// PGHOST, PGUSER and similar variables, or -database, specify the server.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	contrastive "contrastive.io/go"
	"github.com/jackc/pgx/v5"
	pgxvector "github.com/pgvector/pgvector-go/pgx"
)

func main() {
	var c consumer
	database := flag.String(
		"database",
		"",
		"address of the database; default: what PGHOST and its like say",
	)
	folder := flag.String("model", "", "folder of the model")
	flag.IntVar(&c.batch, "batch", 64, "rows taken at once")
	flag.IntVar(
		&c.maxBytes,
		"max-bytes",
		1<<20,
		"longest text; a longer one is an error of its row",
	)
	flag.DurationVar(
		&c.poll,
		"poll",
		5*time.Second,
		"how often an idle consumer looks for rows that nobody announced: those of a consumer that "+
			"was killed",
	)
	flag.BoolVar(&c.drain, "drain", false, "end when nothing waits")
	patience := flag.Duration(
		"patience",
		time.Minute,
		"after how long without a sign of a consumer, in the middle of its rows, the server gives them "+
			"to others; longer than a batch takes",
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := c.start(ctx, *database, *folder, *patience); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) // the service manager restarts it
	}
}

func (c *consumer) start(
	ctx context.Context,
	database, folder string,
	patience time.Duration,
) (err error) {
	// Malformed UTF-8 is an error here instead of U+FFFD, so that it is reported in the column
	// `error`.
	if c.model, err = contrastive.Load(folder, contrastive.Set("invalid_utf8", "error")); err != nil {
		return err
	}
	defer c.model.Close()
	config, err := pgx.ParseConfig(database)
	if err != nil {
		return err
	}
	config.RuntimeParams["idle_in_transaction_session_timeout"] = fmt.Sprint(
		patience.Milliseconds(),
	)
	// Read the bytes of a text as they are stored. If the server converted or checked them, one
	// malformed text would fail the whole query and block the queue.
	config.RuntimeParams["client_encoding"] = "SQL_ASCII"
	if c.conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		return err
	}
	defer c.conn.Close(context.WithoutCancel(ctx))
	if err := pgxvector.RegisterTypes(ctx, c.conn); err != nil {
		return err
	}
	return c.run(ctx)
}
