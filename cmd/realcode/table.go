package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// A tally says how many labels there are, and what has become of them.
type tally struct {
	labels int
	fates  [gone + 1]int
}

func (t *tally) add(u tally) {
	t.labels += u.labels
	for f, n := range u.fates {
		t.fates[f] += n
	}
}

// nameWidth is that of a first column, which is aligned left while the others are aligned right.
const nameWidth = 32

// A kind of label is the label and, if it has one, the mechanism.
type kind struct{ label, mechanism string }

// A table has the tallies and the sums of a project, or of many.
type table struct {
	tallies   map[kind]tally
	all, high *sums // of the reports, and of those by default
}

func newTable() *table {
	return &table{tallies: make(map[kind]tally), all: new(sums), high: new(sums)}
}

func (c *comparison) table(lines int) *table {
	t := newTable()
	for i, l := range c.labels {
		if l.Label != unlabelled {
			one := tally{labels: 1}
			one.fates[c.fate(i)]++
			t.add(kind{l.Label, l.Mechanism}, one)
		}
	}
	for i, r := range c.reports {
		t.all.count(c.label(i))
		if !r.doubted() {
			t.high.count(c.label(i))
		}
	}
	t.all.lines, t.high.lines = lines, lines
	return t
}

func (t *table) add(k kind, more tally) {
	sum := t.tallies[k]
	sum.add(more)
	t.tallies[k] = sum
}

func (t *table) merge(other *table) {
	for k, more := range other.tallies {
		t.add(k, more)
	}
	t.all.merge(other.all)
	t.high.merge(other.high)
}

// print prints a row for each label, rows for its mechanisms under it, and the sums.
func (t *table) print(w io.Writer, name string) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out, "%-*s\tlabels\tmade\tdoubted\tfolded\tgone\t\n", nameWidth, name)
	all := tally{}
	for _, label := range labels {
		sum, kinds := t.of(label)
		all.add(sum)
		sum.row(out, label)
		for _, k := range kinds {
			t.tallies[k].row(out, "  "+cmp.Or(k.mechanism, "no mechanism"))
		}
	}
	all.row(out, "all")
	if err := out.Flush(); err != nil {
		return err
	}
	t.all.print(w, name, "reports")
	t.high.print(w, name, "by default")
	return nil
}

// of returns the sum of a label, and its kinds if there is a mechanism among them: the
// most frequent one first.
func (t *table) of(label string) (sum tally, kinds []kind) {
	for k, n := range t.tallies {
		if k.label == label {
			sum.add(n)
			kinds = append(kinds, k)
		}
	}
	slices.SortFunc(kinds, func(a, b kind) int {
		return cmp.Or(t.tallies[b].labels-t.tallies[a].labels, cmp.Compare(a.mechanism, b.mechanism))
	})
	if len(kinds) == 1 && kinds[0].mechanism == "" {
		kinds = nil
	}
	return sum, kinds
}

func (t tally) row(w io.Writer, name string) {
	fmt.Fprintf(w, "%-*s\t%d\t", nameWidth, name, t.labels)
	for _, n := range t.fates {
		fmt.Fprintf(w, "%d\t", n)
	}
	fmt.Fprintln(w)
}

// printSummary prints a row for each project: what is reported by default, by label.
func printSummary(w io.Writer, tables map[string]*table) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out, "%-*s\treports\ttrue\tminor\tbenign\tfalse\t?\ttrue or minor\tlines for one\t\n", nameWidth, "by default")
	total := newTable()
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		tables[name].high.summary(out, name)
		total.merge(tables[name])
	}
	total.high.summary(out, "all")
	return out.Flush()
}
