package accesspath

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A library may go through the elements of a container, with a literal that gets the key and the element as parameters:
//
//	s.counters.Range(func(k, v any) bool {
//		v.(*atomic.Int64).Store(0) // of s.counters[k]
//		return true
//	})
//
// In the literal, the second parameter is another name for the element, as the variable of a range loop is, if the literal has a name
// for the container: it has captured what the container is reached by.

// elementOfEach returns what parameter i of the resolver's function refers to, if that is a literal which is only called for each element of a
// container, with the key of the element and the element itself.
func (r *Resolver) elementOfEach(i int) (Ref, bool) {
	if i != 1 || len(r.fn.Params) != 2 || r.fn.Parent() == nil {
		return Ref{}, false
	}
	container, bindings := containerOf(r.fn)
	if container == nil {
		return Ref{}, false
	}
	outside := NewResolver(r.fn.Parent(), nil, nil)
	at := captured(outside.Resolve(container).Path, bindings, outside)
	if at == Unknown {
		return Ref{}, false
	}
	ref, _ := r.locate(at.Index(PathKey(Param(0))))
	return ref, ref.Path != Unknown
}

// containerOf returns the container for each element of which a literal is called, and what the literal has captured; nil if it is used otherwise.
func containerOf(literal *ssa.Function) (container ssa.Value, bindings []ssa.Value) {
	uses := ssautil.Uses(literal)
	if closure := ssautil.ClosureOf(literal); closure != nil {
		uses, bindings = ssautil.Uses(closure), closure.Bindings
	}
	if len(uses) != 1 {
		return nil, nil
	}
	call, ok := uses[0].(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil {
		return nil, nil
	}
	known := stdlib.OfFunc(ssautil.Object(call.Call.StaticCallee()))
	if known.Runs != stdlib.Each || known.Access&stdlib.Whole == 0 {
		return nil, nil
	}
	return call.Call.Args[0], bindings
}

// captured returns the path p of a function in the terms of a literal that it makes, by the captured variable that is nearest to it, or Unknown.
func captured(p Path, bindings []ssa.Value, outside *Resolver) Path {
	if p.IsGlobal() {
		return p
	}
	name, longest := Unknown, -1
	for i, bound := range bindings {
		if from := outside.Resolve(bound).Path; p.Within(from) && len(from) > longest {
			name, longest = p.Moved(from, Free(i)), len(from)
		}
	}
	if slices.ContainsFunc(name.Keys(), func(k Key) bool { return !k.isConst() }) {
		return Unknown // a key has a name in the function that makes the literal
	}
	return name
}
