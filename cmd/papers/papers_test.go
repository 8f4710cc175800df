package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/atomvet/atomvet/cmd/internal/repo"
)

// The tests are a vettool, too, as the program is.
func TestMain(m *testing.M) {
	playTool()
	os.Exit(m.Run())
}

var papers = sync.OnceValues(func() (*evaluation, error) {
	return evaluate(".", regexp.MustCompile(""))
})

func TestPapers(t *testing.T) {
	e, err := papers()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range e.deviations() {
		t.Error(d)
	}
	programs := 0
	for _, s := range e.suites {
		programs += len(s.programs)
	}
	if len(e.suites) < 5 || programs < 120 {
		t.Errorf("%d suites with %d programs", len(e.suites), programs)
	}
}

// TestREADME checks that the READMEs have the tables of today.
func TestREADME(t *testing.T) {
	e, err := papers()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range readmes {
		_, have, _, err := r.split(e.root)
		if err != nil {
			t.Fatal(err)
		}
		haveLines, wantLines := strings.Split(string(have), "\n"), strings.Split(r.text(e), "\n")
		for i, line := range wantLines {
			if i == len(haveLines) || line != haveLines[i] {
				t.Errorf("%s has another table; go run ./cmd/papers -update puts it right. The first line to differ should be\n%s", r.file, line)
				break
			}
		}
		if len(haveLines) > len(wantLines) {
			t.Errorf("the table in %s goes on after its end", r.file)
		}
	}
}

// TestObserved checks the rows of the table of what is seen at run time that do not vary: those of the
// papers about views.
func TestObserved(t *testing.T) {
	if testing.Short() {
		t.Skip("runs tests of programs")
	}
	root, err := repo.Root(".")
	if err != nil {
		t.Fatal(err)
	}
	_, have, _, err := observedPlace.split(root)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := runObserve(root, regexp.MustCompile(`^views/(fig4|k9|sor|table)`), false, &out); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for row := range strings.Lines(out.String()) {
		if strings.HasPrefix(row, "|-") || strings.HasPrefix(row, "| **") || strings.HasPrefix(row, "| program ") {
			continue
		}
		if rows++; !strings.Contains(flat(string(have)), flat(row)) {
			t.Errorf("the table has another row, instead of\n%s", row)
		}
	}
	if rows < 8 {
		t.Errorf("only %d rows:\n%s", rows, out.String())
	}
}

// flat returns a row without the spaces that align it.
func flat(row string) string { return strings.Join(strings.Fields(row), " ") }

// TestFormatted checks that -update would leave the files alone.
func TestFormatted(t *testing.T) {
	e, err := papers()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range e.suites {
		for _, p := range s.programs {
			if p.broken == nil && !bytes.Equal(p.data, p.format()) {
				t.Errorf("%s is not formatted; go run ./cmd/papers -update does it", p.expectPath())
			}
		}
	}
}
