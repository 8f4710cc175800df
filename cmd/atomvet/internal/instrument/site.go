package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/instrument/atomvetrt"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// A site is an access in a file.
type site struct {
	number int
	object report.Object
	write  bool
	// from and to delimit what the access belongs to: s.m[k], with s.m, or the call of an
	// atomic operation.
	from, to token.Pos
	node     ast.Node // of the same
}

// accesses instruments the accesses to tracked variables in a file.
func (f *file) accesses() {
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			f.variable(n)
		case *ast.Ident:
			if f.isUse(n) {
				f.variable(n)
				f.alias(n)
			}
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				f.whole(l)
			}
		}
		return true
	})
}

// isUse reports whether an identifier is an expression of its own.
func (f *file) isUse(id *ast.Ident) bool {
	switch p := f.parent[id].(type) {
	case *ast.SelectorExpr:
		return p.Sel != id
	case *ast.KeyValueExpr:
		v, ok := f.Info.Uses[id].(*types.Var)
		return p.Key != id || !ok || !v.IsField()
	}
	return true
}

// variable instruments an expression if it denotes a tracked variable.
func (f *file) variable(e ast.Expr) {
	o, v, ok := objectOf(f.Info, e)
	if !ok || !f.track(o) || isSync(v.Type()) || !f.Info.Types[e].Addressable() || f.isConstant(e) || f.isFresh(e) {
		return
	}
	u := f.usage(e)
	if u.part {
		return
	}
	s := f.newSite(o, u, false)
	f.wrapAccess(e, u, v.Type(), s.number)
}

// newSite records a site.
func (f *file) newSite(o report.Object, u usage, alias bool) *site {
	s := &site{number: len(f.in.config.Sites), object: o, write: u.write, from: u.node.Pos(), to: u.node.End(), node: u.node}
	f.sites = append(f.sites, s)
	p := f.in.program.Fset.PositionFor(u.node.Pos(), false)
	f.in.config.Sites = append(f.in.config.Sites, atomvetrt.Site{
		Pos: fmt.Sprintf("%s:%d:%d", p.Filename, p.Line, p.Column), Object: f.in.object(o), Alias: alias,
	})
	return s
}

// wrapAccess replaces an expression that denotes a variable by a call with its address.
func (f *file) wrapAccess(e ast.Expr, u usage, t types.Type, number int) {
	fn := "R"
	if u.write {
		fn = "W"
	}
	switch under := t.Underlying().(type) {
	case *types.Map:
		fn = f.element(u, "M"+fn, "ME"+fn, under.Key(), number)
	case *types.Slice:
		if u.index != nil || !u.assigned {
			fn = f.element(u, "S"+fn, "SE"+fn, types.Typ[types.Int], number)
		}
	case *types.Pointer:
		if u.content {
			fn = "CP"
		}
	default:
		switch {
		case isNamed(t, "sync", "Map") && u.key != nil:
			fn = f.element(u, fn, "YE"+fn, types.NewInterfaceType(nil, nil), number)
		case u.cas != nil:
			fn = "CAS"
			f.wrap(u.cas, "atomvetrt.CASResult(", fmt.Sprintf(", %d)", number), access)
		case u.content:
			fn = "C"
		}
	}
	if fn == "MW" && u.assigned {
		fn = "W" // the variable itself is replaced
	}
	f.wrap(e, "(*atomvetrt."+fn+"(&", fmt.Sprintf(", %d))", number), access)
}

// element returns the function for a container: each if the access is to an element whose key or
// index can be evaluated, whole if not.
func (f *file) element(u usage, whole, each string, key types.Type, number int) string {
	e := u.key
	if e == nil && u.index != nil {
		e = u.index.Index
	}
	if e == nil {
		return whole
	}
	if !f.keepsType(e, key) {
		return whole
	}
	f.wrap(e, "atomvetrt.K(", fmt.Sprintf(", %d)", number), access)
	return each
}

// keepsType reports whether an argument for a type parameter can stand in the place of e as a key:
// an untyped constant takes the type of the key only where it is.
func (f *file) keepsType(e ast.Expr, key types.Type) bool {
	tv := f.Info.Types[e]
	if tv.IsNil() {
		return false
	}
	alone := tv.Type
	if tv.Value != nil {
		switch x := ast.Unparen(e).(type) {
		case *ast.BasicLit:
			alone = map[token.Token]types.Type{token.INT: types.Typ[types.Int], token.STRING: types.Typ[types.String]}[x.Kind]
		case *ast.Ident:
			alone = f.Info.Uses[x].Type()
		case *ast.SelectorExpr:
			alone = f.Info.Uses[x.Sel].Type()
		default:
			return false
		}
	}
	if b, ok := alone.(*types.Basic); alone == nil || ok && b.Info()&types.IsUntyped != 0 {
		return false
	}
	if _, ok := key.Underlying().(*types.Interface); ok || types.Identical(alone, key) {
		return true
	}
	b, ok := key.(*types.Basic)
	return ok && b.Kind() == types.Int && isInteger(alone) // an index
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// isConstant reports whether an expression is a part of a constant one, such as len of an array.
func (f *file) isConstant(e ast.Expr) bool {
	for n := ast.Node(e); n != nil; n = f.parent[n] {
		x, ok := n.(ast.Expr)
		if !ok {
			return false
		}
		if f.Info.Types[x].Value != nil {
			return true
		}
	}
	return false
}

// alias instruments a write through a local variable to an element of a container of a type that
// some tracked variable has.
//
//	m := s.m
//	m[k] = v
func (f *file) alias(id *ast.Ident) {
	v, ok := f.Info.Uses[id].(*types.Var)
	if !ok || v.IsField() || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() || !f.Info.Types[id].Addressable() {
		return
	}
	o, ok := f.in.containers[types.TypeString(v.Type(), nil)]
	if !ok || f.isConstant(id) {
		return
	}
	u := f.usage(id)
	if !u.write || u.assigned {
		return
	}
	s := f.newSite(o, u, true)
	f.wrapAccess(id, u, v.Type(), s.number)
}

// whole instruments an assignment of a whole struct that has tracked fields.
//
//	*s = State{}
func (f *file) whole(e ast.Expr) {
	tv := f.Info.Types[e]
	if tv.Type == nil || !tv.Addressable() || f.in.config.Observe {
		return
	}
	if id, ok := e.(*ast.Ident); ok {
		if v, ok := f.Info.Uses[id].(*types.Var); !ok || v.Parent() != f.Types.Scope() {
			return // a local variable
		}
	}
	if o, v, ok := objectOf(f.Info, e); ok && f.track(o) && !isSync(v.Type()) {
		if _, indexed := e.(*ast.IndexExpr); !indexed {
			return // instrumented as such
		}
	}
	o, ok := f.part(e)
	if !ok {
		o, ok = f.in.tracks(tv.Type)
	}
	if !ok {
		return
	}
	s := f.newSite(o, usage{node: e, write: true}, false)
	f.in.config.Sites[s.number].Whole = true
	f.wrap(e, "(*atomvetrt.W(&", fmt.Sprintf(", %d))", s.number), marker)
}

// part returns a tracked variable that is a field of the one that an expression denotes, whose struct
// type need not have a name.
func (f *file) part(e ast.Expr) (report.Object, bool) {
	whole, _, ok := objectOf(f.Info, e)
	if !ok {
		return whole, false
	}
	return f.in.trackedIn(whole, whole.Field+".")
}

// trackedIn returns the first tracked variable of a type, or without one, whose field has a prefix.
func (in *Instrumenter) trackedIn(of report.Object, prefix string) (report.Object, bool) {
	var best report.Object
	for o := range in.tracked {
		if o.Package == of.Package && o.Type == of.Type && strings.HasPrefix(o.Field, prefix) && (best.Field == "" || o.Field < best.Field) {
			best = o
		}
	}
	return best, best.Field != ""
}

// tracks returns a tracked field of a struct type, or of a struct in it.
func (in *Instrumenter) tracks(t types.Type) (report.Object, bool) {
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return report.Object{}, false
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil {
		if o, ok := in.trackedIn(report.Object{Package: named.Obj().Pkg().Path(), Type: named.Obj().Name()}, ""); ok {
			return o, true
		}
	}
	for i := range st.NumFields() {
		if o, ok := in.tracks(st.Field(i).Type()); ok {
			return o, true
		}
	}
	return report.Object{}, false
}

// isFresh reports whether the object of an access has been allocated by the function, in a
// variable of its own: nobody else has it yet, for the most part. Only the observer leaves such
// accesses out.
func (f *file) isFresh(e ast.Expr) bool {
	if !f.in.config.Observe {
		return false
	}
	for {
		switch x := e.(type) {
		case *ast.SelectorExpr:
			e = x.X
			continue
		case *ast.ParenExpr:
			e = x.X
			continue
		case *ast.Ident:
			v, ok := f.Info.Uses[x].(*types.Var)
			return ok && f.fresh[v]
		}
		return false
	}
}

// findFresh finds the variables that are defined with an allocation.
func (f *file) findFresh() {
	f.fresh = make(map[*types.Var]bool)
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || a.Tok != token.DEFINE || len(a.Lhs) != len(a.Rhs) {
			return true
		}
		for i, l := range a.Lhs {
			if v, ok := f.Info.Defs[l.(*ast.Ident)].(*types.Var); ok && isAllocation(f.Info, a.Rhs[i]) && !f.escapesToLiteral(v, a) {
				f.fresh[v] = true
			}
		}
		return true
	})
}

// escapesToLiteral reports whether a function literal, which may be a goroutine, uses a variable.
func (f *file) escapesToLiteral(v *types.Var, def ast.Node) bool {
	found := false
	body := f.function(def)
	if body == nil {
		return true
	}
	ast.Inspect(body, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			return !found
		}
		ast.Inspect(lit, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && f.Info.Uses[id] == v {
				found = true
			}
			return !found
		})
		return !found
	})
	return found || strings.HasSuffix(f.Name, "_test.go")
}

func isAllocation(info *types.Info, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		_, ok := ast.Unparen(e.X).(*ast.CompositeLit)
		return e.Op == token.AND && ok
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		if !ok {
			return false
		}
		_, builtin := info.Uses[id].(*types.Builtin)
		return builtin && id.Name == "new"
	}
	return false
}
