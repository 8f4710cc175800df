package callgraph

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A function may change a variable or a container of its caller, by a parameter that refers to it:
//
//	func (l *list) push(x item) { *l = append(*l, x) }
//
//	s.items.push(x) // writes s.items

// A passing has the arguments of a call of a function of the package.
type passing struct {
	callee *Node
	args   []ssa.Value
}

// notePassing records a call that may pass a variable or a container.
func (p *scanner) notePassing(c Callee) {
	for _, a := range c.Args {
		if isPassable(a.Type()) {
			p.passings = append(p.passings, passing{c.Fn, c.Args})
			return
		}
	}
}

// isPassable reports whether a function may change what a value of type t refers to, other than the fields of a struct.
func isPassable(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Map, *types.Slice:
		return true
	case *types.Pointer:
		_, isStruct := u.Elem().Underlying().(*types.Struct)
		return !isStruct
	}
	return false
}

// markPassed records the writes of what is passed to functions that change it, by a least fixpoint: what is passed may
// be a parameter itself.
func (p *scanner) markPassed() {
	for before := -1; len(p.changed) != before; {
		before = len(p.changed)
		for _, c := range p.passings {
			for i, prm := range c.callee.Fn.Params {
				if i < len(c.args) && p.changed[prm] && isPassable(c.args[i].Type()) {
					p.markWritten(c.args[i])
				}
			}
		}
	}
}
