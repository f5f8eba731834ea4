package contrastive_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	contrastive "contrastive.io/go"
)

// folder is a model of 18,224 weights; yours is a real one, such as all-MiniLM-L6-v2.
const folder = "../../tests/fixtures/models/bert_st"

func Example() {
	model, err := contrastive.Load(folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer model.Close()
	vectors, err := model.Encode(
		context.Background(),
		[]string{"the cat sat", "the cat sat", "two birds fly"},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	same, _ := contrastive.Score(vectors.Row(0), vectors.Row(1), contrastive.Cosine)
	fmt.Printf("%d texts, %d floats each, %.3f\n", vectors.Len(), vectors.Dimension, same)
	// Output: 3 texts, 32 floats each, 1.000
}

func ExampleLoad_errors() {
	_, err := contrastive.Load("my-model")
	switch {
	case errors.Is(err, contrastive.ErrNotFound):
		fmt.Println("not there")
	case errors.Is(err, contrastive.ErrFormat):
		fmt.Println("malformed:", err)
	}
	// Output: not there
}

func ExampleSearch() {
	model, _ := contrastive.Load(folder)
	defer model.Close()
	corpus, _ := model.Encode(
		context.Background(),
		[]string{"a dog runs", "the old house", "red and blue"},
	)
	query, _ := model.Encode(
		context.Background(),
		[]string{"the old house"},
		contrastive.PromptName("query"),
	)
	hits, _ := contrastive.Search(context.Background(), query, corpus, 1, contrastive.Cosine)
	fmt.Printf("text %d, %.3f\n", hits[0][0].Index, hits[0][0].Score)
	// Output: text 1, 1.000
}

func ExampleTrainer_Run() {
	model, _ := contrastive.Load(folder)
	defer model.Close()
	data, _ := contrastive.NewDataset(
		contrastive.Pair("the cat sat", "a cat sits"),
		contrastive.Pair("a dog runs", "the dog ran"),
	)
	defer data.Close()
	trainer, err := contrastive.NewTrainer(
		model,
		data,
		contrastive.Set(
			"method",
			"mnrl",
		),
		contrastive.Set("max_steps", 20),
		contrastive.Set("batch_size", 2),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer trainer.Close()
	err = trainer.Run(context.Background(), func(trainer *contrastive.Trainer) error {
		if step := trainer.Metric("step"); step == 10 || step == 20 {
			fmt.Printf("step %.0f of %.0f\n", step, trainer.Metric("total_steps"))
		}
		return nil
	})
	if err == nil {
		target, _ := os.MkdirTemp("", "")
		defer os.RemoveAll(target)
		err = trainer.Save(filepath.Join(target, "my-model"))
	}
	fmt.Println(err)
	// Output:
	// step 10 of 20
	// step 20 of 20
	// <nil>
}

func ExampleTrainer_Batch() {
	model, _ := contrastive.Load(folder)
	defer model.Close()
	trainer, _ := contrastive.NewTrainer(
		model,
		nil,
		contrastive.JSON(`{"method": "clsr", "max_steps": 2}`),
	)
	defer trainer.Close()
	for range 2 { // batches from a queue, a cursor, a channel
		if _, err := trainer.Batch(context.Background(), []contrastive.Example{
			contrastive.Pair("the cat sat", "a cat sits"),
			contrastive.Pair("a dog runs", "the dog ran")}); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(trainer.Metric("step"))
	// Output: 2
}

func ExampleReadDataset() {
	lines := strings.NewReader("the cat sat\ta cat sits\na dog runs\tthe dog ran\n")
	data, err := contrastive.ReadDataset(lines, contrastive.Set("data.format", "tsv"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer data.Close()
	fmt.Println(data.Len())
	// Output: 2
}

func ExampleDescribe() {
	keys, _ := contrastive.Describe("train")
	for _, key := range keys {
		if key.Key == "batch_size" {
			fmt.Println(key.Key, key.Type, key.Range)
		}
	}
	// Output: batch_size integer from 1 to 1048576
}
