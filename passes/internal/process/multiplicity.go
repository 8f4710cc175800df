package process

import (
	"go/types"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"golang.org/x/tools/go/ssa"
)

// A function runs once per object if the calls leave it no second run: a constructor
// calls it on the object that it has allocated, or its only call is in a function that
// runs once on the same object, in no loop.
//
//	func Open() *Store { s := &Store{…}; s.start(); return s }
//	func (s *Store) start() { go s.flush() } // once per Store: one goroutine per Store
//
// It runs once per program if it is main or an initializer, or its only call is in such a
// function, in no loop.
//
// A loop that allocates an object for each call is left out: what its objects share is not
// theirs.

// Times says how often the function runs at most, "" for any number of times.
func (f *Func) Times() string {
	return [...]string{"", "once per object", "once per program"}[f.times]
}

// multiplicities computes the multiplicity of each function: the least fixpoint from
// often. More is known of a function only if more is known of its callers, so that the
// order of the functions does not matter.
func (p *Processes) multiplicities(sites [][]site, open []bool) {
	for i, f := range p.Funcs {
		if p.startsProgram(f) && len(sites[i]) == 0 {
			f.times = perProgram
		}
	}
	for changed := true; changed; {
		changed = false
		for i, f := range p.Funcs {
			if m := p.multiplicityOf(f, sites[i], open[i]); m > f.times {
				f.times, changed = m, true
			}
		}
	}
}

// startsProgram reports whether f is main or an initializer.
func (p *Processes) startsProgram(f *Func) bool {
	name := f.Fn.Name()
	return f.Fn.Parent() == nil && (name == "main" && p.Pkg.Name() == "main" || name == "init" || strings.HasPrefix(name, "init#"))
}

// multiplicityOf combines the multiplicities of the call sites of f. All may be in
// constructors, each of which allocates another object; or there is one.
func (p *Processes) multiplicityOf(f *Func, sites []site, open bool) multiplicity {
	sites = slices.DeleteFunc(slices.Clone(sites), func(s site) bool { return s.caller.Test && !f.Test })
	if len(sites) == 0 || open && !onlySpawned(f, sites) {
		return f.times
	}
	var makers []objectIn // the objects of the constructors
	for _, s := range sites {
		at, object := p.callMultiplicity(s)
		switch {
		case at == often:
			return often
		case len(sites) == 1:
			return at
		case at == perObject && object.path.IsFresh() && !slices.Contains(makers, object):
			makers = append(makers, object)
		default:
			return often
		}
	}
	return perObject
}

// onlySpawned reports whether f is only used in go statements, and has no name that others
// can call it by.
func onlySpawned(f *Func, sites []site) bool {
	return !f.Named && !slices.ContainsFunc(sites, func(s site) bool { return s.call.Instr == nil || s.call.Kind == fact.Escapes })
}

// An objectIn is an object of a function.
type objectIn struct {
	in   *Func
	path accesspath.Path
}

// callMultiplicity returns how often a call, or the start of a goroutine, is executed, and
// the object that it concerns if that is once per object.
func (p *Processes) callMultiplicity(s site) (multiplicity, objectIn) {
	if s.call.Instr == nil {
		return often, objectIn{}
	}
	if s.caller.Paths().Reaches(s.call.Instr, s.call.Instr) {
		return often, objectIn{}
	}
	if s.caller.times == perProgram {
		return perProgram, objectIn{}
	}
	for _, v := range p.operands(s) {
		path := s.caller.resolver().Resolve(v).Path
		if path.IsFresh() && path == path.Root() || s.caller.times == perObject && s.caller.isOwn(path) {
			return perObject, objectIn{s.caller, path}
		}
	}
	return often, objectIn{}
}

// operands returns the objects that a call hands to its callee: the receiver or first
// argument of a call, all arguments and bindings of a function that is started. A function
// that is only an argument of the call is handed nothing but its bindings.
func (p *Processes) operands(s site) []ssa.Value {
	common := s.call.Instr.Common()
	callee := p.Funcs[s.call.Callee]
	if mc := p.closureArgument(s); mc != nil {
		return objects(mc.Bindings)
	}
	for _, c := range p.Callees(s.caller.Body, common) {
		if c.Fn != callee.Node {
			continue
		}
		args := c.Args
		if _, isGo := s.call.Instr.(*ssa.Go); !isGo {
			args = args[:min(1, len(args))]
		}
		if c.Closure != nil {
			args = slices.Concat(c.Closure.Bindings, args)
		}
		return objects(args)
	}
	return nil
}

// objects returns the values that refer to a struct: a channel or a variable that a
// literal captures is made for one call, and says nothing about the objects it works on.
func objects(values []ssa.Value) []ssa.Value {
	return slices.DeleteFunc(slices.Clone(values), func(v ssa.Value) bool {
		t := ssautil.Deref(v.Type())
		if _, captured := v.(*ssa.Alloc); captured && ssautil.IsReference(t) {
			t = ssautil.Deref(t)
		}
		_, isStruct := t.Underlying().(*types.Struct)
		return !isStruct || isSetting(t)
	})
}
