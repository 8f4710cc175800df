package counterpart

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A Store is memory that other code keeps, such as a database: a field of an interface or function type, or a pointer to an object
// of another package. What is asked of it is no access to a location.
//
//	type Memory struct { db Backend; mu sync.Mutex; cache map[string]string }
//
// A cache of what a Store knows is invalid when the Store has changed. Who changes it removes from the cache:
//
//	m.db.Save(k, v)
//	m.mu.Lock(); delete(m.cache, k); m.mu.Unlock()

// StoreOf returns the location of the Store that a call asks, or changes, and "" for other calls.
func StoreOf(f *process.Func, call *ssa.Call) accesspath.Location {
	c := call.Common()
	if ssautil.Builtin(c) != "" {
		return ""
	}
	kept := c.Value
	if fn := c.StaticCallee(); fn != nil {
		obj := ssautil.Object(fn)
		if obj == nil || f.Fn.Pkg == nil || obj.Pkg() == f.Fn.Pkg.Pkg || c.Signature().Recv() == nil || stdlib.Declares(obj).Listed {
			return ""
		}
		kept = c.Args[0]
	}
	load, ok := kept.(*ssa.UnOp)
	if !ok {
		return ""
	}
	return f.Res.Resolve(load.X).Loc
}

// Names reports whether a call gives a Store something on which one of the values depends as well, such as a key. A context names nothing.
func Names(f *process.Func, call *ssa.Call, values ...ssa.Value) bool {
	var given depgraph.Slice
	for _, arg := range argumentsOf(call) {
		given = append(given, f.Slice(arg)...)
	}
	return slices.ContainsFunc(values, func(v ssa.Value) bool { return given.HasAny(f.Slice(v)) })
}

// argumentsOf returns the arguments of a call of a Store, without that and without contexts.
func argumentsOf(call *ssa.Call) []ssa.Value {
	args := call.Call.Args
	if call.Call.StaticCallee() != nil && call.Call.Signature().Recv() != nil {
		args = args[1:]
	}
	return slices.DeleteFunc(slices.Clone(args), func(v ssa.Value) bool { return ssautil.IsConst(v) || ssautil.IsNamed(v.Type(), "context", "Context") })
}

// Invalidates returns the writers that remove from the location of a cache and also change a Store: under the same key, or all of it
// as they give the Store something.
func (p *Finder) Invalidates(store, cache accesspath.Location) []fact.Writer {
	return pairs(p, &p.invalid, p.invalidations)[store][cache]
}

func (p *Finder) invalidations(f *process.Func) {
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok || !onlyChanges(call) {
				continue
			}
			store := StoreOf(f, call)
			if store == "" || len(argumentsOf(call)) == 0 {
				continue
			}
			for _, e := range f.Events {
				if e.Writes() && (e.Op&fact.Delete != 0 || e.Empties()) && e.Within == nil && !e.Distant && (e.Key == "" || Names(f, call, KeysOf(e)...)) &&
					(f.Order().Flows(call, e.Instr) || f.Order().Flows(e.Instr, call)) {
					p.invalid.add(store, e.Loc, withLocks(f, e))
				}
			}
		}
	}
}

// KeysOf returns the values that may be the key of a write: the key of a map, or the arguments of a call but for its receiver.
func KeysOf(w *funcsum.Event) []ssa.Value {
	switch instr := w.Instr.(type) {
	case *ssa.MapUpdate:
		return []ssa.Value{instr.Key}
	case ssa.CallInstruction:
		c := instr.Common()
		if ssautil.Builtin(c) == "delete" || c.StaticCallee() != nil && c.Signature().Recv() != nil {
			return c.Args[1:]
		}
		return c.Args
	}
	return nil
}

// onlyChanges reports whether a call is made for its effect: none of its results is used, but an error.
func onlyChanges(call *ssa.Call) bool {
	return !slices.ContainsFunc(ssautil.Results(call), func(v ssa.Value) bool {
		if _, many := v.Type().(*types.Tuple); many {
			return false // its parts are among the results
		}
		return !ssautil.IsError(v.Type()) && len(ssautil.Uses(v)) > 0
	})
}
