package contrastive_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// This package covers the C API: it calls each function of the raw layer except those in apart.
func TestEveryFunctionIsUsed(t *testing.T) {
	apart := map[string]bool{
		"Cs_config_set":       true, // it guesses whether a text is a number
		"Cs_dataset_add":      true, // Cs_dataset_add_packed can do more
		"Cs_encode_flat":      true, // Encode costs less
		"Cs_evaluate_outline": true, // for the program's --dry-run; an evaluation returns the report
	}
	raw, err := os.ReadFile("internal/swig/contrastive.go")
	must(t, err)
	sources, err := filepath.Glob("*.go")
	must(t, err)
	var all []byte
	for _, source := range sources {
		text, err := os.ReadFile(source)
		must(t, err)
		all = append(all, text...)
	}
	functions := regexp.MustCompile(`(?m)^func (Cs_\w+)`).FindAllSubmatch(raw, -1)
	if len(functions) < 45 {
		t.Fatalf("only %d functions in the raw layer", len(functions))
	}
	for _, function := range functions {
		name := string(function[1])
		if used := regexp.MustCompile(`swig\.` + name + `\b`).Match(all); used == apart[name] {
			t.Errorf("%s: called %v, listed as an exception %v", name, used, apart[name])
		}
	}
}
