package driver

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/txtar"
)

// The tests run the whole command: the test binary becomes atomvet, with toy
// analyzers, when this variable is set. It is set for the go command too, and
// so for the units that it starts.
const commandVar = "ATOMVET_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(commandVar) != "" {
		flag.CommandLine = flag.NewFlagSet(os.Args[0], flag.ExitOnError) // without test flags
		Main(funcs, vars, ignores)
	}
	os.Exit(m.Run())
}

// funcs reports functions called Bad..., and calls of such functions that only
// facts can tell it about.
var funcs = &analysis.Analyzer{
	Name:      "funcs",
	Doc:       "funcs: report bad functions\n\nA second paragraph.",
	URL:       "https://example.com/funcs",
	Requires:  []*analysis.Analyzer{buildssa.Analyzer},
	FactTypes: []analysis.Fact{new(badFact)},
	Run:       runFuncs,
}

type badFact struct{}

func (*badFact) AFact() {}

func runFuncs(pass *analysis.Pass) (any, error) {
	for _, fn := range pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA).SrcFuncs {
		obj := fn.Object()
		if obj == nil || !strings.HasPrefix(obj.Name(), "Bad") {
			continue
		}
		pass.ExportObjectFact(obj, new(badFact))
		pass.Report(analysis.Diagnostic{
			Pos:      obj.Pos(),
			Category: "bad-function",
			Message:  obj.Name() + " is bad",
			Related:  []analysis.RelatedInformation{{Pos: pass.Files[0].Package, Message: "in this package"}},
		})
	}
	for id, obj := range pass.TypesInfo.Uses {
		if obj.Pkg() != nil && obj.Pkg() != pass.Pkg && pass.ImportObjectFact(obj, new(badFact)) {
			pass.Reportf(id.Pos(), "use of %s.%s", obj.Pkg().Name(), obj.Name())
		}
	}
	return nil, nil
}

// vars reports package variables called evil, needs no facts, and has flags.
var vars = &analysis.Analyzer{
	Name: "vars",
	Doc:  "vars: report evil variables",
	Run:  runVars,
}

var (
	varsStrict bool
	varsSlow   string
	varsError  bool
	varsWhy    string
	varsFail   bool
	varsExit   string
	varsRemark bool
	varsPart   bool
)

func init() {
	vars.Flags.BoolVar(&varsStrict, "strict", false, "report wicked variables too")
	vars.Flags.StringVar(&varsSlow, "slow", "", "create this file, then sleep for two seconds")
	vars.Flags.BoolVar(&varsError, "error", false, "fail")
	vars.Flags.StringVar(&varsWhy, "why", "", "explain this")
	vars.Flags.BoolVar(&varsFail, "fail", false, "report a failure")
	vars.Flags.StringVar(&varsExit, "exit", "", "exit in this package")
	vars.Flags.BoolVar(&varsRemark, "remarks", false, "report what was left out")
	vars.Flags.BoolVar(&varsPart, "part", false, "leave something out")
	vars.Flags.Int("number", 0, "a number")
}

func runVars(pass *analysis.Pass) (any, error) {
	if varsError {
		return nil, errors.New("some error")
	}
	if varsFail {
		pass.Report(analysis.Diagnostic{Pos: pass.Files[0].Package, Category: "failure", Message: "out of order"})
	}
	if varsExit == pass.Pkg.Path() {
		fmt.Fprintln(os.Stderr, "fatal error: stack overflow")
		os.Exit(2)
	}
	if varsPart && varsRemark {
		pass.Report(analysis.Diagnostic{Pos: pass.Files[0].Package, Category: "partial", Message: "f: more than 1 event"})
	}
	if varsSlow != "" {
		if err := os.WriteFile(varsSlow, nil, 0o666); err != nil {
			return nil, err
		}
		time.Sleep(2 * time.Second)
	}
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range d.Specs {
				s, ok := s.(*ast.ValueSpec)
				if !ok {
					continue
				}
				id := s.Names[0]
				if varsWhy != "" && strings.HasPrefix(id.Name, varsWhy) {
					pass.Report(analysis.Diagnostic{Pos: id.Pos(), Category: whyCategory, Message: "why: " + id.Name + "\n\tsilenced by rule"})
				}
				if id.Name == "evil" || id.Name == "wicked" && varsStrict {
					pass.Report(analysis.Diagnostic{
						Pos: id.Pos(), End: id.End(), Message: id.Name + " variable",
						SuggestedFixes: []analysis.SuggestedFix{{
							Message:   "be good",
							TextEdits: []analysis.TextEdit{{Pos: id.Pos(), End: id.End(), NewText: []byte("good")}},
						}},
					})
				}
			}
		}
	}
	return nil, nil
}

// ignores reports files that begin with "//ignore tested" in packages without tests.
var ignores = &analysis.Analyzer{
	Name: ignoresName,
	Doc:  "ignores: report comments without effect",
	Run: func(pass *analysis.Pass) (any, error) {
		tested := !strings.HasSuffix(pass.Pkg.Name(), "_test") && slices.ContainsFunc(pass.Files, func(f *ast.File) bool {
			return isTest(pass.Fset.Position(f.Package).Filename)
		})
		for _, f := range pass.Files {
			if !tested && f.Doc != nil && f.Doc.List[0].Text == "//ignore tested" {
				pass.Report(analysis.Diagnostic{Pos: f.Package, Category: "no-effect", Message: "no-effect: nothing to ignore"})
			}
		}
		return nil, nil
	},
}

// A workspace is a directory of source files with a build cache of its own.
type workspace struct {
	t   *testing.T
	dir string
	env []string
}

// newWorkspace writes the files of a txtar archive. Their packages import
// nothing of the standard library, so that an empty cache is soon filled.
func newWorkspace(t *testing.T, archive string) *workspace {
	t.Helper()
	w := &workspace{t: t, dir: t.TempDir()}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		w.write(f.Name, string(f.Data))
	}
	w.env = append(os.Environ(),
		commandVar+"=1", "GOENV=off", "GOFLAGS=", "GOWORK=", "GOPROXY=off", "GOTOOLCHAIN=local")
	w.forget()
	return w
}

func (w *workspace) write(name, data string) {
	w.t.Helper()
	name = filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workspace) read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// forget starts an empty build cache.
func (w *workspace) forget() { w.env = append(w.env, "GOCACHE="+w.t.TempDir()) }

type result struct {
	stdout, stderr string
	code           int
}

// summaryLine is what the command ends with on standard error. It has the time in it.
var summaryLine = regexp.MustCompile(`(?m)^atomvet: (\d+ packages?, .*), \d+\.\d seconds\n`)

func (w *workspace) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = w.dir
	cmd.Env = w.env
	return cmd
}

func (w *workspace) run(name string, args ...string) result {
	w.t.Helper()
	cmd := w.command(name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// atomvet runs the command. The result is without the summary.
func (w *workspace) atomvet(args ...string) result {
	w.t.Helper()
	r, _ := w.summarized(args...)
	return r
}

// summarized runs the command, and returns the summary, without the time, on its own.
func (w *workspace) summarized(args ...string) (r result, summary string) {
	w.t.Helper()
	r = w.run(os.Args[0], args...)
	if m := summaryLine.FindStringSubmatch(r.stderr); m != nil {
		summary = m[1]
		r.stderr = strings.Replace(r.stderr, m[0], "", 1)
	}
	return r, summary
}

// govet runs the command as a vettool.
func (w *workspace) govet(args ...string) result {
	w.t.Helper()
	return w.run("go", append([]string{"vet", "-vettool=" + os.Args[0]}, args...)...)
}

// want compares a result with what it should be. An argument that is not nil
// must be all of stdout; each string in says must be part of stderr, and if
// there are none stderr must be empty.
func (r result) want(t *testing.T, code int, stdout *string, says ...string) {
	t.Helper()
	var wrong []string
	if r.code != code {
		wrong = append(wrong, fmt.Sprintf("exit code %d, want %d", r.code, code))
	}
	if stdout != nil && r.stdout != *stdout {
		wrong = append(wrong, "stdout should be:\n"+*stdout)
	}
	for _, s := range says {
		if !strings.Contains(r.stderr, s) {
			wrong = append(wrong, fmt.Sprintf("stderr does not say %q", s))
		}
	}
	if len(says) == 0 && r.stderr != "" {
		wrong = append(wrong, "stderr is not empty")
	}
	if len(wrong) > 0 {
		t.Errorf("%s\nstdout:\n%s\nstderr:\n%s", strings.Join(wrong, "\n"), r.stdout, r.stderr)
	}
}

func lines(s ...string) *string {
	text := ""
	for _, line := range s {
		text += fmt.Sprintln(line)
	}
	return &text
}
