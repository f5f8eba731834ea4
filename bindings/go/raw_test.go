package contrastive_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// This package covers the C API: the table of the raw layer has each function that SWIG writes
// except those in apart, and this package calls each function of the table.
func TestEveryFunctionIsUsed(t *testing.T) {
	apart := map[string]bool{
		"Cs_config_set":       true, // it guesses whether a text is a number
		"Cs_dataset_add":      true, // Cs_dataset_add_packed can do more
		"Cs_encode_flat":      true, // Encode costs less
		"Cs_evaluate_outline": true, // for the program's --dry-run; an evaluation returns the report
	}
	read := func(pattern string) string {
		sources, err := filepath.Glob(pattern)
		must(t, err)
		var all strings.Builder
		for _, source := range sources {
			text, err := os.ReadFile(source)
			must(t, err)
			all.Write(text)
		}
		return all.String()
	}
	table, all := read("internal/raw/functions.go"), read("*.go")+read("internal/raw/callbacks.go")
	functions := regexp.MustCompile(`(?m)^func (Cs_\w+)`).FindAllStringSubmatch(
		read("internal/swig/contrastive.go"), -1)
	if len(functions) < 45 {
		t.Fatalf("only %d functions in the raw layer", len(functions))
	}
	for _, function := range functions {
		name := function[1]
		in := regexp.MustCompile(`(?m)^\t` + name + `\s`).MatchString(table)
		used := regexp.MustCompile(`\bC\(\)\.` + name + `\b`).MatchString(all)
		if in == apart[name] || used == apart[name] {
			t.Errorf("%s: in the table %v, called %v, listed as an exception %v", name, in, used,
				apart[name])
		}
	}
}

// The table of purego.go was written for the header's binary interface.
func TestTheInterfaceIsThatOfTheHeader(t *testing.T) {
	number := func(file, pattern string) string {
		text, err := os.ReadFile(file)
		must(t, err)
		found := regexp.MustCompile(pattern).FindSubmatch(text)
		if found == nil {
			t.Fatalf("%s has no %s", file, pattern)
		}
		return string(found[1])
	}
	equal(t, number("internal/raw/purego.go", `const abi = (\d+)`),
		number("../../capi/include/contrastive/contrastive.h", `#define CS_ABI_VERSION (\d+)`))
}
