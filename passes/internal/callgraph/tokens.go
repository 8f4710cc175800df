package callgraph

import (
	"go/token"
	"go/types"

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
// A primed channel is created with an element in it, and a receive acquires the lock.
type tokenUse struct {
	one    bool // the capacity is one
	Primed bool // the constructor sends the first element
	barred bool // the channel has a use that excludes a lock, such as polling
	// senders and takers are the declared functions that send and receive; a literal counts
	// as the function that contains it.
	senders map[*ssa.Function]bool
	takers  map[*ssa.Function]bool
}

// IsLock reports whether the channel is a lock: its capacity is one, and the functions that
// send are those that receive.
func (t *tokenUse) IsLock() bool {
	if !t.one || t.barred || len(t.senders) == 0 || len(t.senders) != len(t.takers) {
		return false
	}
	for fn := range t.senders {
		if !t.takers[fn] {
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
