package contrastive_test

import (
	"math"
	"strings"
	"testing"

	contrastive "contrastive.io/go"
)

func TestConfigIsLaidInOrder(t *testing.T) {
	base, err := contrastive.ParseConfig(`{"clsr": {"temperature": 0.1}, "lr": 0.5}`)
	must(t, err)
	defer base.Close()
	config, err := contrastive.NewConfig(
		contrastive.With(base),
		contrastive.JSON(`{"lr": 0.25}`),
		contrastive.Set("x-mine", []int{1, 2}),
		contrastive.Set("optimizer", "lars"),
		contrastive.Set("x-quoted", "\"<0.1>\" 😀"),
	)
	must(t, err)
	defer config.Close()
	json, err := config.JSON()
	must(t, err)
	for _, part := range []string{`"clsr.temperature":0.1`, `"lr":0.25`, `"optimizer":"lars"`,
		`"x-mine":[1,2]`, `"x-quoted":"\"<0.1>\" \ud83d\ude00"`} {
		if !strings.Contains(strings.ReplaceAll(json, " ", ""), strings.ReplaceAll(part, " ", "")) {
			t.Errorf("%s is not in %s", part, json)
		}
	}
	fails(t, config.Merge(nil), contrastive.ErrArgument, "nil")
	fails(t, config.Merge(config), contrastive.ErrArgument, "")
	fails(t, config.Set("lr", math.NaN()), contrastive.ErrArgument, "lr")
	_, err = contrastive.ParseConfig("[1]")
	fails(t, err, contrastive.ErrFormat, "")
}

func TestAValueKeepsItsType(t *testing.T) {
	type view struct {
		Rate float64 `json:"rate"`
		Name string  `json:"name"`
	}
	config, err := contrastive.NewConfig(
		contrastive.Set("prompt", "2026"),
		contrastive.Set("data", "1.10"),
		contrastive.Set("x-text", "null"),
		contrastive.Set(
			"x-list",
			[]any{"1.10", 2, true},
		),
		contrastive.Set(
			"clsr",
			map[string]any{"temperature": 0.25, "deep": map[string]int{"a": 1}},
		),
		contrastive.Set("x-view", view{0.5, "[1]"}),
	)
	must(t, err)
	defer config.Close()
	json, err := config.JSON()
	must(t, err)
	equal(
		t,
		json,
		`{"clsr.deep.a":1,"clsr.temperature":0.25,"data":"1.10","prompt":"2026",`+
			`"x-list":["1.10",2,true],"x-text":"null","x-view.name":"[1]","x-view.rate":0.5}`,
	)
	for _, value := range []any{nil, (*int)(nil), config, func() {}, math.Inf(1), map[string]any{}} {
		fails(t, config.Set("x-a", value), contrastive.ErrArgument, "x-a")
	}
}

// Every described default can be set, and the run's config then reports it. This package repeats no
// defaults.
func TestDescribe(t *testing.T) {
	all, err := contrastive.DescribeAll()
	must(t, err)
	for _, topic := range []string{"model", "data", "train", "clsr", "sts"} {
		keys, err := contrastive.Describe(topic)
		must(t, err)
		if len(keys) == 0 || len(keys) != len(all[topic]) {
			t.Errorf(
				"topic %s has %d keys alone and %d among all",
				topic,
				len(keys),
				len(all[topic]),
			)
		}
		for _, key := range keys {
			if key.Key == "" || key.Type == "" || key.Help == "" || key.Default == nil {
				t.Errorf("%s: %+v", topic, key)
			}
			if key.Type == "choice" && len(key.Values) == 0 {
				t.Errorf("%s: the choice %s has no values", topic, key.Key)
			}
		}
	}
	_, err = contrastive.Describe("clrs")
	fails(t, err, contrastive.ErrArgument, "clsr")
}

func TestBuildInfo(t *testing.T) {
	build, err := contrastive.BuildInfo()
	must(t, err)
	equal(t, build.Version, contrastive.Version())
	if build.LibTorch == "" || build.LibTorchPath == "" || build.LibTorchReason != "" ||
		build.LibraryPath == "" ||
		build.CPU == "" ||
		build.Threads < 1 ||
		(build.CUDA.Devices == 0 && build.CUDA.Reason == "") {
		t.Fatalf("%+v", build)
	}
	fails(t, contrastive.SetThreads(-1), contrastive.ErrArgument, "-1")
}
