package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
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
				t.Errorf("%s has another table; go run ./cmd/papers -update puts it right. The first line to differ should be\n%s", r.name, line)
				break
			}
		}
		if len(haveLines) > len(wantLines) {
			t.Errorf("the table in %s goes on after its end", r.name)
		}
	}
}

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
