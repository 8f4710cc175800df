package process

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A relation is one of two paths of a function.
type relation func(a, b accesspath.Path) bool

// InCalls reports whether two paths of f that begin at different parameters or captured
// variables are related in all calls of f, by their paths in the callers. The parameters of a helper do not
// show that one object belongs to the other; the arguments at its call sites do.
//
//	func (s *service) fail(m *member) { m.set(failed) } // s.fail(s.find(name)), under s.mu
//
// It is the greatest such relation: a function that is called by way of itself hands on what it was given.
//
//	func (s *service) next(p *plan) { p.timer = time.AfterFunc(d, func() { s.next(p) }) }
func (p *Processes) InCalls(f *Func, a, b accesspath.Path, related relation) bool {
	return p.inCalls(f, a, b, related, make(map[kinship]bool))
}

// A kinship is a question of inCalls.
type kinship struct {
	f    *Func
	a, b accesspath.Path
}

// inCalls is InCalls. What is in asked has been asked: as the two have to be related in all calls, one answer no would have ended it all.
func (p *Processes) inCalls(f *Func, a, b accesspath.Path, related relation, asked map[kinship]bool) bool {
	own := kinship{f, a, b}
	if asked[own] {
		return true
	}
	if len(asked) == limit.Kinships {
		return false
	}
	asked[own] = true
	if mc := ssautil.ClosureOf(f.Fn); mc != nil && a.IsFree() && b.IsFree() {
		// The captured variables of a literal are bound where the closure is made, not where it is called.
		return p.inCaller(f, p.bindings(mc, mc.Bindings, f), a, b, related, asked)
	}
	sites := p.sitesOf[f.ID]
	return !p.isOpen[f.ID] && 0 < len(sites) && len(sites) <= limit.AskedCallers && !slices.ContainsFunc(sites, func(s site) bool {
		return !p.beforePublication(s) && !p.inCaller(s.caller, p.handed(s), a, b, related, asked)
	})
}

// inCaller reports whether two paths of a callee are related in the caller, or in all calls of that. A
// value may belong to the function around the caller.
func (p *Processes) inCaller(caller *Func, operands []operand, a, b accesspath.Path, related relation, asked map[kinship]bool) bool {
	var from *Func
	name := func(path accesspath.Path) accesspath.Path {
		return path.Substitute(func(root accesspath.Path) accesspath.Path {
			i := slices.IndexFunc(operands, func(o operand) bool { return o.as == root })
			if i < 0 {
				return accesspath.Unknown
			}
			maker := p.maker(operands[i].value, caller)
			if from == nil {
				from = maker
			}
			if maker != from {
				return accesspath.Unknown
			}
			return from.Resolver().Resolve(operands[i].value).Path
		})
	}
	x, y := name(a), name(b)
	return x != accesspath.Unknown && y != accesspath.Unknown && (related(x, y) || p.inCalls(from, x, y, related, asked))
}
