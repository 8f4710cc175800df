// Realcode runs atomvet on a checkout of a real project and compares what it
// reports with the labels in testdata/realcode, which people have made by reading
// the source.
//
//	go run ./cmd/realcode -dir checkout [-update] [flags for atomvet] project
//	go run ./cmd/realcode
//
// It prints the reports that have no label and the labels that have no report any
// more, and then the sums: how many reports there are by label, how many of the
// labelled ones are true, and one report per how many lines of Go. A label belongs to
// a report if file, line and category are the same. The lines are those of the files
// that go list names for the packages, with their tests unless atomvet is told to
// leave tests out; files for other systems and packages that cannot be loaded are not
// analysed and not counted.
//
// The packages and some flags are in the file of the project, and so is the commit
// that the labels are of. Flags for atomvet are written as -name=value. The checkout of
// std is GOROOT/src. With -update new reports are added to the file, with the label
// ?; nothing is removed. Where only a sample has been labelled, the label ? is that of
// reports outside of the sample, and nothing to complain about.
//
// The exit code is 0 if every report has a label and every label a report, 1 if not,
// and 2 if something failed. Without arguments it lists the projects and the sums of
// their labels.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/atomvet/atomvet/cmd/internal/repo"
)

// Exit codes.
const (
	exitSame        = 0
	exitDifferences = 1
	exitFailure     = 2
)

const usage = `usage: realcode -dir checkout [-update] [flags for atomvet] project
       realcode
`

// labelsDir has a file for each project.
const labelsDir = "testdata/realcode" // in the module

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	root, err := repo.Root("")
	if err != nil {
		fmt.Fprintf(stderr, "realcode: %v\n", err)
		return exitFailure
	}
	c := &command{root: root, labels: filepath.Join(root, labelsDir), stdout: stdout, stderr: stderr}
	return c.run(args)
}

// A command is one run.
type command struct {
	root           string // of the module that has atomvet
	labels         string // the directory with the labels
	stdout, stderr io.Writer
}

func (c *command) run(args []string) int {
	var code int
	opts, err := parse(args)
	switch {
	case errors.Is(err, errHelp):
		fmt.Fprint(c.stderr, usage)
		return exitFailure
	case err == nil && len(args) == 0:
		err = c.list()
	case err == nil:
		code, err = c.evaluate(opts)
	}
	if err != nil {
		fmt.Fprintf(c.stderr, "realcode: %v\n", err)
		return exitFailure
	}
	return code
}

// evaluate compares the reports of a project with its labels.
func (c *command) evaluate(opts *options) (int, error) {
	p, err := loadProject(c.labels, opts.project)
	if err != nil {
		return 0, err
	}
	dir, err := checkout(opts.dir)
	if err != nil {
		return 0, err
	}
	if v := version(dir); v != p.Commit {
		fmt.Fprintf(c.stderr, "realcode: the labels are of %s, and the checkout is %s: code that has moved shows as a new report and a label without one\n", p.Commit, v)
	}
	// What is left out by default is labelled, too: it is what the confidence is for.
	flags := slices.Concat([]string{"-confidence=low"}, p.Flags, opts.flags)
	// This is done first because it needs a moment where the analysis needs minutes,
	// and fails for much the same reasons.
	lines, err := countLines(dir, flags, p.Packages)
	if err != nil {
		return 0, err
	}
	found, err := c.analyse(dir, flags, p.Packages)
	if err != nil {
		return 0, err
	}
	return c.compare(p, opts, found, lines)
}

func (c *command) compare(p *project, opts *options, found *findings, lines int) (int, error) {
	r := compare(p, found.reports)
	r.print(c.stdout)
	for _, part := range []struct {
		what string
		*sums
	}{{"reports", r.sums()}, {"by default", r.shown()}} {
		part.lines = lines
		part.print(c.stdout, p, part.what)
	}
	if p.Sample != "" {
		fmt.Fprintf(c.stdout, "labelled: %s\n", p.Sample)
	}
	if opts.update {
		if err := p.add(r.new); err != nil {
			return 0, err
		}
	}
	switch {
	case found.partial:
		return 0, errors.New("atomvet could not check everything, so there may be more reports")
	case r.differs():
		return exitDifferences, nil
	}
	return exitSame, nil
}
