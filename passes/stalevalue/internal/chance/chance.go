// Package chance finds the values that are drawn by chance: random numbers go into them, so that two runs of one
// computation yield two values, none of which stands for the other.
//
//	v := s.draw() // s.variants[rand.IntN(len(s.variants))]
//	b := make([]byte, 16); rand.Read(b); v := hex.EncodeToString(b)
//
// It is a may-property of what a value is computed from, followed through the results of callees of the package a few calls
// deep. What is asked with a random name is not drawn: the answer of an interface or of a function value is its own. Nor is
// when something is to be done, or for how long: that is no part of what it is.
package chance

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A Finder finds such values in a package, and remembers which functions return them.
type Finder struct {
	known    map[drawKey]bool
	controls map[*ssa.Function]*depgraph.Control
}

type drawKey struct {
	fn            *ssa.Function
	result, depth int
}

// New returns a Finder.
func New() *Finder {
	return &Finder{known: make(map[drawKey]bool), controls: make(map[*ssa.Function]*depgraph.Control)}
}

// IsDrawn reports whether random numbers go into a value.
func (r *Finder) IsDrawn(v ssa.Value) bool { return r.values(limit.DrawDepth, v) }

// values reports whether random numbers go into one of some values, by itself or in a callee.
func (r *Finder) values(depth int, values ...ssa.Value) bool {
	return slices.ContainsFunc(values, func(v ssa.Value) bool {
		return slices.ContainsFunc(r.computedFrom(v), func(x ssa.Value) bool {
			switch x := x.(type) {
			case *ssa.Call:
				return r.callDraws(x, 0, depth)
			case *ssa.Extract:
				call, ok := x.Tuple.(*ssa.Call)
				return ok && r.callDraws(call, x.Index, depth)
			}
			return isFilledByChance(x)
		})
	})
}

// computedFrom returns what v is computed from in its function, without what others answer.
func (r *Finder) computedFrom(v ssa.Value) depgraph.Slice {
	slicer := depgraph.Slicer{Control: r.control, Result: func(c *ssa.Call, _ int) ([]ssa.Value, bool) {
		return nil, c.Call.StaticCallee() == nil
	}}
	return slicer.Back(v)
}

func (r *Finder) control(fn *ssa.Function) *depgraph.Control {
	c, ok := r.controls[fn]
	if !ok {
		c = depgraph.NewControl(fn)
		r.controls[fn] = c
	}
	return c
}

// callDraws reports whether random numbers go into a result of a call, or decide about it.
func (r *Finder) callDraws(call *ssa.Call, result, depth int) bool {
	if results := call.Call.Signature().Results(); result >= results.Len() || isTiming(results.At(result).Type()) || ssautil.IsError(results.At(result).Type()) {
		return false
	}
	if r.isRandom(call) {
		return true
	}
	fn := ssautil.Target(&call.Call)
	if fn == nil || depth == 0 {
		return false
	}
	k := drawKey{fn, result, depth}
	known, ok := r.known[k]
	if !ok {
		known = slices.ContainsFunc(ssautil.Returns(fn), func(ret *ssa.Return) bool {
			values := []ssa.Value{ssautil.Returned(ret, result)}
			for _, br := range r.control(fn).Deciding(ret.Block()) {
				values = append(values, br.Cond)
			}
			return r.values(depth-1, values...)
		})
		r.known[k] = known
	}
	return known
}

// isFilledByChance reports whether a list, or an array of which a list is made, is given to a function that fills it with random bytes.
//
//	rand.Read(b), io.ReadFull(rand.Reader, b)
func isFilledByChance(v ssa.Value) bool {
	if !isOfBytes(v.Type()) {
		return false
	}
	return slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool {
		if list, ok := use.(*ssa.Slice); ok && list.X == v {
			return isFilledByChance(list)
		}
		call, ok := use.(*ssa.Call)
		return ok && slices.Contains(call.Call.Args, v) && (isOfRandom(call.Call.StaticCallee()) || slices.ContainsFunc(call.Call.Args, isRandomSource))
	})
}

// isOfBytes reports whether a type is a list of bytes, or a pointer to an array of them.
func isOfBytes(t types.Type) bool {
	list, ok := ssautil.Deref(t).Underlying().(interface{ Elem() types.Type })
	if !ok {
		return false
	}
	b, ok := list.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// isRandomSource reports whether a value is a variable of a package of random numbers: rand.Reader.
func isRandomSource(v ssa.Value) bool {
	load, ok := ssautil.Unboxed(v).(*ssa.UnOp)
	if !ok {
		return false
	}
	source, ok := load.X.(*ssa.Global)
	return ok && stdlib.OfPackage(source.Pkg.Pkg.Path()).Random
}

// isRandom reports whether a call draws: it is of a function of a package of random numbers, and not of a generator that the
// function has made itself, with a seed.
func (r *Finder) isRandom(call *ssa.Call) bool {
	fn := call.Call.StaticCallee()
	if !isOfRandom(fn) || makesGenerator(fn) {
		return false
	}
	return fn.Signature.Recv() == nil || !slices.ContainsFunc(r.computedFrom(call.Call.Args[0]), func(v ssa.Value) bool {
		made, ok := v.(*ssa.Call)
		return ok && isOfRandom(made.Call.StaticCallee()) && makesGenerator(made.Call.StaticCallee())
	})
}

// isOfRandom reports whether a function is of a package of random numbers.
func isOfRandom(fn *ssa.Function) bool {
	return fn != nil && stdlib.Declares(ssautil.Object(fn)).Random
}

// makesGenerator reports whether a function of a package returns an object of a type of it: rand.New, rand.NewSource.
func makesGenerator(fn *ssa.Function) bool {
	results := fn.Signature.Results()
	if results.Len() == 0 {
		return false
	}
	named := ssautil.Named(results.At(0).Type())
	return named != nil && named.Obj().Pkg() != nil && stdlib.OfPackage(named.Obj().Pkg().Path()).Random
}

// isTiming reports whether a type says when something is to be done.
func isTiming(t types.Type) bool {
	named := ssautil.Named(t)
	return named != nil && named.Obj().Pkg() != nil && stdlib.OfPackage(named.Obj().Pkg().Path()).Settings
}
