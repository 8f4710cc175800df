package atomicset

import (
	"go/token"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/summary"
)

// lock translates an operation on a lock that has a path.
func (b *builder) lock(op lockset.Op, pos token.Pos) {
	if op.Outcome != lockset.Always {
		return // translated at the branch on the outcome
	}
	path := b.sym(op.Guard.Path)
	if path == accesspath.Unknown || b.t.set.inferred && op.Guard.Class == b.t.set.guard && !path.Within(object) {
		path = b.t.guardName(op.Guard)
	}
	if path == accesspath.Unknown || path == object || path == around {
		return
	}
	text := b.in.f.GuardName(summary.Hold{Guard: op.Guard})
	name := strings.ReplaceAll(string(path), "#", ".") // # begins a comment in the model language
	if path.Within(around) {
		name += "@" + op.Guard.Class.Name() // owners of different types are different objects
	}
	b.emit(lockOp(op.Kind, op.Guard.Mode), b.t.m.Lock(name), pos, text)
}

// lockOp returns the operation of the model language for an operation on a lock.
func lockOp(kind lockset.OpKind, mode lockset.Mode) model.Op {
	shared := mode == lockset.Shared
	switch {
	case kind == lockset.Split:
		return model.Wait
	case kind == lockset.Acquire && shared:
		return model.RLock
	case kind == lockset.Acquire:
		return model.Lock
	case shared:
		return model.RUnlock
	}
	return model.Unlock
}

// guarded reports whether an access is made under the guard of an inferred set.
func (b *builder) guarded(e *summary.Event) bool {
	guard := b.t.set.guard
	if !b.t.set.inferred || slices.ContainsFunc(e.Holds, func(h summary.Hold) bool { return h.Class == guard }) {
		return true
	}
	return slices.ContainsFunc(b.in.f.Entry, func(g lockset.Guard) bool { return g.Class == guard })
}

// guardName returns the path of the guard of an inferred set for a lock of its class
// whose path is unknown.
func (t *translator) guardName(g lockset.Guard) accesspath.Path {
	if !t.set.inferred || g.Class != t.set.guard {
		return accesspath.Unknown
	}
	if field, ok := strings.CutPrefix(string(g.Class), t.set.owner+"."); ok {
		return object.Field(field)
	}
	return around.Field(g.Class.Name())
}
