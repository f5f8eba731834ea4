package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	contrastive "contrastive.io/go"
	"github.com/jackc/pgx/v5"
	pgxvector "github.com/pgvector/pgvector-go/pgx"
)

// connect connects to the server that PGHOST names, which has pgvector.
func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	if os.Getenv("PGHOST") == "" {
		t.Skip("PGHOST is not set: examples/stores/server.sh starts a server and sets it")
	}
	conn, err := pgx.Connect(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), "CREATE EXTENSION IF NOT EXISTS vector"); err != nil {
		t.Fatal(err)
	}
	if err := pgxvector.RegisterTypes(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	return conn
}

// column changes its result at the dimension from which pgvector refuses an index.
func TestLimitsAreThoseOfTheServer(t *testing.T) {
	conn := connect(t)
	for _, limit := range []struct {
		kind      string
		dimension int
		next      string
	}{{"vector", vectorLimit, "halfvec"}, {"halfvec", halfvecLimit, ""}} {
		for _, dimension := range []int{limit.dimension, limit.dimension + 1} {
			_, err := conn.Exec(
				t.Context(),
				fmt.Sprintf(
					"DROP TABLE IF EXISTS wide; CREATE TABLE wide (embedding %s(%d)); CREATE INDEX ON wide "+
						"USING hnsw (embedding %s_cosine_ops)",
					limit.kind,
					dimension,
					limit.kind,
				),
			)
			fits := dimension == limit.dimension
			if fits != (err == nil) {
				t.Errorf("%s of %d dimensions: the server says %v", limit.kind, dimension, err)
			}
			kind, _, err := column(dimension)
			if want := map[bool]string{true: limit.kind, false: limit.next}[fits]; kind != want ||
				(kind == "") != (err != nil) {
				t.Errorf("%d dimensions: column %q, %v; want %q", dimension, kind, err, want)
			}
		}
	}
}

// Without an index both types support 16,000 dimensions, as README.md states.
func TestColumnsWithoutAnIndex(t *testing.T) {
	conn := connect(t)
	for _, kind := range []string{"vector", "halfvec"} {
		for dimension, fits := range map[int]bool{16000: true, 16001: false} {
			if _, err := conn.Exec(t.Context(),
				fmt.Sprintf("SELECT NULL::%s(%d)", kind, dimension)); fits != (err == nil) {
				t.Errorf("%s of %d dimensions: the server says %v", kind, dimension, err)
			}
		}
	}
}

// A vector of 4,000 dimensions is loaded by COPY into a halfvec, and is found there.
func TestWideVectorsAreStoredInHalfPrecision(t *testing.T) {
	conn := connect(t)
	if _, err := conn.Exec(t.Context(),
		"DROP TABLE IF EXISTS wide; CREATE TABLE wide (id bigint, embedding halfvec(4000))"); err != nil {
		t.Fatal(err)
	}
	wide := make([]float32, halfvecLimit)
	wide[0], wide[3999] = 0.6, 0.8
	stored, err := value("halfvec", 0, wide)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.CopyFrom(t.Context(), pgx.Identifier{"wide"}, []string{"id", "embedding"},
		pgx.CopyFromRows([][]any{{7, stored}})); err != nil {
		t.Fatal(err)
	}
	var cosine float64
	if err := conn.QueryRow(t.Context(), "SELECT 1 - (embedding <=> $1) FROM wide WHERE id = 7",
		stored).Scan(&cosine); err != nil ||
		math.Abs(cosine-1) > 1e-6 {
		t.Fatalf("cosine %v, %v", cosine, err)
	}
}

func TestNaNAndInfinityAreRefused(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := value("vector", 12, []float32{0, float32(bad)}); err == nil ||
			!strings.Contains(err.Error(), "row 12: element 1") {
			t.Errorf("%g: %v", bad, err)
		}
	}
	if _, err := connect(t).Exec(t.Context(), "SELECT '[0,NaN]'::vector"); err == nil {
		t.Error("the server takes a NaN")
	}
}

// An error in the middle of the texts leaves no table behind.
func TestALoadThatFailsLeavesNothing(t *testing.T) {
	conn := connect(t)
	folder := os.Getenv("MODEL")
	if folder == "" {
		t.Skip("MODEL is not set: it names the folder of the model")
	}
	model, err := contrastive.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	if _, err := conn.Exec(t.Context(),
		"CREATE SCHEMA failing; SET search_path = failing, public"); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(
		strings.NewReader(strings.Repeat("a text\n", blockTexts) + strings.Repeat("x", 100000)),
	)
	if rows, err := load(t.Context(), conn, model, lines); err == nil {
		t.Fatalf("%d rows of a text that is too long for the reader", rows)
	}
	var tables int
	if err := conn.QueryRow(t.Context(),
		"SELECT count(*) FROM pg_tables WHERE schemaname = 'failing'").Scan(&tables); err != nil ||
		tables != 0 {
		t.Fatalf("%d tables, %v", tables, err)
	}
}
