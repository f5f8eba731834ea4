package contrastive_test

import (
	"os"
	"os/exec"
	"testing"

	contrastive "contrastive.io/go"
)

// Every call refuses a library with another binary interface. This test runs itself again with a
// preloaded library that overrides the number of the interface.
func TestALibraryOfAnotherInterfaceIsRefused(t *testing.T) {
	if os.Getenv("CONTRASTIVE_TEST_OTHER_ABI") != "" {
		refuses(t)
		return
	}
	folder := t.TempDir()
	must(
		t,
		os.WriteFile(folder+"/other.c", []byte("int cs_abi_version(void) { return 77; }\n"), 0o644),
	)
	compiler := exec.Command("cc", "-shared", "-fPIC", "-o", folder+"/other.so", folder+"/other.c")
	if output, err := compiler.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	again := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	again.Env = append(
		os.Environ(),
		"LD_PRELOAD="+folder+"/other.so",
		"CONTRASTIVE_LIBRARY="+folder+"/other.so", // for the loader without cgo
		"CONTRASTIVE_TEST_OTHER_ABI=1",
	)
	if output, err := again.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
}

func refuses(t *testing.T) {
	vectors := contrastive.Vectors{Values: []float32{1}, Dimension: 1}
	calls := map[string]func() error{
		"Load":            func() error { _, err := contrastive.Load(models + "/bert_st"); return err },
		"Create":          func() error { _, err := contrastive.Create(); return err },
		"TrainVocabulary": func() error { return contrastive.TrainVocabulary(background, "a", "b") },
		"NewConfig":       func() error { _, err := contrastive.NewConfig(); return err },
		"ParseConfig":     func() error { _, err := contrastive.ParseConfig("{}"); return err },
		"CheckTraining":   func() error { return contrastive.CheckTraining() },
		"NewDataset":      func() error { _, err := contrastive.NewDataset(); return err },
		"OpenDataset":     func() error { _, err := contrastive.OpenDataset("a.tsv"); return err },
		"Describe":        func() error { _, err := contrastive.Describe("model"); return err },
		"DescribeAll":     func() error { _, err := contrastive.DescribeAll(); return err },
		"BuildInfo":       func() error { _, err := contrastive.BuildInfo(); return err },
		"SetThreads":      func() error { return contrastive.SetThreads(1) },
		"SetLibTorch":     func() error { return contrastive.SetLibTorch("/nowhere") },
		"SetLogger":       func() error { return contrastive.SetLogger(nil) },
		"Similarity": func() error {
			_, err := contrastive.Similarity(vectors, vectors, contrastive.Cosine)
			return err
		},
		"Search": func() error {
			_, err := contrastive.Search(background, vectors, vectors, 1, contrastive.Dot)
			return err
		},
		"Calibrate":      func() error { _, err := contrastive.Calibrate(vectors); return err },
		"QuantizeBinary": func() error { _, err := contrastive.QuantizeBinary(vectors); return err },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			fails(
				t,
				call(),
				contrastive.ErrMismatch,
				"binary interface 77; this package was made for 0",
			)
		})
	}
}
