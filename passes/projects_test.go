package passes_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/corpus"
)

// The test of real projects runs when these say where they are:
//
//	ATOMVET_PROJECTS=std=$(go env GOROOT)/src,nats-server=/src/nats-server
//	ATOMVET_GOLDEN=/tmp/golden
//
// With ATOMVET_TESTS=false their tests are left out.
const (
	projectsVariable = "ATOMVET_PROJECTS"
	goldenVariable   = "ATOMVET_GOLDEN"
	testsVariable    = "ATOMVET_TESTS"
)

// TestProjects compares the reports on labelled checkouts with the labels, by sums, and,
// at confidence low, with golden files if there is a directory for them. The command
// realcode compares with the labels one by one.
//
//	ATOMVET_PROJECTS=NAME=DIR,... ATOMVET_GOLDEN=DIR go test ./passes -run TestProjects -v -timeout 0 -update
func TestProjects(t *testing.T) {
	list := os.Getenv(projectsVariable)
	if list == "" {
		t.Skipf("set %s=NAME=DIR,... to checkouts of projects that have labels in testdata/realcode", projectsVariable)
	}
	projects, err := corpus.Projects("..", list)
	if err != nil {
		t.Fatalf("%s: %v", projectsVariable, err)
	}
	for _, p := range projects {
		t.Run(p.Name, func(t *testing.T) {
			if os.Getenv(testsVariable) == "false" {
				p.Tests = false
			}
			c := loadSource(t, p.Source)
			for _, err := range c.Broken {
				t.Log(err)
			}
			t.Log(sums(p, reports(t, c, "high")))
			if files := os.Getenv(goldenVariable); files != "" {
				golden(t, filepath.Join(files, p.Name+".txt"), reports(t, c, "low"))
			} else {
				t.Logf("set %s to a directory to compare all reports with a golden file in it", goldenVariable)
			}
		})
	}
}

// sums counts reports by the labels that they have.
func sums(p *corpus.Project, found []corpus.Report) string {
	count := make(map[string]int)
	for _, r := range found {
		label := p.Label(r)
		if label == "" {
			label = "unlabelled"
		}
		count[label]++
	}
	var words []string
	for _, label := range slices.Sorted(maps.Keys(count)) {
		words = append(words, fmt.Sprintf("%s %d", label, count[label]))
	}
	return fmt.Sprintf("%d reports: %s", len(found), strings.Join(words, ", "))
}
