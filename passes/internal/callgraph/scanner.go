package callgraph

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A scanner makes the one pass over the instructions of the package. Later stages analyze
// relevant functions only, which keeps packages without concurrency cheap.
type scanner struct {
	*Graph
	// fields are the fields that each function uses, by FuncID.
	fields [][]*types.Var
	// usesParams says which functions access maps and variables that their parameters refer
	// to, by FuncID.
	usesParams []bool
	// returnsPart says which functions return a part of an argument, by reference.
	returnsPart []bool
	// takes and gives say which functions call methods that take locks, and such that release them,
	// by FuncID.
	takes, gives []bool
	// locked are the calls of each function that take or release a lock.
	locked map[FuncID][]lockCall
	// changed are the parameters that refer to variables, or containers, which the function changes, and passings the
	// calls that may pass such ones.
	changed  map[*ssa.Parameter]bool
	passings []passing
	// given are the fields of parameters that functions write.
	given map[*ssa.Parameter][]*types.Var
	// filled are the fields of new objects that the functions write which have made them, and objects their keys, in the order
	// of the functions.
	filled  map[ssa.Value][]filling
	objects []ssa.Value
	// allocated are the struct types of the package that have objects of their own.
	allocated map[*types.TypeName]bool
	// fieldCalls are resolved after all stores to fields were scanned, and storedParams after all calls were.
	fieldCalls   []fieldCall
	storedParams []storedParam
}

// A fieldCall is a call of the value of a field.
type fieldCall struct {
	f     *Node
	instr ssa.CallInstruction
	kind  fact.CallKind
}

// A passing has the arguments of a call of a function of the package.
type passing struct {
	caller, callee *Node
	args           []ssa.Value
}

// notePassing records a call in f that may pass a variable, a container or a function.
func (p *scanner) notePassing(f *Node, c Callee) {
	for _, a := range c.Args {
		if isPassable(a.Type()) || ssautil.IsFunc(a.Type()) {
			p.passings = append(p.passings, passing{f, c.Fn, c.Args})
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
