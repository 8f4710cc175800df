// Package confirm makes findings happen: it runs the tests of a program with pauses between the
// check and the act of each finding, and sees whether another goroutine interferes.
//
// The first run has no pauses. It finds out which checks are reached, and which objects two goroutines
// share. In the second run, a goroutine that reaches the act on such an object waits until a rival has
// accessed the object between check and act, or until the pause is over. A test that fails then, and did not before, is run again with the pauses of one
// finding alone, and again without any.
//
// What happens is a proof that it can. What does not happen proves nothing: tests seldom have the
// second goroutine that it takes. So silence must not lower the confidence of a finding.
package confirm

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/instrument"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/instrument/atomvetrt"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/program"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/testrun"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/text"
)

// Verdicts, the most serious first.
const (
	Harmful     = "harmful"
	Observed    = "observed"
	Revalidated = "revalidated"
	NotObserved = "not observed"
	NotReached  = "not reached"
	NotPlaced   = "not placed" // in the program that could be instrumented
)

// A Dynamic is what was seen of a finding.
type Dynamic struct {
	Verdict string `json:"verdict"`
	// Reason says why a finding is not placed, or in which tests the process ended, so that the
	// counts are incomplete.
	Reason string `json:"reason,omitempty"`
	// Checks and Acts count how often they were made, by Goroutines; Shared of the objects were
	// used by two goroutines in a way that can interfere.
	Checks     int `json:"checks"`
	Acts       int `json:"acts"`
	Goroutines int `json:"goroutines"`
	Shared     int `json:"shared_objects"`
	Pauses     int `json:"pauses"`
	// Natural, Forced and Revalidated count the acts with an intrusion since the check.
	Natural     int            `json:"natural"`
	Forced      int            `json:"forced"`
	Revalidated int            `json:"revalidated"`
	Rivals      map[string]int `json:"rivals,omitempty"`
	Example     *Example       `json:"example,omitempty"`
	// Failure has the tests that fail with the pauses of this finding alone, with their output.
	Failure map[string]string `json:"failure,omitempty"`
	// died are the tests in which a process ended, in the run without pauses or with those of this
	// finding alone.
	died []string
}

// An Example is one intrusion, with the stacks of both goroutines.
type Example struct {
	Check  []string `json:"check"`
	Rival  []string `json:"rival"`
	Act    []string `json:"act"`
	Forced bool     `json:"forced"`
	Tests  []string `json:"tests,omitempty"`
}

// A Finding is a finding with what was seen of it.
type Finding struct {
	*report.Finding
	Dynamic *Dynamic `json:"dynamic"`
}

// Options are what the user asks for.
type Options struct {
	Pause, Budget time.Duration
	Added         map[string][]byte // files to add to the program
	Cost          bool              // say what recording and pauses cost
}

// A Summary says what was done.
type Summary struct {
	Findings []*Finding
	Tests    []string // packages whose tests ran
	Notes    []string
}

// Run tries the findings in the program. The runner lacks only the overlay and the packages.
func Run(ctx context.Context, p *program.Program, list []*report.Finding, opts Options, r *testrun.Runner) (*Summary, error) {
	s := new(Summary)
	var anchored []*report.Finding
	for _, f := range list {
		x := &Finding{Finding: f, Dynamic: new(Dynamic)}
		s.Findings = append(s.Findings, x)
		if f.Anchors == nil {
			x.Dynamic.Verdict, x.Dynamic.Reason = NotPlaced, "the finding does not say where its check and its act are"
			continue
		}
		anchored = append(anchored, f)
	}
	overlay, placements, err := instrument.Findings(p, anchored, opts.Added, r.Dir)
	if err != nil {
		return nil, err
	}
	e := &experiment{ctx: ctx, runner: r, config: overlay.Config, failed: make(map[string]string)}
	e.config.Pause, e.config.Budget = opts.Pause, opts.Budget
	testrun.SetOffsets(&e.config, r.Flags)
	for i, pl := range placements {
		k := slices.IndexFunc(s.Findings, func(f *Finding) bool { return f.Finding == pl.Finding })
		e.findings = append(e.findings, s.Findings[k].Dynamic)
		if pl.Missing != "" {
			e.findings[i].Verdict, e.findings[i].Reason = NotPlaced, pl.Missing
		}
	}
	r.Overlay, r.Packages = overlay.File, overlay.Tests
	s.Tests = overlay.Tests
	if len(s.Tests) == 0 {
		s.Notes = append(s.Notes, "no tests run the code of the findings")
	} else if err := e.measured(opts.Cost); err != nil {
		return nil, err
	}
	s.Notes = append(s.Notes, e.notes...)
	for _, f := range s.Findings {
		f.Dynamic.judge()
	}
	return s, nil
}

// An experiment runs the tests of one program.
type experiment struct {
	ctx      context.Context
	runner   *testrun.Runner
	config   atomvetrt.Config
	findings []*Dynamic        // by index
	failed   map[string]string // without pauses
	notes    []string
	costs    []testrun.Cost // of the run without and of that with pauses
}

// repeats is how often a failure has to come again with the pauses of one finding alone.
const repeats = 2

func (e *experiment) run() error {
	o, err := e.try(nil)
	if err != nil {
		return err
	}
	if idle := e.runner.Idle(o); idle != "" {
		e.notes = append(e.notes, idle)
		return nil
	}
	e.add(o)
	for _, d := range e.findings {
		d.died = o.Died
	}
	e.failed = o.Failed
	e.note("as they are", o)
	e.costs = append(e.costs, o.Cost)
	var forced []int
	for i, d := range e.findings {
		if d.Shared > 0 && d.Acts > 0 {
			forced = append(forced, i)
		}
	}
	if len(forced) == 0 || e.ctx.Err() != nil {
		return nil
	}
	if o, err = e.try(forced); err != nil {
		return err
	}
	e.add(o)
	e.note("with pauses", o)
	e.costs = append(e.costs, o.Cost)
	return e.isolate(forced, o)
}

// add adds what a run has shown of each finding.
func (e *experiment) add(o *testrun.Outcome) {
	for i, r := range o.Results {
		e.findings[i].add(r)
	}
}

// measured runs the experiment, with the tests as they are without instrumentation before and after it
// if its cost is asked for.
func (e *experiment) measured(cost bool) error {
	if !cost {
		return e.run()
	}
	before, err := e.runner.Plain(e.ctx)
	if err != nil {
		return err
	}
	if err := e.run(); err != nil {
		return err
	}
	after, err := e.runner.Plain(e.ctx)
	if err != nil {
		return err
	}
	plain := testrun.Cost{CPU: (before.Cost.CPU + after.Cost.CPU) / 2, Wall: (before.Cost.Wall + after.Cost.Wall) / 2}
	e.notes = append(e.notes, fmt.Sprintf("not instrumented: %.1f and %.1f seconds of CPU time in %.1f and %.1f seconds",
		before.Cost.CPU.Seconds(), after.Cost.CPU.Seconds(), before.Cost.Wall.Seconds(), after.Cost.Wall.Seconds()))
	for i, c := range e.costs {
		e.notes = append(e.notes, fmt.Sprintf("%s: %s", []string{"recorded", "recorded, with pauses"}[i], c.Over(plain)))
	}
	return nil
}

// try runs the tests with the pauses of some findings.
func (e *experiment) try(forced []int) (*testrun.Outcome, error) {
	config := e.config
	config.Force = forced
	o, err := e.runner.Do(e.ctx, config)
	if err != nil {
		return nil, err
	}
	if o.BuildFailed != "" {
		return nil, fmt.Errorf("the instrumented program does not compile, which is a mistake of atomvet:\n%s", o.BuildFailed)
	}
	return o, nil
}

func (e *experiment) note(how string, o *testrun.Outcome) {
	text := fmt.Sprintf("tests %s: %d passed, %d failed, %d accesses, %.1f seconds", how, o.Passed, len(o.Failed), o.Events, o.Wall.Seconds())
	if o.Paused > 0 {
		text += fmt.Sprintf(", of which %.1f seconds in pauses", o.Paused.Seconds())
	}
	e.notes = append(e.notes, text)
	for _, test := range slices.Sorted(maps.Keys(o.Failed)) {
		e.notes = append(e.notes, fmt.Sprintf("failed %s: %s", how, test))
	}
}

// isolate finds out which finding the new failures of a run are due to: each is tried alone. If the
// process has ended in that run, the tests that would have come to other findings were not run.
func (e *experiment) isolate(forced []int, joint *testrun.Outcome) error {
	if len(e.fresh(joint.Failed)) == 0 {
		return nil
	}
	again, err := e.try(nil)
	if err != nil {
		return err
	}
	maps.Copy(e.failed, again.Failed)
	if len(e.fresh(joint.Failed)) == 0 {
		return nil
	}
	for _, i := range forced {
		d := e.findings[i]
		if d.Forced == 0 && len(joint.Died) == 0 || e.ctx.Err() != nil {
			continue
		}
		if err := e.alone(i, d.Forced == 0); err != nil {
			return err
		}
	}
	return nil
}

// alone runs the tests with the pauses of one finding, again and again as long as they fail, and adds
// what they show if that is asked for.
func (e *experiment) alone(i int, add bool) error {
	d := e.findings[i]
	var failure map[string]string
	for n := range repeats {
		o, err := e.try([]int{i})
		if err != nil || e.ctx.Err() != nil {
			return err
		}
		if add && n == 0 && i < len(o.Results) {
			d.died = o.Died
			d.add(o.Results[i])
		}
		if failed := e.fresh(o.Failed); n == 0 {
			failure = failed
		} else {
			failure = common(failure, failed)
		}
		if len(failure) == 0 {
			return nil
		}
	}
	d.Failure = failure
	return nil
}

// fresh returns the failures that there are not without pauses.
func (e *experiment) fresh(failed map[string]string) map[string]string {
	out := maps.Clone(failed)
	maps.DeleteFunc(out, func(test, _ string) bool { _, ok := e.failed[test]; return ok })
	return out
}

// common returns the failures of both runs, with the output of the second.
func common(a, b map[string]string) map[string]string {
	out := maps.Clone(b)
	maps.DeleteFunc(out, func(test, _ string) bool { _, ok := a[test]; return !ok })
	return out
}

// add adds the results of a run.
func (d *Dynamic) add(r *atomvetrt.Result) {
	d.Checks += r.Checks
	d.Acts += r.Acts
	d.Goroutines = max(d.Goroutines, r.Goroutines)
	d.Shared = max(d.Shared, r.Shared)
	d.Pauses += r.Pauses
	d.Natural += r.Natural
	d.Forced += r.Forced
	d.Revalidated += r.Revalidated
	for at, n := range r.Rivals {
		if d.Rivals == nil {
			d.Rivals = make(map[string]int)
		}
		d.Rivals[at] += n
	}
	if x := r.Example; x != nil && d.Example == nil {
		d.Example = &Example{Check: x.Check, Rival: x.Rival, Act: x.Act, Forced: x.Forced, Tests: x.Tests}
	}
}

// judge sets the verdict.
func (d *Dynamic) judge() {
	switch {
	case d.Verdict != "":
	case len(d.Failure) > 0:
		d.Verdict = Harmful
	case d.Natural+d.Forced > 0:
		d.Verdict = Observed
	case d.Revalidated > 0:
		d.Verdict = Revalidated
	case d.Acts == 0:
		d.Verdict = NotReached
	default:
		d.Verdict = NotObserved
	}
	if d.Verdict == NotReached || d.Verdict == NotObserved {
		d.Reason = unfinished(d.died)
	}
}

// unfinished says that nothing is known of the tests that come after those in which a process ended.
func unfinished(died []string) string {
	if len(died) == 0 {
		return ""
	}
	list := slices.Compact(slices.Sorted(slices.Values(died)))
	return fmt.Sprintf("the process of the tests ended in %s, and what comes after is not known", strings.Join(list, ", "))
}

// Seen reports whether the finding has happened.
func (d *Dynamic) Seen() bool { return d.Verdict == Harmful || d.Verdict == Observed }

// String says in one line what was seen.
func (d *Dynamic) String() string {
	switch d.Verdict {
	case NotPlaced:
		return d.Verdict + ": " + d.Reason
	case NotReached:
		if d.Checks > 0 {
			return fmt.Sprintf("%s: %s, and the act never came after one", d.Verdict, text.Count(d.Checks, "check"))
		}
		return d.Verdict + ": " + cmp.Or(d.Reason, "no test comes to the check")
	}
	out := fmt.Sprintf("%s: %s and %s by %s, %s used by several", d.Verdict, text.Count(d.Checks, "check"), text.Count(d.Acts, "act"),
		text.Count(d.Goroutines, "goroutine"), text.Count(d.Shared, "object"))
	if d.Pauses > 0 {
		out += fmt.Sprintf(", %s", text.Count(d.Pauses, "pause"))
	}
	if d.Natural+d.Forced > 0 {
		out += fmt.Sprintf("; %s without a pause and %d after one, by %s", text.Count(d.Natural, "intrusion"), d.Forced, d.rivals())
	}
	if d.Reason != "" {
		out += "; " + d.Reason
	}
	if d.Revalidated > 0 {
		out += fmt.Sprintf("; %s followed by a second look", text.Count(d.Revalidated, "intrusion"))
	}
	return out
}

// rivals returns the positions of the accesses that interfered, the most frequent first.
func (d *Dynamic) rivals() string {
	list := slices.SortedFunc(maps.Keys(d.Rivals), func(a, b string) int {
		return cmp.Or(cmp.Compare(d.Rivals[b], d.Rivals[a]), cmp.Compare(a, b))
	})
	text := ""
	for i, at := range list {
		if i == 3 {
			return text + fmt.Sprintf(" and %d more", len(list)-i)
		}
		if i > 0 {
			text += ", "
		}
		text += at
	}
	return text
}
