// Papers runs the detectors over the papers' programs, which are rebuilt in
// testdata/papers, and says how well they do beside the papers' own tools: how
// many violations are missed, and how many reports are false.
//
//	go run ./cmd/papers [-v] [-run regexp] [-update] [-dir directory]
//	go run ./cmd/papers -observe [-run regexp] [-update]
//
// Each detector runs as it is by default, and again with the flags that make it
// what a paper describes (see [modes]); all in one run of go vet, for which this
// program is the vettool as well. What there is to report is written down in an
// expect.json beside each program, report by report and with a label that says
// whether it is right (see [expectations]). Any difference is printed on
// standard error, and the exit code is 1 then. It is 2 if something failed.
//
// The tables are also in testdata/papers/README.md, with a summary in README.md, where -update puts
// them. With -observe the tests of the programs run under atomvet observe, and the table is of what that
// sees.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/atomvet/atomvet/cmd/internal/repo"
)

// Exit codes.
const (
	exitSame       = 0
	exitDeviations = 1
	exitFailure    = 2
)

func main() {
	playTool()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// playTool makes the program a vettool if go vet has started it.
func playTool() {
	if isTool(os.Args[1:]) {
		unitchecker.Main(analyzers()...)
	}
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("papers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	verbose := flags.Bool("v", false, "list every report with its label")
	update := flags.Bool("update", false, "rewrite the expect.json files and the tables in the READMEs; new reports get the label ?")
	dir := flags.String("dir", ".", "a directory of the module")
	programs := flags.String("run", "", "leave out programs whose suite/name does not match this regular expression")
	atRunTime := flags.Bool("observe", false, "run the programs under atomvet observe, and print what that sees beside the figures of the papers' run-time tools")
	if err := flags.Parse(args); err != nil {
		return exitFailure
	}
	failure := func(err error) int {
		fmt.Fprintf(stderr, "papers: %v\n", err)
		return exitFailure
	}
	if flags.NArg() > 0 {
		return failure(fmt.Errorf("unexpected argument %s", flags.Arg(0)))
	}
	only, err := regexp.Compile(*programs)
	if err != nil {
		return failure(err)
	}

	if *atRunTime {
		root, err := repo.Root(*dir)
		if err == nil {
			err = runObserve(root, only, *update && *programs == "", stdout)
		}
		if err != nil {
			return failure(err)
		}
		return exitSame
	}
	e, err := evaluate(*dir, only)
	if err != nil {
		return failure(err)
	}
	if *update {
		if err := e.update(); err != nil {
			return failure(err)
		}
	}
	for _, d := range e.deviations() {
		fmt.Fprintln(stderr, d)
	}
	if *verbose {
		e.list(stdout)
	}
	e.print(stdout)
	if *update && *programs == "" {
		if err := e.updateREADMEs(); err != nil {
			return failure(err)
		}
	}
	if len(e.deviations()) > 0 {
		return exitDeviations
	}
	return exitSame
}
