package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// labels are all labels in the order of tables.
var labels = [...]string{isTrue, isMinor, isBenign, isFalse}

// sums counts reports by label.
type sums struct {
	of      [len(labels)]int
	without int // reports without a label
	lines   int // of the code
}

func (s *sums) count(label string) {
	for i, l := range labels {
		if l == label {
			s.of[i]++
			return
		}
	}
	s.without++
}

func (s *sums) add(list []report) {
	for _, r := range list {
		s.count(r.Label)
	}
}

func (s *sums) merge(other *sums) {
	for i, n := range other.of {
		s.of[i] += n
	}
	s.without += other.without
	s.lines += other.lines
}

func (s *sums) labelled() int {
	n := 0
	for _, m := range s.of {
		n += m
	}
	return n
}

func (s *sums) reports() int { return s.labelled() + s.without }

// worth is how many are right, or worth a change.
func (s *sums) worth() int { return s.of[0] + s.of[1] }

// share is the part of the labelled reports that n of them are.
func (s *sums) share(n int) string {
	if s.labelled() == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(n)/float64(s.labelled()))
}

// density is how much code there is for one report.
func (s *sums) density() string {
	if s.reports() == 0 {
		return fmt.Sprintf("none in %d lines", s.lines)
	}
	return fmt.Sprintf("one per %d lines of %d", s.lines/s.reports(), s.lines)
}

func (s *sums) print(w io.Writer, name, what string) {
	fmt.Fprintf(w, "%s: %s: %d, %s\n", name, what, s.reports(), s.density())
	for i, label := range labels {
		fmt.Fprintf(w, "%d %s, ", s.of[i], label)
	}
	fmt.Fprintf(w, "%d without a label; of %d labelled ones %s are true, %s true or minor\n",
		s.without, s.labelled(), s.share(s.of[0]), s.share(s.worth()))
}

// list prints the sums of what is in the files.
func (c *command) list() error {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "project\ttrue\tminor\tbenign\tfalse\t?\ttrue\ttrue or minor\tby line\t")
	total, byLine := new(sums), 0
	for _, name := range projects(c.labels) {
		p, err := loadProject(c.labels, name)
		if err != nil {
			return err
		}
		s := new(sums)
		s.add(p.Reports)
		s.row(w, name, p.byLine())
		total.merge(s)
		byLine += p.byLine()
	}
	total.row(w, "all", byLine)
	return w.Flush()
}

func (s *sums) cells(w io.Writer) {
	for _, n := range s.of {
		fmt.Fprintf(w, "%d\t", n)
	}
	fmt.Fprintf(w, "%d\t", s.without)
}

func (s *sums) row(w io.Writer, name string, byLine int) {
	fmt.Fprintf(w, "%s\t", name)
	s.cells(w)
	fmt.Fprintf(w, "%s\t%s\t%d\t\n", s.share(s.of[0]), s.share(s.worth()), byLine)
}

func (s *sums) summary(w io.Writer, name string) {
	fmt.Fprintf(w, "%-*s\t%d\t", nameWidth, name, s.reports())
	s.cells(w)
	density := "–"
	if s.reports() > 0 {
		density = fmt.Sprint(s.lines / s.reports())
	}
	fmt.Fprintf(w, "%s\t%s\t\n", s.share(s.worth()), density)
}
