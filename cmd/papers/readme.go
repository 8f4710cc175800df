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

// A readme is a file with a part that is printed.
type readme struct {
	name  string
	print func(*evaluation, io.Writer)
}

var readmes = []readme{
	{"testdata/papers/README.md", (*evaluation).print},
	{"README.md", (*evaluation).summarize},
}

// split returns what is around and between the marks.
func (r readme) split(root string) (before, part, after []byte, err error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(r.name)))
	if err != nil {
		return nil, nil, nil, err
	}
	before, rest, ok := bytes.Cut(text, []byte(readmeBegin))
	part, after, ok2 := bytes.Cut(rest, []byte(readmeEnd))
	if !ok || !ok2 {
		return nil, nil, nil, fmt.Errorf("%s has no place for the table: %q and %q", r.name, readmeBegin, readmeEnd)
	}
	return before, part, after, nil
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
		before, _, after, err := r.split(e.root)
		if err != nil {
			return err
		}
		text := slices.Concat(before, []byte(readmeBegin), []byte(r.text(e)), []byte(readmeEnd), after)
		if err := os.WriteFile(filepath.Join(e.root, filepath.FromSlash(r.name)), text, 0o666); err != nil {
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
