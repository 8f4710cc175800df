package reshape

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// A section is a run of statements of one list, from a lock to the unlock.
type section struct {
	file       *ast.File
	fn         *ast.FuncDecl
	start, end token.Pos
	// before are the variables of the function that it uses and that are declared before it, those that it
	// assigns first; after are those that it declares and that are used behind it.
	before, after []*types.Var
	assigned      int // number of the variables of before that it assigns
}

// literals makes each section a function literal that is called at once.
//
//	var n int
//	func() { s.mu.Lock(); n = s.n; s.mu.Unlock() }()
func (w *writer) literals() {
	for _, s := range w.sections() {
		decls, ok := w.declare(s)
		if !ok {
			continue
		}
		w.replace(s.file, s.start, s.end, decls+"func() {\n"+w.assigning(s)+"\n}()\n"+blank(s.after))
		w.places++
	}
}

// helpers makes each section a function of its own. It gets what it uses as arguments, and returns what it
// has assigned and declared.
//
//	var n int
//	n = re0v1(s)
func (w *writer) helpers() {
	for _, s := range w.sections() {
		decls, ok := w.declare(s)
		if !ok {
			continue
		}
		var params, args, results, names []string
		for i, v := range slices.Concat(s.before, s.after) {
			t, known := w.typeText(s.file, v.Type())
			ok = ok && known
			if i < len(s.before) {
				params, args = append(params, v.Name()+" "+t), append(args, v.Name())
			}
			if i < s.assigned || i >= len(s.before) {
				results, names = append(results, t), append(names, v.Name())
			}
		}
		if !ok || w.capturesByReference(s) {
			continue
		}
		name := w.fresh()
		call := fmt.Sprintf("%s(%s)", name, strings.Join(args, ", "))
		returns := ""
		if len(names) > 0 {
			call = strings.Join(names, ", ") + " = " + call
			returns = "\nreturn " + strings.Join(names, ", ")
		}
		w.replace(s.file, s.start, s.end, decls+call+"\n"+blank(s.after))
		w.add(s.file, fmt.Sprintf("func %s(%s) (%s) {\n%s%s%s\n}\n", name, strings.Join(params, ", "), strings.Join(results, ", "), decls, w.assigning(s), returns))
		w.places++
	}
}

// blank uses variables that may be used nowhere else.
func blank(vars []*types.Var) string {
	var out strings.Builder
	for _, v := range vars {
		out.WriteString("_ = " + v.Name() + "\n")
	}
	return out.String()
}

// declare returns declarations of what a section declares for later.
func (w *writer) declare(s *section) (string, bool) {
	var out strings.Builder
	for _, v := range s.after {
		t, ok := w.typeText(s.file, v.Type())
		if !ok {
			return "", false
		}
		fmt.Fprintf(&out, "var %s %s\n", v.Name(), t)
	}
	return out.String(), true
}

// assigning returns the text of a section in which what it declares for later is assigned only.
//
//	n, ok := s.m[k] // n, ok = s.m[k]
func (w *writer) assigning(s *section) string {
	var edits []edit
	base := w.offset(s.start)
	for _, stmt := range w.statements(s) {
		assign, ok := stmt.(*ast.AssignStmt)
		if !ok || assign.Tok != token.DEFINE {
			continue
		}
		later := slices.ContainsFunc(assign.Lhs, func(x ast.Expr) bool { return slices.Contains(s.after, w.variable(x)) })
		if !later {
			continue
		}
		decls := ""
		for _, x := range assign.Lhs {
			if v := w.variable(x); v != nil && w.Info.Defs[x.(*ast.Ident)] != nil && !slices.Contains(s.after, v) {
				t, _ := w.typeText(s.file, v.Type())
				decls += fmt.Sprintf("var %s %s\n", v.Name(), t)
			}
		}
		edits = append(edits, edit{w.offset(assign.Pos()) - base, w.offset(assign.Pos()) - base, decls},
			edit{w.offset(assign.TokPos) - base, w.offset(assign.TokPos) - base + 2, "="})
	}
	return apply(w.between(s.file, s.start, s.end), edits)
}

// variable returns the variable that an identifier defines or uses, or nil.
func (w *writer) variable(x ast.Expr) *types.Var {
	id, ok := x.(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := w.Info.ObjectOf(id).(*types.Var)
	return v
}

// statements returns the statements of a section.
func (w *writer) statements(s *section) []ast.Stmt {
	var out []ast.Stmt
	ast.Inspect(s.fn.Body, func(n ast.Node) bool {
		for _, stmt := range list(n) {
			if s.start <= stmt.Pos() && stmt.End() <= s.end {
				out = append(out, stmt)
			}
		}
		return n == nil || n.Pos() < s.start || s.end < n.End()
	})
	return out
}

// list returns the statements of a node that is a list of them.
func list(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// sections returns the sections of the package that can be functions of their own. None is within another
// one.
func (w *writer) sections() []*section {
	var out []*section
	for _, f := range w.Files {
		for _, fn := range functions(f) {
			if w.isGeneric(fn) {
				continue
			}
			var end token.Pos
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				stmts := list(n)
				for i := 0; i < len(stmts); i++ {
					j := w.unlocks(f, stmts, i)
					if stmts[i].Pos() < end || j < 0 {
						continue
					}
					s := &section{file: f, fn: fn, start: stmts[i].Pos(), end: stmts[j].End()}
					if w.complete(s, stmts[i:j+1]) {
						out = append(out, s)
						end = s.end
						i = j
					}
				}
				return true
			})
		}
	}
	return out
}

// unlocks returns the index of the statement that releases the lock which statement i takes, or -1.
func (w *writer) unlocks(f *ast.File, stmts []ast.Stmt, i int) int {
	lock, of := w.lockCall(f, stmts[i])
	if lock != "Lock" && lock != "RLock" {
		return -1
	}
	return slices.IndexFunc(stmts, func(s ast.Stmt) bool {
		name, what := w.lockCall(f, s)
		return s.Pos() > stmts[i].Pos() && what == of && name == strings.Replace(lock, "Lock", "Unlock", 1)
	})
}

// lockCall returns the method of a lock that a statement calls, and the text of the lock.
func (w *writer) lockCall(f *ast.File, s ast.Stmt) (method, lock string) {
	expr, ok := s.(*ast.ExprStmt)
	if !ok {
		return "", ""
	}
	call, ok := expr.X.(*ast.CallExpr)
	if !ok || !isLockMethod(typeutil.StaticCallee(w.Info, call)) {
		return "", ""
	}
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	return fun.Sel.Name, w.text(f, fun.X)
}

// complete finds the variables of a section. It reports whether the section can be a function: control
// does not leave it, and what it uses can be handed over.
func (w *writer) complete(s *section, stmts []ast.Stmt) bool {
	u := usage{w: w, s: s, whole: true, uses: make(map[*types.Var]bool), assigns: make(map[*types.Var]bool)}
	for _, stmt := range stmts {
		ast.Inspect(stmt, u.visit)
	}
	if !u.whole {
		return false
	}
	s.before, s.assigned = u.before()
	s.after = w.usedLater(s)
	// A variable that is used later is one of the list, or of a switch on types, which has no statement
	// of its own.
	for _, v := range s.after {
		if !slices.ContainsFunc(stmts, func(stmt ast.Stmt) bool { return w.defines(stmt, v) }) {
			return false
		}
	}
	return haveOwnNames(slices.Concat(s.before, s.after))
}

func (s *section) contains(pos token.Pos) bool { return s.start <= pos && pos < s.end }

// defines reports whether a statement is a short declaration of a variable.
func (w *writer) defines(stmt ast.Stmt, v *types.Var) bool {
	assign, ok := stmt.(*ast.AssignStmt)
	return ok && assign.Tok == token.DEFINE && slices.ContainsFunc(assign.Lhs, func(x ast.Expr) bool { return w.variable(x) == v })
}

// capturesByReference reports whether a section uses a variable of the function in a way that needs the
// variable itself: its address, a literal that captures it, or a part of a struct or array.
func (w *writer) capturesByReference(s *section) bool {
	found := false
	of := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && slices.Contains(s.before, w.variable(id)) {
				found = true
			}
			return true
		})
	}
	for _, v := range s.before {
		switch v.Type().Underlying().(type) {
		case *types.Struct, *types.Array:
			found = true
		}
	}
	for _, stmt := range w.statements(s) {
		ast.Inspect(stmt, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				for _, v := range s.before[:s.assigned] {
					ast.Inspect(n, func(n ast.Node) bool {
						if id, ok := n.(*ast.Ident); ok && w.variable(id) == v {
							found = true
						}
						return true
					})
				}
			case *ast.UnaryExpr:
				if id, ok := n.X.(*ast.Ident); ok && n.Op == token.AND {
					of(id)
				}
			}
			return true
		})
	}
	return found
}
