package contrastive_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	contrastive "contrastive.io/go"
)

const rerankers = "../../tests/fixtures/rerankers"

func loadReranker(t *testing.T, name string) *contrastive.Reranker {
	t.Helper()
	reranker, err := contrastive.LoadReranker(rerankers + "/" + name)
	must(t, err)
	t.Cleanup(func() { reranker.Close() })
	return reranker
}

func TestScoresAreThoseOfSentenceTransformers(t *testing.T) {
	for _, name := range []string{"bert", "bert_labels", "roberta"} {
		reranker := loadReranker(t, name)
		var golden struct {
			Pairs  [][2]string
			Scores [][]float32
			Labels []string
		}
		bytes, err := os.ReadFile(rerankers + "/" + name + "/golden.json")
		must(t, err)
		must(t, json.Unmarshal(bytes, &golden))
		info, err := reranker.Info()
		must(t, err)
		equal(t, reranker.Labels(), len(golden.Labels))
		if !slices.Equal(info.Labels, golden.Labels) {
			t.Fatalf("%+v", info)
		}
		var pairs []contrastive.TextPair
		for _, pair := range golden.Pairs {
			pairs = append(pairs, contrastive.TextPair{Query: pair[0], Document: pair[1]})
		}
		scores, err := reranker.Score(background, pairs)
		must(t, err)
		for i, score := range scores {
			if expected := golden.Scores[i/reranker.Labels()][i%reranker.Labels()]; math.Abs(
				float64(score-expected),
			) > 1e-5 {
				t.Fatalf("%s: score %d is %v, not %v", name, i, score, expected)
			}
		}
	}
}

func TestRankPutsTheBestDocumentFirst(t *testing.T) {
	reranker := loadReranker(t, "bert")
	ranked, err := reranker.Rank(
		background,
		"no one here",
		[]string{"a hare ran!", "trees", "", "is 7 odd?"},
	)
	must(t, err)
	equal(t, len(ranked), 4)
	for i := 1; i < len(ranked); i++ {
		if ranked[i].Score > ranked[i-1].Score {
			t.Fatalf("%v", ranked)
		}
	}
	none, err := reranker.Rank(background, "no one", nil)
	must(t, err)
	equal(t, len(none), 0)
	_, err = loadReranker(t, "bert_labels").Rank(background, "a", []string{"b"})
	fails(t, err, contrastive.ErrArgument, "3 labels")
	_, err = reranker.Rank(background, "a", []string{"b"}, contrastive.Activation("sigmiod"))
	fails(t, err, contrastive.ErrArgument, "sigmoid")
	over, cancel := context.WithCancel(background)
	cancel()
	_, err = reranker.Rank(over, "a", []string{"b"})
	fails(t, err, contrastive.ErrCancelled, "")
}

func TestRerankersAreSavedLoadedAndClosed(t *testing.T) {
	reranker := loadReranker(t, "roberta")
	folder := t.TempDir() + "/saved"
	must(t, reranker.Save(folder))
	again, err := contrastive.LoadReranker(folder)
	must(t, err)
	pairs := []contrastive.TextPair{{Query: "no one", Document: "a stone"}}
	expected, err := reranker.Score(background, pairs, contrastive.Activation("identity"))
	must(t, err)
	scores, err := again.Score(background, pairs, contrastive.Activation("identity"))
	must(t, err)
	equal(t, scores[0], expected[0])
	equal(t, again.MaxLength(), 48)
	must(t, again.Close())
	_, err = again.Score(background, pairs)
	fails(t, err, contrastive.ErrHandle, "closed")
	_, err = contrastive.LoadReranker("../../tests/fixtures/families/bert")
	fails(t, err, contrastive.ErrMismatch, "classifier")
}

func TestEvaluateReranker(t *testing.T) {
	reranker, lists := loadReranker(t, "bert"), t.TempDir()+"/lists.tsv"
	must(t, os.WriteFile(lists, []byte("q\tright\twrong\nr\twrong\tright\n"), 0o600))
	report, err := reranker.Evaluate(background, "reranking", contrastive.Set("data", lists))
	must(t, err)
	queries, _ := report.Number("queries")
	equal(t, queries, 2)
	_, err = reranker.Evaluate(background, "geometry", contrastive.Set("data", lists))
	fails(t, err, contrastive.ErrArgument, "sts, reranking")
}

func TestDetectReranker(t *testing.T) {
	for path, is := range map[string]bool{models + "/../rerankers/bert": true,
		models + "/bert_st": false, "nowhere": false, "a\x00b": false} {
		equal(t, contrastive.DetectReranker(path), is)
	}
}
