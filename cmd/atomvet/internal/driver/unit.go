package driver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

// The command marks the go vet runs it starts with -standalone. The go command
// counts the flag in the key of each cached result, which keeps these results
// apart from those of a plain go vet.
const (
	standaloneFlag = "standalone"

	// reportAll asks for findings in every package, dependencies included, reportCalls also
	// for what each package knows of its calls, and reportUntested says that go vet does not see
	// the tests.
	reportAll      = "report"
	reportCalls    = "report-calls"
	reportUntested = "report-untested"
)

// reports reports whether a mode of -standalone asks for findings in every package.
func reports(mode string) bool {
	return mode == reportAll || mode == reportCalls || mode == reportUntested
}

// Categories by which a unit says more than what it found.
const (
	// failureCategory is that of a failure of the analysis.
	failureCategory = "failure"
	// partialCategory is that of a remark on what the analysis has left out.
	partialCategory = "partial"
	// outsideCategory is that of the list of calls of other packages: see passes/summary.
	outsideCategory = "outside"
	// testMark comes before the category of a finding in a test, in what the command
	// reads. The position is no help: //line directives change the file in it.
	testMark = "test/"
)

// unit is the vettool: it speaks the protocol of go vet, and analyses the
// package of the .cfg file that is the last argument.
func unit(analyzers []*analysis.Analyzer, args []string) int {
	flag.String(standaloneFlag, "", "set by atomvet itself when it runs go vet")
	var w wishes
	flag.BoolVar(&w.tests, "tests", true, testsUsage)
	flag.BoolVar(&w.generated, "generated", false, generatedUsage)
	mode, _ := lastFlag(args, standaloneFlag)
	all := reports(mode)
	w.untested = mode == reportUntested
	for _, a := range analyzers {
		filterReports(a, &w, all)
	}
	// Under go vet each dependency has a fact, so a missing fact is a failure. A remark about
	// the analysis has a category of its own, which only the stand-alone command filters.
	setAll(analyzers, "complete", true)
	setAll(analyzers, "remarks", all)
	// Anchors are for programs: the related positions of other drivers are shown to people.
	setAll(analyzers, "anchors", all)
	// The command refutes findings by the callers in other packages, if it is asked to.
	setAll(analyzers, "outside", mode == reportCalls)

	if last := len(args) - 1; strings.HasSuffix(args[last], ".cfg") {
		name, err := prepare(args[last], args[:last], &w)
		if err != nil {
			return failure(err)
		}
		os.Args[len(os.Args)-1] = name
	}
	delayCollection()
	unitchecker.Main(analyzers...)
	panic("unreachable")
}

// setAll sets a flag of all analyzers that have it, those included that others require.
func setAll(analyzers []*analysis.Analyzer, name string, value bool) {
	for _, a := range analyzers {
		if f := a.Flags.Lookup(name); f != nil {
			f.Value.Set(strconv.FormatBool(value))
		}
		setAll(a.Requires, name, value)
	}
}

// wishes are the flags that say in which files findings are wanted.
type wishes struct {
	tests     bool
	generated bool
	// partial says that the unit is not the one that go vet checks if its package is named:
	// with the tests of the package there may be more findings, and so more for comments to
	// silence.
	partial bool
	// untested says that go vet does not see the tests of the named packages, so that nobody checks
	// the package with its tests.
	untested bool
}

// ignore reports whether what the check of the comments that silence findings says of a package is
// left out. If the package is checked with its tests as well, it is said there. If it is not, the
// tests decide only whether a comment has an effect.
func (w *wishes) ignore(category string) bool {
	return w.partial && (!w.untested || category == noEffect)
}

// filterReports makes a drop findings that nobody wants to see: those in the
// main packages that build systems generate for tests and, by flag, those in
// tests and in generated files. All files are analysed all the same: they are code
// that runs concurrently with the package, and so evidence for findings elsewhere. If
// mark is set, the findings in tests are marked for the command, see [testMark].
func filterReports(a *analysis.Analyzer, w *wishes, mark bool) {
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		report, generated := pass.Report, generatedFiles(pass)
		pass.Report = func(d analysis.Diagnostic) {
			file := fileOf(pass, d.Pos)
			inTest := isTest(file)
			switch {
			case d.Category == failureCategory, d.Category == outsideCategory:
			case !wanted(file, w.tests), !w.generated && generated[file], a.Name == ignoresName && w.ignore(d.Category):
				return
			case inTest && mark:
				d.Category = testMark + d.Category
			}
			report(d)
		}
		return run(pass)
	}
}

// generatedFiles returns the names of the generated files of a pass.
func generatedFiles(pass *analysis.Pass) map[string]bool {
	out := make(map[string]bool)
	for _, f := range pass.Files {
		if ast.IsGenerated(f) {
			out[fileOf(pass, f.Package)] = true
		}
	}
	return out
}

// wanted reports whether findings in the named file are to be shown.
func wanted(file string, tests bool) bool {
	return filepath.Base(file) != "_testmain.go" && (tests || !isTest(file))
}

// fileOf returns the name of the file itself, which a //line directive does not
// change: the go command classifies files as tests by this name.
func fileOf(pass *analysis.Pass, pos token.Pos) string {
	return pass.Fset.PositionFor(pos, false).Filename
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// prepare checks the configuration of a unit. If the unit has to report though
// the go command asked for its facts only, prepare writes a configuration that
// says so. It returns the name of the configuration to use, and notes in w whether the unit
// is partial.
func prepare(name string, flags []string, w *wishes) (string, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	var cfg unitchecker.Config
	if err := json.Unmarshal(data, &cfg); err != nil {
		return "", fmt.Errorf("cannot decode %s: %v", name, err)
	}
	if cfg.Compiler != "gc" && cfg.Compiler != "gccgo" {
		// The importer of an unknown compiler is nil, and would panic.
		return "", fmt.Errorf("%s: unknown compiler %q", name, cfg.Compiler)
	}

	variant := os.Getenv("TOOLEXEC_IMPORTPATH")
	w.partial = isPartial(&cfg, variant)
	standalone, _ := lastFlag(flags, standaloneFlag)
	if standalone != "" && cfg.Stdout == "" {
		// Up to Go 1.25 the go command sent the findings elsewhere.
		return "", errors.New("package patterns need Go 1.26 or later; use go vet -vettool instead")
	}
	if err := reserve(filepath.Dir(name), cfg.Stdout); err != nil {
		return "", fmt.Errorf("cannot write what is found: %v", err)
	}
	if !cfg.VetxOnly || cfg.Stdout == "" {
		// Without Stdout the go command has no results in its cache to lose.
		return name, nil
	}
	if on, ok := lastFlag(flags, "fix"); ok && on != "false" {
		// The unit would write the fixes straight to the source files.
		return name, nil
	}
	if !reports(standalone) && !needsReport(&cfg, variant) {
		return name, nil
	}

	// Keep the fields that this version of unitchecker does not know.
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return "", err
	}
	fields["VetxOnly"] = json.RawMessage("false")
	if data, err = json.Marshal(fields); err != nil {
		return "", err
	}
	// The go command removes the directory of its configuration when it is done.
	name = filepath.Join(filepath.Dir(name), "atomvet.cfg")
	return name, os.WriteFile(name, data, 0o666)
}

// reserve checks that there is room for the findings in the file stdout. Unitchecker
// does not check, and the go command would keep half a document in its cache.
func reserve(dir, stdout string) error {
	if stdout == "" {
		return nil
	}
	const room = 64 << 10
	f, err := os.CreateTemp(dir, "room")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, room))
	return cmp.Or(err, f.Close(), os.Remove(f.Name()))
}

// lastFlag returns the value of the last mention of a flag in args, as the
// go command hands flags on: with a single argument each, if they are ours.
func lastFlag(args []string, name string) (value string, ok bool) {
	for _, arg := range args {
		arg, dash := strings.CutPrefix(arg, "-")
		arg = strings.TrimPrefix(arg, "-")
		n, v, hasValue := strings.Cut(arg, "=")
		if !dash || n != name {
			continue
		}
		if b, err := strconv.ParseBool(v); err == nil {
			v = strconv.FormatBool(b)
		} else if !hasValue {
			v = "true"
		}
		value, ok = v, true
	}
	return value, ok
}

// needsReport reports whether a unit that go vet wants facts of has to report
// as well, because its result in the cache can serve a later run that names it.
//
// Everything reported here is also shown when only dependents of the unit are
// named. So the answer is no for other modules and the standard library, and
// for what go vet never reports on:
//   - a package recompiled for the tests of another, "p [q.test]";
//   - a package with tests in the same package, which go vet checks in the
//     variant "p [p.test]". A test file counts only if it is built everywhere.
func needsReport(cfg *unitchecker.Config, variant string) bool {
	isMain := cfg.ModulePath != "" && cfg.ModuleVersion == ""
	if cfg.Module != nil { // Go 1.27
		isMain = cfg.Module.Main
	}
	return isMain && !strings.Contains(variant, " [") && !hasTests(cfg)
}

// isPartial reports whether a unit is one of those that go vet never reports on; see
// needsReport.
func isPartial(cfg *unitchecker.Config, variant string) bool {
	path, of, ok := strings.Cut(variant, " [")
	if ok {
		return of != path+".test]" && of != strings.TrimSuffix(path, "_test")+".test]"
	}
	return cfg.ImportPath != commandLine && hasTests(cfg)
}

// commandLine is the import path of a package of files that the command line names.
const commandLine = "command-line-arguments"

// ignoresName is the name of the analyzer for comments that silence findings.
const ignoresName = "ignores"

// noEffect is its category of comments that silence nothing.
const noEffect = "no-effect"

func hasTests(cfg *unitchecker.Config) bool {
	if len(cfg.GoFiles) == 0 {
		return false
	}
	pkg := packageName(cfg.GoFiles[0])
	entries, _ := os.ReadDir(cfg.Dir)
	for _, e := range entries {
		file := filepath.Join(cfg.Dir, e.Name())
		if isTest(file) && builtEverywhere(file) && packageName(file) == pkg {
			return true
		}
	}
	return false
}

func packageName(file string) string {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
	if err != nil {
		return ""
	}
	return f.Name.Name
}

// builtEverywhere reports whether neither the name nor a comment of a file
// keeps it from being built.
func builtEverywhere(file string) bool {
	nowhere := build.Context{GOOS: "nowhere", GOARCH: "nowhere", Compiler: "none"}
	if ok, err := nowhere.MatchFile(filepath.Dir(file), filepath.Base(file)); !ok || err != nil {
		return false
	}
	// What is left is a condition that holds nowhere, such as !linux.
	data, err := os.ReadFile(file)
	return err == nil && !bytes.Contains(data, []byte("//go:build")) && !bytes.Contains(data, []byte("// +build"))
}
