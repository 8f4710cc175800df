package process

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A field has exclusive objects if no object that it refers to is that of the same field of another
// struct: whatever is stored there is allocated for it. Whether a function of another package
// allocates its result is to be asked of that package:
//
//	a := &App{store: store.Open()} // exclusive, if each call of store.Open makes another object
//
// In contrast to isExclusive, only unexported fields can have such objects, which other packages cannot
// set, and what a function of the package allocates counts, wherever it is published.

// exclusives returns the fields of the package with exclusive objects.
func (p *Processes) exclusives() *exclusive {
	if p.exclusive != nil {
		return p.exclusive
	}
	x := &exclusive{
		p: p, shared: make(map[accesspath.Location]bool), referred: make(map[accesspath.Location]bool), copied: make(map[string]bool),
		makers: make(map[accesspath.Location][]string), allocates: make(map[result]bool),
	}
	p.exclusive = x
	x.findAllocating()
	for _, f := range p.Funcs {
		if f.Test {
			continue
		}
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				switch instr := instr.(type) {
				case *ssa.Store:
					x.store(f, instr.Addr, instr.Val)
				case *ssa.MapUpdate:
					x.store(f, instr.Map, instr.Value)
				}
			}
		}
	}
	return x
}

// store notes that f stores a value.
func (x *exclusive) store(f *Func, addr, v ssa.Value) {
	if !ssautil.IsReference(v.Type()) {
		load, ok := v.(*ssa.UnOp)
		if named := ssautil.Named(v.Type()); ok && named != nil {
			if _, made := load.X.(*ssa.Alloc); !made {
				x.copied[named.Obj().Name()] = true
			}
		}
		return
	}
	at := f.Resolver().Resolve(addr).Loc
	if at == "" {
		return
	}
	key, ok := x.maker(f, v)
	switch {
	case !ok:
		x.shared[at] = true
		x.referred[at] = x.referred[at] || isReferred(v)
	case key != "" && !slices.Contains(x.makers[at], key):
		x.makers[at] = append(x.makers[at], key)
	}
}

// maker reports whether v is nil, or a new object that f stores in one place, as far as the package
// knows. If a function of another package has to make it, key names that function.
func (x *exclusive) maker(f *Func, v ssa.Value) (key string, ok bool) {
	if mi, ok := v.(*ssa.MakeInterface); ok && !storedTwice(v) && !storedTwice(mi.X) {
		v = mi.X
	}
	if x.p.madeFor(f, v) {
		return "", true
	}
	call, i := v, 0
	if e, ok := v.(*ssa.Extract); ok {
		call, i = e.Tuple, e.Index
	}
	c, ok := call.(*ssa.Call)
	if !ok || c.Call.StaticCallee() == nil || storedTwice(v) {
		return "", false
	}
	fn := c.Call.StaticCallee()
	if n := x.source(fn); n != nil {
		return "", x.allocates[result{n.Fn, i}]
	}
	obj := ssautil.Object(fn)
	if i > 0 || obj == nil || obj.Pkg() == nil || obj.Pkg() == x.p.Pkg {
		return "", false
	}
	key = fact.FuncKey(obj)
	return key, key != ""
}

// isReferred reports whether v is an object that somebody else has: an argument, or what was read from memory. What
// another function returns may be new.
func isReferred(v ssa.Value) bool {
	switch v := ssautil.Unboxed(v).(type) {
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Global:
		return true
	case *ssa.UnOp:
		return v.Op == token.MUL
	}
	return false
}

// storedTwice reports whether a value is stored in more than one place.
func storedTwice(v ssa.Value) bool {
	if v.Referrers() == nil {
		return true // a function or package variable
	}
	n := 0
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Val == v {
				n++
			}
		case *ssa.MapUpdate, *ssa.Send, *ssa.Phi, *ssa.MakeInterface, *ssa.MakeClosure:
			n++
		}
	}
	return n > 1
}

// source returns the function of the package that fn is, or is an instance of.
func (x *exclusive) source(fn *ssa.Function) *Func {
	if n := x.p.ByFn[ssautil.Generic(fn)]; n != nil {
		return x.p.Of(n)
	}
	return nil
}

// findAllocating computes the results that are new objects of each call: the least fixpoint.
func (x *exclusive) findAllocating() {
	for changed := true; changed; {
		changed = false
		for _, f := range x.p.Funcs {
			for i := range f.Fn.Signature.Results().Len() {
				if r := (result{f.Fn, i}); !x.allocates[r] && x.isAllocating(r) {
					x.allocates[r], changed = true, true
				}
			}
		}
	}
}

func (x *exclusive) isAllocating(r result) bool {
	found := false
	for _, ret := range ssautil.Returns(r.fn) {
		v, i := ssautil.Returned(ret, r.i), 0
		if c, ok := v.(*ssa.Const); ok && c.IsNil() {
			continue
		}
		v = ssautil.Unboxed(v)
		if e, ok := v.(*ssa.Extract); ok {
			v, i = e.Tuple, e.Index
		}
		switch v := v.(type) {
		case *ssa.Alloc:
			if !v.Heap {
				return false
			}
		case *ssa.Call:
			fn := v.Call.StaticCallee()
			if fn == nil {
				return false
			}
			f := x.source(fn)
			if f == nil || !x.allocates[result{f.Fn, i}] {
				return false
			}
		default:
			return false
		}
		found = true
	}
	return found
}

// made returns the exported functions of the package whose first results are new objects.
func (x *exclusive) made() []string {
	var out []string
	for _, f := range x.p.Funcs {
		if obj := ssautil.Object(f.Fn); obj != nil && obj.Exported() && x.allocates[result{f.Fn, 0}] {
			if key := fact.FuncKey(obj); key != "" {
				out = append(out, key)
			}
		}
	}
	slices.Sort(out)
	return out
}

// has reports whether the objects of a location are exclusive, and which functions of other
// packages have to make them.
func (x *exclusive) has(l accesspath.Location) (makers []string, ok bool) {
	if l == "" || l.Pkg() != x.p.Pkg.Path() || x.copied[l.Type()] {
		return nil, false
	}
	name := l.Name()[strings.LastIndexByte(l.Name(), '.')+1:]
	return x.makers[l], !x.shared[l] && (!ast.IsExported(name) || x.p.Pkg.Name() == "main")
}
