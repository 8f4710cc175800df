package process

import (
	"go/types"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/cfgpath"
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
// So does a method that could not run twice: see endsObject.
//
// It runs once per program if it is main or an initializer, or its only call is in such a
// function, in no loop.
//
// In a loop it does if each round allocates another object. What these objects share is not
// theirs: see Concurrent.

// Times says how often the function runs at most, "" for any number of times.
func (f *Func) Times() string {
	return [...]string{"", "once per object", "once per program"}[f.times]
}

// multiplicities computes the multiplicity of each function: the least fixpoint from
// often. More is known of a function only if more is known of its callers, so that the
// order of the functions does not matter.
func (p *Processes) multiplicities(sites [][]site, open []bool) {
	for i, f := range p.Funcs {
		if p.StartsProgram(f.Node) && len(sites[i]) == 0 {
			f.times = perProgram
		}
	}
	for changed := true; changed; {
		changed = false
		for i, f := range p.Funcs {
			m, own := p.multiplicityOf(f, sites[i], open[i])
			if f.ends && m < perObject {
				m, own = perObject, owned{accesspath.Param(0)}
			}
			if m > f.times {
				f.times, f.own, changed = m, own, true
			}
		}
	}
}

// multiplicityOf combines the multiplicities of the call sites of f. All may be in
// constructors, each of which allocates another object; or there is one.
func (p *Processes) multiplicityOf(f *Func, sites []site, open bool) (multiplicity, owned) {
	sites = slices.DeleteFunc(slices.Clone(sites), func(s site) bool { return s.caller.Test && !f.Test })
	if len(sites) == 0 || open && (p.Entered(f.Node) || !onlySpawned(f, sites)) {
		return f.times, f.own
	}
	var makers []objectIn // the objects of the constructors
	var own owned
	for i, s := range sites {
		at, objects := p.callMultiplicity(s)
		if at == often || len(sites) == 1 {
			return at, names(objects)
		}
		if i == 0 {
			own = names(objects)
		}
		if own = intersect(own, names(objects)); at != perObject || len(own) == 0 {
			return often, nil
		}
		for _, o := range objects {
			if !o.path.IsFresh() || slices.Contains(makers, o.objectIn) {
				return often, nil
			}
			makers = append(makers, o.objectIn)
		}
	}
	return perObject, own
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

// A given is an object that a call hands to its callee, and the name that it has there.
type given struct {
	objectIn
	as accesspath.Path
}

func names(objects []given) owned {
	var out owned
	for _, o := range objects {
		out = append(out, o.as)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// callMultiplicity returns how often a call, or the start of a goroutine, is executed, and
// the objects that it concerns if that is once per object.
func (p *Processes) callMultiplicity(s site) (multiplicity, []given) {
	if s.call.Instr == nil {
		return often, nil
	}
	repeats := s.caller.Paths().Reaches(s.call.Instr, s.call.Instr)
	if s.caller.times == perProgram && !repeats {
		return perProgram, nil
	}
	var out []given
	for _, o := range p.operands(s) {
		path := s.caller.Resolver().Resolve(o.value).Path
		if repeats && !isAnew(s, path) {
			continue
		}
		if path.IsFresh() && path == path.Root() || s.caller.times == perObject && slices.Contains(s.caller.own, path) {
			out = append(out, given{objectIn{s.caller, path}, o.as})
		}
	}
	if len(out) > 0 {
		return perObject, out
	}
	return often, nil
}

// areMade reports whether the function that hands over some objects allocates them all.
func areMade(objects []given) bool {
	return len(objects) > 0 && !slices.ContainsFunc(objects, func(o given) bool { return !o.path.IsFresh() })
}

// isAnew reports whether each round of the loop that a call is in makes another object:
//
//	for c := range conns {
//		s := &session{conn: c}
//		go s.run()
//	}
func isAnew(s site, path accesspath.Path) bool {
	made, ok := s.caller.Resolver().Definition(path).(ssa.Instruction)
	return ok && path.IsFresh() && path == path.Root() && !s.caller.Paths().Exists(cfgpath.Way{From: s.call.Instr, To: s.call.Instr, Avoid: made})
}

// operands returns the objects that a call hands to its callee: the receiver or first argument
// of a call, all arguments and bindings of a function that is started.
func (p *Processes) operands(s site) []operand {
	handed := p.handed(s)
	if _, isGo := s.call.Instr.(*ssa.Go); !isGo && p.closureArgument(s) == nil {
		handed = slices.DeleteFunc(handed, func(o operand) bool { return o.as.IsParam() && o.as != accesspath.Param(0) })
	}
	return objects(handed)
}

// objects returns the operands that refer to a struct: a channel or a variable that a literal
// captures is made for one call, and says nothing about the objects it works on.
func objects(operands []operand) []operand {
	return slices.DeleteFunc(operands, func(o operand) bool {
		t := ssautil.Deref(o.value.Type())
		if _, captured := o.value.(*ssa.Alloc); captured && ssautil.IsReference(t) {
			t = ssautil.Deref(t)
		}
		_, isStruct := t.Underlying().(*types.Struct)
		return !isStruct || isSetting(t)
	})
}
