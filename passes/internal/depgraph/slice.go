package depgraph

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A Slicer computes backward slices: the values that given values are computed from.
type Slicer struct {
	// Control returns the control dependences of a function. They make a
	// joined flag depend on the branches that chose its value:
	// ok := false; if x { ok = true }.
	Control func(*ssa.Function) *Control
	// Result returns the operands of a call that its result i is computed from. known is
	// false if the callee is unknown: then the result depends on all operands.
	Result func(call *ssa.Call, i int) (operands []ssa.Value, known bool)
	// Plain leaves out the control dependence of stores of constants into variables. In a
	// function with deferred calls each result is such a variable, and the first error
	// check would decide all of them.
	Plain bool
	// Shared reports whether the memory at addr is shared, so that a load
	// from it ends the slice.
	Shared func(addr ssa.Value) bool

	// Stored returns the value that a load yields because the same function has stored it
	// there immediately before, or nil.
	Stored func(load *ssa.UnOp) ssa.Value
	// Fills reports whether a call writes through its argument p, a pointer that is given as one of any type, what it computes from
	// the other arguments. For p in a list of further arguments, that is the list.
	Fills func(call *ssa.CallCommon, p ssa.Value) bool
	// Exceeds is called for a slice that is cut off because it is too large.
	Exceeds func()

	// seen holds for each value the last slice that contains it, instead of a set for each
	// slice.
	seen  map[ssa.Value]int
	round int
}

// A Slice is the set of values that some value is computed from. It is a list, as most
// slices are small.
type Slice []ssa.Value

// Has reports whether v is in the slice.
func (s Slice) Has(v ssa.Value) bool { return slices.Contains(s, v) }

// HasAny reports whether one of values is in the slice.
func (s Slice) HasAny(values []ssa.Value) bool {
	return slices.ContainsFunc(values, s.Has)
}

// Fresh returns a slicer with the same callbacks and no shared state.
func (s Slicer) Fresh() *Slicer {
	s.seen, s.round = nil, 0
	return &s
}

// Back returns the values that the given values are computed from, themselves included.
// The slice ends at a load from shared memory.
func (s *Slicer) Back(values ...ssa.Value) Slice {
	if s.seen == nil {
		s.seen = make(map[ssa.Value]int)
	}
	s.round++
	round := s.round
	out := make(Slice, 0, 8)
	push := func(v ssa.Value) {
		if v == nil || s.seen[v] == round {
			return
		}
		switch v.(type) {
		case *ssa.Const, *ssa.Builtin, *ssa.Function:
			return
		}
		if len(out) >= limit.SliceValues {
			if s.Exceeds != nil {
				s.Exceeds()
			}
			return
		}
		s.seen[v] = round
		out = append(out, v)
	}
	for _, v := range values {
		push(v)
	}
	for i := 0; i < len(out); i++ {
		s.step(out[i], push)
	}
	return out
}

func (s *Slicer) step(v ssa.Value, push func(ssa.Value)) {
	switch v := v.(type) {
	case *ssa.Phi:
		for _, e := range v.Edges {
			push(e)
		}
		s.chosen(v, push)
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			if s.Stored != nil {
				push(s.Stored(v))
			}
			s.load(v.X, push)
			return
		case token.ARROW:
			s.sent(v.X, push)
		}
		push(v.X)
	case *ssa.Extract:
		if c, ok := v.Tuple.(*ssa.Call); ok {
			s.result(c, v.Index, push)
			return
		}
		push(v.Tuple)
	case *ssa.Call:
		s.result(v, 0, push)
	case *ssa.Lookup:
		if !s.sharedLoad(v.X) {
			push(v.X)
		}
		push(v.Index)
	case *ssa.Next:
		push(v.Iter)
	case *ssa.MakeSlice:
		push(v.Len)
		s.written(v, push)
	case *ssa.Alloc, *ssa.MakeMap:
		s.written(v, push)
	case *ssa.FieldAddr, *ssa.IndexAddr:
		// The address itself is used as a value: the slice follows its memory.
		s.load(v, push)
	case *ssa.FreeVar:
		push(Binding(v))
	case *ssa.Parameter, *ssa.Global:
	default:
		if instr, ok := v.(ssa.Instruction); ok {
			var buf [8]*ssa.Value
			for _, op := range instr.Operands(buf[:0]) {
				if *op != nil {
					push(*op)
				}
			}
		}
	}
}

// load adds the values that the memory at addr may hold.
func (s *Slicer) load(addr ssa.Value, push func(ssa.Value)) {
	if s.Shared != nil && s.Shared(addr) {
		return
	}
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		push(a.X)
	case *ssa.IndexAddr:
		if !s.sharedLoad(a.X) {
			push(a.X)
		}
		push(a.Index)
	default:
		push(addr)
	}
}

// sharedLoad reports whether container is loaded from shared memory. A read of one of its
// elements is then a read of that memory itself, and says nothing about the others.
func (s *Slicer) sharedLoad(container ssa.Value) bool {
	l, ok := container.(*ssa.UnOp)
	return ok && l.Op == token.MUL && s.Shared != nil && s.Shared(l.X)
}

// written adds the values that are stored into the local variable, struct or container v.
func (s *Slicer) written(v ssa.Value, push func(ssa.Value)) {
	if v.Referrers() == nil {
		return
	}
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr == v {
				push(use.Val)
				s.chosenStore(use, push)
			}
		case *ssa.MapUpdate:
			if use.Map == v {
				push(use.Key)
				push(use.Value)
				s.chosenUpdate(use, push)
			}
		case *ssa.UnOp:
			// stores into the container that the variable, or a field of it, holds
			if use.Op == token.MUL && IsContainer(use.Type()) && (IsVariable(v) || isField(v)) {
				s.written(use, push)
			}
		case *ssa.FieldAddr:
			s.written(use, push)
		case *ssa.IndexAddr:
			s.written(use, push)
		case *ssa.Slice:
			s.written(use, push)
		case *ssa.Call:
			if ssautil.Builtin(&use.Call) == "copy" && use.Call.Args[0] == v {
				push(use.Call.Args[1])
				continue
			}
			// A callee with the address as an argument may write through it.
			if ssautil.IsPointer(v) && !use.Call.IsInvoke() {
				pushOthers(&use.Call, v, push)
			}
		case *ssa.MakeInterface:
			if ssautil.IsPointer(v) {
				s.filled(use, push)
			}
		case *ssa.MakeClosure:
			// stores into the variable by a function literal
			for _, fv := range bound(use, v) {
				s.written(fv, push)
			}
		}
	}
}

// filled adds the values from which the callees that are given the pointer p, as one of any type, compute what they leave there.
// What is written to is filled as well.
//
//	json.NewDecoder(body).Decode(&t)
//	rows.Scan(&name, &age)
//	fmt.Fprintf(&b, "%s=%d", name, age)
func (s *Slicer) filled(p *ssa.MakeInterface, push func(ssa.Value)) {
	writer := isWriter(p)
	if s.Fills == nil && !writer {
		return
	}
	for _, use := range ssautil.Uses(p) {
		switch use := use.(type) {
		case *ssa.Call:
			if writer || s.Fills(&use.Call, p) {
				pushOthers(&use.Call, p, push)
			}
		case *ssa.Store:
			elem, ok := use.Addr.(*ssa.IndexAddr)
			if !ok || use.Val != p || writer {
				continue
			}
			for _, list := range ssautil.Uses(elem.X) {
				arguments, ok := list.(*ssa.Slice)
				if !ok {
					continue
				}
				for _, call := range ssautil.Uses(arguments) {
					if call, ok := call.(*ssa.Call); ok && s.Fills(&call.Call, arguments) {
						pushOthers(&call.Call, arguments, push)
					}
				}
			}
		}
	}
}

// pushOthers adds the operands of a call but for one, those of a method its receiver included.
func pushOthers(call *ssa.CallCommon, but ssa.Value, push func(ssa.Value)) {
	if call.IsInvoke() {
		push(call.Value)
	}
	for _, a := range call.Args {
		if a != but {
			push(a)
		}
	}
}

// isWriter reports whether a value is given to be written to: it has to have the method Write, and no other.
func isWriter(m *ssa.MakeInterface) bool {
	t, ok := m.Type().Underlying().(*types.Interface)
	return ok && t.NumMethods() == 1 && t.Method(0).Name() == "Write"
}

// bound returns the free variables of the literal made by c that stand for v.
func bound(c *ssa.MakeClosure, v ssa.Value) []*ssa.FreeVar {
	fn, ok := c.Fn.(*ssa.Function)
	if !ok {
		return nil
	}
	var out []*ssa.FreeVar
	for i, b := range c.Bindings {
		if b == v && i < len(fn.FreeVars) {
			out = append(out, fn.FreeVars[i])
		}
	}
	return out
}

// Binding returns the value that a free variable of a function literal is bound to where
// the closure is made, or nil.
func Binding(v *ssa.FreeVar) ssa.Value {
	fn := v.Parent()
	if fn == nil || fn.Referrers() == nil {
		return nil
	}
	for _, use := range *fn.Referrers() {
		if c, ok := use.(*ssa.MakeClosure); ok {
			for i, fv := range fn.FreeVars {
				if fv == v && i < len(c.Bindings) {
					return c.Bindings[i]
				}
			}
		}
	}
	return nil
}

// IsVariable reports whether v is the address of a variable of a function.
func IsVariable(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.Alloc, *ssa.FreeVar:
		return true
	}
	return false
}

// isField reports whether v is the address of a field.
func isField(v ssa.Value) bool {
	_, ok := v.(*ssa.FieldAddr)
	return ok
}

// LengthOf returns the list that v is the length of, or v itself: a fact about the length
// of a list is a fact about the list.
func LengthOf(v ssa.Value) ssa.Value {
	if c, ok := v.(*ssa.Call); ok {
		if ssautil.Builtin(&c.Call) == "len" {
			return c.Call.Args[0]
		}
	}
	return v
}

// IsContainer reports whether values of type t refer to elements: maps and slices.
func IsContainer(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Map, *types.Slice:
		return true
	}
	return false
}

// chosen adds the conditions that decide which operand a phi of constants, a flag, gets, and those that decide
// whether an element is appended to a list.
// Other phis are not followed by control: almost every value would depend on every
// branch.
func (s *Slicer) chosen(v *ssa.Phi, push func(ssa.Value)) {
	constant := slices.ContainsFunc(v.Edges, ssautil.IsConst)
	if !constant && !slices.ContainsFunc(v.Edges, ssautil.IsAppend) {
		return
	}
	control := s.Control(v.Parent())
	// A branch that decides whether the phi is reached does not choose its operand, but for those in a loop at the
	// head of which the phi gets one value or another: they choose the operand of the next iteration.
	//
	//	for id, s := range m.sessions {
	//		if s.deadline < now { ids = append(ids, id); if len(ids) == max { break } }
	//	}
	reached := control.Deciding(v.Block())
	if differsByRound(v) {
		reached = slices.DeleteFunc(slices.Clone(reached), func(br *ssa.If) bool { return v.Block().Dominates(br.Block()) })
	}
	same := oneRound(v)
	for i, e := range v.Edges {
		pred := v.Block().Preds[i]
		if ssautil.IsAppend(e) {
			chooses(control, e.(*ssa.Call).Block(), reached, push)
		}
		if !constant || same && v.Block().Dominates(pred) {
			continue
		}
		if br, ok := pred.Instrs[len(pred.Instrs)-1].(*ssa.If); ok && !slices.Contains(reached, br) {
			push(br.Cond)
		}
		if ssautil.IsConst(e) {
			chooses(control, pred, reached, push)
		}
	}
}

// chosenUpdate adds the conditions that decide whether an element is put into a map that the function makes.
func (s *Slicer) chosenUpdate(up *ssa.MapUpdate, push func(ssa.Value)) {
	made, ok := up.Map.(*ssa.MakeMap)
	if !ok {
		return
	}
	control := s.Control(up.Parent())
	chooses(control, up.Block(), control.Deciding(made.Block()), push)
}

// chooses adds the conditions that a block is directly control dependent on, but for those of the branches in reached, which do not choose.
func chooses(control *Control, b *ssa.BasicBlock, reached []*ssa.If, push func(ssa.Value)) {
	for _, br := range control.Direct(b) {
		if !slices.Contains(reached, br) {
			push(br.Cond)
		}
	}
}

// oneRound reports whether a phi at the head of a loop gets the same value on every back
// edge: the branches inside the loop then do not choose its operand. A constant on a back
// edge does not count, as it records that an iteration took place.
func oneRound(v *ssa.Phi) bool {
	var again ssa.Value
	for i, e := range v.Edges {
		if !v.Block().Dominates(v.Block().Preds[i]) {
			continue
		}
		if _, constant := e.(*ssa.Const); constant || again != nil && again != e {
			return false
		}
		again = e
	}
	return again != nil
}

// differsByRound reports whether a phi at the head of a loop gets different values on the back edges.
func differsByRound(v *ssa.Phi) bool {
	var again ssa.Value
	for i, e := range v.Edges {
		if !v.Block().Dominates(v.Block().Preds[i]) {
			continue
		}
		if again != nil && again != e && again.Name() != e.Name() { // the name of a constant is its value
			return true
		}
		again = e
	}
	return false
}

// chosenStore is chosen for a flag that a function literal captures, and for a list in a variable: the result of a function with deferred
// calls is one.
func (s *Slicer) chosenStore(st *ssa.Store, push func(ssa.Value)) {
	if _, constant := st.Val.(*ssa.Const); !ssautil.IsAppend(st.Val) && (!constant || s.Plain) {
		return
	}
	control := s.Control(st.Parent())
	var reached []*ssa.If
	if a := variable(st.Addr); a != nil && a.Parent() == st.Parent() {
		reached = control.Deciding(a.Block())
	}
	chooses(control, st.Block(), reached, push)
}

func (s *Slicer) result(c *ssa.Call, i int, push func(ssa.Value)) {
	if s.Result != nil {
		if operands, known := s.Result(c, i); known {
			for _, v := range operands {
				push(v)
			}
			return
		}
	}
	for _, a := range c.Call.Args {
		push(a)
	}
	if c.Call.IsInvoke() {
		push(c.Call.Value)
	} else if ssautil.Builtin(&c.Call) == "" {
		push(c.Call.Value)
	}
}

// variable returns the variable that addr is a part of, or nil.
func variable(addr ssa.Value) *ssa.Alloc {
	for {
		switch a := addr.(type) {
		case *ssa.Alloc:
			return a
		case *ssa.FieldAddr:
			addr = a.X
		case *ssa.IndexAddr:
			addr = a.X
		default:
			return nil
		}
	}
}
