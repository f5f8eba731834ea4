package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	contrastive "contrastive.io/go"
	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"
	pgxvector "github.com/pgvector/pgvector-go/pgx"
)

// A poison row, by its index, and the error that it must get.
var poison = map[int]struct {
	text any
	want string
}{
	3:   {nil, "the text is null"},
	40:  {strings.Repeat("long ", 4000), "the text has 20000 bytes; at most 10000 are embedded"},
	41:  {"caf\xe9", "UTF-8"},
	200: {"\xff\xfe", "UTF-8"},
	201: {nil, "the text is null"},
}

// queue creates a database with the table, texts and poison rows, and with a log of which process
// wrote which row. With the encoding SQL_ASCII PostgreSQL accepts malformed UTF-8.
func queue(t *testing.T, texts []string) (conn *pgx.Conn, database string) {
	t.Helper()
	if os.Getenv("PGHOST") == "" {
		t.Skip("PGHOST is not set: examples/stores/server.sh starts a server and sets it")
	}
	ctx := t.Context()
	server, err := pgx.Connect(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close(ctx)
	name := "queue_" + strings.ToLower(strings.TrimPrefix(t.Name(), "Test"))
	execute(t, server, fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", name))
	execute(
		t,
		server,
		fmt.Sprintf("CREATE DATABASE %s ENCODING 'SQL_ASCII' TEMPLATE template0", name),
	)
	database = "dbname=" + name + " client_encoding=SQL_ASCII"
	if conn, err = pgx.Connect(ctx, database); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	schema, err := os.ReadFile("schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	execute(t, conn, string(schema))
	execute(
		t,
		conn,
		`CREATE TABLE written (id bigint, consumer text, at timestamptz DEFAULT clock_timestamp());
		CREATE FUNCTION record_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			INSERT INTO written VALUES (NEW.id, current_setting('application_name')); RETURN NEW; END $$;
		CREATE TRIGGER record AFTER UPDATE OF embedding ON passage
			FOR EACH ROW EXECUTE FUNCTION record_write()`,
	)
	if err := pgxvector.RegisterTypes(ctx, conn); err != nil {
		t.Fatal(err)
	}
	rows := make([][]any, len(texts))
	for i, text := range texts {
		rows[i] = []any{text}
		if p, is := poison[i]; is {
			rows[i] = []any{p.text}
		}
	}
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"passage"}, []string{"text"},
		pgx.CopyFromRows(rows)); err != nil {
		t.Fatal(err)
	}
	return conn, database
}

func execute(t *testing.T, conn *pgx.Conn, statement string, arguments ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), statement, arguments...); err != nil {
		t.Fatal(err)
	}
}

func number(t *testing.T, conn *pgx.Conn, query string, arguments ...any) (n int) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), query, arguments...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within three minutes", what)
		}
	}
}

// process is a consumer process, as a service runs it.
type process struct {
	*exec.Cmd
	name   string
	errors bytes.Buffer
	ended  chan error
}

func start(t *testing.T, program, database, name string, options ...string) *process {
	t.Helper()
	p := &process{name: name, ended: make(chan error, 1)}
	p.Cmd = exec.Command(
		program,
		append(
			[]string{
				"-model",
				os.Getenv("MODEL"),
				"-database",
				database + " application_name=" + name,
				"-batch",
				"16",
				"-max-bytes",
				"10000",
				"-poll",
				"200ms",
			},
			options...)...)
	p.Stderr = &p.errors
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.ended <- p.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.Process.Kill()
		for range p.ended { // until it is gone
		}
		if t.Failed() {
			t.Logf("%s said: %s", name, p.errors.String())
		}
	})
	return p
}

// end waits for the process.
func (p *process) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-p.ended:
		return err
	case <-time.After(time.Minute):
		t.Fatalf("consumer %s goes on", p.name)
		return nil
	}
}

// stopInTheMiddle stops the process while it holds rows. It stops the process to check, and lets it
// continue if it holds none.
func (p *process) stopInTheMiddle(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	until(t, p.name+" in the middle of a batch", func() bool {
		if number(t, conn, "SELECT count(*) FROM written WHERE consumer = $1", p.name) < 48 {
			return false
		}
		p.Process.Signal(syscall.SIGSTOP)
		if number(
			t,
			conn,
			"SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND "+
				"state = 'idle in transaction' AND query LIKE '%SKIP LOCKED%'",
			p.name,
		) == 1 {
			return true
		}
		p.Process.Signal(syscall.SIGCONT)
		return false
	})
}

func prepare(t *testing.T) (program string, model *contrastive.Model, texts []string) {
	t.Helper()
	folder, file := os.Getenv("MODEL"), os.Getenv("TEXTS")
	if folder == "" || file == "" {
		t.Skip("MODEL and TEXTS are not set: they name the folder of the model and a file of texts")
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if texts = strings.Split(strings.TrimSuffix(string(content), "\n"), "\n"); len(texts) < 500 {
		t.Fatalf("%s has %d texts; 500 are needed", file, len(texts))
	}
	if model, err = contrastive.Load(folder); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close() })
	program = filepath.Join(t.TempDir(), "queue")
	if output, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return program, model, texts
}

// check checks the final state of every row: one vector, equal to a direct encode, written once; or
// the error of its poison.
func check(t *testing.T, conn *pgx.Conn, model *contrastive.Model, texts []string) {
	t.Helper()
	direct, err := model.Encode(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(
		t.Context(),
		"SELECT id, embedding, coalesce(error, '') FROM passage ORDER BY id",
	)
	if err != nil {
		t.Fatal(err)
	}
	var id int64
	var vector *pgvector.Vector
	var problem string
	var count int
	var farthest float64
	if _, err := pgx.ForEachRow(rows, []any{&id, &vector, &problem}, func() error {
		i := int(id - 1)
		count++
		if p, is := poison[i]; is {
			if vector != nil || !strings.Contains(problem, p.want) {
				t.Errorf("row %d has a vector %v and the error %q; want %q", i, vector != nil, problem, p.want)
			}
			return nil
		}
		if vector == nil || problem != "" {
			return fmt.Errorf("row %d has no vector; its error is %q", i, problem)
		}
		for j, x := range vector.Slice() {
			farthest = math.Max(farthest, math.Abs(float64(x-direct.Row(i)[j])))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	// A text embedded in another batch, or alone, differs in its last bits.
	if count != len(texts) || farthest > 1e-6 {
		t.Errorf(
			"%d rows of %d; an element differs by %g from a direct encode",
			count,
			len(texts),
			farthest,
		)
	}
	if twice := number(t, conn, "SELECT count(*) FROM (SELECT id FROM written GROUP BY id HAVING "+
		"count(*) > 1) AS more"); twice > 0 {
		t.Errorf("%d rows were written more than once", twice)
	}
	if written := number(t, conn, "SELECT count(*) FROM written"); written != len(texts) {
		t.Errorf("%d writes of %d rows", written, len(texts))
	}
	t.Logf(
		"%d rows, each written once; %d of them with an error; no element of a vector is farther than "+
			"%.1e from a direct encode",
		count,
		len(poison),
		farthest,
	)
}

// Two consumers run; one is killed while it holds rows. The other gives each row its vector.
func TestKilledConsumer(t *testing.T) {
	program, model, texts := prepare(t)
	conn, database := queue(t, texts)
	first := start(t, program, database, "first")
	until(
		t,
		"the first rows of the first",
		func() bool {
			return number(t, conn, "SELECT count(*) FROM written WHERE consumer = 'first'") > 0
		},
	)
	second := start(
		t,
		program,
		database,
		"second",
	) // only now, because it might take all rows before the other has loaded its model
	first.stopInTheMiddle(t, conn)
	waiting := number(
		t,
		conn,
		"SELECT count(*) FROM passage WHERE embedding IS NULL AND error IS NULL",
	)
	first.Process.Kill()
	first.end(t)
	until(t, "an empty queue", func() bool {
		return number(
			t,
			conn,
			"SELECT count(*) FROM passage WHERE embedding IS NULL AND error IS NULL",
		) == 0
	})
	if waiting == 0 || waiting == len(texts) {
		t.Errorf(
			"%d of %d rows waited when the consumer was killed: that was not the middle",
			waiting,
			len(texts),
		)
	}
	check(t, conn, model, texts)
	for _, p := range []*process{first, second} {
		share := number(t, conn, "SELECT count(*) FROM written WHERE consumer = $1", p.name)
		t.Logf("%s: %d rows", p.name, share)
		if share == 0 {
			t.Errorf("%s settled nothing", p.name)
		}
	}

	// It wakes for a new row, and for a text that changes.
	execute(t, conn, "INSERT INTO passage (text) VALUES ('one more')")
	execute(t, conn, "UPDATE passage SET text = 'no poison any more' WHERE id = 4")
	until(t, "the new rows", func() bool {
		return number(
			t,
			conn,
			"SELECT count(*) FROM passage WHERE embedding IS NULL AND error IS NULL",
		) == 0
	})
	if left := number(t, conn, "SELECT count(*) FROM passage WHERE error IS NOT NULL"); left != len(
		poison,
	)-1 {
		t.Errorf("%d rows have errors", left)
	}
	second.Process.Signal(syscall.SIGTERM)
	if err := second.end(t); err != nil {
		t.Errorf("SIGTERM: %v\n%s", err, second.errors.String())
	}
}

// A consumer that hangs loses its rows to the other one, and writes nothing when it continues.
func TestHangingConsumer(t *testing.T) {
	program, model, texts := prepare(t)
	texts = texts[:300]
	conn, database := queue(t, texts)
	hanging := start(t, program, database, "hanging", "-patience", "2s")
	hanging.stopInTheMiddle(t, conn)
	other := start(t, program, database, "other")
	until(t, "an empty queue", func() bool {
		return number(
			t,
			conn,
			"SELECT count(*) FROM passage WHERE embedding IS NULL AND error IS NULL",
		) == 0
	})
	hanging.Process.Signal(syscall.SIGCONT)
	if err := hanging.end(t); err == nil || hanging.errors.Len() == 0 { // its connection is gone
		t.Errorf("the consumer that woke: %v\n%s", err, hanging.errors.String())
	}
	check(t, conn, model, texts)
	other.Process.Signal(syscall.SIGTERM)
	if err := other.end(t); err != nil {
		t.Errorf("SIGTERM: %v\n%s", err, other.errors.String())
	}
}
