// Package driver is the atomvet command, for any list of analyzers.
//
// One binary plays two parts. As a unit checker it analyses the one package
// that a .cfg file describes: that is what go vet asks of a -vettool, with
// facts and results kept in Go's build cache. As a command of its own it takes
// package patterns, and then it runs go vet with itself as the vettool, so that
// the second part costs no more than the first: nothing is loaded or analysed
// outside the cache. What the command adds is what go vet leaves open: findings
// in a fixed order and without repetition, one JSON document, and an exit code
// that tells findings from failures.
//
// # Dependencies
//
// To analyse a package go vet first needs the facts of all its dependencies. It
// asks for these with VetxOnly in the .cfg file, and does not expect findings.
// But the key of a vet result in the build cache (Go 1.26) leaves VetxOnly out.
// So a package that was first seen as a dependency has an empty list of
// findings in the cache, and is replayed as clean when it is named later; and
// the findings of a package that was first named are replayed when later only
// its dependents are named.
//
// The only cure for the first is to report in dependencies as well, which makes
// the second certain. The command can afford that: it reports everywhere and
// then drops what was not asked for (see [roots]), and it keeps its cache
// entries apart from those of plain go vet with a flag of its own. Under plain
// go vet nobody can drop anything, so there only packages of the main module
// report, and only in a variant that could be named; see [needsReport].
package driver

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/testrun"
)

// measureCommand is the command that confirm -cost has go test run test binaries by.
const measureCommand = "run-measured"

// Exit codes of the command. Under go vet the go command has its own.
const (
	exitClean    = 0
	exitFindings = 1
	exitFailure  = 2
)

// Exit codes with -why, beside exitFailure.
const (
	exitExplained   = 0
	exitUnexplained = 1
)

// whyCategory is the category of the diagnostics by which detectors explain what
// they decide about the line of -why.
const whyCategory = "why"

// Main is the main function of a command with the given analyzers.
// It does not return.
func Main(analyzers ...*analysis.Analyzer) {
	os.Exit(run(analyzers, os.Args[1:]))
}

func run(analyzers []*analysis.Analyzer, args []string) int {
	if err := analysis.Validate(analyzers); err != nil {
		return failure(err)
	}
	if len(args) > 0 {
		last := args[len(args)-1]
		switch {
		case last == "-V=full":
			return fullVersion()
		case last == "-flags", strings.HasSuffix(last, ".cfg"):
			return unit(analyzers, args)
		case args[0] == "help":
			return help(os.Stdout, analyzers, args[1:])
		case args[0] == "explain":
			return explainAll(os.Stdout, args[1:])
		case args[0] == "gopls":
			return buildGopls(analyzers, args[1:])
		case args[0] == "completion":
			return completion(os.Stdout, analyzers, args[1:])
		case args[0] == "observe":
			return runDynamic("observe", args[1:], observeTests)
		case args[0] == "repro":
			return runDynamic("repro", args[1:], reproduce)
		case args[0] == "confirm":
			return runDynamic("confirm", args[1:], confirmFindings)
		case args[0] == measureCommand:
			return testrun.Measured(args[1:])
		case args[0] == "version":
			return version()
		}
	}
	return check(analyzers, args)
}

// failure prints what went wrong and returns the exit code for it.
func failure(err error) int {
	fmt.Fprintf(os.Stderr, "atomvet: %v\n", err)
	return exitFailure
}
