package main

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// A comparison is what differs between the reports of today and the file.
type comparison struct {
	*matching
	p       *project
	src     *sources
	skipped []report // labels that are not looked for

	unloaded int // how many of these are in packages that cannot be loaded
}

// compare matches the labels of a project with reports. What is not analysed is not
// looked for: without tests, what is in them, and what is in packages that cannot be
// loaded.
func compare(p *project, reports []report, src *sources, in *scope) *comparison {
	c := &comparison{p: p, src: src}
	var labels []report
	for _, l := range p.Reports {
		switch {
		case !in.tests && strings.HasSuffix(l.File, "_test.go"):
			c.skipped = append(c.skipped, l)
		case !in.dirs[path.Dir(l.File)] && !path.IsAbs(l.File):
			c.skipped = append(c.skipped, l)
			c.unloaded++
		default:
			labels = append(labels, l)
		}
	}
	slices.SortFunc(reports, compareReports)
	c.matching = match(labels, reports)
	return c
}

// label returns the label of a report, which is empty if the report is not in the file.
func (c *comparison) label(r int) string {
	if l := c.labelOf[r]; l != none {
		return c.labels[l].Label
	}
	return ""
}

// A fate is what has become of a label.
type fate int

const (
	made    fate = iota // it has a report by default
	doubted             // it has one that is left out by default
	folded              // its place is mentioned in another report
	gone
)

func (c *comparison) fate(label int) fate {
	switch i := c.reportOf[label]; {
	case i != none && c.reports[i].doubted():
		return doubted
	case i != none:
		return made
	case c.folded(label, c.src) != none:
		return folded
	}
	return gone
}

// missing reports whether somebody has to read a report: one without a label, unless it
// is outside of the sample.
func (c *comparison) missing(r int) bool {
	switch c.label(r) {
	case "":
		return c.p.Sample == "" || !c.reports[r].doubted()
	case unlabelled:
		return c.p.Sample == ""
	}
	return false
}

// differs reports whether there is something for a reader of the source to do.
func (c *comparison) differs() bool {
	for i := range c.reports {
		if c.missing(i) {
			return true
		}
	}
	for i, l := range c.labels {
		if l.Label != unlabelled && c.fate(i) == gone {
			return true
		}
	}
	return false
}

// print prints the differences: new and unlabelled reports, and the labels that are at
// another place or nowhere.
func (c *comparison) print(w io.Writer) {
	for _, what := range []struct{ word, label string }{{"new", ""}, {"unlabelled", unlabelled}} {
		for i, r := range c.reports {
			if c.missing(i) && c.label(i) == what.label {
				fmt.Fprintf(w, "%s: %s: %s\n", what.word, r.position(), r.headline())
			}
		}
	}
	for i, l := range c.labels {
		if c.moved(i) {
			r := c.reports[c.reportOf[i]]
			fmt.Fprintf(w, "moved: %s: %s of %s in %s (%s), labelled at line %d\n", r.position(), r.Category, r.Location, r.Func, l.Label, l.Line)
		}
	}
	for i, l := range c.labels {
		if l.Label != unlabelled && c.fate(i) == gone {
			fmt.Fprintf(w, "gone: %s: %s (%s): %s\n", l.position(), l.Category, l.Label, l.Why)
		}
	}
	if c.unloaded > 0 {
		fmt.Fprintf(w, "%s: %d labels are in packages that cannot be loaded\n", c.p.Project, c.unloaded)
	}
	if n := c.p.byLine(); n > 0 {
		fmt.Fprintf(w, "%s: %d labels have no function and are told by their line\n", c.p.Project, n)
	}
}

// headline is what a report says, on one line.
func (r report) headline() string {
	line, _, _ := strings.Cut(r.message, "\n")
	return line
}

// doubted reports whether a report is left out by default. Then it says what its
// confidence is.
func (r report) doubted() bool { return strings.Contains(r.headline(), " confidence: ") }

// update brings the labels to where their reports are, and adds the reports that have
// none, as yet without a label. Nothing is removed.
func (c *comparison) update() {
	list := c.skipped
	for i, l := range c.labels {
		if r := c.reportOf[i]; r != none {
			l.identity, l.Line, l.Column = c.reports[r].identity, c.reports[r].Line, c.reports[r].Column
		}
		list = append(list, l)
	}
	for i, r := range c.reports {
		if c.labelOf[i] == none && c.missing(i) {
			r.Label = unlabelled
			list = append(list, r)
		}
	}
	c.p.Reports = list
}
