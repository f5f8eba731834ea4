package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"

	contrastive "contrastive.io/go"
	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"
	pgxvector "github.com/pgvector/pgvector-go/pgx"
)

const (
	vectorLimit  = 2000 // dimensions of a column `vector` that pgvector indexes
	halfvecLimit = 4000 // of a column `halfvec`: two bytes a dimension
	// Texts embedded at once: enough for all processors, without the whole corpus in memory.
	blockTexts   = 1024
	neighbours   = 10
	searchEffort = 40 // hnsw.ef_search: candidates held at once; more find more and take longer
)

// column returns the type of vector that pgvector can index: float32 if the dimension allows it,
// otherwise half precision.
func column(dimension int) (kind, operators string, err error) {
	switch {
	case dimension <= vectorLimit:
		return "vector", "vector_cosine_ops", nil
	case dimension <= halfvecLimit:
		return "halfvec", "halfvec_cosine_ops", nil
	}
	return "", "", fmt.Errorf(
		"the model's vectors have %d dimensions, and pgvector indexes at most %d: keep fewer "+
			"(contrastive.TruncateDim), if the model was trained for that",
		dimension,
		halfvecLimit,
	)
}

// value converts a vector to the form that pgx sends into a column of that type. It refuses NaN and
// infinities, as PostgreSQL does, but reports the number of the row.
func value(kind string, row int64, vector []float32) (any, error) {
	for i, x := range vector {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return nil, fmt.Errorf(
				"row %d: element %d of the vector is %g; only finite numbers can be stored",
				row,
				i,
				x,
			)
		}
	}
	if kind == "halfvec" {
		return pgvector.NewHalfVector(vector), nil
	}
	return pgvector.NewVector(vector), nil
}

// passages is the source of rows for COPY. It embeds the next block of texts when the previous one
// is used up.
type passages struct {
	ctx     context.Context
	model   *contrastive.Model
	kind    string
	lines   *bufio.Scanner
	texts   []string
	vectors contrastive.Vectors
	at      int   // in the block
	row     int64 // of the table
	err     error
}

func (p *passages) Next() bool {
	p.at++
	p.row++
	if p.at < len(p.texts) {
		return true
	}
	p.at, p.texts = 0, p.texts[:0]
	for len(p.texts) < blockTexts && p.lines.Scan() {
		p.texts = append(p.texts, p.lines.Text())
	}
	if p.err = p.lines.Err(); p.err != nil || len(p.texts) == 0 {
		return false
	}
	p.vectors, p.err = p.model.Encode(p.ctx, p.texts)
	return p.err == nil
}

func (p *passages) Values() ([]any, error) {
	vector, err := value(p.kind, p.row, p.vectors.Row(p.at))
	return []any{p.row, p.texts[p.at], vector}, err
}

func (p *passages) Err() error { return p.err }

// load creates the table and its index in one transaction. The id of a text is the number of its
// line, from 0.
func load(
	ctx context.Context,
	conn *pgx.Conn,
	model *contrastive.Model,
	lines *bufio.Scanner,
) (int64, error) {
	kind, operators, err := column(model.Dimension())
	if err != nil {
		return 0, err
	}
	if _, err := conn.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS vector"); err != nil {
		return 0, err
	}
	if err := pgxvector.RegisterTypes(ctx, conn); err != nil {
		return 0, err
	}
	var rows int64
	return rows, pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) (err error) {
		create := fmt.Sprintf(
			"CREATE TABLE passage (id bigint PRIMARY KEY, text text NOT NULL, embedding %s(%d) NOT NULL)",
			kind,
			model.Dimension(),
		)
		if _, err = tx.Exec(ctx, create); err != nil {
			return err
		}
		source := &passages{ctx: ctx, model: model, kind: kind, lines: lines, row: -1}
		// COPY ... (FORMAT binary) needs four bytes per number and no round trip per row.
		if rows, err = tx.CopyFrom(ctx, pgx.Identifier{"passage"}, []string{"id", "text", "embedding"},
			source); err != nil {
			return err
		}
		// Building the index after the load is faster than updating it row by row.
		_, err = tx.Exec(ctx, "CREATE INDEX ON passage USING hnsw (embedding "+operators+")")
		return err
	})
}

// search prints the nearest passages of each line: the question's number, the passage's number and
// the cosine, separated by tabs.
func search(
	ctx context.Context,
	conn *pgx.Conn,
	model *contrastive.Model,
	lines *bufio.Scanner,
	out io.Writer,
) error {
	kind, _, err := column(model.Dimension())
	if err != nil {
		return err
	}
	if err := pgxvector.RegisterTypes(ctx, conn); err != nil {
		return err
	}
	// For a table of a few thousand rows the planner prefers a sequential scan, which is exact.
	// Large tables do not need this line.
	if _, err := conn.Exec(ctx,
		fmt.Sprintf("SET hnsw.ef_search = %d; SET enable_seqscan = off", searchEffort)); err != nil {
		return err
	}
	var questions []string
	for lines.Scan() {
		questions = append(questions, lines.Text())
	}
	vectors, err := model.Encode(ctx, questions)
	if err != nil {
		return err
	}
	for question := range questions {
		vector, err := value(kind, int64(question), vectors.Row(question))
		if err != nil {
			return err
		}
		rows, err := conn.Query(
			ctx,
			"SELECT id, 1 - (embedding <=> $1) FROM passage ORDER BY embedding <=> $1 LIMIT $2",
			vector,
			neighbours,
		)
		if err != nil {
			return err
		}
		var id int64
		var cosine float64
		if _, err := pgx.ForEachRow(rows, []any{&id, &cosine}, func() error {
			_, err := fmt.Fprintf(out, "%d\t%d\t%.6f\n", question, id, cosine)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}
