package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// sums counts reports by label.
type sums struct {
	yes, benign, no int
	without         int // reports without a label
	lines           int // of the code
}

func (s *sums) add(list []report) {
	for _, r := range list {
		switch r.Label {
		case isTrue:
			s.yes++
		case isBenign:
			s.benign++
		case isFalse:
			s.no++
		default:
			s.without++
		}
	}
}

func (s *sums) labelled() int { return s.yes + s.benign + s.no }
func (s *sums) reports() int  { return s.labelled() + s.without }

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

func (s *sums) print(w io.Writer, p *project, what string) {
	fmt.Fprintf(w, "%s: %s: %d, %s\n", p.Project, what, s.reports(), s.density())
	fmt.Fprintf(w, "%d true, %d benign, %d false, %d without a label; of %d labelled ones %s are true, %s true or benign\n",
		s.yes, s.benign, s.no, s.without, s.labelled(), s.share(s.yes), s.share(s.yes+s.benign))
}

// list prints the sums of what is in the files.
func (c *command) list() error {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "project\ttrue\tbenign\tfalse\t?\ttrue\ttrue or benign\t")
	total := new(sums)
	for _, name := range projects(c.labels) {
		p, err := loadProject(c.labels, name)
		if err != nil {
			return err
		}
		s := new(sums)
		s.add(p.Reports)
		s.row(w, name)
		total.add(p.Reports)
	}
	total.row(w, "all")
	return w.Flush()
}

func (s *sums) row(w io.Writer, name string) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\t%s\t\n", name, s.yes, s.benign, s.no, s.without, s.share(s.yes), s.share(s.yes+s.benign))
}
