package stalevalue

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/counterpart"
	"github.com/atomvet/atomvet/passes/summary"
)

// Use after release: an object that was put into a sync.Pool is owned by the goroutine that gets it next. The reference of the
// goroutine that has put it in is stale: a use races with the new owner, and a second Put gives the object two owners.
//
//	b := pool.Get().(*buffer)
//	defer pool.Put(b)
//	if err := read(b); err != nil {
//		pool.Put(b) // WRONG: the deferred call puts it in again, when another goroutine may own it
//		return err
//	}

// A givenBack is the release of an object, and a later use of it.
type givenBack struct {
	d     *detector
	first counterpart.GivenBack
	later ssa.Instruction
}

func (g *givenBack) String() string {
	return fmt.Sprintf("given-back: at line %d, used at line %d, in %s", g.d.line(ssautil.Pos(g.first.At)), g.d.line(ssautil.Pos(g.later)), summary.Name(g.d.f.Fn))
}

func (g *givenBack) Positions() []token.Pos {
	return []token.Pos{ssautil.Pos(g.first.At), ssautil.Pos(g.later), g.d.f.Fn.Pos()}
}

// givenBacks reports the first use of each object after its release.
func (d *detector) givenBacks(rules rule.Set[*givenBack]) {
	back := d.others.GivenBack(d.f)
	for _, first := range back {
		if _, deferred := first.At.(*ssa.Defer); deferred {
			continue // a deferred call precedes no use
		}
		for _, later := range usesOf(first, back) {
			if g := (&givenBack{d, first, later}); rule.Accept(d.judge, rules, g) {
				d.findings = append(d.findings, g.finding(rules.Doubts(d.judge, g)))
				break
			}
		}
	}
}

// usesOf returns the other uses of an object that is given back: the further releases, and then the calls and accesses.
func usesOf(first counterpart.GivenBack, back []counterpart.GivenBack) []ssa.Instruction {
	var out []ssa.Instruction
	for _, again := range back {
		if again.At != first.At && again.Object == first.Object {
			out = append(out, again.At)
		}
	}
	for _, use := range ssautil.Uses(first.Object) {
		switch use.(type) {
		case *ssa.Call, *ssa.FieldAddr, *ssa.IndexAddr:
			if use != ssa.Instruction(first.At) && !slices.Contains(out, use) {
				out = append(out, use)
			}
		}
	}
	return out
}

// comesLater: the use is on all paths from the release to the returns, and it is one of the same object, which is not redefined in
// between; a deferred use comes after all others. A use on some of the paths may exclude the release by its condition:
//
//	if ok && b.old() { pool.Put(b); ok = false }
//	if ok { b.read() }
//
//	for {
//		b := pool.Get().(*buffer)
//		b.read() // in the next round it is another one
//		pool.Put(b)
//	}
func (g *givenBack) comesLater() bool {
	order := g.d.f.Order()
	if d, ok := g.later.(*ssa.Defer); ok && (order.Flows(d, g.first.At) || order.Flows(g.first.At, d)) {
		return true
	}
	made, _ := g.first.Object.(ssa.Instruction)
	return order.Exists(summary.Way{From: g.first.At, To: g.later, Avoid: made}) && !slices.ContainsFunc(ssautil.Returns(g.d.f.Fn), func(ret *ssa.Return) bool {
		return order.Flows(g.first.At, ret) && !order.MustPass(g.first.At, g.later, ret)
	})
}

func (g *givenBack) finding(doubts finding.Doubts) finding.Finding {
	d, at := g.d, ssautil.Pos(g.later)
	name := "the object"
	given := &summary.Event{Instr: g.first.At, Ref: d.f.Resolver().Resolve(g.first.Object), Op: summary.Write}
	if given.Loc != "" {
		name = given.Loc.Name()
	}
	done := "used"
	if slices.ContainsFunc(d.others.GivenBack(d.f), func(b counterpart.GivenBack) bool { return b.At == g.later }) {
		done = "given back again"
	}
	return d.interruption(finding.Finding{
		Pos: ssautil.Pos(g.first.At), Category: staleUse, Doubts: doubts,
		Message: fmt.Sprintf("%s is given back to its pool here, and is %s at line %d, when another goroutine may have it", name, done, d.line(at)),
		Notes:   []finding.Note{{Pos: at, Message: "it is " + done + " here"}},
	}, given, useOf(given, g.later), nil, "")
}
