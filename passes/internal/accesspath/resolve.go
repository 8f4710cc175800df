package accesspath

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A Ref is what a value of a function refers to.
type Ref struct {
	Path Path     // the object or the piece of memory itself
	Base Path     // the object that contains it
	Loc  Location // the location it belongs to, "" if it is not shared memory
	Key  Key      // its element of Loc, "" for the whole
}

// A Resolver finds the Refs of the values of one function.
type Resolver struct {
	fn   *ssa.Function
	memo map[ssa.Value]Ref
	// ids numbers the values that are roots of paths.
	ids map[ssa.Value]int
	// defs is the inverse of ids.
	defs []ssa.Value
	// callResult returns the path of result i of a call in terms of its arguments, or
	// fresh if the result is a new object.
	callResult func(call *ssa.Call, i int) (p Path, fresh bool)
	// alias returns another name for a field of base: field L of a sync.Cond is the mutex
	// that the Cond was made with.
	alias func(base Ref, field string) (Ref, bool)
	// deterministic reports whether the results of a call are determined by its arguments.
	deterministic func(*ssa.Call) bool
	// variable returns the location of a shared local variable, or "".
	variable     func(addr ssa.Value) Location
	computedMemo map[ssa.Value]Path
	// storing are the values that Stored is finding the keys of: a field may be made with itself.
	storing map[ssa.Value]bool
}

// NewResolver returns a resolver for fn. callResult, if not nil, returns the path of the
// result of a call whose callee returns a part of one of its arguments, or reports that
// the result is a new object; alias, if not nil, returns another name for a field of an
// object.
func NewResolver(fn *ssa.Function, callResult func(*ssa.Call, int) (Path, bool), alias func(Ref, string) (Ref, bool)) *Resolver {
	return &Resolver{
		fn:         fn,
		memo:       make(map[ssa.Value]Ref),
		ids:        make(map[ssa.Value]int),
		callResult: callResult,
		alias:      alias,
	}
}

// Resolve returns what v, a value or an address, refers to.
func (r *Resolver) Resolve(v ssa.Value) Ref {
	if ref, ok := r.memo[v]; ok {
		return ref
	}
	// Values can be cyclic through phis: the provisional name ends the
	// recursion and is what a cyclic value keeps.
	r.memo[v] = Ref{Path: r.local(v)}
	ref := r.resolve(v)
	r.memo[v] = ref
	return ref
}

// Definition returns the value that is the root of a local path, or nil.
func (r *Resolver) Definition(p Path) ssa.Value {
	i := p.number('v')
	if i < 0 {
		i = p.number('n')
	}
	if i < 0 || i >= len(r.defs) {
		return nil
	}
	return r.defs[i]
}

func (r *Resolver) id(v ssa.Value) string {
	n, ok := r.ids[v]
	if !ok {
		n = len(r.defs)
		r.ids[v] = n
		r.defs = append(r.defs, v)
	}
	return strconv.Itoa(n)
}

// Choice returns the name of the index of the element that a call returns, as a root.
func (r *Resolver) Choice(call *ssa.Call) Path { return r.local(call) }

func (r *Resolver) local(v ssa.Value) Path { return Path("v" + r.id(v)) }
func (r *Resolver) fresh(v ssa.Value) Path { return Path("n" + r.id(v)) }

func (r *Resolver) resolve(v ssa.Value) Ref {
	if x := renamed(v); x != nil {
		return r.Resolve(x)
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		if i := slices.Index(r.fn.Params, v); i >= 0 {
			if element, ok := r.elementOfEach(i); ok {
				return element
			}
			return r.parameter(i, v)
		}
	case *ssa.FreeVar:
		if i := slices.Index(r.fn.FreeVars, v); i >= 0 {
			return r.shared(v, Ref{Path: Free(i)})
		}
	case *ssa.Global:
		p := Global(v.Pkg.Pkg.Path(), v.Name())
		return Ref{Path: p, Base: p, Loc: Location(p)}
	case *ssa.FieldAddr:
		return r.field(v.X, v.Field)
	case *ssa.Field:
		return r.field(v.X, v.Field)
	case *ssa.IndexAddr:
		return r.element(v.X, v.Index)
	case *ssa.Index:
		return r.element(v.X, v.Index)
	case *ssa.Lookup:
		return r.element(v.X, v.Index)
	case *ssa.Alloc:
		return r.allocated(v)
	case *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan, *ssa.MakeClosure:
		return Ref{Path: r.fresh(v)}
	case *ssa.Phi:
		return r.join(v, v.Edges)
	case *ssa.Extract:
		return r.extracted(v)
	case *ssa.Call:
		return r.result(v, v, 0)
	case *ssa.TypeAssert:
		return r.asserted(r.Resolve(v.X), v.AssertedType)
	case *ssa.BinOp:
		if path := r.concatenation(v); path != Unknown {
			return Ref{Path: path}
		}
	}
	return Ref{Path: r.local(v)}
}

// renamed returns the value that v is another name for, or the address that it is loaded from, or nil.
func renamed(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return v.X
		}
	case *ssa.MakeInterface:
		return v.X
	case *ssa.ChangeInterface:
		return v.X
	case *ssa.ChangeType:
		return v.X
	case *ssa.Convert:
		if ssautil.IsReference(v.Type()) {
			return v.X
		}
	case *ssa.Slice:
		return v.X
	}
	return nil
}

// allocated resolves a local variable. One that always has the same value is another name for it: this is
// what a captured receiver or parameter looks like. Structs and arrays are left out, as a copy is an object
// of its own.
func (r *Resolver) allocated(v *ssa.Alloc) Ref {
	switch ssautil.Deref(v.Type()).Underlying().(type) {
	case *types.Struct, *types.Array:
		if prm := unchangedParameter(v); prm != nil {
			return r.Resolve(prm)
		}
		return r.shared(v, Ref{Path: r.fresh(v)})
	}
	if stores := StoresOf(v); len(stores) > 0 {
		return r.shared(v, r.join(v, stores))
	}
	if ref, ok := r.storedInLiteral(v); ok {
		return r.shared(v, ref)
	}
	return r.shared(v, Ref{Path: r.local(v)})
}

// extracted resolves one of several results: of a call, of a look-up with its ok, of a turn of a loop.
func (r *Resolver) extracted(v *ssa.Extract) Ref {
	switch t := v.Tuple.(type) {
	case *ssa.Call:
		return r.result(t, v, v.Index)
	case *ssa.Lookup, *ssa.TypeAssert:
		if v.Index == 0 {
			return r.Resolve(t)
		}
	case *ssa.Next:
		rng, ok := t.Iter.(*ssa.Range)
		switch {
		case !ok || v.Index == 0:
		case v.Index == 1:
			return Ref{Path: r.local(t)} // k in m[k], which is v, of for k, v := range m
		default:
			c := r.Resolve(rng.X)
			return Ref{Path: c.Path.Index(Key(r.local(t))), Base: c.Base, Loc: c.Loc, Key: Key(r.local(t))}
		}
	}
	return Ref{Path: r.local(v)}
}

// SetVariables makes the resolver ask for the locations of shared local variables.
func (r *Resolver) SetVariables(variable func(addr ssa.Value) Location) { r.variable = variable }

// shared adds to what a local variable refers to its location, if it has one and none of what
// it refers to.
func (r *Resolver) shared(v ssa.Value, ref Ref) Ref {
	if r.variable == nil || ref.Loc != "" {
		return ref
	}
	if l := r.variable(v); l != "" {
		ref.Base, ref.Loc = ref.Path, l
	}
	return ref
}

// IsReassigned reports whether a literal that captures the variable v may write it, or its
// address is used otherwise.
func IsReassigned(v *ssa.Alloc) bool { return StoresOf(v) == nil }

// parameter returns what parameter i refers to: memory that only the caller can name, if it is
// of a type whose memory has no location of its own, as the fields of a struct have.
func (r *Resolver) parameter(i int, v *ssa.Parameter) Ref {
	ref := Ref{Path: Param(i)}
	if refersToVariable(v.Type()) || r.isForeign(v.Type()) && !(i == 0 && r.fn.Signature.Recv() != nil) {
		ref.Base, ref.Loc = ref.Path, paramLocation(r.fn, v.Name())
	}
	return ref
}

// refersToVariable reports whether values of type t are maps, or pointers to memory that is
// no struct with fields of its own: to a plain variable, or to an atomic one.
func refersToVariable(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Map:
		return true
	case *types.Pointer:
		if n := namedOf(t); n != nil && n.Obj().Pkg() != nil && stdlib.OfPackage(n.Obj().Pkg().Path()).Opaque {
			_, listed := stdlib.OfType(t)
			return !listed || n.Obj().Name() == "Map"
		}
		_, isStruct := u.Elem().Underlying().(*types.Struct)
		return !isStruct
	}
	return false
}

// isForeign reports whether t is a pointer to a struct of another package that hides all its
// fields. What its methods do is done to the object as a whole.
func (r *Resolver) isForeign(t types.Type) bool {
	n := namedOf(t)
	if _, isPointer := t.Underlying().(*types.Pointer); !isPointer || n == nil || r.fn.Package() == nil ||
		n.Obj().Pkg() == nil || n.Obj().Pkg() == r.fn.Package().Pkg || stdlib.OfPackage(n.Obj().Pkg().Path()).Opaque {
		return false
	}
	st, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if f.Exported() {
			return false
		}
	}
	return true
}

// Passed returns the location of a parameter other than the receiver, "" for other paths.
func (r *Resolver) Passed(p Path) Location {
	for i, prm := range r.fn.Params {
		if p == Param(i) && (i > 0 || r.fn.Signature.Recv() == nil) {
			return paramLocation(r.fn, prm.Name())
		}
	}
	return ""
}

// concatenation names a concatenation of two strings. It is not an object, but it may be
// the key of an element, computed anew at each place: prefix + name.
func (r *Resolver) concatenation(v *ssa.BinOp) Path {
	if b, ok := v.Type().Underlying().(*types.Basic); !ok || b.Info()&types.IsString == 0 || v.Op != token.ADD {
		return Unknown
	}
	if c, ok := v.X.(*ssa.Const); ok {
		return r.Resolve(v.Y).Path.Field(precededBy).Index(r.Key(c))
	}
	return r.Resolve(v.X).Path.Field(followedBy).Index(r.Key(v.Y))
}

func (r *Resolver) result(call *ssa.Call, v ssa.Value, i int) Ref {
	if r.callResult != nil {
		p, fresh := r.callResult(call, i)
		if p != Unknown {
			return r.variableAt(p, v.Type())
		}
		if fresh {
			return Ref{Path: r.fresh(v)}
		}
	}
	return Ref{Path: r.local(v)}
}

// variableAt returns what a value of type t refers to that a callee has found at p. A pointer to a variable that is an
// element of a container has the location of that:
//
//	n := s.count(k) // return s.counts[k], of type *atomic.Int64
func (r *Resolver) variableAt(p Path, t types.Type) Ref {
	if _, isPointer := t.Underlying().(*types.Pointer); isPointer && refersToVariable(t) && strings.HasPrefix(p.Last(), "[") {
		if at, _ := r.locate(p); at.Loc != "" {
			return at
		}
	}
	return Ref{Path: p}
}

// asserted returns what an interface value refers to that is of type t: a variable, as an element of a container or as
// what the caller has passed, has a location only then.
//
//	n, _ := s.counts.Load(k) // a sync.Map
//	n.(*atomic.Int64).Add(1)
func (r *Resolver) asserted(ref Ref, t types.Type) Ref {
	if _, isPointer := t.Underlying().(*types.Pointer); !isPointer || ref.Loc != "" || !refersToVariable(t) {
		return ref
	}
	if l := r.Passed(ref.Path); l != "" {
		ref.Base, ref.Loc = ref.Path, l
		return ref
	}
	return r.variableAt(ref.Path, t)
}

func (r *Resolver) field(x ssa.Value, i int) Ref {
	base := r.Resolve(x)
	if a, ok := x.(*ssa.Alloc); ok {
		if prm := unchangedField(a, i); prm != nil {
			base = r.Resolve(prm)
		}
		// A field of reference type refers to the same memory in a copy and in the
		// original.
		if st, ok := ssautil.Deref(a.Type()).Underlying().(*types.Struct); ok && ssautil.IsReference(st.Field(i).Type()) {
			if v := copied(a); v != nil {
				base = r.Resolve(v)
			}
		}
	}
	structType := ssautil.Deref(x.Type())
	st, ok := types.Unalias(structType).Underlying().(*types.Struct)
	if !ok {
		return Ref{}
	}
	return r.named(base, structType, st.Field(i).Name())
}

// Field returns what the named field of the struct that x points to refers to.
func (r *Resolver) Field(x ssa.Value, name string) Ref {
	return r.named(r.Resolve(x), ssautil.Deref(x.Type()), name)
}

func (r *Resolver) named(base Ref, structType types.Type, name string) Ref {
	if r.alias != nil {
		if ref, ok := r.alias(base, name); ok {
			return ref
		}
	}
	return Ref{
		Path: base.Path.Field(name),
		Base: base.Path,
		Loc:  fieldLocation(structType, base.Loc, name),
	}
}

// LocationOf returns the location of the field or package variable at addr, or
// "" if it is neither.
func LocationOf(addr ssa.Value) Location {
	switch a := addr.(type) {
	case *ssa.Global:
		return Location(Global(a.Pkg.Pkg.Path(), a.Name()))
	case *ssa.FieldAddr:
		structType := ssautil.Deref(a.X.Type())
		if st, ok := types.Unalias(structType).Underlying().(*types.Struct); ok {
			return fieldLocation(structType, LocationOf(a.X), st.Field(a.Field).Name())
		}
	}
	return ""
}

func (r *Resolver) element(x, index ssa.Value) Ref {
	c := r.Resolve(x)
	key := r.Key(index)
	// For an element of an element the outer key already identifies the object.
	return Ref{Path: c.Path.Index(key), Base: c.Base, Loc: c.Loc, Key: c.Key.Then(key)}
}

// join gives a phi the name that all its operands have. An operand that is a new object,
// and was stored at the place where another operand was looked up, counts as that
// element:
//
//	x := m[k]
//	if x == nil {
//		x = new(T)
//		m[k] = x
//	}
func (r *Resolver) join(v ssa.Value, operands []ssa.Value) Ref {
	if len(operands) == 1 {
		return r.Resolve(operands[0])
	}
	var named Ref
	var made []ssa.Value
	for _, e := range operands {
		if c, ok := e.(*ssa.Const); e == v || ok && c.IsNil() {
			continue // nil is no object: what is accessed is another operand
		}
		ref := r.Resolve(e)
		if ref.Path.IsFresh() {
			made = append(made, e)
			continue
		}
		if named.Path == Unknown {
			named = ref
		} else if named.Path != ref.Path {
			return Ref{Path: r.local(v)}
		}
	}
	if named.Path == Unknown || named.Path == r.local(v) {
		return Ref{Path: r.local(v)}
	}
	for _, m := range made {
		if !r.storedAt(m, named.Path) && !r.loadStoredAt(v, named.Path) {
			return Ref{Path: r.local(v)}
		}
	}
	return named
}

// loadStoredAt is storedAt for the object that the variable v holds.
func (r *Resolver) loadStoredAt(v ssa.Value, p Path) bool {
	if _, ok := v.(*ssa.Alloc); !ok {
		return false
	}
	for _, use := range *v.Referrers() {
		if l, ok := use.(*ssa.UnOp); ok && r.storedAt(l, p) {
			return true
		}
	}
	return false
}

// storedAt reports whether the object m is stored in the place named p.
func (r *Resolver) storedAt(m ssa.Value, p Path) bool {
	if m.Referrers() == nil {
		return false
	}
	for _, use := range *m.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Val == m && r.Resolve(use.Addr).Path == p {
				return true
			}
		case *ssa.MapUpdate:
			if use.Value == m && r.Resolve(use.Map).Path.Index(r.Key(use.Key)) == p {
				return true
			}
		}
	}
	return false
}

// StoresOf returns the values that are stored to the variable v in its
// function, or nil if its address is used otherwise than for loads, stores and
// captures that do not write.
func StoresOf(v *ssa.Alloc) []ssa.Value {
	var vals []ssa.Value
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr != v {
				return nil
			}
			vals = append(vals, use.Val)
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.FieldAddr:
			if writes(use) {
				return nil
			}
		case *ssa.MakeClosure:
			if capturedAndWritten(use, v) {
				return nil
			}
		default:
			return nil
		}
	}
	return vals
}

// unchangedParameter returns the parameter that the variable v always holds, or nil.
func unchangedParameter(v *ssa.Alloc) *ssa.Parameter {
	if stores := StoresOf(v); len(stores) == 1 {
		prm, _ := stores[0].(*ssa.Parameter)
		return prm
	}
	return nil
}

// unchangedField returns the parameter, passed by value, of which the variable v is a copy that keeps the
// value of field i, or nil. Other fields may be written.
//
//	func (s *Store) Put(r Row) { r.changed = time.Now(); s.rows[r.id] = r }
func unchangedField(v *ssa.Alloc, i int) *ssa.Parameter {
	var prm *ssa.Parameter
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			val, ok := use.Val.(*ssa.Parameter)
			if !ok || use.Addr != v || prm != nil {
				return nil
			}
			prm = val
		case *ssa.FieldAddr:
			if use.Field == i && writes(use) {
				return nil
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return nil
		}
	}
	return prm
}

// IsOwn reports whether addr is in a struct or array that was passed by value and never
// changes: it has the name of the parameter, so that its fields can be keys, but it is a
// copy confined to the function.
func IsOwn(addr ssa.Value) bool {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			if v, ok := a.X.(*ssa.Alloc); ok && unchangedField(v, a.Field) != nil {
				return true
			}
			addr = a.X
		case *ssa.IndexAddr:
			addr = a.X
		case *ssa.Alloc:
			return unchangedParameter(a) != nil
		default:
			return false
		}
	}
}

// copied returns the struct that the variable v is a copy of, or nil if v is changed
// after the copy.
func copied(v *ssa.Alloc) ssa.Value {
	var val ssa.Value
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr != v || val != nil {
				return nil
			}
			val = use.Val
		case *ssa.FieldAddr:
			if writes(use) {
				return nil
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return nil
		}
	}
	return val
}

// writes reports whether the memory at addr is written directly.
func writes(addr ssa.Value) bool {
	for _, use := range *addr.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr == addr {
				return true
			}
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.FieldAddr:
			if writes(use) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// capturedAndWritten reports whether the closure c, or one inside it, stores
// to the variable v that it captures.
func capturedAndWritten(c *ssa.MakeClosure, v ssa.Value) bool {
	fn, ok := c.Fn.(*ssa.Function)
	if !ok {
		return true
	}
	for i, b := range c.Bindings {
		if b != v || i >= len(fn.FreeVars) {
			continue
		}
		fv := fn.FreeVars[i]
		for _, use := range *fv.Referrers() {
			switch use := use.(type) {
			case *ssa.Store:
				if use.Addr == fv {
					return true
				}
			case *ssa.UnOp, *ssa.DebugRef:
			case *ssa.FieldAddr:
				if writes(use) {
					return true
				}
			case *ssa.MakeClosure:
				if capturedAndWritten(use, fv) {
					return true
				}
			default:
				return true
			}
		}
	}
	return false
}

// FieldRef returns what the named field of a struct of type t refers to.
func FieldRef(base Ref, t types.Type, name string) Ref {
	return Ref{Path: base.Path.Field(name), Base: base.Path, Loc: fieldLocation(t, base.Loc, name)}
}

// Locate returns the location that p belongs to, by the types along p from its root, or
// "" if the types do not lead there.
func (r *Resolver) Locate(p Path) Location {
	ref, _ := r.locate(p)
	return ref.Loc
}

// At returns what p refers to, the zero Ref if the types along p do not lead there.
func (r *Resolver) At(p Path) Ref {
	ref, _ := r.locate(p)
	return ref
}

func (r *Resolver) locate(p Path) (Ref, types.Type) {
	last := p.Last()
	if last == "" {
		if t := r.rootType(p); t != nil {
			return Ref{Path: p}, t
		}
		return Ref{}, nil
	}
	base, t := r.locate(p.Parent())
	if t == nil {
		return Ref{}, nil
	}
	if strings.HasPrefix(last, "[") {
		ref := Ref{Path: p, Base: base.Base, Loc: base.Loc, Key: base.Key.Then(Key(last[1 : len(last)-1]))}
		switch c := ssautil.Deref(t).Underlying().(type) {
		case *types.Map:
			return ref, c.Elem()
		case *types.Slice:
			return ref, c.Elem()
		case *types.Array:
			return ref, c.Elem()
		}
		return ref, types.Typ[types.Invalid] // the content of a sync.Map
	}
	st, ok := ssautil.Deref(t).Underlying().(*types.Struct)
	if !ok {
		return Ref{}, nil
	}
	for field := range st.Fields() {
		if "."+field.Name() == last {
			return FieldRef(base, ssautil.Deref(t), field.Name()), field.Type()
		}
	}
	return Ref{}, nil
}

// rootType returns the type of a parameter or free variable, or nil. A free variable is the address of
// a captured variable, unless it is bound to a method value.
func (r *Resolver) rootType(root Path) types.Type {
	for i, p := range r.fn.Params {
		if root == Param(i) {
			return p.Type()
		}
	}
	for i, f := range r.fn.FreeVars {
		if root == Free(i) {
			if captured := ssautil.Deref(f.Type()); ssautil.IsReference(captured) {
				return captured
			}
			return f.Type()
		}
	}
	return nil
}
