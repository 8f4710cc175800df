package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/program"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// Observe instruments a program for the observer, and writes the overlay to dir.
//
// Block-local atomicity is about values: a local variable that gets what was read in a critical
// section has a shadow, a second variable that says which section that was. A use of the variable
// after that section has ended is a use of a stale value. A value goes from one variable to the
// other by assignments and by results of functions; parameters, fields and channels end its trace.
func Observe(p *program.Program, dir string) (*Overlay, error) {
	in := newInstrumenter(p)
	in.config.Observe = true
	in.findContainers()
	for _, f := range in.files {
		f.findFresh()
		f.accesses()
		f.locks()
		if !f.Test {
			f.shadows()
		}
	}
	return in.write(dir)
}

// shadows instruments the local variables of a file.
func (f *file) shadows() {
	f.local = make(map[*types.Var]string)
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if d, ok := n.(*ast.FuncDecl); ok && hasGoto(d) {
			return false // a jump must not skip a declaration
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			f.declareFields(n.Type, n.Body)
		case *ast.FuncLit:
			f.declareFields(n.Type, n.Body)
		case *ast.AssignStmt:
			f.declare(n)
		case *ast.DeclStmt:
			f.declareVars(n)
		}
		return true
	})
	first := len(f.sites)
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && f.isUse(id) {
			f.use(id)
		}
		return true
	})
	f.uses = f.sites[first:]
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			f.assign(n)
		case *ast.ReturnStmt:
			f.result(n)
		}
		return true
	})
}

func hasGoto(d *ast.FuncDecl) bool {
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		found = found || ok && b.Tok == token.GOTO
		return !found
	})
	return found
}

// hasShadow reports whether a local variable of a type can have a shadow: its value is a value, or
// refers to an object as a whole.
func hasShadow(v *types.Var) bool {
	if v.Name() == "_" {
		return false
	}
	switch v.Type().Underlying().(type) {
	case *types.Basic, *types.Slice, *types.Pointer:
		return true
	}
	return false
}

// inList reports whether statements can come before and after a statement.
func (f *file) inList(s ast.Stmt) bool {
	switch p := f.parent[s].(type) {
	case *ast.BlockStmt, *ast.CaseClause:
		return true
	case *ast.CommClause:
		return p.Comm != s
	}
	return false
}

// header returns the if statement that has s in its header, nil for none.
func (f *file) header(s ast.Stmt) *ast.IfStmt {
	p, ok := f.parent[s].(*ast.IfStmt)
	if !ok || p.Init != s || !f.inList(p) {
		return nil
	}
	return p
}

// place returns the statement before which the shadows of a statement are declared.
func (f *file) place(s ast.Stmt) ast.Stmt {
	if f.inList(s) {
		return s
	}
	if h := f.header(s); h != nil {
		return h
	}
	return nil
}

// declare declares the shadows of variables that an assignment defines.
func (f *file) declare(a *ast.AssignStmt) {
	at := f.place(a)
	if a.Tok != token.DEFINE || at == nil {
		return
	}
	for _, l := range a.Lhs {
		if id, ok := l.(*ast.Ident); ok {
			f.declareVar(id, at)
		}
	}
}

// declareVars does so for a declaration.
func (f *file) declareVars(d *ast.DeclStmt) {
	gen, ok := d.Decl.(*ast.GenDecl)
	if !ok || gen.Tok != token.VAR || !f.inList(d) {
		return
	}
	for _, s := range gen.Specs {
		for _, id := range s.(*ast.ValueSpec).Names {
			f.declareVar(id, d)
		}
	}
}

// declareFields does so for the parameters and results of a function.
func (f *file) declareFields(t *ast.FuncType, body *ast.BlockStmt) {
	if body == nil {
		return
	}
	for _, list := range []*ast.FieldList{t.Params, t.Results} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, id := range field.Names {
				if text := f.declaration(id); text != "" {
					f.enter(body, text)
				}
			}
		}
	}
}

func (f *file) declareVar(id *ast.Ident, at ast.Stmt) {
	if text := f.declaration(id); text != "" {
		f.insert(at, text)
	}
}

// declaration returns the declaration of the shadow of a variable, "" if it has none.
func (f *file) declaration(id *ast.Ident) string {
	v, ok := f.Info.Defs[id].(*types.Var)
	if !ok || !hasShadow(v) {
		return ""
	}
	name := fmt.Sprintf("atomvet_%s_%d", v.Name(), len(f.local))
	f.local[v] = name
	return fmt.Sprintf("var %s atomvetrt.Shadow; _ = %s; ", name, name)
}

// use instruments a use of a local variable as a value.
func (f *file) use(id *ast.Ident) {
	v, ok := f.Info.Uses[id].(*types.Var)
	if !ok || f.local[v] == "" {
		return
	}
	switch p := f.parent[id].(type) {
	case *ast.SelectorExpr, *ast.IncDecStmt:
		return
	case *ast.UnaryExpr:
		if p.Op == token.AND {
			return
		}
	case *ast.AssignStmt:
		for _, l := range p.Lhs {
			if l == id {
				return
			}
		}
	case *ast.RangeStmt:
		if p.Key == id || p.Value == id {
			return
		}
		if _, array := deref(v.Type()).Underlying().(*types.Array); array {
			return // the compiler (Go 1.26) fails on range over a pointer to an array that U returns
		}
	case *ast.IndexExpr:
		if p.X == id {
			return
		}
	case *ast.SliceExpr, *ast.StarExpr, *ast.ParenExpr:
		return
	case *ast.TypeSwitchStmt:
		return
	}
	o := report.Object{Package: f.Types.Path(), Field: v.Name()}
	s := f.newSite(o, usage{node: id}, false)
	f.wrap(id, "atomvetrt.U(", fmt.Sprintf(", &%s, %d)", f.local[v], s.number), marker)
}

// assign sets the shadows of the variables of an assignment.
func (f *file) assign(a *ast.AssignStmt) {
	if a.Tok != token.ASSIGN && a.Tok != token.DEFINE {
		return // what the variable had before stays a part of its value
	}
	var names []string
	for _, l := range a.Lhs {
		id, ok := l.(*ast.Ident)
		if !ok {
			continue
		}
		v, ok := f.Info.Defs[id].(*types.Var)
		if !ok {
			v, _ = f.Info.Uses[id].(*types.Var)
		}
		if name := f.local[v]; v != nil && name != "" {
			names = append(names, name)
		}
	}
	at := f.place(a)
	if len(names) == 0 || at == nil {
		return
	}
	mark := fmt.Sprintf("atomvet_mark_%d", int(a.Pos()-f.Syntax.FileStart))
	f.insert(at, mark+" := atomvetrt.Mark(); ")
	lo, hi := span(f.sites, a)
	ulo, uhi := span(f.uses, a)
	args := fmt.Sprintf("%s, %d, %d, %d, %d", mark, lo, hi, ulo, uhi)
	if h := f.header(a); h != nil {
		pre := ""
		for _, name := range names {
			pre += fmt.Sprintf("%s.Set(%s) && ", name, args)
		}
		f.wrap(h.Cond, pre+"(", ")", statement)
		return
	}
	post := ""
	for _, name := range names {
		post += fmt.Sprintf("; %s.Set(%s)", name, args)
	}
	f.after(a, post)
}

// span returns the range of the numbers of the sites in a node: they are in the order of the source.
func span(list []*site, n ast.Node) (lo, hi int) {
	lo = math.MaxInt32
	for _, s := range list {
		if n.Pos() <= s.from && s.to <= n.End() {
			lo, hi = min(lo, s.number), max(hi, s.number+1)
		}
	}
	return min(lo, hi), hi
}

// result marks what is read for the results of a function.
func (f *file) result(r *ast.ReturnStmt) {
	if !f.inList(r) {
		return
	}
	mark := fmt.Sprintf("atomvet_mark_%d", int(r.Pos()-f.Syntax.FileStart))
	some := false
	lo, hi := span(f.sites, r)
	ulo, uhi := span(f.uses, r)
	for _, e := range r.Results {
		tv := f.Info.Types[e]
		if _, tuple := tv.Type.(*types.Tuple); tuple || tv.Value != nil || tv.IsNil() || isUntyped(tv.Type) {
			continue
		}
		switch ast.Unparen(e).(type) {
		case *ast.FuncLit:
			continue
		case *ast.BinaryExpr, *ast.UnaryExpr:
			// A comparison has a type of its own, but not as an argument.
			if isBoolean(tv.Type) && !types.Identical(tv.Type, types.Typ[types.Bool]) {
				continue
			}
		}
		some = true
		f.wrap(e, fmt.Sprintf("atomvetrt.Ret(%s, %d, %d, %d, %d, ", mark, lo, hi, ulo, uhi), ")", statement)
	}
	if some {
		f.insert(r, mark+" := atomvetrt.Mark(); ")
	}
}

func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

func isBoolean(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}
