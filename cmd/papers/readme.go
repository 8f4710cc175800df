package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The tables are in testdata/papers/README.md between these lines, and a summary is in README.md.
const (
	readmeBegin = "<!-- papers -->\n"
	readmeEnd   = "<!-- /papers -->\n"
)

// A place is a part of a file, between two lines.
type place struct{ file, begin, end string }

// split returns what is around and in the place.
func (p place) split(root string) (before, part, after []byte, err error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p.file)))
	if err != nil {
		return nil, nil, nil, err
	}
	before, rest, ok := bytes.Cut(text, []byte(p.begin))
	part, after, ok2 := bytes.Cut(rest, []byte(p.end))
	if !ok || !ok2 {
		return nil, nil, nil, fmt.Errorf("%s has no place for the table: %q and %q", p.file, p.begin, p.end)
	}
	return before, part, after, nil
}

// put replaces what is in the place.
func (p place) put(root, text string) error {
	before, _, after, err := p.split(root)
	if err != nil {
		return err
	}
	all := slices.Concat(before, []byte(p.begin), []byte(text), []byte(p.end), after)
	return os.WriteFile(filepath.Join(root, filepath.FromSlash(p.file)), all, 0o666)
}

// A readme is a place with what is printed there.
type readme struct {
	place
	print func(*evaluation, io.Writer)
}

var readmes = []readme{
	{place{"testdata/papers/README.md", readmeBegin, readmeEnd}, (*evaluation).print},
	{place{"README.md", readmeBegin, readmeEnd}, (*evaluation).summarize},
}

// text returns what is to be between the marks.
func (r readme) text(e *evaluation) string {
	var out strings.Builder
	r.print(e, &out)
	return out.String()
}

// updateREADMEs puts the tables and the summary into their places.
func (e *evaluation) updateREADMEs() error {
	for _, r := range readmes {
		if err := r.put(e.root, r.text(e)); err != nil {
			return err
		}
	}
	return nil
}

// summarize prints the sums of each table for what atomvet reports by default.
func (e *evaluation) summarize(w io.Writer) {
	var out bytes.Buffer
	e.print(&out)
	var rows [][3]string
	suite, table, cells := "", "", []string(nil)
	flush := func() {
		if len(cells) > 3 {
			rows = append(rows, [3]string{strings.TrimSuffix(suite+", "+table, ", "), cells[2], cells[3]})
		}
		cells = nil
	}
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "### "):
			flush()
			suite, table = line[4:], ""
		case strings.HasPrefix(line, "#### "):
			flush()
			table = strings.ToLower(line[5:])
		case strings.HasPrefix(line, "| **"):
			cells = strings.Split(line, "|") // the last one has all
		}
	}
	flush()
	width := len("paper")
	for _, row := range rows {
		width = max(width, len(row[0]))
	}
	fmt.Fprintf(w, "| %-*s | AV | missed/false |\n|%s|----|--------------|\n", width, "paper", strings.Repeat("-", width+2))
	for _, row := range rows {
		fmt.Fprintf(w, "| %-*s | %-2s | %-12s |\n", width, row[0], strings.TrimSpace(row[1]), strings.TrimSpace(row[2]))
	}
}
