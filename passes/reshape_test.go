package passes_test

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/atomvet/atomvet/passes/corpus"
	"github.com/atomvet/atomvet/passes/internal/reshape"
)

// shapesVariable, set to all, has TestShapes rewrite all kernels and idioms, not every fourth of them.
const shapesVariable = "ATOMVET_SHAPES"

// shapesFile has the known differences: kernels and idioms with a report, or without one, in one
// shape only.
const shapesFile = "../testdata/shapes.tsv"

// neutral are the shapes that no report may depend on. The others move code from one function to another, which
// also changes the doubts about a finding.
var neutral = []string{"reversed", "split", "renamed", "wrapped"}

// TestShapes is a metamorphic test: whether a kernel or an idiom has a report by default must not depend on
// its structure. The differences that are known are in a file, which shall get shorter; -update writes it.
//
//	ATOMVET_SHAPES=all go test ./passes -run TestShapes [-update]
func TestShapes(t *testing.T) {
	all := os.Getenv(shapesVariable) == "all"
	own := corpus.Source{Name: "shapes", Dir: "..", Tests: true}
	for i, dir := range programs(t, "../testdata/kernels", "../testdata/idioms") {
		if all || i%4 == 0 {
			own.Patterns = append(own.Patterns, "./"+strings.TrimPrefix(dir, "../")+"/...")
		}
	}
	pkgs, err := packages.Load(&packages.Config{Dir: own.Dir, Mode: packages.LoadSyntax}, own.Patterns...)
	if err != nil {
		t.Fatal(err)
	}
	plain := loadSource(t, own)
	before := reports(t, plain, "high")
	known := knownShapes(t, own.Patterns)
	var found []string
	for _, s := range reshape.Shapes {
		src, places := own, 0
		src.Overlay, places = reshaped(t, s, pkgs)
		c := loadSource(t, src)
		if len(c.Broken) > 0 || places == 0 {
			t.Errorf("%s: %d places: %v", s.Name, places, c.Broken)
			continue
		}
		after := reports(t, c, "high")
		diffs := differences(s.Name, verdicts(before), verdicts(after))
		if slices.Contains(neutral, s.Name) {
			diffs = differences(s.Name, functions(reports(t, plain, "low")), functions(reports(t, c, "low")))
		}
		t.Logf("%s: %d places in %d files, %d differences; %d reports, %d before", s.Name, places, len(src.Overlay), len(diffs), len(after), len(before))
		found = append(found, diffs...)
	}
	if *update && all {
		if err := os.WriteFile(shapesFile, []byte(strings.Join(found, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, d := range found {
		if !known[d] {
			t.Errorf("%s: the verdict depends on the structure of the program: mend the model, or -update with %s=all", d, shapesVariable)
		}
		delete(known, d)
	}
	for _, d := range slices.Sorted(maps.Keys(known)) {
		t.Errorf("%s is no difference any more: -update with %s=all", d, shapesVariable)
	}
}

// programs returns the directories in some directories, in order.
func programs(t *testing.T, dirs ...string) []string {
	t.Helper()
	var out []string
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.IsDir() {
				out = append(out, path.Join(dir, e.Name()))
			}
		}
	}
	return out
}

// knownShapes returns the known differences of programs that patterns name.
func knownShapes(t *testing.T, patterns []string) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(shapesFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	out := make(map[string]bool)
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		fields := strings.Split(lines.Text(), "\t")
		if slices.ContainsFunc(patterns, func(p string) bool { return strings.HasPrefix("./"+fields[2]+"/", strings.TrimSuffix(p, "...")) }) {
			out[lines.Text()] = true
		}
	}
	return out
}

// differences returns lines of a shape, what it does to a report, and the program.
func differences(shape string, before, after map[string]bool) []string {
	var out []string
	for _, r := range slices.Sorted(maps.Keys(before)) {
		if !after[r] {
			out = append(out, fmt.Sprintf("%s\tlost\t%s", shape, r))
		}
	}
	for _, r := range slices.Sorted(maps.Keys(after)) {
		if !before[r] {
			out = append(out, fmt.Sprintf("%s\tgained\t%s", shape, r))
		}
	}
	return out
}

// verdicts are the packages with a report.
func verdicts(list []corpus.Report) map[string]bool {
	out := make(map[string]bool)
	for _, r := range list {
		out[path.Dir(r.File)] = true
	}
	return out
}

// functions are the reports by package, category and function, which has its original name.
func functions(list []corpus.Report) map[string]bool {
	out := make(map[string]bool)
	for _, r := range list {
		out[fmt.Sprintf("%s %s in %s", path.Dir(r.File), r.Category, reshape.Original(r.Function))] = true
	}
	return out
}

// reshaped returns the files of packages in another shape, and how many places differ.
func reshaped(t *testing.T, s reshape.Shape, pkgs []*packages.Package) (map[string][]byte, int) {
	t.Helper()
	out, places := make(map[string][]byte), 0
	for _, p := range pkgs {
		files, n, err := s.Rewrite(&reshape.Package{Fset: p.Fset, Files: p.Syntax, Types: p.Types, Info: p.TypesInfo, Source: os.ReadFile})
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(out, files)
		places += n
	}
	return out, places
}
