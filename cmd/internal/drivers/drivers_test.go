// Package drivers_test runs the analyzers in the drivers of golang.org/x/tools.
package drivers_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/singlechecker"
	"golang.org/x/tools/txtar"

	"github.com/atomvet/atomvet/passes"
)

// The test binary becomes a driver of x/tools if this variable is set: singlechecker for the
// analyzer that it names, and multichecker otherwise. The go command passes it on to its tools.
const driverVar = "ATOMVET_TEST_DRIVER"

const multi = "multichecker"

func TestMain(m *testing.M) {
	name := os.Getenv(driverVar)
	if name == "" {
		os.Exit(m.Run())
	}
	flag.CommandLine = flag.NewFlagSet(os.Args[0], flag.ExitOnError) // without test flags
	if name == multi {
		multichecker.Main(passes.Suite()...)
	}
	for _, a := range passes.Suite() {
		if a.Name == name {
			singlechecker.Main(a)
		}
	}
	fmt.Fprintf(os.Stderr, "there is no %s\n", name)
	os.Exit(2)
}

// A driven is a module with a mistake for each analyzer, on which drivers run.
type driven struct {
	t   *testing.T
	dir string
}

func newDriven(t *testing.T) *driven {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/shop.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files, err := txtar.FS(archive)
	if err != nil {
		t.Fatal(err)
	}
	d := &driven{t, t.TempDir()}
	if err := os.CopyFS(d.dir, files); err != nil {
		t.Fatal(err)
	}
	return d
}

// run runs a program that is, or that runs, a driver.
func (d *driven) run(driver, program string, args ...string) (output string, code int) {
	d.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = d.dir
	cmd.Env = append(os.Environ(), driverVar+"="+driver, "GOFLAGS=", "GOWORK=off", "GOPROXY=off")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		d.t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

var reportLine = regexp.MustCompile(`(?m)^\S*?(\w+\.go):(\d+):\d+: ([\w-]+|[RW]\(a\)[^:]*): `)

// want compares the output of a driver with the comments "want RULE and RULE" of analyzers.
func (d *driven) want(output string, analyzers ...*analysis.Analyzer) {
	d.t.Helper()
	var want, got []string
	for _, m := range reportLine.FindAllStringSubmatch(output, -1) {
		got = append(got, m[1]+":"+m[2]+" "+m[3])
	}
	names, err := filepath.Glob(filepath.Join(d.dir, "*", "*.go"))
	if err != nil || len(names) == 0 {
		d.t.Fatalf("no files, %v", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			d.t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			_, rules, _ := strings.Cut(line, "// want ")
			for rule := range strings.SplitSeq(rules, " and ") {
				of, category, _ := strings.Cut(rule, "/")
				if slices.ContainsFunc(analyzers, func(a *analysis.Analyzer) bool { return a.Name == of }) {
					want = append(want, fmt.Sprintf("%s:%d %s", filepath.Base(name), i+1, category))
				}
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) == 0 || !slices.Equal(got, want) {
		d.t.Errorf("reported\n\t%s\nwant\n\t%s\noutput:\n%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"), output)
	}
}

// TestSinglechecker runs each analyzer alone.
func TestSinglechecker(t *testing.T) {
	for _, a := range passes.Suite() {
		t.Run(a.Name, func(t *testing.T) {
			d := newDriven(t)
			out, code := d.run(a.Name, os.Args[0], "./...")
			d.want(out, a)
			if code != 3 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

func TestMultichecker(t *testing.T) {
	d := newDriven(t)
	out, code := d.run(multi, os.Args[0], "./...")
	d.want(out, passes.Suite()...)
	if code != 3 {
		t.Errorf("exit code %d", code)
	}
}

func TestVettool(t *testing.T) {
	d := newDriven(t)
	out, code := d.run(multi, "go", "vet", "-vettool="+os.Args[0], "./...")
	d.want(out, passes.Suite()...)
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	out, _ = d.run(multi, "go", "vet", "-vettool="+os.Args[0], "-stalevalue", "./...")
	d.want(out, passes.All()[0])
}

// TestFixtool: go fix applies the fixes of the analyzers.
func TestFixtool(t *testing.T) {
	d := newDriven(t)
	before, code := d.run(multi, "go", "fix", "-diff", "-fixtool="+os.Args[0], "./...")
	if code == 0 || !strings.Contains(before, "-	p.mu.Unlock()") {
		t.Errorf("exit code %d, diff:\n%s", code, before)
	}
	if out, code := d.run(multi, "go", "fix", "-fixtool="+os.Args[0], "./..."); code != 0 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	after, err := os.ReadFile(filepath.Join(d.dir, "shop", "shop.go"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(after), "p.mu.Unlock()"); n != 2 {
		t.Errorf("%d sections are left:\n%s", n, after)
	}
}
