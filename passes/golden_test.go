package passes_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/atomvet/atomvet/passes/corpus"
)

// TestGolden compares all reports of the corpora of the module, at confidence low, with
// those in testdata/golden. A change that is meant to change none does not; for any other,
// each difference is to be read in the source before
//
//	go test ./passes -run TestGolden -update
func TestGolden(t *testing.T) {
	list, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range list {
		t.Run(src.Name, func(t *testing.T) {
			golden(t, filepath.Join("..", "testdata", "golden", src.Name+".txt"), reports(t, load(t, src.Name), "low"))
		})
	}
}

// golden compares reports with a golden file.
func golden(t *testing.T, file string, found []corpus.Report) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, corpus.Golden(found), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("there is no %s: -update", file)
	}
	if err != nil {
		t.Fatal(err)
	}
	lost, gained := corpus.Compare(want, found)
	for _, line := range lost {
		t.Errorf("not reported any more: %s", line)
	}
	for _, r := range gained {
		t.Errorf("reported, and not in %s: %s\n%s", file, r.Entry(), r.Message)
	}
	if len(lost)+len(gained) > 0 {
		t.Error("read the differences in the source; -update takes them in")
	} else if string(want) != string(corpus.Golden(found)) {
		t.Errorf("%s is in another order: -update", file)
	}
}
