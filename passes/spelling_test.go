package passes_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/corpus"
	"github.com/atomvet/atomvet/passes/internal/spelling"
)

// spellingVariable names a directory with more code that TestSpelling rewrites: a module.
const spellingVariable = "ATOMVET_SPELLING"

// The styles that programs are rewritten in. One load has several spellings, as the
// loads are what costs.
var styles = []struct {
	name string
	spelling.Style
}{
	{"plain", spelling.Mirrored | spelling.Negated | spelling.Compared | spelling.Lengths | spelling.Inverted},
	{"named", spelling.Mirrored | spelling.Compared | spelling.Named},
}

// respelled are the differences that are known: what is reported of one spelling only, and
// the function that reads conditions by itself.
var respelled = map[string]string{}

// TestSpelling is a metamorphic test: kernels and idioms that are written otherwise, and
// mean the same, have the same reports, at confidence low, by function and category.
//
//	ATOMVET_SPELLING=DIR go test ./passes -run TestSpelling -v
func TestSpelling(t *testing.T) {
	own := corpus.Source{Name: "spelling", Dir: "..", Patterns: []string{"./testdata/kernels/...", "./testdata/idioms/..."}, Tests: true}
	before := append(reports(t, load(t, "kernels"), "low"), reports(t, load(t, "idioms"), "low")...)
	known := maps.Clone(respelled)
	for _, diff := range respell(t, own, before, "../testdata/kernels", "../testdata/idioms") {
		if _, ok := known[diff]; !ok {
			t.Errorf("%q: which function reads the condition?", diff)
		}
		delete(known, diff)
	}
	for diff, function := range known {
		t.Errorf("%q, in %s, is no difference any more: delete it here", diff, function)
	}
	if dir := os.Getenv(spellingVariable); dir != "" {
		src := corpus.Source{Name: "more", Dir: dir, Patterns: []string{"./..."}}
		for _, diff := range respell(t, src, reports(t, loadSource(t, src), "low"), dir) {
			t.Errorf("%q", diff)
		}
	}
}

// respell returns how reports change when the files of some directories are rewritten.
func respell(t *testing.T, src corpus.Source, reported []corpus.Report, dirs ...string) []string {
	t.Helper()
	before := places(reported)
	var out []string
	for _, style := range styles {
		var n int
		src.Overlay, n = rewritten(t, style.Style, dirs...)
		c := loadSource(t, src)
		if len(c.Broken) > 0 || n == 0 {
			t.Fatalf("%s: %d places in %s are spelled otherwise: %v", style.name, n, dirs, c.Broken)
		}
		after := places(reports(t, c, "low"))
		t.Logf("%s: %d places in %d files are spelled otherwise; %d reports, %d before", style.name, n, len(src.Overlay), len(after), len(before))
		for _, r := range slices.Sorted(maps.Keys(before)) {
			if !after[r] {
				out = append(out, fmt.Sprintf("%s: lost: %s", style.name, r))
			}
		}
		for _, r := range slices.Sorted(maps.Keys(after)) {
			if !before[r] {
				out = append(out, fmt.Sprintf("%s: gained: %s", style.name, r))
			}
		}
	}
	return out
}

// places are the functions and categories of reports.
func places(list []corpus.Report) map[string]bool {
	out := make(map[string]bool)
	for _, r := range list {
		out[fmt.Sprintf("%s: %s: %s in %s", path.Dir(r.File), r.Analyzer, r.Category, r.Function)] = true
	}
	return out
}

// rewritten returns the Go files below some directories, in another style, and how many
// places differ.
func rewritten(t *testing.T, style spelling.Style, dirs ...string) (map[string][]byte, int) {
	t.Helper()
	out, places := make(map[string][]byte), 0
	for _, dir := range dirs {
		dir, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(name, ".go") {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			other, n, err := spelling.Rewrite(name, text, style)
			out[name], places = other, places+n
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out, places
}
