// Command sqlite trains an encoder on the rows of a database query, batch by batch. Only one batch
// is in memory.
//
//	go run ./sqlite -model MODEL -database tickets.db \
//		-query "SELECT question, answer FROM tickets" -output my-model
package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	contrastive "contrastive.io/go"
	_ "github.com/mattn/go-sqlite3"
)

type job struct {
	model, database, query, output string
	batch, passes                  int
}

func main() {
	var j job
	flag.StringVar(&j.model, "model", "", "folder of the model to start from")
	flag.StringVar(&j.database, "database", "", "file of the database")
	flag.StringVar(&j.query, "query", "", "query that gives two texts a row")
	flag.StringVar(&j.output, "output", "", "folder of the result")
	flag.IntVar(&j.batch, "batch", 32, "rows of a batch")
	flag.IntVar(&j.passes, "passes", 1, "how often the query is run")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := j.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (j job) run(ctx context.Context, out io.Writer) error {
	db, err := sql.Open("sqlite3", "file:"+j.database+"?mode=ro")
	if err != nil {
		return err
	}
	defer db.Close()
	rows := 0
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM ("+j.query+")").Scan(&rows); err != nil {
		return err
	}
	// An incomplete last batch is left out, because its texts would have fewer negatives.
	steps := rows / j.batch * j.passes
	model, err := contrastive.Load(j.model)
	if err != nil {
		return err
	}
	defer model.Close()
	trainer, err := contrastive.NewTrainer(
		model,
		nil,
		contrastive.Set("max_steps", steps),
		contrastive.JSON(`{"method": "clsr",
		"clsr.encoder_init": "residual", "clsr.temperature": 0.05, "clsr.projection": "none",
		"optimizer": "adamw", "lr": 0.001}`),
	)
	if err != nil {
		return err
	}
	defer trainer.Close()
	for range j.passes {
		if err := j.pass(ctx, db, trainer, out); err != nil {
			return err
		}
	}
	return trainer.Save(j.output)
}

// pass trains once on every row.
func (j job) pass(
	ctx context.Context,
	db *sql.DB,
	trainer *contrastive.Trainer,
	out io.Writer,
) error {
	cursor, err := db.QueryContext(ctx, j.query)
	if err != nil {
		return err
	}
	defer cursor.Close()
	batch := make([]contrastive.Example, 0, j.batch)
	for cursor.Next() {
		var a, b string
		if err := cursor.Scan(&a, &b); err != nil {
			return err
		}
		if batch = append(batch, contrastive.Pair(a, b)); len(batch) < j.batch {
			continue
		}
		if _, err := trainer.Batch(ctx, batch); err != nil {
			return err
		}
		batch = batch[:0]
		fmt.Fprintf(
			out,
			"\rstep %.0f of %.0f, loss %.4f",
			trainer.Metric("step"),
			trainer.Metric("total_steps"),
			trainer.Metric("loss"),
		)
	}
	fmt.Fprintln(out)
	return cursor.Err()
}
