package callgraph

import (
	"go/constant"
	"go/token"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"golang.org/x/tools/go/ssa"
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
