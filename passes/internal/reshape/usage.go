package reshape

import (
	"go/ast"
	"go/types"
	"slices"
)

// A usage is what the statements of a section use.
type usage struct {
	w *writer
	s *section
	// whole: control does not leave the section, and it uses nothing that only the function has.
	whole         bool
	uses, assigns map[*types.Var]bool
	around        []ast.Node // the nodes that the present one is in, and itself
}

// visit notes what a node uses. It is called as by ast.Inspect.
func (u *usage) visit(n ast.Node) bool {
	if n == nil {
		u.around = u.around[:len(u.around)-1]
		return true
	}
	u.around = append(u.around, n)
	u.whole = u.whole && !u.leaves(n)
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, x := range n.Lhs {
			u.assign(x)
		}
	case *ast.IncDecStmt:
		u.assign(n.X)
	case *ast.Ident:
		if v := u.w.variable(n); v != nil && !v.IsField() && v.Parent() != u.w.Types.Scope() && v.Pkg() == u.w.Types {
			u.uses[v] = true
		}
		u.whole = u.whole && !u.isOfFunction(u.w.Info.ObjectOf(n))
	}
	return true
}

// leaves reports whether control may leave the section by a statement, or comes into its middle.
func (u *usage) leaves(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ReturnStmt, *ast.DeferStmt:
		return !within[*ast.FuncLit](u.around)
	case *ast.BranchStmt:
		return n.Label != nil || !within[*ast.ForStmt](u.around) && !within[*ast.RangeStmt](u.around) && !within[*ast.FuncLit](u.around)
	case *ast.LabeledStmt, *ast.GoStmt:
		return true
	}
	return false
}

// assign notes that the variable which x names, if any, is assigned.
func (u *usage) assign(x ast.Expr) {
	if v := u.w.variable(x); v != nil {
		u.assigns[v] = true
	}
}

// isOfFunction reports whether what a name stands for has no name outside the function, or another meaning
// there: a type or a constant of the function, and recover.
func (u *usage) isOfFunction(o types.Object) bool {
	switch o.(type) {
	case *types.TypeName, *types.Const, *types.Func:
		return o.Pkg() == u.w.Types && o.Parent() != nil && o.Parent() != u.w.Types.Scope() && !u.s.contains(o.Pos())
	}
	return o != nil && o.Name() == "recover"
}

// before returns the variables that are declared before the section and used in it, those that it assigns
// first, and how many these are.
func (u *usage) before() (vars []*types.Var, assigned int) {
	for v := range u.uses {
		if u.s.contains(v.Pos()) {
			continue
		}
		vars = append(vars, v)
		if u.assigns[v] {
			assigned++
		}
	}
	slices.SortFunc(vars, func(a, b *types.Var) int {
		switch {
		case u.assigns[a] == u.assigns[b]:
			return int(a.Pos() - b.Pos())
		case u.assigns[a]:
			return -1
		}
		return 1
	})
	return vars, assigned
}

// usedLater returns the variables that a section declares and that are used behind it.
func (w *writer) usedLater(s *section) []*types.Var {
	var out []*types.Var
	ast.Inspect(s.fn.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Pos() >= s.end {
			if v, ok := w.Info.Uses[id].(*types.Var); ok && s.contains(v.Pos()) && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
		return true
	})
	return out
}

// haveOwnNames reports whether all variables have names, and no two the same.
func haveOwnNames(vars []*types.Var) bool {
	names := make(map[string]bool)
	for _, v := range vars {
		if names[v.Name()] || v.Name() == "_" {
			return false
		}
		names[v.Name()] = true
	}
	return true
}

// within reports whether one of the nodes but the last is of a type.
func within[N ast.Node](nodes []ast.Node) bool {
	return slices.ContainsFunc(nodes[:len(nodes)-1], func(n ast.Node) bool { _, ok := n.(N); return ok })
}
