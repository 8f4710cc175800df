package main

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// at returns a report at a line:column of a.go, without a function.
func at(line, column int, category, label string) report {
	return report{identity: identity{File: "a.go", Category: category}, Line: line, Column: column, Label: label, Why: "why " + label}
}

var everything = &scope{tests: true, dirs: map[string]bool{".": true}}

// today returns reports as atomvet makes them.
func today(list ...report) []report {
	for i, r := range list {
		list[i] = report{identity: r.identity, Line: r.Line, Column: r.Column, message: r.Category + ": says so\n\tstep"}
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
		{"same", []report{at(1, 2, "c", "true"), at(2, 2, "c", "false")}, "", []report{at(2, 2, "c", ""), at(1, 2, "c", "")}, "", sums{of: [4]int{1, 0, 0, 1}}, false},
		{"another column", []report{at(1, 2, "c", "benign")}, "", []report{at(1, 9, "c", "")}, "", sums{of: [4]int{2: 1}}, false},
		{"another category", []report{at(1, 2, "c", "benign")}, "", []report{at(1, 2, "d", "")},
			"new: a.go:1:2: d: says so\ngone: a.go:1:2: c (benign): why benign\n", sums{without: 1}, true},
		{"another line", []report{at(1, 2, "c", "true")}, "", []report{at(2, 2, "c", "")},
			"new: a.go:2:2: c: says so\ngone: a.go:1:2: c (true): why true\n", sums{without: 1}, true},
		{"two at one place", []report{at(1, 2, "c", "true"), at(1, 3, "c", "false")}, "", []report{at(1, 7, "c", ""), at(1, 5, "c", "")}, "", sums{of: [4]int{1, 0, 0, 1}}, false},
		{"more than labels", []report{at(1, 2, "c", "true"), at(1, 3, "c", "false")}, "", []report{at(1, 7, "c", ""), at(1, 5, "c", ""), at(1, 8, "c", "")}, "", sums{of: [4]int{1, 0, 0, 2}}, false},
		{"fewer than labels", []report{at(1, 2, "c", "true"), at(1, 3, "c", "false")}, "", []report{at(1, 3, "c", "")}, "", sums{of: [4]int{1}}, false},
		{"unlabelled", []report{at(1, 2, "c", "?")}, "", []report{at(1, 2, "c", "")}, "unlabelled: a.go:1:2: c: says so\n", sums{without: 1}, true},
		{"unlabelled and gone", []report{at(1, 2, "c", "?")}, "", nil, "", sums{}, false},
		{"outside of the sample", []report{at(1, 2, "c", "?")}, "s", []report{at(1, 2, "c", "")}, "", sums{without: 1}, false},
		{"new beside a sample", nil, "s", []report{at(1, 2, "c", "")}, "new: a.go:1:2: c: says so\n", sums{without: 1}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := compare(&project{Project: "p", Reports: test.labels, Sample: test.sample}, today(test.reports...), newSources(t.TempDir()), everything)
			var out bytes.Buffer
			c.print(&out)
			printed, _, _ := strings.Cut(out.String(), "p: ") // how many are told by their line
			if printed != test.want {
				t.Errorf("printed\n%swant\n%s", printed, test.want)
			}
			if got := *c.table(0).all; got != test.sums {
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
		{sums{lines: 500}, "p: reports: 0, none in 500 lines\n0 true, 0 minor, 0 benign, 0 false, 0 without a label; of 0 labelled ones – are true, – true or minor\n"},
		{sums{of: [4]int{1, 1, 1, 1}, without: 7, lines: 40009}, "p: reports: 11, one per 3637 lines of 40009\n1 true, 1 minor, 1 benign, 1 false, 7 without a label; of 4 labelled ones 25% are true, 50% true or minor\n"},
	} {
		var out bytes.Buffer
		test.sums.print(&out, "p", "reports")
		if out.String() != test.want {
			t.Errorf("%+v:\n%swant\n%s", test.sums, &out, test.want)
		}
	}
}

func TestParseReports(t *testing.T) {
	const out = `{"findings": [
		{"analyzer": "a", "category": "c", "file": "p/p.go", "line": 3, "column": 5, "end": {"file": "p/p.go", "line": 3}, "message": "c: m is bad"},
		{"analyzer": "a", "category": "c", "file": "/m/q.go", "line": 1, "column": 2, "message": "c: n", "related": [{"file": "/m/r.go", "line": 7, "message": "here"}, {"file": "/m/q.go", "line": 2, "message": "also d: n is bad"}]},
		{"analyzer": "a", "category": "c", "file": "/other/q.go", "line": 1, "column": 2, "message": "c: o"}]}`
	got, err := parseReports([]byte(out), "/m")
	want := []report{
		{identity: identity{File: "p/p.go", Category: "c", Location: "m"}, Line: 3, Column: 5, message: "c: m is bad"},
		{identity: identity{File: "q.go", Category: "c"}, Line: 1, Column: 2, message: "c: n", notes: []spot{{"r.go", 7, ""}, {"q.go", 2, "d"}}},
		{identity: identity{File: "/other/q.go", Category: "c"}, Line: 1, Column: 2, message: "c: o"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for _, out := range []string{"", "atomvet: broken", `{"findings": 1}`} {
		if got, err := parseReports([]byte(out), "/m"); err == nil || !strings.Contains(err.Error(), "unexpected output of atomvet") {
			t.Errorf("%q: %v, %v", out, got, err)
		}
	}
}

// TestTable has labels of all fates.
func TestTable(t *testing.T) {
	labelled := func(line int, label, mechanism string) report {
		r := at(line, 1, "c", label)
		r.Mechanism = mechanism
		return r
	}
	p := &project{Project: "p", Reports: []report{
		labelled(1, isTrue, ""), labelled(2, isMinor, ""), labelled(3, isBenign, "hint"), labelled(4, isFalse, "join"),
		labelled(5, isFalse, "hint"), labelled(6, isFalse, "join"), labelled(7, unlabelled, ""),
	}}
	inTest := labelled(8, isTrue, "")
	inTest.File = "a_test.go"
	p.Reports = append(p.Reports, inTest)
	doubtful := at(4, 1, "c", "")
	doubtful.message = "c: says so [medium confidence: it is deep in callees]"
	reports := []report{at(1, 1, "c", ""), at(3, 1, "c", ""), doubtful, at(7, 1, "c", ""), at(9, 1, "c", "")}

	one := compare(p, reports, newSources(t.TempDir()), &scope{dirs: everything.dirs}).table(1000)
	if got, want := *one.high, (sums{of: [4]int{1, 0, 1, 0}, without: 2, lines: 1000}); got != want {
		t.Errorf("by default %+v, want %+v", got, want)
	}
	if got, want := *one.all, (sums{of: [4]int{1, 0, 1, 1}, without: 2, lines: 1000}); got != want {
		t.Errorf("all %+v, want %+v", got, want)
	}
	var out bytes.Buffer
	sum := newTable()
	sum.merge(one)
	sum.merge(one)
	if err := sum.print(&out, "both"); err != nil {
		t.Fatal(err)
	}
	if err := printSummary(&out, map[string]*table{"b": one, "a": newTable()}); err != nil {
		t.Fatal(err)
	}
	const want = `
  both                              labels  made  doubted  folded  gone
  true                                   2     2        0       0     0
  minor                                  2     0        0       0     2
  benign                                 2     2        0       0     0
    hint                                 2     2        0       0     0
  false                                  6     0        2       0     4
    join                                 4     0        2       0     2
    hint                                 2     0        0       0     2
  all                                   12     4        2       0     6
both: reports: 10, one per 200 lines of 2000
2 true, 0 minor, 2 benign, 2 false, 4 without a label; of 6 labelled ones 33% are true, 33% true or minor
both: by default: 8, one per 250 lines of 2000
2 true, 0 minor, 2 benign, 0 false, 4 without a label; of 4 labelled ones 50% are true, 50% true or minor
  by default                        reports  true  minor  benign  false  ?  true or minor  lines for one
  a                                       0     0      0       0      0  0              –              –
  b                                       4     1      0       1      0  2            50%            250
  all                                     4     1      0       1      0  2            50%            250
`
	if got := "\n" + out.String(); got != want {
		t.Errorf("printed%swant%s", got, want)
	}
}

// TestUpdate moves a label to where its report is, keeps what has none, and adds what is new.
func TestUpdate(t *testing.T) {
	stays, moves := in(1, "s.x", "s.x = 1"), in(2, "s.y", "s.y = 1")
	stays.Label, moves.Label = isTrue, isFalse
	today := in(9, "s.y", "s.set(1)")
	added := in(10, "s.z", "s.z = 1")
	p := &project{Reports: []report{stays, moves}}
	compare(p, []report{today, added}, newSources(t.TempDir()), everything).update()
	today.Label, added.Label = isFalse, unlabelled
	if want := []report{stays, today, added}; !reflect.DeepEqual(p.Reports, want) {
		t.Errorf("%+v, want %+v", p.Reports, want)
	}

	// Outside of a sample, what is doubted needs no label.
	added.message = "c: s.z is bad [low confidence: it is]"
	p = &project{Sample: "some"}
	compare(p, []report{added}, newSources(t.TempDir()), everything).update()
	if len(p.Reports) > 0 {
		t.Errorf("%+v", p.Reports)
	}
}
