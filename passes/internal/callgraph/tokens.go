package callgraph

import (
	"go/token"
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A tokenUse describes the uses of a channel with capacity one. The channel is a lock if
// each function that sends an element also receives one:
//
//	s.sem <- struct{}{} // acquire
//	…
//	<-s.sem // release
//
// A send in a select statement with a default case tries to acquire the lock.
//
// A primed channel is created with an element in it, and a receive acquires the lock.
//
// A function that does only one of the two is a helper, and its callers count instead of it:
//
//	func (s *S) acquire() { s.sem <- struct{}{} }
//	func (s *S) release() { <-s.sem }
//
// The methods of a named type know only the channel. They are a lock if all channels of the type have capacity one:
//
//	type lock chan struct{}
//	func (l lock) acquire() { l <- struct{}{} }
//	func (l lock) release() { <-l }
type tokenUse struct {
	one    bool // the capacity is one
	Primed bool // the constructor sends the first element
	barred bool // the channel is also made with another capacity
	// senders and takers are the declared functions that send and receive; a literal counts
	// as the function that contains it.
	senders map[*ssa.Function]bool
	takers  map[*ssa.Function]bool
	// trySend and tryTake are those that do so in a select statement with a default case.
	trySend, tryTake map[*ssa.Function]bool
}

// IsLock reports whether the channel is a lock: its capacity is one, and the functions that
// release it are among those that acquire it. A function that waits to acquire it and does
// not release it shuts the others out for ever after. One that only tries is a signal, and so is
// one that only releases, or only tries to release.
func (t *tokenUse) IsLock() bool {
	acquire, release, try, drain := t.senders, t.takers, t.trySend, t.tryTake
	if t.Primed {
		acquire, release, try, drain = release, acquire, drain, try
	}
	return t.one && !t.barred && len(release) > 0 && len(drain) == 0 && within(release, acquire) && within(try, release)
}

// inCallers replaces the functions that do only one of the two, by themselves or by a helper, by their callers.
func (t tokenUse) inCallers(callers map[*ssa.Function][]*ssa.Function) tokenUse {
	lift := func(set, other map[*ssa.Function]bool) map[*ssa.Function]bool {
		out, does := make(map[*ssa.Function]bool), maps.Clone(other)
		for fn := range other {
			for _, caller := range callers[fn] {
				does[caller] = true
			}
		}
		for fn := range set {
			if does[fn] || len(callers[fn]) == 0 {
				out[fn] = true
				continue
			}
			for _, caller := range callers[fn] {
				out[caller] = true
			}
		}
		return out
	}
	t.senders, t.takers, t.trySend, t.tryTake = lift(t.senders, t.takers), lift(t.takers, t.senders), lift(t.trySend, t.takers), lift(t.tryTake, t.senders)
	return t
}

// outermost returns the declared function that contains fn, or fn.
func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// IsSignal reports whether the channel is received from, and nothing is sent to it: all that a
// receive tells is that it is closed.
func (t *tokenUse) IsSignal() bool {
	return len(t.takers) > 0 && !t.Primed && len(t.senders)+len(t.trySend) == 0
}

// within reports whether all functions of a are in b.
func within(a, b map[*ssa.Function]bool) bool {
	for fn := range a {
		if !b[fn] {
			return false
		}
	}
	return true
}

// ChanLocation returns the location that contains the channel ch, or "".
func ChanLocation(ch ssa.Value) accesspath.Location {
	if l, ok := ch.(*ssa.UnOp); ok && l.Op == token.MUL {
		return accesspath.LocationOf(l.X)
	}
	if m, ok := ch.(*ssa.MakeChan); ok && m.Referrers() != nil {
		for _, use := range *m.Referrers() {
			if st, ok := use.(*ssa.Store); ok && st.Val == m {
				if loc := accesspath.LocationOf(st.Addr); loc != "" {
					return loc
				}
			}
		}
	}
	return ""
}

// Token returns what is known of the uses of the channel ch as a lock: those of the variable that contains it, or of its type, if that
// has a name and ch is a parameter.
func (p *Graph) Token(ch ssa.Value) tokenUse {
	if _, isParam := ch.(*ssa.Parameter); isParam {
		return p.Tokens[accesspath.TypeLocation(ch.Type())]
	}
	return p.Tokens[ChanLocation(ch)]
}

// OwnsChannel reports whether the channel at addr belongs to an object under construction.
func OwnsChannel(addr ssa.Value) bool {
	fa, ok := addr.(*ssa.FieldAddr)
	return ok && ssautil.IsMadeHere(fa.X)
}

// IsMutex reports whether t is, or points to, a lock type of the standard library.
func IsMutex(t types.Type) bool {
	known, _ := stdlib.OfType(t)
	return known.Lock && !known.Abstract
}
