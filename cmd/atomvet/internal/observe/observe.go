// Package observe watches programs run, as two of the papers' tools do, and reports what it sees:
//
//   - view conflicts (JPaX): what one goroutine uses in one critical section of a lock another one
//     uses in two, in a way that forms no chain. The schedule does not matter, as long as both run.
//   - stale values (JNuke, block-local atomicity): a value that was read in a critical section is
//     used after that has ended. One goroutine is enough.
//   - lost updates: a stale value is used, and then its variable is written again, while another
//     goroutine has written it in between. This has happened.
//
// The first two are what the papers define, and as their tools they report what may be right. Variables
// are distinguished by their type and field, not by the object; locks by the object. Constant
// variables take no part, nor do accesses to an object by the function that has allocated it.
package observe

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/identity"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/instrument"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/instrument/atomvetrt"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/program"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/testrun"
	"github.com/atomvet/atomvet/passes/ignores"
)

// The detectors under whose names comments silence what is reported.
const (
	viewDetector  = "viewconsistency"
	valueDetector = "stalevalue"
)

// A Report is something that was seen.
type Report struct {
	Category string `json:"category"`
	report.Position
	Message string           `json:"message"`
	Objects []string         `json:"objects"`
	Related []report.Related `json:"related,omitempty"`
	// Plain is set for a view conflict without regard to reads and writes, as JPaX defines it.
	Plain bool `json:"plain,omitempty"`
	Times int  `json:"times,omitempty"`
	// Stack is that of the goroutine at the place, Later its stack in the second of two critical
	// sections, and Rival that of the other goroutine.
	Stack []string `json:"stack,omitempty"`
	Later []string `json:"later_stack,omitempty"`
	Rival []string `json:"rival_stack,omitempty"`
	// ID stays the same when code elsewhere changes.
	ID string `json:"id"`
}

// Rule returns the name of the observer and the category, by which comments silence the report.
func (r *Report) Rule() string { return ignores.Observer + "/" + r.Category }

// Counts say how much there was to see.
type Counts struct {
	Tests      int `json:"tests"`
	Accesses   int `json:"accesses"`
	Objects    int `json:"objects"`
	Locks      int `json:"locks"`
	Sections   int `json:"sections"`
	Goroutines int `json:"goroutines"`
}

// A Summary is what a run has brought.
type Summary struct {
	Reports []Report          `json:"reports"`
	Counts  Counts            `json:"counts"`
	Failed  map[string]string `json:"failed,omitempty"` // tests, with their output
	Seconds float64           `json:"seconds"`
	Note    string            `json:"note,omitempty"` // why nothing was seen
}

// Run runs the tests of a program.
func Run(ctx context.Context, p *program.Program, r *testrun.Runner) (*Summary, error) {
	overlay, err := instrument.Observe(p, r.Dir)
	if err != nil {
		return nil, err
	}
	s := &Summary{Reports: []Report{}}
	r.Overlay, r.Packages = overlay.File, overlay.Tests
	if len(r.Packages) == 0 {
		s.Note = "the packages have no tests"
		return s, nil
	}
	testrun.SetOffsets(&overlay.Config, r.Flags)
	o, err := r.Do(ctx, overlay.Config)
	if err != nil {
		return nil, err
	}
	if o.BuildFailed != "" {
		return nil, fmt.Errorf("the instrumented program does not compile, which is a mistake of atomvet:\n%s", o.BuildFailed)
	}
	c := &collection{program: p, config: overlay.Config, seen: make(map[string]int)}
	s.Counts = Counts{Tests: o.Passed + len(o.Failed), Accesses: o.Events}
	objects := make(map[int]bool)
	for _, x := range o.Observed {
		for _, i := range x.Objects {
			objects[i] = true
		}
		s.Counts.Locks += x.Locks
		s.Counts.Sections += x.Sections
		s.Counts.Goroutines += x.Goroutines
		c.add(x)
	}
	s.Counts.Objects = len(objects)
	s.Failed, s.Seconds, s.Note = o.Failed, o.Wall.Seconds(), r.Idle(o)
	s.Reports = append(s.Reports, c.sorted()...)
	c.number(s.Reports)
	return s, nil
}

// A collection has the reports of all processes.
type collection struct {
	program *program.Program
	config  atomvetrt.Config
	list    []Report
	seen    map[string]int
}

func (c *collection) add(o *atomvetrt.Observation) {
	for _, v := range o.Views {
		c.report(viewDetector, c.view(v))
	}
	for _, v := range o.Values {
		c.report(valueDetector, c.value(v))
	}
}

// report adds a report, unless a comment silences it, or the same was seen by another process.
func (c *collection) report(detector string, r Report) {
	if c.silenced(detector, r) {
		return
	}
	key := r.Category + "\x00" + strings.Join(r.Objects, "\x00")
	if detector == valueDetector {
		key += fmt.Sprintf("%s:%d", r.File, r.Line)
	}
	if i, ok := c.seen[key]; ok {
		c.list[i].Times += r.Times
		return
	}
	c.seen[key] = len(c.list)
	c.list = append(c.list, r)
}

func (c *collection) silenced(detector string, r Report) bool {
	for _, f := range c.program.Files {
		if f.Name == r.File && ignores.Silences(c.program.Fset, f.Syntax, r.Line, detector, r.Category) {
			return true
		}
	}
	return false
}

func (c *collection) sorted() []Report {
	slices.SortStableFunc(c.list, func(a, b Report) int {
		return cmp.Or(report.ComparePositions(a.Position, b.Position), cmp.Compare(a.Category, b.Category), cmp.Compare(a.Message, b.Message))
	})
	return c.list
}

// number gives each report its ID. The content of its identity is the variables, which differ between
// reports at the same line.
func (c *collection) number(list []Report) {
	source := report.NewSource()
	ids := make(identity.IDs)
	for i := range list {
		r := &list[i]
		r.ID = ids.Next(identity.Key{
			Rule:     r.Rule(),
			Package:  c.program.PathOf(r.File),
			Function: source.FunctionName(r.Position),
			Content:  strings.Join(r.Objects, " "),
		})
	}
}

func (c *collection) names(objects []int) []string {
	var out []string
	for _, i := range objects {
		name := c.config.Objects[i]
		out = append(out, name[strings.LastIndexByte(name, '/')+1:])
	}
	return out
}

// view words a view conflict. It is at the first of the two sections.
func (c *collection) view(v atomvetrt.ViewReport) Report {
	parts := [2][]string{c.names(v.Parts[0]), c.names(v.Parts[1])}
	whole, lock := c.names(v.Maximal), c.names([]int{v.Lock})
	return Report{
		Category: v.Kind,
		Position: report.ParsePosition(v.Sites[1]),
		Message: fmt.Sprintf("one goroutine uses {%s} and {%s} in separate critical sections of %s, another one {%s} in one",
			strings.Join(parts[0], ", "), strings.Join(parts[1], ", "), lock[0], strings.Join(whole, ", ")),
		Plain:   v.Plain,
		Rival:   v.Stacks[0],
		Stack:   v.Stacks[1],
		Later:   v.Stacks[2],
		Objects: slices.Concat(lock, whole, []string{"/"}, parts[0], []string{"/"}, parts[1]),
		Related: []report.Related{
			{Position: report.ParsePosition(v.Sites[2]), Message: "the second critical section begins here"},
			{Position: report.ParsePosition(v.Sites[0]), Message: "the one of the other goroutine begins here"},
		},
	}
}

// value words a stale value or a lost update. It is at the use.
func (c *collection) value(v *atomvetrt.ValueReport) Report {
	name := c.names([]int{v.Object})[0]
	r := Report{
		Category: v.Kind, Position: report.ParsePosition(v.Use), Objects: []string{name}, Times: v.Times, Stack: v.Stack, Rival: v.RivalStack,
		Message: fmt.Sprintf("a value of %s is used after the critical section in which it was read", name),
		Related: []report.Related{{Position: report.ParsePosition(v.Read), Message: name + " was read here"}},
	}
	if v.Rival != "" {
		r.Message = fmt.Sprintf("%s is written here by a stale value, and what another goroutine has written in between is lost", name)
		r.Related = append(r.Related, report.Related{Position: report.ParsePosition(v.Rival), Message: "another goroutine has written here"})
	}
	return r
}
