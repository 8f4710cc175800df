package views

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/guards"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// orderViews adds the views of the atomic variables that f writes under the same control
// dependence, itself or in callees: by stores, and by read-modify-writes, which may be a
// part of an update as well.
//
//	id := l.newest.Add(1)
//	l.open(id) // l.tail.Store(0)
func (p *finder) orderViews(f *process.Func) {
	var groups [][]int
	for i, e := range f.Events {
		info := p.Location(e.Loc)
		if !e.Writes() || e.Clock() || e.Once() || e.Deep() || info.Constant() || !info.Atomic || copies(f, e) {
			continue
		}
		n := slices.IndexFunc(groups, func(g []int) bool { return sameControl(f, f.Events[g[0]], e) })
		if n < 0 {
			groups = append(groups, []int{i})
		} else {
			groups[n] = append(groups[n], i)
		}
	}
	for _, g := range groups {
		p.addView(f, guards.Passage{}, fact.OrderView, g)
	}
}

// sameControl reports whether two writes have the same control dependence, but for a test of
// whether the first has succeeded.
//
//	if !b.low.CompareAndSwap(unset, t) {
//		return
//	}
//	b.high.Store(t)
func sameControl(f *process.Func, first, e *funcsum.Event) bool {
	rest := slices.DeleteFunc(slices.Clone(f.Branches(e)), func(br *ssa.If) bool {
		return first.Reads() && f.Slice(br.Cond).HasAny(first.Values)
	})
	return slices.Equal(f.Branches(first), rest)
}

// Announced reports whether most functions that write one of two atomic variables write the
// other in the same step of control.
func (p *Views) Announced(x, y accesspath.Location) bool {
	return p.both(fact.OrderView, x, y, func(either, both int) bool { return both > 0 && both*2 >= either })
}
