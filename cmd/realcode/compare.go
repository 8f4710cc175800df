package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// A comparison is what differs between the reports of today and the file.
type comparison struct {
	labelled   []report // reports of today with their labels
	unlabelled []report // those that are in the file without a label
	new        []report // those that are not in the file
	gone       []report // those of the file that have a label, but are not reported
	sample     bool     // only a sample has been labelled
}

// A place is what a label and its report have in common.
type place struct {
	file     string
	line     int
	category string
}

func (r report) place() place { return place{r.File, r.Line, r.Category} }

// compare gives each report its label. There may be several at one place: they are
// in the order of the file then, and the last label is that of any further report.
func compare(p *project, reports []report) *comparison {
	c := &comparison{sample: p.Sample != ""}
	labels := make(map[place][]report)
	for _, l := range p.Reports {
		labels[l.place()] = append(labels[l.place()], l)
	}
	seen := make(map[place]int)
	slices.SortFunc(reports, compareReports)
	for _, r := range reports {
		list, n := labels[r.place()], seen[r.place()]
		seen[r.place()]++
		if len(list) == 0 {
			c.new = append(c.new, r)
			continue
		}
		c.add(r, list[min(n, len(list)-1)])
	}
	for _, l := range p.Reports {
		if l.Label != unlabelled && seen[l.place()] == 0 {
			c.gone = append(c.gone, l)
		}
	}
	return c
}

func (c *comparison) add(r, label report) {
	r.Label, r.Mechanism, r.Why = label.Label, label.Mechanism, label.Why
	if r.Label == unlabelled {
		c.unlabelled = append(c.unlabelled, r)
	} else {
		c.labelled = append(c.labelled, r)
	}
}

// differs reports whether there is something for a reader of the source to do.
func (c *comparison) differs() bool {
	return len(c.new)+len(c.gone) > 0 || len(c.unlabelled) > 0 && !c.sample
}

func (c *comparison) print(w io.Writer) {
	for _, r := range c.new {
		fmt.Fprintf(w, "new: %s: %s\n", r.position(), r.headline())
	}
	if !c.sample {
		for _, r := range c.unlabelled {
			fmt.Fprintf(w, "unlabelled: %s: %s\n", r.position(), r.headline())
		}
	}
	for _, r := range c.gone {
		fmt.Fprintf(w, "gone: %s: %s (%s): %s\n", r.position(), r.Category, r.Label, r.Why)
	}
}

// headline is what a report says, on one line.
func (r report) headline() string {
	line, _, _ := strings.Cut(r.message, "\n")
	return line
}

func (c *comparison) sums() *sums {
	s := new(sums)
	for _, list := range [][]report{c.labelled, c.unlabelled, c.new} {
		s.add(list)
	}
	return s
}

// shown returns the sums of what is reported by default.
func (c *comparison) shown() *sums {
	s := new(sums)
	for _, list := range [][]report{c.labelled, c.unlabelled, c.new} {
		s.add(slices.DeleteFunc(slices.Clone(list), report.doubted))
	}
	return s
}

// doubted reports whether a report is left out by default. Then it says what its
// confidence is.
func (r report) doubted() bool { return strings.Contains(r.headline(), " confidence: ") }
