// Command search embeds the lines of a file and finds those nearest in meaning to each query.
//
//	go run ./search MODEL texts.txt "what people type" ...
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"

	contrastive "contrastive.io/go"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: search MODEL TEXTS QUERY...")
		os.Exit(2)
	}
	if err := search(context.Background(), os.Args[1], os.Args[2], os.Args[3:],
		os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func search(ctx context.Context, folder, file string, queries []string, out io.Writer) error {
	texts, err := lines(file)
	if err != nil {
		return err
	}
	model, err := contrastive.Load(folder)
	if err != nil {
		return err
	}
	defer model.Close()
	corpus, err := model.Encode(ctx, texts)
	if err != nil {
		return err
	}
	asked, err := model.Encode(ctx, queries)
	if err != nil {
		return err
	}
	results, err := contrastive.Search(ctx, asked, corpus, 3, contrastive.Cosine)
	if err != nil {
		return err
	}
	for i, hits := range results {
		fmt.Fprintln(out, queries[i])
		for _, hit := range hits {
			fmt.Fprintf(out, "  %.3f  %s\n", hit.Score, texts[hit.Index])
		}
	}
	return nil
}

func lines(file string) ([]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var texts []string
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		texts = append(texts, scanner.Text())
	}
	return texts, scanner.Err()
}
