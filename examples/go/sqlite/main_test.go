package main

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"
	"testing"

	contrastive "contrastive.io/go"

	"contrastive.io/examples/internal/corpus"
)

func TestTrainingFromACursor(t *testing.T) {
	j := job{
		model:    corpus.Model(t),
		database: t.TempDir() + "/tickets.db",
		query:    "SELECT question, answer FROM tickets",
		output:   t.TempDir() + "/model",
		batch:    16,
		passes:   10,
	}
	db, err := sql.Open("sqlite3", j.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE tickets (question TEXT, answer TEXT)"); err != nil {
		t.Fatal(err)
	}
	for _, pair := range corpus.Pairs() {
		if _, err := db.Exec("INSERT INTO tickets VALUES (?, ?)", pair[0], pair[1]); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := j.run(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + strings.ReplaceAll(out.String(), "\r", "\n"))
	if !strings.Contains(out.String(), "step 40 of 40, loss") {
		t.Fatal("64 rows in batches of 16, ten times, are 40 steps")
	}
	losses := regexp.MustCompile(`loss ([0-9.]+)`).FindAllStringSubmatch(out.String(), -1)
	var first, last float64
	fmt.Sscan(losses[0][1], &first)
	fmt.Sscan(losses[36][1], &last) // the same rows, nine passes later
	if last >= first/2 {
		t.Fatalf("loss %g at first and %g at last", first, last)
	}
	model, err := contrastive.Load(j.output)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	if _, err := model.EncodeText(context.Background(), "a text"); err != nil {
		t.Fatal(err)
	}
	if live := contrastive.LiveHandles(); live != 1 {
		t.Fatalf("%d handles live besides the model", live-1)
	}
}
