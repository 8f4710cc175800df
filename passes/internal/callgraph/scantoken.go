package callgraph

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// scanStore records with which capacity a channel is made that is stored in a variable.
func (p *scanner) scanStore(st *ssa.Store) {
	if loc := accesspath.LocationOf(st.Addr); loc != "" {
		for _, m := range channelsOf(st.Val, limit.Makers) {
			p.noteCapacity(loc, m)
		}
	}
}

// channelsOf returns the instructions that make the channel v, here or in a function that returns it, and nil if it may be another one.
//
//	s.sem = newSem() // func newSem() chan struct{} { return make(chan struct{}, 1) }
func channelsOf(v ssa.Value, depth int) []*ssa.MakeChan {
	switch v := v.(type) {
	case *ssa.MakeChan:
		return []*ssa.MakeChan{v}
	case *ssa.ChangeType:
		return channelsOf(v.X, depth)
	case *ssa.Call:
		fn := v.Call.StaticCallee()
		if fn == nil || depth == 0 || fn.Signature.Results().Len() != 1 {
			return nil
		}
		var out []*ssa.MakeChan
		for _, ret := range ssautil.Returns(fn) {
			made := channelsOf(ret.Results[0], depth-1)
			if len(made) == 0 {
				return nil
			}
			out = append(out, made...)
		}
		return out
	}
	return nil
}

// scanMake records with which capacity a channel of a named type is made.
func (p *scanner) scanMake(v ssa.Value) {
	loc := accesspath.TypeLocation(v.Type())
	if loc == "" {
		return
	}
	if m := channelsOf(v, 0); len(m) > 0 {
		p.noteCapacity(loc, m[0])
	}
}

// noteCapacity records that a channel of a location is made by m.
func (p *scanner) noteCapacity(loc accesspath.Location, m *ssa.MakeChan) {
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
	loc, primes := ChanLocation(ch), false
	switch ch := ch.(type) {
	case *ssa.UnOp:
		primes = OwnsChannel(ch.X)
	case *ssa.Parameter:
		loc = accesspath.TypeLocation(ch.Type())
	case *ssa.MakeChan:
		primes = true
		if of := accesspath.TypeLocation(ch.Type()); of != "" {
			p.noteToken(f, of, send, waits, true)
		}
	}
	if loc != "" {
		p.noteToken(f, loc, send, waits, primes)
	}
}

// noteToken records a send or receive of a channel of a location; primes is set if who makes the channel sends the first element.
func (p *scanner) noteToken(f *Node, loc accesspath.Location, send, waits, primes bool) {
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
	} else if primes {
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
