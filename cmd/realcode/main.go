// Realcode runs atomvet on checkouts of real projects and compares what it reports
// with the labels in testdata/realcode, which people have made by reading the source.
//
//	go run ./cmd/realcode [-tool binary] [-update] [-save dir | -load dir] [flags for atomvet] name=checkout ...
//	go run ./cmd/realcode -root dir ... [name ...]
//	go run ./cmd/realcode
//
// The checkout of a project is given with its name, or it has this name in the directory
// that -root names; without names, all projects that are there are compared. The
// checkout of std is GOROOT/src. Nothing is fetched, and nothing is written into a
// checkout. The tool is atomvet as it is in this module, or a binary that -tool names.
// With -save what it prints is kept in a directory, as name.json, and with -load it is
// read from there and the tool does not run.
//
// A label is told by file, enclosing function, category and location, which is the one
// that the message names first. Several in one function are told apart by the text of
// the source line, and then by their order. So a label stays when code is added above it,
// and when atomvet reports another line of the function; then it is printed as moved,
// for somebody to look whether it is the same defect. Line and column in the file are a
// hint. A label without a function is one that could not be looked up in a checkout:
// it is told by file, line and category, and the number of these is printed.
//
// The reports without a label are printed, the labels that have moved, and those that have
// no report any more. A table for each project, and one for all, says what has become of
// the labels, by label and by mechanism:
//
//   - made: there is a report by default;
//   - doubted: there is one that is left out by default;
//   - folded: another report is about the same location in the same function, and is at
//     the place of the label or has a note there, or it has a note there that is a finding
//     of the same category;
//   - gone: there is none.
//
// After it are the sums of the reports: how many of the labelled ones are true, or true
// or minor, and one report per how many lines of Go. The lines are those of the files that
// go list names for the packages, with their tests unless atomvet is told to leave tests
// out; files for other systems and packages that cannot be loaded are not analysed and
// not counted. Labels in tests are not looked for if tests are left out, and neither are
// those in packages that cannot be loaded, of which the number is printed.
//
// The packages and some flags are in the file of the project, and so is the commit
// that the labels are of. Flags for atomvet are written as -name=value, and a flag of the
// command line comes after that of the file. With -update new reports are added to the
// file, with the label ?, and labels get the identity and the place of their reports, or,
// if they have none, the function that their line is in; nothing is removed. Where only
// a sample has been labelled, reports that are doubted need no label, and the label ? is
// nothing to complain about.
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
	"strings"

	"github.com/atomvet/atomvet/cmd/internal/repo"
)

// Exit codes.
const (
	exitSame        = 0
	exitDifferences = 1
	exitFailure     = 2
)

const usage = `usage: realcode [-tool binary] [-update] [-save dir | -load dir] [flags for atomvet] name=checkout ...
       realcode -root dir ... [name ...]
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
		c.fail(err)
		return exitFailure
	}
	return code
}

func (c *command) fail(err error) { fmt.Fprintf(c.stderr, "realcode: %v\n", err) }

// A target is a project with its checkout.
type target struct {
	*project
	name string // of the file with the labels
	dir  string
}

// targets returns what is to be compared.
func (c *command) targets(opts *options) ([]target, error) {
	args, named := opts.projects, true
	if len(args) == 0 {
		args, named = projects(c.labels), false
	}
	var list []target
	for _, arg := range args {
		name, dir, ok := strings.Cut(arg, "=")
		if !ok {
			dir = filepath.Join(opts.root, name)
		}
		p, err := loadProject(c.labels, name)
		if err != nil {
			return nil, err
		}
		dir, err = checkout(dir)
		if err != nil && !named {
			fmt.Fprintf(c.stderr, "realcode: %s is left out: %v\n", name, err)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %v", name, err)
		}
		list = append(list, target{p, name, dir})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("there is no checkout in %s", opts.root)
	}
	return list, nil
}

// evaluate compares the reports of all targets with their labels. A project that fails
// does not keep the others from being compared.
func (c *command) evaluate(opts *options) (code int, err error) {
	list, err := c.targets(opts)
	if err != nil {
		return 0, err
	}
	if opts.tool == "" && opts.load == "" {
		tmp, err := os.MkdirTemp("", "realcode")
		if err != nil {
			return 0, err
		}
		defer os.RemoveAll(tmp)
		if opts.tool, err = c.build(tmp); err != nil {
			return 0, err
		}
	}
	tables := make(map[string]*table)
	for _, t := range list {
		differs, err := c.project(t, opts, tables)
		if err != nil {
			c.fail(fmt.Errorf("%s: %v", t.name, err))
			code = exitFailure
		}
		if differs {
			code = max(code, exitDifferences)
		}
	}
	if len(tables) > 1 {
		return code, c.printTotal(tables)
	}
	return code, nil
}

// project compares the reports of one project with its labels, and adds its table.
func (c *command) project(t target, opts *options, tables map[string]*table) (differs bool, err error) {
	if v := version(t.dir); !sameVersion(v, t.Commit) {
		fmt.Fprintf(c.stderr, "realcode: the labels are of %s, and the checkout is %s: what has changed shows as a new report and a label without one\n", t.Commit, v)
	}
	// What is left out by default is labelled, too: it is what the confidence is for.
	flags := slices.Concat([]string{"-confidence=low"}, t.Flags, opts.flags)
	// This is done first because it needs a moment where the analysis needs minutes,
	// and fails for much the same reasons.
	in, err := scopeOf(t.dir, flags, t.Packages)
	if err != nil {
		return false, err
	}
	found, err := c.analyse(t, opts, flags)
	if err != nil {
		return false, err
	}
	comparison := c.compare(t, found.reports, in, opts.update)
	tables[t.name] = comparison.table(in.lines)
	if err := c.print(t, comparison, tables[t.name]); err != nil {
		return false, err
	}
	if opts.update {
		comparison.update()
		if err := t.write(); err != nil {
			return false, err
		}
	}
	if found.partial {
		err = errors.New("atomvet could not check everything, so there may be more reports")
	}
	return comparison.differs(), err
}

// compare looks up functions. Labels that have none get theirs if they are to be
// updated, in a checkout that is not known to be another version.
func (c *command) compare(t target, reports []report, in *scope, update bool) *comparison {
	src := newSources(t.dir)
	for i := range reports {
		src.identify(&reports[i])
	}
	if v := version(t.dir); update && (v == unknownVersion || sameVersion(v, t.Commit)) {
		for i := range t.Reports {
			if l := &t.Reports[i]; l.byLine() {
				src.identify(l)
			}
		}
	}
	return compare(t.project, reports, src, in)
}

func (c *command) print(t target, comparison *comparison, table *table) error {
	comparison.print(c.stdout)
	if err := table.print(c.stdout, t.Project); err != nil {
		return err
	}
	if t.Sample != "" {
		fmt.Fprintf(c.stdout, "labelled: %s\n", t.Sample)
	}
	fmt.Fprintln(c.stdout)
	return nil
}

func (c *command) printTotal(tables map[string]*table) error {
	total := newTable()
	for _, t := range tables {
		total.merge(t)
	}
	if err := total.print(c.stdout, "all"); err != nil {
		return err
	}
	fmt.Fprintln(c.stdout)
	return printSummary(c.stdout, tables)
}
