package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// at returns a report at a line:column of a.go.
func at(line, column int, category, label string) report {
	return report{File: "a.go", Line: line, Column: column, Category: category, Label: label, Why: "why " + label}
}

// today returns reports as atomvet makes them.
func today(list ...report) []report {
	for i, r := range list {
		list[i] = report{File: r.File, Line: r.Line, Column: r.Column, Category: r.Category, message: r.Category + ": says so\n\tstep"}
	}
	return list
}

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name    string
		labels  []report
		sample  string
		reports []report
		want    string // what is printed
		sums    sums
		differs bool
	}{
		{"nothing", nil, "", nil, "", sums{}, false},
		{"same", []report{at(1, 2, "c", "true"), at(2, 2, "c", "false")}, "", []report{at(2, 2, "c", ""), at(1, 2, "c", "")}, "", sums{yes: 1, no: 1}, false},
		{"another column", []report{at(1, 2, "c", "benign")}, "", []report{at(1, 9, "c", "")}, "", sums{benign: 1}, false},
		{"another category", []report{at(1, 2, "c", "benign")}, "", []report{at(1, 2, "d", "")},
			"new: a.go:1:2: d: says so\ngone: a.go:1:2: c (benign): why benign\n", sums{without: 1}, true},
		{"another line", []report{at(1, 2, "c", "true")}, "", []report{at(2, 2, "c", "")},
			"new: a.go:2:2: c: says so\ngone: a.go:1:2: c (true): why true\n", sums{without: 1}, true},
		{"two at one place", []report{at(1, 2, "c", "true"), at(1, 3, "c", "false")}, "", []report{at(1, 7, "c", ""), at(1, 5, "c", "")}, "", sums{yes: 1, no: 1}, false},
		{"more than labels", []report{at(1, 2, "c", "true"), at(1, 3, "c", "false")}, "", []report{at(1, 7, "c", ""), at(1, 5, "c", ""), at(1, 8, "c", "")}, "", sums{yes: 1, no: 2}, false},
		{"fewer than labels", []report{at(1, 2, "c", "true"), at(1, 3, "c", "false")}, "", []report{at(1, 3, "c", "")}, "", sums{yes: 1}, false},
		{"unlabelled", []report{at(1, 2, "c", "?")}, "", []report{at(1, 2, "c", "")}, "unlabelled: a.go:1:2: c: says so\n", sums{without: 1}, true},
		{"unlabelled and gone", []report{at(1, 2, "c", "?")}, "", nil, "", sums{}, false},
		{"outside of the sample", []report{at(1, 2, "c", "?")}, "s", []report{at(1, 2, "c", "")}, "", sums{without: 1}, false},
		{"new beside a sample", nil, "s", []report{at(1, 2, "c", "")}, "new: a.go:1:2: c: says so\n", sums{without: 1}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := compare(&project{Reports: test.labels, Sample: test.sample}, today(test.reports...))
			var out bytes.Buffer
			c.print(&out)
			if out.String() != test.want {
				t.Errorf("printed\n%swant\n%s", &out, test.want)
			}
			if got := *c.sums(); got != test.sums {
				t.Errorf("sums %+v, want %+v", got, test.sums)
			}
			if c.differs() != test.differs {
				t.Errorf("differs: %v", c.differs())
			}
		})
	}
}

func TestSums(t *testing.T) {
	for _, test := range []struct {
		sums sums
		want string
	}{
		{sums{lines: 500}, "p: reports: 0, none in 500 lines\n0 true, 0 benign, 0 false, 0 without a label; of 0 labelled ones – are true, – true or benign\n"},
		{sums{yes: 1, benign: 1, no: 1, without: 7, lines: 40009}, "p: reports: 10, one per 4000 lines of 40009\n1 true, 1 benign, 1 false, 7 without a label; of 3 labelled ones 33% are true, 67% true or benign\n"},
	} {
		var out bytes.Buffer
		test.sums.print(&out, &project{Project: "p"}, "reports")
		if out.String() != test.want {
			t.Errorf("%+v:\n%swant\n%s", test.sums, &out, test.want)
		}
	}
}

func TestParseReports(t *testing.T) {
	const out = `{"findings": [
		{"analyzer": "a", "category": "c", "file": "p/p.go", "line": 3, "column": 5, "end": {"file": "p/p.go", "line": 3}, "message": "c: m"},
		{"analyzer": "a", "category": "c", "file": "/m/q.go", "line": 1, "column": 2, "message": "c: n", "related": []},
		{"analyzer": "a", "category": "c", "file": "/other/q.go", "line": 1, "column": 2, "message": "c: o"}]}`
	got, err := parseReports([]byte(out), "/m")
	want := []report{
		{File: "p/p.go", Line: 3, Column: 5, Category: "c", message: "c: m"},
		{File: "q.go", Line: 1, Column: 2, Category: "c", message: "c: n"},
		{File: "/other/q.go", Line: 1, Column: 2, Category: "c", message: "c: o"},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for _, out := range []string{"", "atomvet: broken", `{"findings": 1}`} {
		if got, err := parseReports([]byte(out), "/m"); err == nil || !strings.Contains(err.Error(), "unexpected output of atomvet") {
			t.Errorf("%q: %v, %v", out, got, err)
		}
	}
}

// TestShown: what is left out by default says what its confidence is.
func TestShown(t *testing.T) {
	p := &project{Reports: []report{at(1, 1, "c", isTrue), at(2, 1, "c", isFalse)}}
	doubtful := at(2, 1, "c", "")
	doubtful.message = "c: says so [medium confidence: it is deep in callees]"
	c := compare(p, []report{at(1, 1, "c", ""), doubtful})
	if got, want := *c.shown(), (sums{yes: 1}); got != want {
		t.Errorf("shown %+v, want %+v", got, want)
	}
	if got, want := *c.sums(), (sums{yes: 1, no: 1}); got != want {
		t.Errorf("all %+v, want %+v", got, want)
	}
}
