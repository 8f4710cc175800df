package driver

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/reacquire"
	"github.com/atomvet/atomvet/passes/stalevalue"
)

// TestConfidence: the flag without the name of a detector is for all.
func TestConfidence(t *testing.T) {
	analyzers := []*analysis.Analyzer{stalevalue.Analyzer, reacquire.Analyzer}
	defer parse(analyzers, []string{"-confidence=high"})
	opts, err := parse(analyzers, []string{"-confidence=medium", "-reacquire.confidence=low"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"-stalevalue.confidence=medium", "-reacquire.confidence=medium", "-reacquire.confidence=low"}
	if !slices.Equal(opts.vet, want) {
		t.Errorf("flags %q, want %q", opts.vet, want)
	}
	if _, err := parse(analyzers, []string{"-confidence=none"}); err == nil || !strings.Contains(err.Error(), "high, medium or low") {
		t.Errorf("error %v", err)
	}
}

// TestWhyPath: detectors compare the end of a path, which ".." is not.
func TestWhyPath(t *testing.T) {
	analyzers := []*analysis.Analyzer{stalevalue.Analyzer}
	defer parse(analyzers, []string{"-why="})
	t.Chdir(t.TempDir())
	opts, err := parse(analyzers, []string{"-why=../a.go:7"})
	if err != nil {
		t.Fatal(err)
	}
	if file, ok := strings.CutPrefix(opts.vet[0], "-stalevalue.why="); !ok || !filepath.IsAbs(file) || strings.Contains(file, "..") {
		t.Errorf("flags %q", opts.vet)
	}
	if _, err := parse(analyzers, []string{"-why=a.go"}); err == nil || !strings.Contains(err.Error(), "FILE:LINE") {
		t.Errorf("error %v", err)
	}
}

// TestOutputFiles: no file is called "-".
func TestOutputFiles(t *testing.T) {
	for _, flag := range []string{"-sarif", "-html", "-baseline"} {
		if _, err := parse(nil, []string{flag + "=-"}); err == nil || !strings.Contains(err.Error(), flag+" needs the name of a file") {
			t.Errorf("%s=-: error %v", flag, err)
		}
	}
}
