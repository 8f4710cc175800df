// Ablate says what each rule of the detectors is for: it leaves out one at a time and
// prints what that changes on the code that detectors are measured by.
//
//	go run ./cmd/ablate [flags] [RULE…]
//
// A rule is named ID or DETECTOR.ID; without names it is all of them. For each one there
// is a line with the numbers of reports at confidence low that come (+), go (-) or have
// another confidence or text (~), by corpus. Kernels are two: of the bugs, where reports
// are wanted, and of the fixes, where they are not. A rule that changes nothing is left out with the options of its
// detector, too, such as -strict, on the test data of that; if it changes nothing with them either, its line has "=".
//
// With -projects the labelled checkouts of real code are corpora, too; there is a number for each
// label. With -v the reports themselves follow.
//
// Flags of the detectors, such as -set stalevalue.strict=true, hold with and without the rule.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/cmd/internal/repo"
	"github.com/atomvet/atomvet/passes"
	"github.com/atomvet/atomvet/passes/corpus"
)

func main() {
	if err := ablate(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ablate:", err)
		os.Exit(1)
	}
}

func ablate(out io.Writer, args []string) error {
	flags := flag.NewFlagSet("ablate", flag.ContinueOnError)
	projects := flags.String("projects", "", "labelled checkouts of real code, as `NAME=DIR,…`")
	only := flags.Bool("only", false, "leave out the corpora of the module, for -projects")
	tests := flags.Bool("tests", true, "analyze the projects with their tests")
	verbose := flags.Bool("v", false, "print the reports that change")
	set := flags.String("set", "", "flags of the detectors, as `DETECTOR.FLAG=VALUE,…`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	rules, err := choose(rulesOf(passes.All()), flags.Args())
	if err != nil {
		return err
	}
	root, err := repo.Root("")
	if err != nil {
		return err
	}
	l, err := corpus.NewLoader(passes.All()...)
	if err != nil {
		return err
	}
	e := &experiment{out: out, verbose: *verbose, flags: *set}
	if !*only {
		if err := e.own(l, root, passes.All()); err != nil {
			return err
		}
	}
	if err := e.projects(l, root, *projects, *tests); err != nil {
		return err
	}
	return e.run(rules)
}

// own adds the corpora of the module.
func (e *experiment) own(l *corpus.Loader, root string, detectors []*analysis.Analyzer) error {
	var names []string
	for _, d := range detectors {
		names = append(names, d.Name)
	}
	sources, err := corpus.Own(root, names...)
	if err != nil {
		return err
	}
	for _, src := range sources {
		c, err := l.Load(src)
		if err != nil {
			return err
		}
		class := func(corpus.Report) string { return src.Name }
		if src.Name == "kernels" {
			class = version
		}
		e.add(c, class)
	}
	return nil
}

// version returns which version of a kernel a report is of.
func version(r corpus.Report) string {
	if slices.Contains(strings.Split(r.File, "/"), "fix") {
		return "fixes"
	}
	return "bugs"
}

// projects adds labelled checkouts.
func (e *experiment) projects(l *corpus.Loader, root, list string, tests bool) error {
	all, err := corpus.Projects(root, list)
	if err != nil {
		return err
	}
	for _, p := range all {
		p.Tests = p.Tests && tests
		c, err := l.Load(p.Source)
		if err != nil {
			return err
		}
		e.add(c, func(r corpus.Report) string {
			label := p.Label(r)
			if label == "" {
				label = "unlabelled"
			}
			return p.Name + ":" + label
		})
	}
	return nil
}
