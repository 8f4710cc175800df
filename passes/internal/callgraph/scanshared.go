package callgraph

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A filling is a write of a field of a new object by the function that has made it. In a critical section that
// begins when others can find the object, it does not belong to the construction:
//
//	s := new(slot)
//	if err := reserve(name, s); err != nil { return err } // table[name] = s
//	s.mu.Lock(); s.h = h; s.mu.Unlock()
//
// Without a lock, those who find the object have to wait until it is complete: the entry of a call in flight is filled in
// before its channel is closed.
type filling struct {
	at    *ssa.FieldAddr
	field *types.Var
}

// A lateStep is what an instruction does, as far as it matters for a new object.
type lateStep uint8

const (
	none     lateStep = iota
	shares            // others can find the object from here on
	acquires          // a section begins
	releases          // a section ends
	fills             // the object is written to
)

// A lockCall takes or releases a lock.
type lockCall struct {
	at   ssa.Instruction
	step lateStep
}
