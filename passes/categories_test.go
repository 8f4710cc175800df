package passes_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes"
)

// TestCategories: Categories has each category that is reported in the corpora. Comments that
// silence findings, and the explanations of the command, go by it.
func TestCategories(t *testing.T) {
	known := make(map[string][]string)
	for _, a := range passes.Suite() {
		known[a.Name] = passes.Categories(a)
	}
	files, err := filepath.Glob(filepath.Join("..", "testdata", "golden", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("golden files %v, error %v", files, err)
	}
	seen := make(map[string]bool)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			// Position, function, detector, category, and more.
			fields := strings.Split(line, "\t")
			if len(fields) < 4 {
				t.Fatalf("%s has the line %q", file, line)
			}
			detector, category := fields[2], fields[3]
			if !seen[detector+category] && !slices.Contains(known[detector], category) {
				t.Errorf("%s: Categories of %s lacks %q", file, detector, category)
			}
			seen[detector+category] = true
		}
	}
	if len(seen) < 10 {
		t.Errorf("the golden files have only %d categories", len(seen))
	}
}
