package contrastive_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The committed raw layer is what SWIG makes of bindings/swig/contrastive.i today.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	if _, err := exec.LookPath("swig"); err != nil {
		t.Skip("SWIG is not installed, so the generated files cannot be compared:", err)
	}
	fresh := t.TempDir()
	if output, err := exec.Command("internal/swig/generate.sh", fresh).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for _, name := range []string{"contrastive.go", "contrastive_wrap.cxx"} {
		made, err := os.ReadFile(filepath.Join(fresh, name))
		must(t, err)
		committed, err := os.ReadFile(filepath.Join("internal/swig", name))
		must(t, err)
		if !bytes.Equal(made, committed) {
			t.Errorf("internal/swig/%s is not what SWIG makes now: run go generate ./internal/swig", name)
		}
	}
}
