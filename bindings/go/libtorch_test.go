package contrastive_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	contrastive "contrastive.io/go"
)

// again runs the test again in a separate process with a folder, because a loaded library stays
// loaded.
func again(t *testing.T, folder string, environment ...string) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(
		append(os.Environ(), "CONTRASTIVE_TEST_LIBTORCH="+folder, "CONTRASTIVE_LIBTORCH="),
		environment...)
	output, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "--- PASS: "+t.Name()) {
		t.Fatalf("%v\n%s", err, output)
	}
}

func trains(t *testing.T, model *contrastive.Model) error {
	trainer, err := contrastive.NewTrainer(
		model,
		fill(t),
		contrastive.JSON(`{"method": "clsr", "batch_size": 4, "max_steps": 1}`),
	)
	if err == nil {
		defer trainer.Close()
		_, err = trainer.Step(background)
	}
	return err
}

// Loads a copy of the library that is alone in a folder. With cgo it is preloaded: the library that
// the program was linked with has the same SONAME, so it is not loaded.
func TestAnInstallationThatOnlyEmbedsSaysWhatTrainingNeeds(t *testing.T) {
	folder := os.Getenv("CONTRASTIVE_TEST_LIBTORCH")
	if folder == "" {
		build, err := contrastive.BuildInfo()
		must(t, err)
		library, err := os.ReadFile(build.LibraryPath)
		must(t, err)
		folder, err = filepath.EvalSymlinks(t.TempDir())
		must(t, err)
		must(t, os.WriteFile(folder+"/libcontrastive.so.0", library, 0o755))
		again(t, folder, "LD_PRELOAD="+folder+"/libcontrastive.so.0",
			"CONTRASTIVE_LIBRARY="+folder) // for the loader without cgo
		return
	}
	model := load(t)
	vectors, err := model.Encode(background, []string{"the cat sat", "the cat sat"})
	must(t, err)
	score, err := contrastive.Score(vectors.Row(0), vectors.Row(1), contrastive.Cosine)
	must(t, err)
	if score < 0.999 {
		t.Fatalf("two equal texts have the similarity %v", score)
	}
	fails(
		t,
		trains(t, model),
		contrastive.ErrUnsupported,
		"libcontrastive-torch.so.0 is neither in "+folder,
	)
	_, err = contrastive.Load(models+"/bert_st", contrastive.Set("device", "cuda"))
	fails(t, err, contrastive.ErrDevice, "libcontrastive-torch.so.0")
	after, err := model.Encode(background, []string{"the cat sat", "the cat sat"})
	must(t, err)
	equal(t, after.Row(0)[0], vectors.Row(0)[0])
	build, err := contrastive.BuildInfo()
	must(t, err)
	if build.LibTorch != "" || build.LibTorchPath != "" ||
		!strings.Contains(build.LibTorchReason, "libcontrastive-torch.so.0") ||
		!strings.HasPrefix(build.LibraryPath, folder) {
		t.Fatalf("%+v", build)
	}
}

// If the configured path has no LibTorch, the first call that needs it fails. Another path may then
// be set, until one is loaded.
func TestLibTorchIsTakenFromWhereItIsNamed(t *testing.T) {
	folder := os.Getenv("CONTRASTIVE_TEST_LIBTORCH")
	if folder == "" {
		build, err := contrastive.BuildInfo()
		must(t, err)
		folder = t.TempDir()
		must(t, os.Symlink(build.LibTorchPath, folder+"/lib"))
		again(t, folder, "CONTRASTIVE_LIBTORCH=/nowhere/by/variable")
		return
	}
	model := load(t)
	fails(
		t,
		trains(t, model),
		contrastive.ErrUnsupported,
		"/nowhere/by/variable (CONTRASTIVE_LIBTORCH) is not a LibTorch",
	)
	must(t, contrastive.SetLibTorch("/nowhere/by/call"))
	fails(
		t,
		trains(t, model),
		contrastive.ErrUnsupported,
		"/nowhere/by/call (cs_set_libtorch) is not a LibTorch",
	)
	must(t, contrastive.SetLibTorch(""))
	fails(t, trains(t, model), contrastive.ErrUnsupported, "/nowhere/by/variable")
	must(t, contrastive.SetLibTorch(folder))
	must(t, trains(t, model))
	build, err := contrastive.BuildInfo()
	must(t, err)
	equal(t, build.LibTorchPath, folder+"/lib")
	fails(t, contrastive.SetLibTorch("/nowhere"), contrastive.ErrState, "is loaded from")
	fails(t, contrastive.SetLibTorch("a\x00b"), contrastive.ErrArgument, "NUL")
}
