package reshape

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/atomvet/atomvet/passes/internal/limit"
)

// inline replaces calls of short functions of the package by their bodies.
//
//	n := s.get() // var re0v1 int; { s := s; s.mu.Lock(); re0v1 = s.n; s.mu.Unlock() }; n := re0v1
//
// Calls are replaced where they are a statement, or the only value of an assignment, of a return or of the
// condition of an if statement. What a function defers comes after its results. A body that is put
// in place is left as it is. A function that is not exported goes with its last call.
func (w *writer) inline() {
	bodies := make(map[*types.Func]*inlinable)
	for _, f := range w.Files {
		for _, fn := range functions(f) {
			if b := w.inlinable(f, fn); b != nil {
				bodies[w.Info.Defs[fn.Name].(*types.Func)] = b
			}
		}
	}
	uses := make(map[types.Object]int)
	for _, obj := range w.Info.Uses {
		if fn, ok := obj.(*types.Func); ok {
			uses[fn.Origin()]++
		}
	}
	put := make(map[*inlinable]int)
	for _, f := range w.Files {
		for _, fn := range functions(f) {
			if w.isGeneric(fn) || jumps(fn) {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				for _, stmt := range list(n) {
					if b := w.inlineIn(f, stmt, bodies); b != nil {
						put[b]++
					}
				}
				return true
			})
		}
	}
	// What is used in a body that was put elsewhere is used there, too.
	for b := range put {
		ast.Inspect(b.decl.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && w.Info.Uses[id] != nil {
				uses[w.Info.Uses[id]] += len(w.Info.Uses)
			}
			return true
		})
	}
	gone := make(map[*ast.File][]*ast.FuncDecl)
	for b, n := range put {
		if fn := w.Info.Defs[b.decl.Name]; !fn.Exported() && uses[fn] == n && !w.satisfies(fn.Name()) {
			gone[b.file] = append(gone[b.file], b.decl)
		}
	}
	for f, fns := range gone {
		w.remove(f, fns)
	}
}

// satisfies reports whether an interface of the package has a method of the name.
func (w *writer) satisfies(name string) bool {
	for _, obj := range w.Info.Defs {
		if fn, ok := obj.(*types.Func); ok && fn.Name() == name && fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type()) {
			return true
		}
	}
	return false
}

// remove removes functions of a file. Edits within them go with them, and imports that only they need.
func (w *writer) remove(f *ast.File, fns []*ast.FuncDecl) {
	for _, fn := range fns {
		from, to := w.offset(fn.Pos()), w.offset(fn.End())
		w.edits[f] = slices.DeleteFunc(w.edits[f], func(e edit) bool { return from <= e.start && e.end <= to })
		w.edits[f] = append(w.edits[f], edit{from, to, ""})
	}
	for _, spec := range f.Imports {
		name := w.Info.PkgNameOf(spec)
		if name == nil || slices.ContainsFunc(w.edits[f], func(e edit) bool { return strings.Contains(e.text, name.Name()+".") }) {
			continue
		}
		if moved, here := w.usesOf(f, name, fns); moved && !here {
			w.replace(f, spec.Pos(), spec.End(), "_ "+spec.Path.Value)
		}
	}
}

// jumps reports whether a function has a goto statement, which may not jump over declarations.
func jumps(fn *ast.FuncDecl) bool {
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		branch, ok := n.(*ast.BranchStmt)
		found = found || ok && branch.Tok == token.GOTO
		return !found
	})
	return found
}

// An inlinable is a function whose body can replace a call.
type inlinable struct {
	file    *ast.File
	decl    *ast.FuncDecl
	stmts   []ast.Stmt       // without those that are deferred, and without the return
	defers  []*ast.DeferStmt // in the order of the text
	results []ast.Expr
}

// inlinable returns a function if its body can replace a call of it: it returns at its end only.
func (w *writer) inlinable(f *ast.File, fn *ast.FuncDecl) *inlinable {
	sig := w.Info.Defs[fn.Name].Type().(*types.Signature)
	if w.isGeneric(fn) || sig.Variadic() || len(fn.Body.List) > limit.Inlined || len(fn.Body.List) == 0 || fn.Name.Name == "init" || fn.Name.Name == "main" {
		return nil
	}
	if sig.Results().Len() > 0 && sig.Results().At(0).Name() != "" {
		return nil
	}
	out := &inlinable{file: f, decl: fn}
	for i, stmt := range fn.Body.List {
		switch s := stmt.(type) {
		case *ast.DeferStmt:
			if len(s.Call.Args) > 0 || isLiteral(s.Call.Fun) || i > 1 {
				return nil // its arguments are evaluated now
			}
			out.defers = append(out.defers, s)
		case *ast.ReturnStmt:
			if i != len(fn.Body.List)-1 || len(s.Results) != sig.Results().Len() {
				return nil
			}
			out.results = s.Results
		default:
			out.stmts = append(out.stmts, s)
		}
	}
	if len(out.results) != sig.Results().Len() {
		return nil
	}
	own := true
	for _, s := range out.stmts {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ReturnStmt, *ast.DeferStmt, *ast.LabeledStmt, *ast.FuncLit, *ast.GoStmt, *ast.SelectStmt:
				own = false
			case *ast.CallExpr:
				own = own && typeutil.StaticCallee(w.Info, n) != w.Info.Defs[fn.Name]
			case *ast.Ident:
				own = own && n.Name != "recover"
			}
			return true
		})
	}
	if !own {
		return nil
	}
	return out
}

// hasLiteral reports whether there are statements in an expression.
func hasLiteral(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		_, ok := n.(*ast.FuncLit)
		found = found || ok
		return !found
	})
	return found
}

func isLiteral(x ast.Expr) bool { _, ok := x.(*ast.FuncLit); return ok }

// inlineIn replaces a call that a statement begins with, and returns the function whose body is
// there now, or nil.
func (w *writer) inlineIn(f *ast.File, stmt ast.Stmt, bodies map[*types.Func]*inlinable) *inlinable {
	slot, open := callOf(stmt)
	if slot == nil {
		return nil
	}
	call, ok := (*slot).(*ast.CallExpr)
	if !ok {
		return nil
	}
	fn := typeutil.StaticCallee(w.Info, call)
	b := bodies[fn]
	if b == nil || slices.ContainsFunc(call.Args, hasLiteral) || !w.visible(b, stmt.Pos(), f) {
		return nil
	}
	var out strings.Builder
	if open {
		out.WriteString("{\n")
	}
	names, ok := w.bind(&out, f, b, call)
	if !ok {
		return nil
	}
	w.places++
	closing := ""
	if open {
		closing = "\n}"
	}
	switch s := stmt.(type) {
	case *ast.ExprStmt:
		w.replace(f, s.Pos(), s.End(), out.String()+blankNames(names))
	case *ast.IfStmt:
		if s.Init != nil {
			// The variables of the statement are those of the block around it.
			init := s.Init.(*ast.AssignStmt)
			out.WriteString(w.between(f, init.Pos(), call.Pos()) + strings.Join(names, ", ") + "\n")
			w.replace(f, s.Pos(), s.Cond.Pos(), out.String()+"if ")
		} else {
			w.replace(f, s.Pos(), s.Pos(), out.String())
			w.replace(f, call.Pos(), call.End(), strings.Join(names, ", "))
		}
		w.replace(f, s.End(), s.End(), closing)
	default:
		w.replace(f, s.Pos(), s.Pos(), out.String())
		w.replace(f, call.Pos(), call.End(), strings.Join(names, ", "))
	}
	return b
}

func blankNames(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return strings.Repeat("_, ", len(names)-1) + "_ = " + strings.Join(names, ", ")
}

// callOf returns where a statement has a call before all else that it does, and whether what comes before
// the statement has to be in a block with it.
func callOf(stmt ast.Stmt) (slot *ast.Expr, block bool) {
	switch s := stmt.(type) {
	case *ast.ExprStmt:
		return &s.X, false
	case *ast.AssignStmt:
		if len(s.Rhs) == 1 && plain(s.Lhs) {
			return &s.Rhs[0], false
		}
	case *ast.ReturnStmt:
		if len(s.Results) == 1 {
			return &s.Results[0], false
		}
	case *ast.IfStmt:
		if init, ok := s.Init.(*ast.AssignStmt); ok && init.Tok == token.DEFINE && len(init.Rhs) == 1 {
			return &init.Rhs[0], true
		}
		if s.Init != nil {
			return nil, false
		}
		if not, ok := s.Cond.(*ast.UnaryExpr); ok && not.Op == token.NOT {
			return &not.X, true
		}
		return &s.Cond, true
	}
	return nil, false
}

// plain reports whether the operands of an assignment are variables.
func plain(list []ast.Expr) bool {
	return !slices.ContainsFunc(list, func(x ast.Expr) bool { _, ok := x.(*ast.Ident); return !ok })
}

// visible reports whether all names in the body of a function that are not its own mean the same at a
// position of a file.
func (w *writer) visible(b *inlinable, pos token.Pos, f *ast.File) bool {
	scope := w.Types.Scope().Innermost(pos)
	if scope == nil {
		return false
	}
	ok := true
	ast.Inspect(b.decl.Body, func(n ast.Node) bool {
		id, isIdent := n.(*ast.Ident)
		if !isIdent {
			return true
		}
		obj := w.Info.Uses[id]
		if obj == nil || obj.Parent() == nil || obj.Parent() != w.Types.Scope() && obj.Parent() != types.Universe && !isPkgName(obj) {
			return true // a field, a method or a variable of the function
		}
		_, found := scope.LookupParent(id.Name, pos)
		if p, isPkg := obj.(*types.PkgName); isPkg {
			q, same := found.(*types.PkgName)
			ok = ok && same && q.Imported() == p.Imported()
		} else {
			ok = ok && found == obj
		}
		return true
	})
	return ok
}

func isPkgName(obj types.Object) bool { _, ok := obj.(*types.PkgName); return ok }

// bind writes the body of a function with the arguments of a call bound to its parameters, and returns
// the names of the results.
func (w *writer) bind(out *strings.Builder, f *ast.File, b *inlinable, call *ast.CallExpr) (results []string, ok bool) {
	sig := w.Info.Defs[b.decl.Name].Type().(*types.Signature)
	args, ok := w.arguments(f, sig, call)
	if !ok {
		return nil, false
	}
	var values, params []string
	for _, a := range args {
		name, ok := w.declareFresh(out, f, a.param, call.Pos(), " = "+a.text)
		switch {
		case !ok:
			return nil, false
		case a.param.Name() == "" || a.param.Name() == "_":
			fmt.Fprintf(out, "_ = %s\n", name)
		default:
			values, params = append(values, name), append(params, a.param.Name())
		}
	}
	for v := range sig.Results().Variables() {
		name, ok := w.declareFresh(out, f, v, call.Pos(), "")
		if !ok {
			return nil, false
		}
		results = append(results, name)
	}
	out.WriteString("{\n")
	if len(params) > 0 {
		fmt.Fprintf(out, "%s := %s\n%s\n", strings.Join(params, ", "), strings.Join(values, ", "), blankNames(params))
	}
	w.body(out, b, results)
	out.WriteString("}\n")
	return results, true
}

// An argument is the text of what a call gives to a parameter.
type argument struct {
	param *types.Var
	text  string
}

// arguments returns what a call gives to the receiver and the parameters of a function, or false if one of
// them has no text of its own: f(g()) with two results, a method of an embedded field, a copy as a receiver.
func (w *writer) arguments(f *ast.File, sig *types.Signature, call *ast.CallExpr) ([]argument, bool) {
	var out []argument
	if recv := sig.Recv(); recv != nil {
		text, ok := w.receiver(f, recv, call)
		if !ok {
			return nil, false
		}
		out = append(out, argument{recv, text})
	}
	if len(call.Args) != sig.Params().Len() {
		return nil, false
	}
	for i, arg := range call.Args {
		out = append(out, argument{sig.Params().At(i), w.text(f, arg)})
	}
	return out, true
}

// receiver returns the text of the pointer that the method of a call is called with.
func (w *writer) receiver(f *ast.File, recv *types.Var, call *ast.CallExpr) (string, bool) {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	s := w.Info.Selections[fun]
	if s == nil || s.Kind() != types.MethodVal || len(s.Index()) != 1 {
		return "", false
	}
	if _, pointer := recv.Type().(*types.Pointer); !pointer {
		return "", false
	}
	if _, given := s.Recv().Underlying().(*types.Pointer); !given {
		return "&" + w.text(f, fun.X), true
	}
	return w.text(f, fun.X), true
}

// declareFresh declares a variable with a new name and the type of v, and returns the name, or false if the
// type has no text at pos.
func (w *writer) declareFresh(out *strings.Builder, f *ast.File, v *types.Var, pos token.Pos, init string) (string, bool) {
	t, ok := w.typeText(f, v.Type())
	if !ok || w.shadowed(t, pos) {
		return "", false
	}
	name := w.fresh()
	fmt.Fprintf(out, "var %s %s%s\n", name, t, init)
	return name, true
}

// body writes the statements of a function, which leave its results in variables, and then what it defers.
func (w *writer) body(out *strings.Builder, b *inlinable, results []string) {
	for _, s := range b.stmts {
		out.WriteString(w.text(b.file, s) + "\n")
	}
	if len(results) > 0 {
		var texts []string
		for _, x := range b.results {
			texts = append(texts, w.text(b.file, x))
		}
		fmt.Fprintf(out, "%s = %s\n", strings.Join(results, ", "), strings.Join(texts, ", "))
	}
	for _, d := range slices.Backward(b.defers) {
		out.WriteString(w.text(b.file, d.Call) + "\n")
	}
}
