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

// An object that has been given back to a sync.Pool belongs to whoever gets it next. To use it afterwards, or to give it back a
// second time, which makes two owners of it, is to act on a reference that went stale:
//
//	b := pool.Get().(*buffer)
//	defer pool.Put(b)
//	if err := read(b); err != nil {
//		pool.Put(b) // WRONG: it is put once more at the return, when another goroutine may have it
//		return err
//	}

// A givenBack is an object that a function gives back to a pool, and a use of it which comes later.
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

// givenBacks reports the first use of each object after it has been given back.
func (d *detector) givenBacks(rules rule.Set[*givenBack]) {
	back := d.others.GivenBack(d.f)
	for _, first := range back {
		if _, deferred := first.At.(*ssa.Defer); deferred {
			continue // it comes last
		}
		for _, later := range usesOf(first, back) {
			if g := (&givenBack{d, first, later}); rule.Accept(d.judge, rules, g) {
				d.findings = append(d.findings, g.finding(rules.Doubts(d.judge, g)))
				break
			}
		}
	}
}

// usesOf returns the uses of an object other than that by which it is given back, those by which it is given back again first.
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
			if use != first.At.(ssa.Instruction) && !slices.Contains(out, use) {
				out = append(out, use)
			}
		}
	}
	return out
}

// comesLater: the use comes after the object was given back, on all ways, and before the function gets another one in its place. What
// is deferred comes after all that is not. What is used on some ways may be used on those on which it was not given back:
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
	if path := d.f.Resolver().Resolve(g.first.Object); path.Loc != "" {
		name = path.Loc.Name()
	}
	done := "used"
	if slices.ContainsFunc(d.others.GivenBack(d.f), func(b counterpart.GivenBack) bool { return b.At == g.later }) {
		done = "given back again"
	}
	return finding.Finding{
		Pos: ssautil.Pos(g.first.At), Category: staleUse, Doubts: doubts,
		Message: fmt.Sprintf("%s is given back to its pool here, and is %s at line %d, when another goroutine may have it", name, done, d.line(at)),
		Notes:   []finding.Note{{Pos: at, Message: "it is " + done + " here"}},
	}
}
