package counterpart

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A Wait is a wait for a time: the call of time.Sleep, the receive from the channel of time.After or of a new timer, or the
// delay before time.AfterFunc calls a literal.
type Wait struct {
	At ssa.Instruction // nil for a literal of time.AfterFunc, which waits before it begins
	// Until are the reads that the delay depends on. They are made in In, which is the
	// function itself, or the one that it is a literal of.
	In    *process.Func
	Until []*funcsum.Event
}

// Waits returns the waits of f whose delay depends on a read by f, or by the function that it is a literal of.
func Waits(f *process.Func, of func(*ssa.Function) *process.Func) []Wait {
	var out []Wait
	add := func(at ssa.Instruction, in *process.Func, delay ssa.Value) {
		if in, until := readFor(in, delay, of); len(until) > 0 {
			out = append(out, Wait{at, in, until})
		}
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Call:
				if funcsum.OfLibrary(&instr.Call).Sleeps {
					add(instr, f, instr.Call.Args[0])
				}
			case *ssa.UnOp:
				if delay := delayOf(instr.X); delay != nil {
					add(instr, f, delay)
				}
			case *ssa.Select:
				for _, s := range instr.States {
					if delay := delayOf(s.Chan); delay != nil {
						add(instr, f, delay)
					}
				}
			}
		}
	}
	if call := timerOf(f.Fn); call != nil {
		if parent := of(f.Fn.Parent()); parent != nil {
			add(nil, parent, call.Call.Args[0])
		}
	}
	return out
}

// isTimeFunc reports whether a call is one of a function of package time.
func isTimeFunc(c *ssa.Call, name string) bool {
	fn := ssautil.Target(&c.Call)
	return fn != nil && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "time" && fn.Signature.Recv() == nil && fn.Name() == name
}

// delayOf returns how long a channel takes to be ready: it is the result of time.After, or that of a new timer. It returns
// nil for other values.
func delayOf(ch ssa.Value) ssa.Value {
	if load, ok := ch.(*ssa.UnOp); ok {
		at, ok := load.X.(*ssa.FieldAddr)
		if !ok {
			return nil
		}
		if call, ok := at.X.(*ssa.Call); ok && isTimeFunc(call, "NewTimer") {
			return call.Call.Args[0]
		}
		return nil
	}
	if call, ok := ch.(*ssa.Call); ok && isTimeFunc(call, "After") {
		return call.Call.Args[0]
	}
	return nil
}

// timerOf returns the call that makes a timer which runs a literal, or nil.
func timerOf(fn *ssa.Function) *ssa.Call {
	if fn.Parent() == nil {
		return nil
	}
	mc := ssautil.ClosureOf(fn)
	if mc == nil {
		return nil
	}
	for _, use := range ssautil.Uses(mc) {
		if call, ok := use.(*ssa.Call); ok && isTimeFunc(call, "AfterFunc") {
			return call
		}
	}
	return nil
}

// readFor returns the reads of shared locations that v is data dependent on, and the function that makes them: f, or, if v is
// a variable that the literal f captures, the enclosing function.
func readFor(f *process.Func, v ssa.Value, of func(*ssa.Function) *process.Func) (*process.Func, []*funcsum.Event) {
	slice := f.Slice(v)
	if found := readIn(f, slice); len(found) > 0 {
		return f, found
	}
	mc := ssautil.ClosureOf(f.Fn)
	if f.Fn.Parent() == nil || mc == nil {
		return nil, nil
	}
	parent := of(f.Fn.Parent())
	if parent == nil || parent.State != funcsum.Built {
		return nil, nil
	}
	for i, captured := range f.Fn.FreeVars {
		if !slice.HasAny([]ssa.Value{captured}) {
			continue
		}
		values := []ssa.Value{mc.Bindings[i]}
		if variable, ok := mc.Bindings[i].(*ssa.Alloc); ok {
			values = storedTo(variable)
		}
		for _, value := range values {
			if found := readIn(parent, parent.Slice(value)); len(found) > 0 {
				return parent, found
			}
		}
	}
	return nil, nil
}

// storedTo returns the values that a variable is given.
func storedTo(variable *ssa.Alloc) []ssa.Value {
	var out []ssa.Value
	for _, use := range ssautil.Uses(variable) {
		if st, ok := use.(*ssa.Store); ok && st.Addr == variable {
			out = append(out, st.Val)
		}
	}
	return out
}

// readIn returns the accesses of f that have read a value of a slice.
func readIn(f *process.Func, slice depgraph.Slice) []*funcsum.Event {
	return slices.DeleteFunc(slices.Clone(f.Events), func(e *funcsum.Event) bool {
		return !e.Reads() || len(e.Values) == 0 || !slice.HasAny(e.Values)
	})
}
