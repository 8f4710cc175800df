package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/program"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/testrun"
)

// A dynamic is the command line of a command that runs tests.
type dynamic struct {
	json     bool
	verbose  bool
	findings []string // the IDs to try, all if empty
	output   string
	test     string // a test to run, instead of writing one
	at       string // where to switch, as file:line
	pause    time.Duration
	budget   time.Duration
	limit    time.Duration
	runner   testrun.Runner
	from     string   // a file with findings, instead of checking the packages
	check    []string // flags for atomvet
	load     []string // build flags that choose files and packages
	patterns []string
}

// parseDynamic reads the command line of a command, all of which take the flags of go test and of
// atomvet that matter to them.
func parseDynamic(name string, args []string) (*dynamic, error) {
	d := &dynamic{pause: 10 * time.Millisecond, budget: 30 * time.Second, limit: 10 * time.Minute}
	d.runner = testrun.Runner{Timeout: 2 * time.Minute, Count: 1, Prepare: func(cmd *exec.Cmd) { group(cmd); cmd.WaitDelay = 5 * time.Second }}
	if name == "repro" {
		d.runner.Timeout = 30 * time.Second // what takes longer is run again without the trial that blocks
	}
	fs := flag.NewFlagSet("atomvet "+name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Func("C", "", chdir)
	fs.BoolVar(&d.json, "json", false, "")
	fs.StringVar(&d.runner.Run, "run", "", "")
	fs.IntVar(&d.runner.Count, "count", 1, "")
	fs.DurationVar(&d.runner.Timeout, "timeout", d.runner.Timeout, "")
	fs.DurationVar(&d.limit, "limit", d.limit, "")
	for flagName, f := range buildFlags {
		fs.Var(&passed{bool: f.bool, to: func(value string) error { return d.buildFlag(flagName, value) }}, flagName, "")
	}
	if name != "observe" {
		fs.DurationVar(&d.pause, "pause", d.pause, "")
		fs.DurationVar(&d.budget, "budget", d.budget, "")
		fs.Func("finding", "", func(id string) error { d.findings = append(d.findings, strings.Split(id, ",")...); return nil })
		fs.StringVar(&d.from, "from", "", "")
		for _, flagName := range []string{"confidence", "baseline", "new-from"} {
			fs.Func(flagName, "", func(value string) error { d.check = append(d.check, "-"+flagName+"="+value); return nil })
		}
	}
	if name == "confirm" {
		fs.BoolFunc("cost", "", func(string) error {
			self, err := os.Executable()
			d.runner.Measure = fmt.Sprintf("%q %s", self, measureCommand)
			return err
		})
	}
	if name == "repro" {
		fs.StringVar(&d.output, "o", "", "")
		fs.StringVar(&d.test, "test", "", "")
		fs.StringVar(&d.at, "at", "", "")
	}
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if d.patterns = fs.Args(); len(d.patterns) == 0 {
		d.patterns = []string{"."}
	}
	return d, nil
}

func (d *dynamic) buildFlag(name, value string) error {
	switch name {
	case "v":
		d.verbose, _ = strconv.ParseBool(value)
		if d.verbose {
			d.runner.Log = os.Stderr
		}
		return nil
	case "overlay", "n", "toolexec":
		return errors.New("cannot be used with this command")
	}
	arg := "-" + name + "=" + value
	d.check = append(d.check, arg)
	d.runner.Flags = append(d.runner.Flags, arg)
	if buildFlags[name].choose {
		d.load = append(d.load, arg)
	}
	return nil
}

// runDynamic runs a command that takes a directory for its files, and removes that.
func runDynamic(name string, args []string, command func(ctx context.Context, d *dynamic) (int, error)) int {
	d, err := parseDynamic(name, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Print(dynamicHelp)
		return exitClean
	}
	if err != nil {
		failure(err)
		fmt.Fprintf(os.Stderr, "Run 'atomvet %s -h' for the flags.\n", name)
		return exitFailure
	}
	if d.runner.Dir, err = os.MkdirTemp("", "atomvet"); err != nil {
		return failure(err)
	}
	defer os.RemoveAll(d.runner.Dir)
	ctx, stop := catchSignals(context.Background())
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	code, err := command(ctx, d)
	if code, ok := interrupted(ctx); ok {
		return code
	}
	if err != nil {
		return failure(err)
	}
	if ctx.Err() != nil {
		fmt.Fprintf(os.Stderr, "atomvet: ended after %v (-limit): not everything was tried\n", d.limit)
	}
	return code
}

// static returns the findings of atomvet in the packages, those that are wanted only.
func (d *dynamic) static(ctx context.Context) ([]*report.Finding, error) {
	var out []byte
	var err error
	if d.from != "" {
		out, err = os.ReadFile(d.from)
	} else {
		out, err = d.checked(ctx)
	}
	if err != nil {
		return nil, err
	}
	var doc struct{ Findings []*report.Finding }
	if err := json.Unmarshal(out, &doc); err != nil {
		return nil, err
	}
	list := doc.Findings
	if len(d.findings) > 0 {
		list = slices.DeleteFunc(list, func(f *report.Finding) bool { return !slices.Contains(d.findings, f.ID) })
		if len(list) < len(d.findings) {
			return nil, fmt.Errorf("%d of the findings %s are not there; -json prints the IDs", len(d.findings)-len(list), strings.Join(d.findings, ", "))
		}
	}
	return list, nil
}

// checked returns what atomvet -json prints about the packages.
func (d *dynamic) checked(ctx context.Context) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, slices.Concat([]string{"-json", "-tests=false"}, d.check, []string{"--"}, d.patterns)...)
	group(cmd)
	cmd.WaitDelay = 5 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if failed, err := exitError(err); err != nil || failed && cmd.ProcessState.ExitCode() != exitFindings {
		os.Stderr.Write(stderr.Bytes())
		return nil, errors.Join(err, errors.New("the packages cannot be checked"))
	}
	return out, nil
}

// program loads the packages, and says which it has to leave out.
func (d *dynamic) program() (*program.Program, error) {
	p, err := program.Load(d.load, d.patterns)
	if err != nil {
		return nil, err
	}
	for _, r := range p.Refused {
		fmt.Fprintf(os.Stderr, "atomvet: not instrumented: %s\n", r)
	}
	if len(p.Files) == 0 {
		return nil, errors.New("no package can be instrumented")
	}
	return p, nil
}

const dynamicHelp = `usage: atomvet observe [flags] [packages]
       atomvet confirm [flags] [packages]
       atomvet repro -finding=ID [flags] [packages]

Observe runs the tests of the packages and reports what it sees: view conflicts, stale values and
lost updates. Confirm tries to make the findings of atomvet happen in the tests, by pauses between
the check and the act. Repro writes a test that makes one finding happen, or runs one that was written.
Nothing on disk is changed but the file of -o.

	-run=REGEXP, -count=N, -timeout=D  as for go test; the timeout is that of each test binary, 2m,
	                                   and 30s for repro
	-limit=D                           end after this time, 10m, with what was seen until then
	-json                              print one JSON document
	-C=DIR, -tags, -race, -mod …       as for go test
	-finding=ID                        try this finding (confirm, repro)
	-from=FILE                         take the findings from this output of atomvet -json, instead of
	                                   checking the packages (confirm, repro)
	-o=FILE                            write the test to this file (repro)
	-test=FILE                         run this test with the switch of the finding (repro)
	-at=FILE:LINE                      switch before the statement on this line (repro)
	-pause=D, -budget=D                the longest pause, 10ms, and all of them in a process, 30s (confirm)
	-cost                              say what recording and pauses cost, against tests that are not
	                                   instrumented (confirm)
	-confidence, -baseline, -new-from  as for atomvet (confirm)
`
