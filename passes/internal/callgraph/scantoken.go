package callgraph

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
)

func (p *scanner) scanStore(st *ssa.Store) {
	m, ok := st.Val.(*ssa.MakeChan)
	if !ok {
		return
	}
	loc := accesspath.LocationOf(st.Addr)
	if loc == "" {
		return
	}
	t := p.Tokens[loc]
	c, ok := m.Size.(*ssa.Const)
	if one := ok && c.Value != nil && constant.Compare(c.Value, token.EQL, constant.MakeInt64(1)); one {
		t.one = true
	} else {
		t.barred = true
	}
	p.Tokens[loc] = t
}

// scanToken records a send or receive; waits is false in a select statement with a default
// case.
func (p *scanner) scanToken(f *Node, ch ssa.Value, send, waits bool) {
	loc := ChanLocation(ch)
	if loc == "" {
		return
	}
	t := p.Tokens[loc]
	if t.senders == nil {
		t.senders, t.takers = make(map[*ssa.Function]bool), make(map[*ssa.Function]bool)
		t.trySend, t.tryTake = make(map[*ssa.Function]bool), make(map[*ssa.Function]bool)
	}
	outer := outermost(f.Fn)
	switch {
	case waits:
	case send:
		t.trySend[outer] = true
	default:
		t.tryTake[outer] = true
	}
	if !send {
		t.takers[outer] = true
	} else if l, ok := ch.(*ssa.UnOp); ok && OwnsChannel(l.X) || !ok {
		t.Primed = true
	} else {
		t.senders[outer] = true
	}
	f.Shares = true
	p.Tokens[loc] = t
}

// markTokens records which functions take and release channels that may be locks.
func (p *scanner) markTokens() {
	for _, t := range p.Tokens {
		if !t.one || t.barred {
			continue
		}
		takers, givers := t.senders, t.takers
		if t.Primed {
			takers, givers = givers, takers
		}
		p.mark(p.takes, takers)
		p.mark(p.gives, givers)
	}
}

// mark sets the entries of functions in a list by number.
func (p *scanner) mark(list []bool, fns map[*ssa.Function]bool) {
	for fn := range fns {
		if f := p.source(fn); f != nil {
			list[f.ID] = true
		}
	}
}

// inCallers replaces the helpers of the channels by their callers.
func (p *scanner) inCallers() {
	if len(p.Tokens) == 0 {
		return
	}
	callers := make(map[*ssa.Function][]*ssa.Function)
	for _, f := range p.Funcs {
		if f.Forwards() {
			continue // who calls it calls what it calls
		}
		for _, c := range f.Calls {
			// What another goroutine does is not done for the caller.
			if _, isGo := c.Instr.(*ssa.Go); c.Instr == nil || isGo || c.Kind != fact.Called {
				continue
			}
			callee := p.Funcs[c.Callee].Fn
			callers[callee] = append(callers[callee], outermost(f.Fn))
		}
	}
	for loc, t := range p.Tokens {
		if t.one && !t.barred {
			p.Tokens[loc] = t.inCallers(callers)
		}
	}
}
