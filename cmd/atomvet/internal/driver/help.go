package driver

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/explain"
)

const usageText = `Atomvet finds atomicity violations in Go programs: sequences that had to be one
atomic step and were split in two, though every access in them is locked.

Usage:

	atomvet [flags] [packages]                     check packages, by default "."
	go vet -vettool=$(which atomvet) [packages]    check packages as a part of go vet
	atomvet help [detector]                        describe the flags, or a detector
	atomvet explain CATEGORY                       explain findings, and how to mend them
	atomvet gopls                                  build a gopls that runs the detectors
	atomvet completion SHELL                       print the completion for bash, zsh or fish
	atomvet confirm [flags] [packages]             try to make findings happen in the tests
	atomvet repro -finding=ID [flags] [packages]   write a test that makes a finding happen
	atomvet observe [flags] [packages]             report what is seen while the tests run
	atomvet version                                print the version

Exit code: 0 nothing found, 1 something found, 2 a failure, such as a package
that does not compile. With -why: 0 the line is explained, 1 there is nothing to
explain, 2 a failure.
`

const flagsText = `Flags:

	-NAME, -NAME=false   run only, or do not run, the detector NAME
	-NAME.FLAG=value     set a flag of a detector; see 'atomvet help NAME'
	-confidence=LEVEL    report findings of at least this confidence: high, which
	                     is the default, medium or low
	-why=FILE:LINE       explain instead of reporting: for the accesses on a line, and
	                     the functions declared there, which rule silenced, doubted
	                     or reported them
	-tests=false         do not report findings in _test.go files
	-generated           report findings in generated files, too
	-unused-ignores=false
	                     do not report comments that should silence a finding and do not
	-json                print one JSON document instead of text
	-callers             leave out what the callers in other packages refute, if all of
	                     them are known
	-closed              the same, and the named main packages are the whole program:
	                     nobody else calls what their dependencies export
	-v                   also name the functions that were analysed in part, and the
	                     findings that the callers in other packages refute
	-c=N                 print N lines of source round each finding; on a terminal 0 is
	                     the default, and -1 prints none
	-sarif=FILE          write a SARIF log, too
	-html=FILE           write a page to read in a browser, too
	-baseline=FILE       report only findings that are not in the file
	-baseline-write      write the findings to the file of -baseline; report nothing
	-new-from=REV        report only findings about declarations that differ from a git
	                     revision
	-fix                 apply the fixes that findings suggest; print no findings
	-fix -diff           print the fixes as a diff instead; exit code 1 if there are any
	-C dir               change to dir first

The build flags of go vet, such as -tags, -race, -mod and -modfile, are passed
on to it.
`

// help describes the command, or the named analyzers.
func help(w io.Writer, analyzers []*analysis.Analyzer, names []string) int {
	if len(names) == 0 {
		fmt.Fprint(w, usageText, "\nDetectors, all of which run by default:\n\n")
		for _, a := range analyzers {
			title, _, _ := strings.Cut(a.Doc, "\n")
			fmt.Fprintf(w, "\t%-16s %s\n", a.Name, strings.TrimPrefix(title, a.Name+": "))
		}
		fmt.Fprint(w, "\n", flagsText)
		return exitClean
	}
	byName := make(map[string]*analysis.Analyzer)
	for _, a := range analyzers {
		byName[a.Name] = a
	}
	for _, name := range names {
		if byName[name] == nil {
			return failure(fmt.Errorf("there is no detector %q; run 'atomvet help' for a list", name))
		}
	}
	for i, name := range names {
		if i > 0 {
			fmt.Fprintln(w)
		}
		describe(w, byName[name])
	}
	return exitClean
}

func describe(w io.Writer, a *analysis.Analyzer) {
	fmt.Fprintln(w, strings.TrimSpace(a.Doc))
	if a.URL != "" {
		fmt.Fprintf(w, "\n%s\n", a.URL)
	}
	first := true
	a.Flags.VisitAll(func(f *flag.Flag) {
		if first {
			fmt.Fprint(w, "\nFlags:\n\n")
			first = false
		}
		fmt.Fprintf(w, "\t-%s.%s (default %s)\n\t\t%s\n", a.Name, f.Name, f.DefValue, strings.ReplaceAll(f.Usage, "\n", "\n\t\t"))
	})
}

// explainAll explains categories.
func explainAll(w io.Writer, names []string) int {
	if len(names) == 0 {
		fmt.Fprint(w, "Categories, for each of which there is 'atomvet explain CATEGORY':\n\n")
		for _, text := range explain.All() {
			fmt.Fprintf(w, "\t%-28s %s\n", text.Rule, text.Title)
		}
		fmt.Fprint(w, "\nand the scenarios of atomicset, as \"R(a) W'(a) W(a)\".\n")
		return exitClean
	}
	for i, name := range names {
		texts := explain.Of(name)
		if len(texts) == 0 {
			return failure(fmt.Errorf("there is no category %q; run 'atomvet explain' for a list", name))
		}
		for j, text := range texts {
			if i+j > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprint(w, text)
		}
	}
	return exitClean
}
