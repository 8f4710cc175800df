// Package text prints findings for people, and for editors and scripts that read lines: a line
// for each finding and each related position, lines of source by flag, colour on a terminal.
package text

import (
	"bufio"
	"fmt"
	"io"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// Count returns "1 thing" or "2 things".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// A Style says how findings are printed.
type Style struct {
	Color   bool
	Context int // lines of source before and after each position, or -1 for none at all
}

// Print prints findings.
func Print(w io.Writer, list []report.Finding, style Style) error {
	p := &printer{Writer: bufio.NewWriter(w), Style: style, source: report.NewSource()}
	for i := range list {
		p.finding(&list[i])
	}
	return p.Flush()
}

type printer struct {
	*bufio.Writer
	Style
	source *report.Source
}

func (p *printer) finding(f *report.Finding) {
	remarks := ""
	if n := f.Further(); n > 0 {
		remarks = fmt.Sprintf(" (and %d more with the same lock)", n)
	}
	if len(f.Fixes) > 0 {
		remarks += p.paint(green, " (fixable with -fix)")
	}
	p.line(f.Position, p.paint(yellow, "["+f.Rule()+"]")+" "+f.Title()+remarks)
	p.lines(f.Position, f.End)
	for _, r := range f.Related {
		p.line(r.Position, "\t"+r.Message)
		p.lines(r.Position, r.End)
	}
}

func (p *printer) line(pos report.Position, message string) {
	place := pos.File
	if pos.Line > 0 {
		place += fmt.Sprintf(":%d", pos.Line)
	}
	if pos.Column > 0 {
		place += fmt.Sprintf(":%d", pos.Column)
	}
	fmt.Fprintf(p, "%s: %s\n", p.paint(bold, place), message)
}

// lines prints the source at a position.
func (p *printer) lines(from, to report.Position) {
	if p.Context < 0 || from.Line == 0 {
		return
	}
	lines := p.source.Lines(from.File)
	last := max(from.Line, to.Line) + p.Context
	for i := max(1, from.Line-p.Context); i <= min(last, len(lines)); i++ {
		fmt.Fprintf(p, "%d\t%s\n", i, p.marked(lines[i-1], i, from, to))
	}
}

// marked returns the line with number i of a file with the part from one position to another in
// colour.
func (p *printer) marked(line string, i int, from, to report.Position) string {
	start, end := 0, len(line)
	if i == from.Line {
		start = p.source.Start(from).Column - 1
	}
	if i == to.Line {
		end = to.Column - 1
	}
	if i < from.Line || max(from.Line, to.Line) < i || start < 0 || end <= start || len(line) < end {
		return line
	}
	return line[:start] + p.paint(red, line[start:end]) + line[end:]
}

// The colours, as parameters of an escape sequence.
const (
	bold   = "1"
	red    = "1;31"
	green  = "32"
	yellow = "33"
)

func (p *printer) paint(color, s string) string {
	if !p.Color || s == "" {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[m"
}
