package lockset

import (
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// OpKind is the kind of an effect on a lock.
type OpKind uint8

const (
	Acquire OpKind = iota // takes the lock
	Release               // releases the lock
	Split                 // releases the lock and takes it again, as sync.Cond.Wait does
)

// Outcome is a condition on the result of a call: the call has its effect on the lock
// only if the condition holds.
type Outcome uint8

const (
	Always  Outcome = iota // whatever the result is
	IfTrue                 // the result is true: TryLock
	IfFalse                // the result is false
	IfNil                  // the result, an error, is nil
	IfCase                 // the result, the chosen case of a select, is Op.Case
)

// An Op is the effect of one instruction on one lock.
type Op struct {
	Kind    OpKind  // what happens to the lock
	Guard   Guard   // the lock, in the terms of the function
	May     bool    // has its effect on some paths of the callee only
	Outcome Outcome // condition of the effect
	Result  int     // index of the result that Outcome is about
	Case    int     // index of the case, for IfCase
	// Unnamed says that the lock has no known path, but is one of those that are held: the
	// locker of a sync.Cond.
	Unnamed bool
	// Waits says that the lock is released in order to wait for a change.
	Waits bool
}

// Primitive returns the effect of a call of a method that locks or unlocks by its name
// and signature: a method of sync, or of any other type that has both methods of the
// pair. It returns false for other calls.
func Primitive(call *ssa.CallCommon, r *accesspath.Resolver) (Op, bool) {
	method, recv, args := methodCall(call)
	if method == nil {
		return Op{}, false
	}
	return Operation(method, recv, args, r)
}

// Operation is Primitive for a method with its receiver and arguments, which r resolves.
func Operation(method *types.Func, recv ssa.Value, args []ssa.Value, r *accesspath.Resolver) (Op, bool) {
	if op, ok := condWait(method, recv, r); ok {
		return op, true
	}
	known, ok := stdlib.OfMethod(method.Name())
	if !ok || !hasMethod(recv.Type(), known.Pair) {
		return Op{}, false
	}
	op := Op{Kind: Release, Guard: Guard{Mode: Exclusive}}
	if known.Acquires {
		op.Kind = Acquire
	}
	if known.Shared {
		op.Guard.Mode = Shared
	}
	sig := method.Signature()
	op.Guard.Path, op.Guard.Class = r.Resolve(recv).Path, ClassOf(recv, r)
	if sig.Params().Len() > 0 {
		// a keyed lock: Lock(key), Lock(ctx, key)
		key, ok := keyArg(args)
		if !ok {
			return Op{}, false
		}
		op.Guard.Path = op.Guard.Path.Index(r.Key(key))
	}
	switch res := sig.Results(); {
	case res.Len() == 0 && !known.Tries:
	case res.Len() == 1 && ssautil.IsBool(res.At(0).Type()) && op.Kind == Acquire:
		op.Outcome = IfTrue
	case res.Len() == 1 && ssautil.IsError(res.At(0).Type()):
		if op.Kind == Acquire {
			op.Outcome = IfNil
		}
		if sig.Params().Len() == 0 {
			return Op{}, false // a file lock, for example, which excludes other programs
		}
	default:
		return Op{}, false
	}
	if base, ok := readLocker(op.Guard.Path); ok {
		op.Guard.Path, op.Guard.Mode = base, Shared
		if made, ok := recv.(*ssa.Call); ok && len(made.Call.Args) > 0 {
			op.Guard.Class = r.Resolve(made.Call.Args[0]).Loc
		}
	}
	return op, true
}

// methodCall splits a call of a method into method, receiver and arguments.
func methodCall(call *ssa.CallCommon) (*types.Func, ssa.Value, []ssa.Value) {
	if call.IsInvoke() {
		return call.Method, call.Value, call.Args
	}
	fn := call.StaticCallee()
	if fn == nil || fn.Signature.Recv() == nil || len(call.Args) == 0 {
		return nil, nil, nil
	}
	m := ssautil.Object(fn)
	if m == nil {
		return nil, nil, nil
	}
	return m, call.Args[0], call.Args[1:]
}

func hasMethod(t types.Type, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	_, ok := obj.(*types.Func)
	return ok
}

// condWait recognizes sync.Cond.Wait: it releases and retakes the lock L.
func condWait(m *types.Func, recv ssa.Value, r *accesspath.Resolver) (Op, bool) {
	field := stdlib.OfFunc(m).WaitsFor
	if field == "" {
		return Op{}, false
	}
	l := r.Field(recv, field)
	return Op{
		Kind:  Split,
		Waits: true,
		Guard: Guard{Path: l.Path, Class: l.Loc, Mode: Exclusive},
		// The mutex is known if the resolver has seen the call of sync.NewCond.
		Unnamed: strings.HasSuffix(string(l.Path), "."+field),
	}, true
}

func keyArg(args []ssa.Value) (ssa.Value, bool) {
	for _, a := range args {
		if known, _ := stdlib.OfType(a.Type()); !known.Scope {
			return a, true
		}
	}
	return nil, false
}

// readLockerMark is what the resolver's user appends to the path of a
// sync.RWMutex to name the Locker that RWMutex.RLocker returns.
const readLockerMark = "RLocker()"

// ReadLocker returns the path of the Locker that RLocker returns for the
// sync.RWMutex at p.
func ReadLocker(p accesspath.Path) accesspath.Path { return p.Field(readLockerMark) }

func readLocker(p accesspath.Path) (accesspath.Path, bool) {
	if parent := p.Parent(); parent != accesspath.Unknown && parent.Field(readLockerMark) == p {
		return parent, true
	}
	return p, false
}

// ClassOf returns the class of the lock v: where it is declared, which parameter it is, or else
// its type. A lock whose type is declared in the package of the function is known by the type
// even as a parameter, as in the methods of the type.
func ClassOf(v ssa.Value, r *accesspath.Resolver) accesspath.Location {
	ref := r.Resolve(v)
	if ref.Loc != "" {
		return ref.Loc
	}
	if l := r.Locate(ref.Path); l != "" {
		return l
	}
	byType := ClassOfType(v.Type())
	if passed := r.Passed(ref.Path); passed != "" && (types.IsInterface(v.Type()) || byType.Pkg() != passed.Pkg()) {
		return passed
	}
	return byType
}

// ClassOfType returns the class of locks that are identified by their type alone.
func ClassOfType(t types.Type) accesspath.Location {
	if _, listed := stdlib.OfType(t); listed {
		return ""
	}
	return accesspath.TypeLocation(t)
}

// Has reports whether a fact about the result of a call implies the outcome of op.
func (op Op) Has(f branch.Fact) bool {
	switch op.Outcome {
	case IfTrue:
		return f.True()
	case IfFalse:
		return f.False()
	case IfNil:
		return f.Nil()
	case IfCase:
		return f.Is(constant.MakeInt64(int64(op.Case)))
	}
	return false
}
