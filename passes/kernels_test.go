package passes_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/corpus"
)

var update = flag.Bool("update", false, "make the tables of kernels and idioms, and the golden files, say what is reported; reasons stay")

// unexplained is the reason that -update writes where one has to be given.
const unexplained = "?"

// TestKernels compares what atomvet reports by default with a table of the kernels of
// real bugs, each with its fix, and one of the idioms: correct code that looks wrong.
//
//	go test ./passes -run TestKernels -v -update
func TestKernels(t *testing.T) {
	for _, name := range []string{"kernels", "idioms"} {
		s := newSuite(t, name)
		for _, c := range s.cases {
			s.now[c.ID] = s.entry(c)
		}
		if *update {
			s.update()
		}
		s.compare()
		s.sum()
	}
}

// A report stands for all findings of one category in one function.
type report struct {
	Analyzer string `json:"analyzer"`
	Category string `json:"category"`
	Function string `json:"function"` // the enclosing declaration
	Why      string `json:"why,omitempty"`
	line     string // file:line of the first one
}

func (r report) String() string {
	return fmt.Sprintf("%s: %s in %s", r.Analyzer, r.Category, r.Function)
}

func find(list []report, r report) int {
	return slices.IndexFunc(list, func(o report) bool { return o.String() == r.String() })
}

// An entry is what a table says of a kernel or an idiom. Those with nothing to say
// are left out.
type entry struct {
	Found       []report `json:"found,omitempty"`        // of the bug, in an expected function
	KnownMissed string   `json:"known_missed,omitempty"` // why there are none
	Other       []report `json:"other,omitempty"`        // of the bug, elsewhere
	KnownFalse  []report `json:"known_false,omitempty"`  // of the fix or the idiom
}

// A testCase is a case.json.
type testCase struct {
	ID, Tier string
	Expect   []string // functions of the bug that a report may be in
}

// A suite is a directory of kernels or idioms and its table.
type suite struct {
	*testing.T
	dir      string
	cases    []testCase
	table    map[string]entry
	now      map[string]entry    // what is reported
	found    map[string][]report // by directory, of a case or of one of its versions
	declared map[string][]string // functions, the same
}

func newSuite(t *testing.T, name string) *suite {
	dir := "testdata/" + name
	s := &suite{
		T: t, dir: dir,
		table: make(map[string]entry), now: make(map[string]entry),
		found: make(map[string][]report), declared: make(map[string][]string),
	}
	s.run(load(t, name))
	files, err := filepath.Glob(filepath.Join("..", dir, "*", "case.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no cases, %v", dir, err)
	}
	for _, file := range files {
		var c testCase
		readJSON(t, file, &c)
		if name := filepath.Base(filepath.Dir(file)); c.ID != name {
			t.Errorf("%s: the id is %q, not the name of the directory: no report would be counted", file, c.ID)
		}
		s.cases = append(s.cases, c)
	}
	readJSON(t, s.tableFile(), &s.table)
	return s
}

// run runs the detectors as they are by default.
func (s *suite) run(c *corpus.Corpus) {
	for _, f := range c.Functions() {
		dir := s.version(f.File)
		s.declared[dir] = append(s.declared[dir], f.Name)
	}
	for _, f := range reports(s.T, c, "high") {
		r := report{f.Analyzer, f.Category, f.Function, "", fmt.Sprintf("%s:%d", path.Base(f.File), f.Line)}
		dir := s.version(f.File)
		if find(s.found[dir], r) < 0 {
			s.found[dir] = append(s.found[dir], r)
		}
	}
	for _, list := range s.found {
		slices.SortFunc(list, func(a, b report) int { return strings.Compare(a.String(), b.String()) })
	}
}

// version returns the directory of an idiom, or of one of the versions of a kernel, that
// a file is in.
func (s *suite) version(file string) string {
	parts := strings.Split(file, "/")
	n := 3 // testdata, suite, name
	if s.dir == "testdata/kernels" {
		n = 4 // and version
	}
	return path.Join(parts[:n]...)
}

func (s *suite) tableFile() string { return filepath.Join("..", s.dir, "expected.json") }

// entry sorts the reports of a case by what it expects. An idiom expects none.
func (s *suite) entry(c testCase) entry {
	dir := path.Join(s.dir, c.ID)
	if len(c.Expect) == 0 {
		return entry{KnownFalse: s.found[dir]}
	}
	for i, name := range c.Expect {
		name, _, _ = strings.Cut(name, "$") // literals belong to their declaration
		c.Expect[i] = name
		if !slices.Contains(s.declared[dir+"/bug"], name) {
			s.Errorf("%s: case.json expects a report in %s, which the bug does not declare", dir, name)
		}
	}
	e := entry{KnownFalse: s.found[dir+"/fix"]}
	for _, r := range s.found[dir+"/bug"] {
		if slices.Contains(c.Expect, r.Function) {
			e.Found = append(e.Found, r)
		} else {
			e.Other = append(e.Other, r)
		}
	}
	if len(e.Found) == 0 {
		e.KnownMissed = unexplained
	}
	return e
}

// compare reports the differences between the table and what is reported, and what
// the table does not explain.
func (s *suite) compare() {
	for id := range s.table {
		if _, ok := s.now[id]; !ok {
			s.Errorf("%s: there is no %s: -update", s.tableFile(), id)
		}
	}
	for _, c := range s.cases {
		want, now := s.table[c.ID], s.now[c.ID]
		say := func(format string, args ...any) {
			s.Errorf("%s: %s", path.Join(s.dir, c.ID), fmt.Sprintf(format, args...))
		}
		diff := func(want, now []report, more, less string) {
			for _, r := range now {
				if find(want, r) < 0 {
					say("%s: %v: %s", r.line, r, more)
				}
			}
			for _, r := range want {
				if find(now, r) < 0 {
					say("%v: %s", r, less)
				}
			}
		}
		switch {
		case len(want.Found) == 0 && want.KnownMissed == "" && now.KnownMissed != "":
			say("the bug is missed, and not in the table: mend the model, or -update and say in known_missed what is missing")
		case want.KnownMissed != "" && now.KnownMissed == "":
			say("the bug is known_missed, but it is found: -update")
		case want.KnownMissed == unexplained:
			say("known_missed: say which part of the model is missing")
		}
		diff(want.Found, now.Found, "found, and not in the table: -update",
			"not found any more: mend the model; if that cannot be, -update, and give the reason if the bug is missed now")
		diff(want.Other, now.Other, "outside of the expected functions, and not in the table: read it, and mend the model or -update",
			"not reported any more, outside of the expected functions: -update")
		diff(want.KnownFalse, now.KnownFalse, "correct code is reported: mend the model, or -update and say in known_false why",
			"known_false, but not reported any more: -update")
		for _, r := range want.KnownFalse {
			if r.Why == "" || r.Why == unexplained {
				say("%v: say in known_false why", r)
			}
		}
	}
}

// update makes the table say what is reported. Reasons stay.
func (s *suite) update() {
	var lines []string
	for _, c := range s.cases {
		s.now[c.ID] = s.now[c.ID].explained(s.table[c.ID])
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s.now[c.ID]); err != nil {
			s.Fatal(err)
		}
		if text := strings.TrimSpace(line.String()); text != "{}" {
			lines = append(lines, fmt.Sprintf("\t%q: %s", c.ID, text))
		}
	}
	s.table = s.now
	text := "{\n" + strings.Join(lines, ",\n") + "\n}\n"
	if err := os.WriteFile(s.tableFile(), []byte(text), 0o666); err != nil {
		s.Fatal(err)
	}
}

// explained returns the entry with the reasons of another one.
func (e entry) explained(by entry) entry {
	if e.KnownMissed != "" && by.KnownMissed != "" {
		e.KnownMissed = by.KnownMissed
	}
	explain(e.Found, by.Found, "")
	explain(e.Other, by.Other, "")
	explain(e.KnownFalse, by.KnownFalse, unexplained)
	return e
}

func explain(list, by []report, otherwise string) {
	for i, r := range list {
		list[i].Why = otherwise
		if j := find(by, r); j >= 0 {
			list[i].Why = by[j].Why
		}
	}
}

// sum logs the sums.
func (s *suite) sum() {
	var found, core, foundCore, falsely int
	count := func(n *int, holds bool) {
		if holds {
			*n++
		}
	}
	for _, c := range s.cases {
		e := s.now[c.ID]
		count(&found, len(e.Found) > 0)
		count(&core, c.Tier == "core")
		count(&foundCore, c.Tier == "core" && len(e.Found) > 0)
		count(&falsely, len(e.KnownFalse) > 0)
	}
	if core > 0 {
		s.Logf("%s: bugs found %d/%d, of tier core %d/%d", s.dir, found, len(s.cases), foundCore, core)
	}
	s.Logf("%s: correct, with a report %d/%d", s.dir, falsely, len(s.cases))
}

func readJSON(t *testing.T, name string, v any) {
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
