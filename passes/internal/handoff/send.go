package handoff

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A send is a send of a message to a channel by a function, or by one that it calls.
type send struct {
	instr ssa.Instruction // in the function
	to    origin
	path  accesspath.Path // of the channel, in the function
	// message returns a field of the message, or all of it for "".
	message func(field string) item
	// conditions are the arguments that decide, in the callee, whether it sends.
	conditions []ssa.Value
	await      ssa.Instruction // waits in the function for something after the send, or nil
	calls      int             // that lead to the send
	listed     bool            // an element is appended to a list
}

// An item is a part of a message, in the terms of a function.
type item struct {
	path accesspath.Path
	key  accesspath.Key
	// deps are the values that it depends on, and whole is set if it is one of them, or the
	// field of it, if that is not "".
	deps  []ssa.Value
	whole ssa.Value
	field string
}

// sends finds the sends of the functions of a package.
type sends struct {
	p    *funcsum.Summaries
	list map[*funcsum.Body][]*send // cache of of
}

// of returns the sends of f and of the functions that it calls. In a cycle of calls each is found
// once.
func (h *sends) of(f *funcsum.Body) []*send {
	if list, known := h.list[f]; known || f.Flow == nil {
		return list
	}
	h.list[f] = nil
	out := append(ownSends(f), appends(f)...)
	for _, c := range f.Calls {
		g := h.p.Funcs[c.Callee]
		if c.Kind != fact.Called || c.Instr == nil || g == f {
			continue
		}
		for _, s := range h.of(g) {
			if s.calls >= limit.HandoffCalls || len(out) >= limit.Handoffs {
				break
			}
			if lifted := h.lift(f, c, g, s); lifted != nil {
				out = append(out, lifted)
			}
		}
	}
	h.list[f] = out
	return out
}

// ownSends returns the sends of a function itself.
func ownSends(f *funcsum.Body) []*send {
	var out []*send
	add := func(instr ssa.Instruction, ch, x ssa.Value) {
		if to := originOf(ch); to != (origin{}) {
			out = append(out, &send{
				instr: instr, to: to, path: f.Res.Resolve(ch).Path, await: awaitAfter(f, instr),
				message: func(field string) item { return part(f, x, field) },
			})
		}
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Send:
				add(instr, instr.Chan, instr.X)
			case *ssa.Select:
				for _, s := range instr.States {
					if s.Dir == types.SendOnly {
						add(instr, s.Chan, s.Send)
					}
				}
			}
		}
	}
	return out
}

// lift returns a send of g in the terms of f, which calls it.
func (h *sends) lift(f *funcsum.Body, call callgraph.Call, g *funcsum.Body, s *send) *send {
	callees := h.p.Callees(f, call.Instr.Common())
	i := slices.IndexFunc(callees, func(c callgraph.Callee) bool { return c.Fn == g.Node && !c.May && c.Via == nil })
	if i < 0 {
		return nil
	}
	c := callees[i]
	args := func(values []ssa.Value) []ssa.Value { return argumentsFor(g, c, values) }
	out := &send{
		instr: call.Instr, to: s.to, path: h.p.Translate(f, c, s.path), calls: s.calls + 1, listed: s.listed,
		await: awaitAfter(f, call.Instr),
	}
	if s.await != nil {
		out.await = call.Instr
	}
	out.message = func(field string) item {
		it := s.message(field)
		if prm, ok := it.whole.(*ssa.Parameter); ok {
			if i := slices.Index(g.Fn.Params, prm); i >= 0 && i < len(c.Args) {
				return part(f, c.Args[i], it.field)
			}
		}
		return item{path: h.p.Translate(f, c, it.path), key: h.p.TranslateKey(f, c, it.key), deps: args(it.deps)}
	}
	conds := slices.Clone(s.conditions)
	for _, br := range g.Branches(&funcsum.Event{Instr: s.instr}) {
		conds = append(conds, br.Cond)
	}
	out.conditions = args(conds)
	return out
}

// argumentsFor returns the arguments that values of a callee depend on.
func argumentsFor(g *funcsum.Body, c callgraph.Callee, values []ssa.Value) []ssa.Value {
	var out []ssa.Value
	for _, v := range values {
		slice := g.Slice(v)
		for i, prm := range g.Fn.Params {
			if i < len(c.Args) && slice.Has(prm) && !slices.Contains(out, c.Args[i]) {
				out = append(out, c.Args[i])
			}
		}
	}
	return out
}

// operands returns the values in the function that fields of the message depend on.
func (s *send) operands(fields []string) []ssa.Value {
	var out []ssa.Value
	for _, field := range fields {
		out = append(out, s.message(field).deps...)
	}
	return out
}

// part returns a field of a value of f, as far as f composes it.
func part(f *funcsum.Body, x ssa.Value, field string) item {
	x = unchanged(x)
	if field == "" {
		return item{path: f.Res.Resolve(x).Path, key: f.Res.Key(x), deps: []ssa.Value{x}, whole: x}
	}
	if made := composed(x); made != nil {
		stored, of := storesTo(made, field)
		switch {
		case len(stored) == 1 && len(of) == 0:
			return part(f, stored[0], "")
		case len(stored) == 0 && len(of) == 1:
			return part(f, of[0], field)
		case len(stored) == 0 && len(of) == 0:
			return item{key: accesspath.AnyKey, whole: zeroOf(made, field)}
		case len(of) == 0:
			return item{key: accesspath.AnyKey, deps: stored}
		}
	}
	path := f.Res.Resolve(x).Path.Field(field)
	return item{path: path, key: f.Res.Stored(accesspath.PathKey(path)), deps: []ssa.Value{x}, whole: x, field: field}
}

// composed returns the local variable that holds a struct, or that a pointer refers to.
func composed(x ssa.Value) *ssa.Alloc {
	if load, ok := x.(*ssa.UnOp); ok && load.Op == token.MUL {
		x = load.X
	}
	made, _ := x.(*ssa.Alloc)
	if made == nil {
		return nil
	}
	for range limit.FuncValueSteps {
		from := copiedFrom(made)
		if from == nil {
			break
		}
		made = from
	}
	if _, ok := ssautil.Deref(made.Type()).Underlying().(*types.Struct); !ok {
		return nil
	}
	return made
}

// copiedFrom returns the variable that a variable is a copy of, as after x := T{…}, or that it
// has a pointer to, or nil.
func copiedFrom(v *ssa.Alloc) *ssa.Alloc {
	x := onlyValue(v)
	if load, ok := x.(*ssa.UnOp); ok && load.Op == token.MUL {
		x = load.X
	}
	from, _ := x.(*ssa.Alloc)
	return from
}

// storesTo returns what is stored to a field of a struct, and the structs that are stored to all
// of it.
func storesTo(made *ssa.Alloc, field string) (out, of []ssa.Value) {
	for _, use := range *made.Referrers() {
		switch use := use.(type) {
		case *ssa.FieldAddr:
			if fieldName(use.X, use.Field) != field {
				continue
			}
			for _, at := range *use.Referrers() {
				if st, ok := at.(*ssa.Store); ok && st.Addr == use {
					out = append(out, st.Val)
				}
			}
		case *ssa.Store:
			if use.Addr == made {
				of = append(of, use.Val)
			}
		}
	}
	return out, of
}

// zeroOf returns the value of a field of a struct that nothing is stored to, nil if it is no
// constant.
func zeroOf(made *ssa.Alloc, field string) ssa.Value {
	st := ssautil.Deref(made.Type()).Underlying().(*types.Struct)
	for f := range st.Fields() {
		if f.Name() != field {
			continue
		}
		switch f.Type().Underlying().(type) {
		case *types.Basic, *types.Pointer, *types.Map, *types.Slice, *types.Chan, *types.Signature, *types.Interface:
			return ssautil.Zero(f.Type())
		}
	}
	return nil
}
