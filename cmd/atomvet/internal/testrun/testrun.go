// Package testrun runs the tests of instrumented packages and collects what was recorded.
package testrun

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/instrument/atomvetrt"
)

// A Runner runs tests of an instrumented program.
type Runner struct {
	Dir      string // for the files of the runs
	Overlay  string
	Packages []string
	Flags    []string // build flags
	Run      string   // -run
	Count    int      // -count
	Timeout  time.Duration
	// Prepare makes the go command and its children end with the context.
	Prepare func(*exec.Cmd)
	// Measure is a command that calls [Measured], "" to measure nothing.
	Measure string
	// Log gets the output of tests, if it is not nil.
	Log io.Writer

	runs int
}

// An Outcome is what one run of the tests has brought.
type Outcome struct {
	// Results are the results by finding, of all processes together.
	Results  []*atomvetrt.Result
	Observed []*atomvetrt.Observation
	// Failed are the tests that failed, as package.Test, with the end of their output, or its
	// beginning from the panic on. A package whose process ends without a test that failed, or
	// that was running, is there under its own name.
	Failed map[string]string
	// Died are those of Failed in which the process ended: tests that come after them have not
	// been run.
	Died      []string
	Started   int // tests
	Passed    int // tests
	Events    int
	Paused    time.Duration
	Wall      time.Duration
	Processes int
	Cost      Cost // with Runner.Measure
	// BuildFailed is the output of the compiler, if there is an error.
	BuildFailed string
}

// Do runs the tests with a configuration.
func (r *Runner) Do(ctx context.Context, config atomvetrt.Config) (*Outcome, error) {
	r.runs++
	config.Out = filepath.Join(r.Dir, fmt.Sprintf("run%d", r.runs))
	if err := os.Mkdir(config.Out, 0o777); err != nil {
		return nil, err
	}
	data, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	name := config.Out + ".config"
	if err := os.WriteFile(name, data, 0o666); err != nil {
		return nil, err
	}
	o, err := r.test(ctx, name, config.Out)
	if err != nil {
		return nil, err
	}
	return o, errors.Join(o.collect(config.Out), o.addCosts(config.Out))
}

// Idle says why a run shows nothing, if no test has run: a misspelt name looks like silence.
func (r *Runner) Idle(o *Outcome) string {
	switch {
	case o.Started > 0 || len(o.Failed) > 0:
		return ""
	case r.Run != "":
		return "no test has run: none has a name that -run=" + r.Run + " matches"
	}
	return "no test has run"
}

// Plain runs the tests without instrumentation.
func (r *Runner) Plain(ctx context.Context) (*Outcome, error) {
	overlay := r.Overlay
	r.Overlay = ""
	defer func() { r.Overlay = overlay }()
	return r.Do(ctx, atomvetrt.Config{})
}

// test runs go test. That tests fail is no error.
func (r *Runner) test(ctx context.Context, config, out string) (*Outcome, error) {
	args := []string{"test", "-json", "-vet=off", fmt.Sprintf("-count=%d", max(r.Count, 1)), fmt.Sprintf("-timeout=%s", r.Timeout)}
	if r.Run != "" {
		args = append(args, "-run="+r.Run)
	}
	if r.Overlay != "" {
		args = append(args, "-overlay="+r.Overlay)
		args = append(args, linkFlags(r.Flags)...)
	} else {
		args = append(args, r.Flags...)
	}
	args = append(args, r.measure(out)...)
	args = append(args, r.Packages...)
	cmd := exec.CommandContext(ctx, "go", args...)
	if r.Overlay != "" {
		cmd.Env = append(os.Environ(), atomvetrt.Env+"="+config)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if r.Prepare != nil {
		r.Prepare(cmd)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	o := &Outcome{Failed: make(map[string]string)}
	o.read(stdout, r.Log)
	err = cmd.Wait()
	o.Wall = time.Since(begin)
	var exit *exec.ExitError
	switch {
	case err == nil || ctx.Err() != nil:
	case !errors.As(err, &exit):
		return nil, err
	case len(o.Failed) == 0:
		return nil, fmt.Errorf("go test: %v\n%s", err, stderr.String())
	}
	return o, nil
}

// linkFlags adds to build flags what the support package needs of the linker.
func linkFlags(flags []string) []string {
	const name, need = "-ldflags=", "-checklinkname=0"
	out := slices.Clone(flags)
	for i, f := range out {
		if strings.HasPrefix(f, name) {
			out[i] += " " + need
			return out
		}
	}
	return append(out, name+need)
}

// maxOutput bounds the output that is kept of a test.
const maxOutput = 4000

// An event is one of those that go test -json prints.
type event struct{ Action, Package, ImportPath, Test, Output string }

// A progress is the state of the tests, by package.Test.
type progress struct {
	output  map[string]string // see keep
	running map[string]bool
	failed  map[string]bool // packages with a test that has failed
}

// keep adds a line to the output of a test. Of a long output the end is kept; if the process ends in a
// panic, what begins with that, before the stacks of the goroutines.
func (p *progress) keep(key, line string) {
	switch all := p.output[key]; {
	case isCrash(all):
		p.output[key] = all + line[:min(len(line), max(0, maxOutput-len(all)))]
	case isCrash(line):
		p.output[key] = line
	default:
		all += line
		p.output[key] = all[max(0, len(all)-maxOutput):]
	}
}

// isCrash reports whether an output begins with the line that the runtime prints when it ends a process.
func isCrash(output string) bool {
	return strings.HasPrefix(output, "panic: ") || strings.HasPrefix(output, "fatal error: ")
}

// read reads the events of go test -json.
func (o *Outcome) read(r io.Reader, log io.Writer) {
	p := progress{make(map[string]string), make(map[string]bool), make(map[string]bool)}
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) == nil {
			if log != nil && e.Output != "" {
				io.WriteString(log, e.Output)
			}
			o.event(e, &p)
		}
		if err != nil {
			return
		}
	}
}

func (o *Outcome) event(e event, p *progress) {
	pkg := cmp.Or(e.Package, e.ImportPath)
	key := pkg
	if e.Test != "" {
		key += "." + e.Test
	}
	switch e.Action {
	case "output", "build-output":
		p.keep(key, e.Output)
	case "build-fail":
		o.BuildFailed += p.output[key]
	case "run":
		p.running[key] = true
		o.Started++
	case "pass", "skip":
		delete(p.running, key)
		if e.Action == "pass" && e.Test != "" {
			o.Passed++
		}
	case "fail":
		delete(p.running, key)
		if e.Test == "" {
			o.ended(pkg, p)
			return
		}
		p.failed[pkg] = true
		o.Failed[key] = p.output[key]
		if isCrash(p.output[key]) {
			o.Died = append(o.Died, key)
		}
	}
}

// ended notes that the process of a package has failed: so have the tests that were running, if
// there are any.
func (o *Outcome) ended(pkg string, p *progress) {
	for _, key := range slices.Sorted(maps.Keys(p.running)) {
		if strings.HasPrefix(key, pkg+".") {
			delete(p.running, key)
			p.failed[pkg] = true
			o.Failed[key] = p.output[key]
			o.Died = append(o.Died, key)
		}
	}
	if !p.failed[pkg] {
		o.Failed[pkg] = p.output[pkg]
		o.Died = append(o.Died, pkg)
	}
}

// collect reads what the processes have written.
func (o *Outcome) collect(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var r atomvetrt.Report
		if err := json.Unmarshal(data, &r); err != nil {
			return err
		}
		o.Processes++
		o.Events += r.Events
		o.Paused += r.Paused
		if r.Observed != nil {
			o.Observed = append(o.Observed, r.Observed)
		}
		o.add(r.Results)
	}
	return nil
}

// add adds the results of a process.
func (o *Outcome) add(list []*atomvetrt.Result) {
	if o.Results == nil {
		o.Results = list
		return
	}
	for i, x := range list {
		if i < len(o.Results) {
			merge(o.Results[i], x)
		}
	}
}

func merge(to, x *atomvetrt.Result) {
	to.Checks += x.Checks
	to.Acts += x.Acts
	to.Pauses += x.Pauses
	to.Woken += x.Woken
	to.Natural += x.Natural
	to.Forced += x.Forced
	to.Revalidated += x.Revalidated
	to.Goroutines += x.Goroutines
	to.Objects += x.Objects
	to.Shared += x.Shared
	if to.Example == nil {
		to.Example = x.Example
	}
	for k, n := range x.Rivals {
		if to.Rivals == nil {
			to.Rivals = make(map[string]int)
		}
		to.Rivals[k] += n
	}
}
