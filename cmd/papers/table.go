package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// print prints the tables, in Markdown.
func (e *evaluation) print(w io.Writer) {
	programs, violations, reports := 0, 0, 0
	for _, s := range e.suites {
		s.print(w)
		for _, p := range s.programs {
			programs++
			violations += len(p.Violations)
			for _, m := range modes {
				if s.checks(m) {
					reports += len(p.reports[m.name])
				}
			}
		}
	}
	fmt.Fprintf(w, "Programs: %d, violations: %d, reports: %d, deviations from what is expected: %d.\n",
		programs, violations, reports, len(e.deviations()))
}

func (s *suite) print(w io.Writer) {
	if len(s.programs) == 0 {
		return
	}
	fmt.Fprintf(w, "### %s\n\n", s.Title)
	if s.About != "" {
		fmt.Fprintf(w, "%s\n\n", s.About)
	}
	for i := range s.Tables {
		s.printTable(w, i)
	}
}

func (s *suite) printTable(w io.Writer, index int) {
	t := s.Tables[index]
	g := grid{rows: [][]string{{"program", "AV"}}}
	for _, column := range s.Columns {
		g.rows[0] = append(g.rows[0], columnTitle(column))
	}
	for _, paper := range t.Papers {
		g.rows[0] = append(g.rows[0], paper.heading())
	}

	var all, ofPaper, variants, twins total
	for _, p := range s.inTable(index) {
		r := s.row(p)
		all.add(r)
		if s.ofPaper(p.name) {
			ofPaper.add(r)
		}
		switch {
		case s.ofPaper(p.name) || p.Title != "" || p.tally(allDetectors).remarkable():
			g.add(r.cells(p.label()), paperCells(t, func(paper paper) figures { return p.Papers[paper.Name] }))
		case strings.HasSuffix(p.name, "_ok"):
			twins.add(r)
		default:
			variants.add(r)
		}
	}
	if all.programs == 0 {
		return
	}
	g.addFolded("variant", variants)
	g.addFolded("`_ok` twin", twins)
	others := paperCells(t, func(paper paper) figures { return paper.Others })
	if slices.ContainsFunc(others, func(s string) bool { return s != "" }) {
		g.add(append([]string{"programs not rebuilt"}, make([]string, 1+len(s.Columns))...), others)
	}
	if ofPaper.programs > 0 {
		g.add(ofPaper.row.cells("**the paper's programs**"), paperCells(t, func(paper paper) figures { return paper.Total }))
	}
	if all.programs > ofPaper.programs {
		g.add(all.row.cells("**with variants and twins**"))
	}

	if t.Title != "" {
		fmt.Fprintf(w, "#### %s\n\n", t.Title)
	}
	if t.About != "" {
		fmt.Fprintf(w, "%s\n\n", t.About)
	}
	g.print(w)
	fmt.Fprintln(w)
}

// columnTitle is the name of a column in a table, where there is not much room.
func columnTitle(column string) string {
	if m := modeNamed(column); m != nil && m.title != "" {
		return m.title
	}
	return column
}

// inTable returns the programs of a table, the paper's own ones first, and in
// its order.
func (s *suite) inTable(index int) []*program {
	order := s.Tables[index].Programs
	rank := func(p *program) int {
		if i := slices.Index(order, p.name); i >= 0 {
			return i
		}
		return len(order)
	}
	var out []*program
	for _, p := range s.programs {
		if s.tableOf(p.name) == index {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(p, q *program) int { return rank(p) - rank(q) })
	return out
}

// label is the name of the program in a table.
func (p *program) label() string {
	if p.Title != "" {
		return p.Title
	}
	return "`" + p.name + "`"
}

// A row is a line of a table without the papers' columns.
type row struct {
	violations int
	tallies    []tally
}

func (s *suite) row(p *program) row {
	r := row{violations: len(p.Violations)}
	for _, c := range s.Columns {
		r.tallies = append(r.tallies, p.tally(c))
	}
	return r
}

func (r row) cells(label string) []string {
	out := []string{label, fmt.Sprint(r.violations)}
	for _, t := range r.tallies {
		out = append(out, t.String())
	}
	return out
}

// String is missed/false, and in parentheses how many reports are benign.
func (t tally) String() string {
	switch {
	case !t.any:
		return "–"
	case t.benign > 0:
		return fmt.Sprintf("%d/%d (%d)", t.missed, t.wrong, t.benign)
	}
	return fmt.Sprintf("%d/%d", t.missed, t.wrong)
}

// remarkable reports whether something is not as it should be.
func (t tally) remarkable() bool { return t.missed+t.wrong+t.benign > 0 }

// A total is the sum of some rows.
type total struct {
	row
	programs int
}

func (t *total) add(r row) {
	t.programs++
	t.violations += r.violations
	if t.tallies == nil {
		t.tallies = make([]tally, len(r.tallies))
	}
	for i, x := range r.tallies {
		sum := &t.tallies[i]
		sum.missed += x.missed
		sum.wrong += x.wrong
		sum.benign += x.benign
		sum.any = sum.any || x.any
	}
}

// short are the fields of figures that most tables have.
var short = map[string]string{"violations": "v", "missed": "m", "false": "f", "warnings": "w"}

func (p paper) heading() string {
	var fields []string
	for _, field := range p.Fields {
		fields = append(fields, cmp.Or(short[field], field))
	}
	return fmt.Sprintf("*%s* %s", p.Name, strings.Join(fields, "/"))
}

// paperCells returns the columns of the papers, with the figures that f returns.
func paperCells(t table, f func(paper) figures) []string {
	var out []string
	for _, paper := range t.Papers {
		out = append(out, f(paper).cell(paper.Fields))
	}
	return out
}

func (f figures) cell(fields []string) string {
	if len(f) == 0 {
		return ""
	}
	var out []string
	for _, field := range fields {
		value, ok := f[field]
		if !ok {
			value = "?"
		}
		out = append(out, fmt.Sprint(value))
	}
	return strings.Join(out, "/")
}

// A grid is a table in Markdown. The first row has the headings.
type grid struct{ rows [][]string }

func (g *grid) add(parts ...[]string) { g.rows = append(g.rows, slices.Concat(parts...)) }

// addFolded adds a row for some programs of a kind.
func (g *grid) addFolded(kind string, t total) {
	switch t.programs {
	case 0:
	case 1:
		g.add(t.row.cells("1 " + kind))
	default:
		g.add(t.row.cells(fmt.Sprintf("%d %ss", t.programs, kind)))
	}
}

func (g *grid) print(w io.Writer) {
	widths := make([]int, len(g.rows[0]))
	for _, row := range g.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for i, row := range g.rows {
		var line strings.Builder
		for j, width := range widths {
			cell := ""
			if j < len(row) {
				cell = row[j]
			}
			line.WriteString("| " + cell + strings.Repeat(" ", width-utf8.RuneCountInString(cell)) + " ")
		}
		fmt.Fprintln(w, line.String()+"|")
		if i == 0 {
			line.Reset()
			for _, width := range widths {
				line.WriteString("|" + strings.Repeat("-", width+2))
			}
			fmt.Fprintln(w, line.String()+"|")
		}
	}
}
