package contrastive_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	contrastive "contrastive.io/go"
)

// heard collects what a call reports, and checks each report.
func heard(t *testing.T, ctx context.Context) (context.Context, *[]contrastive.Progress) {
	t.Helper()
	var all []contrastive.Progress
	return contrastive.WithProgress(ctx, func(p contrastive.Progress) {
		if p.What == "" || p.Done < 0 || p.Total < 0 || p.Total > 0 && p.Done > p.Total {
			t.Errorf("%+v", p)
		}
		all = append(all, p)
	}), &all
}

// ended fails the test unless the last report of a call is that it has counted all.
func ended(t *testing.T, what string, reports []contrastive.Progress) {
	t.Helper()
	if len(reports) == 0 {
		t.Errorf("%s reported nothing", what)
		return
	}
	if last := reports[len(reports)-1]; last.Done != last.Total && last.Total != 0 {
		t.Errorf("%s ended with %+v", what, last)
	}
}

func TestLongCallsReportTheirProgress(t *testing.T) {
	model := load(t)
	many := make([]string, 3000)
	for i := range many {
		many[i] = fmt.Sprint("the cat ", i)
	}
	ctx, reports := heard(t, background)
	_, err := model.Encode(ctx, many)
	must(t, err)
	ended(t, "Encode", *reports)
	equal(t, (*reports)[len(*reports)-1].Done, int64(len(many)))

	ctx, reports = heard(t, background)
	sts := filepath.Join(t.TempDir(), "sts.tsv")
	write(t, sts, strings.Repeat("the cat\ta cat\t4\na dog\tthe house\t1\n", 50))
	_, err = model.Evaluate(ctx, "sts", contrastive.Set("data", sts))
	must(t, err)
	ended(t, "Evaluate", *reports)

	ctx, reports = heard(t, background)
	_, err = model.Mine(ctx, fill(t), nil, filepath.Join(t.TempDir(), "mined.jsonl"))
	must(t, err)
	ended(t, "Mine", *reports)
}

func TestAProgressFunctionMayCancel(t *testing.T) {
	many := make([]string, 200000)
	for i := range many {
		many[i] = fmt.Sprint("the cat sat on the mat ", i)
	}
	model := load(t)
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	calls := 0
	within(t, time.Minute, func() {
		_, err := model.Encode(contrastive.WithProgress(ctx, func(contrastive.Progress) {
			calls++
			cancel()
		}), many)
		fails(t, err, contrastive.ErrCancelled, "")
		fails(t, err, context.Canceled, "")
	})
	if calls == 0 {
		t.Error("nothing was reported")
	}
}

func TestACallOfAProgressFunctionIsRefused(t *testing.T) {
	model := load(t)
	var refused error
	_, err := model.Encode(contrastive.WithProgress(background, func(contrastive.Progress) {
		_, refused = model.EncodeText(background, "a")
	}), []string{"the cat", "a dog"})
	must(t, err)
	fails(t, refused, contrastive.ErrBusy, "progress function")
}

// The panic of a progress function reaches the caller, and the library can be used afterwards.
func TestAPanicOfAProgressFunction(t *testing.T) {
	model := load(t)
	cause := errors.New("a panic")
	func() {
		defer func() { equal(t, recover(), any(cause)) }()
		_, _ = model.Encode(contrastive.WithProgress(background,
			func(contrastive.Progress) { panic(cause) }), []string{"the cat", "a dog"})
		t.Error("the panic was dropped")
	}()
	_, err := model.EncodeText(background, "the cat")
	must(t, err)
}
