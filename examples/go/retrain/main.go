// Command retrain trains an encoder on pairs of texts that belong together, and measures the gain
// on pairs that it was not trained on.
//
//	go run ./retrain -model MODEL -train pairs.tsv -test held-out.tsv -output my-model
//
// Ctrl-C finishes the running step and saves; -resume continues from there.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	contrastive "contrastive.io/go"
)

type job struct {
	model, train, test, output string
	steps                      int
	resume                     bool
}

func main() {
	var j job
	flag.StringVar(&j.model, "model", "", "folder of the model to start from")
	flag.StringVar(&j.train, "train", "", "file of pairs: text TAB text")
	flag.StringVar(&j.test, "test", "", "file of pairs that are not trained on")
	flag.StringVar(&j.output, "output", "", "folder of the result")
	flag.IntVar(&j.steps, "steps", 100, "updates of the weights")
	flag.BoolVar(&j.resume, "resume", false, "go on with what -output holds")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := retrain(ctx, j, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func retrain(ctx context.Context, j job, out io.Writer) error {
	model, err := contrastive.Load(j.model)
	if err != nil {
		return err
	}
	defer model.Close()
	data, err := contrastive.OpenDataset(j.train)
	if err != nil {
		return err
	}
	defer data.Close()
	trainer, err := begin(j, model, data)
	if err != nil {
		return err
	}
	defer trainer.Close()
	if err := measure(ctx, "before", model, j.test, out); err != nil {
		return err
	}
	total := trainer.Metric("total_steps")
	err = trainer.Run(ctx, func(trainer *contrastive.Trainer) error {
		if step := trainer.Metric("step"); int(step)%20 == 0 || step == total {
			fmt.Fprintf(out, "step %.0f of %.0f, loss %.4f\n", step, total, trainer.Metric("loss"))
		}
		return nil
	})
	stopped := errors.Is(err, contrastive.ErrCancelled)
	if err != nil && !stopped {
		return err
	}
	if err := trainer.Save(j.output); err != nil { // with the state that -resume needs
		return err
	}
	if stopped {
		return fmt.Errorf(
			"stopped at step %.0f; -resume goes on from %s",
			trainer.Metric("step"),
			j.output,
		)
	}
	saved, err := contrastive.Load(j.output)
	if err != nil {
		return err
	}
	defer saved.Close()
	return measure(ctx, "after", saved, j.test, out)
}

func begin(
	j job,
	model *contrastive.Model,
	data *contrastive.Dataset,
) (*contrastive.Trainer, error) {
	if j.resume {
		return contrastive.ResumeTrainer(j.output, model, data)
	}
	return contrastive.NewTrainer(
		model,
		data,
		contrastive.Set("max_steps", j.steps),
		contrastive.JSON(`{
		"method": "clsr", "clsr.encoder_init": "residual", "clsr.temperature": 0.05,
		"clsr.projection": "none", "epochs": 1000000, "batch_size": 16, "optimizer": "adamw",
		"lr": 0.001, "warmup_ratio": 0.1}`),
	)
}

// measure prints how well the first text of a pair finds the second.
func measure(
	ctx context.Context,
	when string,
	model *contrastive.Model,
	test string,
	out io.Writer,
) error {
	report, err := model.Evaluate(ctx, "retrieval", contrastive.Set("data", test))
	if err != nil {
		return err
	}
	recall, _ := report.Number("recall@1")
	rank, _ := report.Number("mrr@10")
	fmt.Fprintf(out, "%-6s recall@1 %.3f, MRR@10 %.3f\n", when, recall, rank)
	return nil
}
