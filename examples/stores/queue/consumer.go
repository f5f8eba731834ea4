package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	contrastive "contrastive.io/go"
	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"
)

// consumer embeds waiting rows. It has one connection and one goroutine; run several processes for
// more throughput.
type consumer struct {
	model           *contrastive.Model
	conn            *pgx.Conn
	batch, maxBytes int
	poll            time.Duration
	drain           bool
}

// row is a waiting row. Either `vector` or `problem` is set when it is settled.
type row struct {
	id      int64
	bytes   *int32  // nil for NULL
	text    *string // nil for NULL, and for a text that is too long to be fetched
	vector  []float32
	problem string
}

func (c *consumer) run(ctx context.Context) error {
	if _, err := c.conn.Exec(ctx, "LISTEN passage_waits"); err != nil {
		return err
	}
	for {
		settled, err := c.settle(ctx)
		if err != nil {
			return err
		}
		if settled > 0 {
			continue
		}
		if c.drain {
			return nil
		}
		waiting, enough := context.WithTimeout(ctx, c.poll)
		_, err = c.conn.WaitForNotification(waiting)
		enough()
		if err != nil &&
			(ctx.Err() != nil || waiting.Err() == nil) { // the end of the wait is not an error
			return err
		}
	}
}

// settle gives the next rows their vectors or errors, in one transaction, which also holds the
// locks on the rows. If the process dies, the server notices the closed connection and rolls back,
// and the rows wait for another consumer. A row therefore gets its vector exactly once.
func (c *consumer) settle(ctx context.Context) (settled int, err error) {
	return settled, pgx.BeginFunc(ctx, c.conn, func(tx pgx.Tx) error {
		rows, err := c.take(ctx, tx)
		if err != nil {
			return err
		}
		if err := c.embed(ctx, rows); err != nil {
			return err
		}
		settled = len(rows)
		return write(ctx, tx, rows)
	})
}

// take locks waiting rows, and skips those that another consumer has locked. It does not fetch
// texts that are too long.
func (c *consumer) take(ctx context.Context, tx pgx.Tx) ([]row, error) {
	found, err := tx.Query(
		ctx,
		`SELECT id, octet_length(text), CASE WHEN octet_length(text) <= $2 THEN text END FROM passage
		WHERE embedding IS NULL AND error IS NULL ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED`,
		c.batch,
		c.maxBytes,
	)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(found, func(found pgx.CollectableRow) (r row, err error) {
		return r, found.Scan(&r.id, &r.bytes, &r.text)
	})
}

// embed gives each row a vector or a problem. The errors that it returns do not concern a row, but
// the model, the memory or ctx.
func (c *consumer) embed(ctx context.Context, rows []row) error {
	var texts []string
	var good []*row
	for i := range rows {
		switch r := &rows[i]; {
		case r.bytes == nil:
			r.problem = "the text is null"
		case r.text == nil:
			r.problem = fmt.Sprintf(
				"the text has %d bytes; at most %d are embedded",
				*r.bytes,
				c.maxBytes,
			)
		default:
			good, texts = append(good, r), append(texts, *r.text)
		}
	}
	vectors, err := c.model.Encode(ctx, texts)
	if err == nil {
		for i, r := range good {
			r.keep(vectors.Row(i))
		}
		return nil
	}
	if !ofTheText(err) {
		return err
	}
	for _, r := range good { // one of them is at fault: try each separately
		vector, err := c.model.EncodeText(ctx, *r.text)
		switch {
		case err == nil:
			r.keep(vector)
		case ofTheText(err):
			r.problem = err.Error()
		default:
			return err
		}
	}
	return nil
}

// ofTheText reports whether an error would occur again with the same text, so that a retry is
// useless.
func ofTheText(err error) bool {
	return errors.Is(err, contrastive.ErrFormat) || errors.Is(err, contrastive.ErrLimit) ||
		errors.Is(err, contrastive.ErrNumeric)
}

// keep refuses vectors that pgvector would refuse, because one of them would make the whole batch
// fail.
func (r *row) keep(vector []float32) {
	for i, x := range vector {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			r.problem = fmt.Sprintf("element %d of the vector is %g", i, x)
			return
		}
	}
	r.vector = vector
}

// write stores the vectors and problems of all rows in one statement.
func write(ctx context.Context, tx pgx.Tx, rows []row) error {
	ids, vectors, problems := make(
		[]int64,
		len(rows),
	), make(
		[]*pgvector.Vector,
		len(rows),
	), make(
		[]*string,
		len(rows),
	)
	for i, r := range rows {
		ids[i] = r.id
		if r.problem != "" {
			problems[i] = &r.problem
		} else {
			vector := pgvector.NewVector(r.vector)
			vectors[i] = &vector
		}
	}
	tag, err := tx.Exec(
		ctx,
		`UPDATE passage SET embedding = settled.embedding, error = settled.error
		FROM unnest($1::bigint[], $2::vector[], $3::text[]) AS settled (id, embedding, error)
		WHERE passage.id = settled.id`,
		ids,
		vectors,
		problems,
	)
	if err == nil && tag.RowsAffected() != int64(len(rows)) {
		return fmt.Errorf("%d rows were locked and %d written", len(rows), tag.RowsAffected())
	}
	return err
}
