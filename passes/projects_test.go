package passes_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/internal/corpus"
)

// The test of real projects runs when these say where they are:
//
//	ATOMVET_PROJECTS=std=$(go env GOROOT)/src,nats-server=/src/nats-server
//	ATOMVET_GOLDEN=/tmp/golden
const (
	projectsVariable = "ATOMVET_PROJECTS"
	goldenVariable   = "ATOMVET_GOLDEN"
)

// A project is a file of labels in testdata/realcode.
type project struct {
	Packages, Flags []string
	Reports         []struct {
		File, Category, Label string
		Line, Column          int
	}
}

// TestProjects compares the reports on labelled checkouts with the labels, by sums, and,
// at confidence low, with golden files if there is a directory for them. The command
// realcode compares with the labels one by one.
//
//	ATOMVET_PROJECTS=NAME=DIR,... ATOMVET_GOLDEN=DIR go test ./passes -run TestProjects -v -update
func TestProjects(t *testing.T) {
	list := os.Getenv(projectsVariable)
	if list == "" {
		t.Skipf("set %s=NAME=DIR,... to checkouts of projects that have labels in testdata/realcode", projectsVariable)
	}
	for _, entry := range strings.Split(list, ",") {
		name, dir, ok := strings.Cut(entry, "=")
		if !ok {
			t.Errorf("%s: %q is not NAME=DIR", projectsVariable, entry)
			continue
		}
		t.Run(name, func(t *testing.T) {
			var p project
			readJSON(t, filepath.Join("..", "testdata", "realcode", name+".json"), &p)
			c := loadSource(t, p.source(name, dir))
			for _, err := range c.Broken {
				t.Log(err)
			}
			t.Log(p.sums(reports(t, c, "high")))
			if files := os.Getenv(goldenVariable); files != "" {
				golden(t, filepath.Join(files, name+".txt"), reports(t, c, "low"))
			} else {
				t.Logf("set %s to a directory to compare all reports with a golden file in it", goldenVariable)
			}
		})
	}
}

// source returns the packages that the labels are of, with flags of atomvet those of the go
// command.
func (p *project) source(name, dir string) corpus.Source {
	src := corpus.Source{Name: name, Dir: dir, Patterns: p.Packages, Tests: true}
	for _, f := range p.Flags {
		if f == "-tests=false" {
			src.Tests = false
		} else {
			src.Flags = append(src.Flags, f)
		}
	}
	return src
}

// sums counts reports by the labels that they have.
func (p *project) sums(found []corpus.Report) string {
	type place struct {
		file         string
		line, column int
		category     string
	}
	labels := make(map[place]string)
	for _, r := range p.Reports {
		labels[place{r.File, r.Line, r.Column, r.Category}] = r.Label
	}
	count := make(map[string]int)
	for _, r := range found {
		if label := labels[place{r.File, r.Line, r.Column, r.Category}]; label != "" {
			count[label]++
		} else {
			count["unlabelled"]++
		}
	}
	var words []string
	for _, label := range slices.Sorted(maps.Keys(count)) {
		words = append(words, fmt.Sprintf("%s %d", label, count[label]))
	}
	return fmt.Sprintf("%d reports: %s", len(found), strings.Join(words, ", "))
}
