// Command postgres embeds the lines of a file into a table of PostgreSQL with pgvector, and
// searches it. PGHOST, PGUSER and similar variables, or -database, specify the server.
//
//	hf download sentence-transformers/all-MiniLM-L6-v2 --local-dir all-MiniLM-L6-v2  # gets the model
//	postgres -model all-MiniLM-L6-v2 -load texts.txt
//	postgres -model all-MiniLM-L6-v2 -search questions.txt
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	contrastive "contrastive.io/go"
	"github.com/jackc/pgx/v5"
)

func main() {
	database := flag.String(
		"database",
		"",
		"address of the database; default: what PGHOST and its like say",
	)
	folder := flag.String("model", "", "folder of the model")
	texts := flag.String("load", "", "file of texts, one a line, that become the table")
	questions := flag.String("search", "", "file of questions, one a line")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *database, *folder, *texts, *questions, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, database, folder, texts, questions string, out io.Writer) error {
	if folder == "" || (texts == "") == (questions == "") {
		return errors.New("-model, and either -load or -search, are needed")
	}
	model, err := contrastive.Load(folder)
	if err != nil {
		return err
	}
	defer model.Close()
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if texts != "" {
		return withLines(texts, func(lines *bufio.Scanner) error {
			rows, err := load(ctx, conn, model, lines)
			if err == nil {
				fmt.Fprintf(out, "%d passages\n", rows)
			}
			return err
		})
	}
	return withLines(
		questions,
		func(lines *bufio.Scanner) error { return search(ctx, conn, model, lines, out) },
	)
}

func withLines(name string, use func(*bufio.Scanner) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20) // the longest line
	if err := use(lines); err != nil {
		return err
	}
	return lines.Err()
}
