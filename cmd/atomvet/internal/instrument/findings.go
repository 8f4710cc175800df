package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/instrument/atomvetrt"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/program"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// A Placement says where the parts of a finding were found in the program; Missing is what was
// not found, "" if all was.
type Placement struct {
	Finding *report.Finding
	Missing string
}

// Findings instruments a program for findings with anchors, and writes the overlay to dir.
func Findings(p *program.Program, list []*report.Finding, added map[string][]byte, dir string) (*Overlay, []Placement, error) {
	in := newInstrumenter(p)
	in.Added = added
	in.tracked = make(map[report.Object]bool)
	for _, f := range list {
		for _, o := range objectsOf(f.Anchors) {
			in.tracked[in.variable(o)] = true
		}
	}
	in.findContainers()
	for _, f := range in.files {
		f.accesses()
	}
	var placements []Placement
	for i, f := range list {
		placements = append(placements, Placement{f, in.place(i, f)})
	}
	o, err := in.write(dir)
	return o, placements, err
}

// objectsOf returns the variables of a finding.
func objectsOf(a *report.Anchors) []report.Object {
	list := []report.Object{a.Object}
	if a.ActObject != nil {
		list = append(list, *a.ActObject)
	}
	for i := range list {
		list[i].Key = false
	}
	return list
}

// findContainers notes the types of the tracked variables that are maps or slices.
func (in *Instrumenter) findContainers() {
	for _, f := range in.files {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			switch e.(type) {
			case *ast.SelectorExpr, *ast.Ident:
				if o, v, ok := objectOf(f.Info, e); ok && f.track(o) {
					switch v.Type().Underlying().(type) {
					case *types.Map, *types.Slice:
						in.containers[types.TypeString(v.Type(), nil)] = o
					}
				}
			}
			return true
		})
	}
}

// place marks the parts of finding number i. It returns what cannot be found.
func (in *Instrumenter) place(i int, f *report.Finding) (missing string) {
	a := f.Anchors
	object := in.variable(a.Object)
	actObject := object
	if a.ActObject != nil {
		actObject = in.variable(*a.ActObject)
	}
	finding := atomvetrt.Finding{ByRead: a.Interference == "read", Object: in.object(object), Act: in.object(actObject)}
	if a.ActObject != nil {
		// What is split is what other code has together.
		finding.Both = strings.HasPrefix(f.Category, "split-")
	}
	in.config.Findings = append(in.config.Findings, finding)

	unit := in.file(a.Check.Position)
	if unit == nil {
		return "the file of the check is not instrumented"
	}
	body := unit.bodyWith(a.Check.Position, a.Act.Position)
	if body == nil {
		return "the function is not found"
	}
	check := in.siteAt(a.Check.Place(), object, a.Check.Op)
	if check == nil {
		check = in.polled(a.Check.Place(), object)
	}
	if check == nil {
		return "the check is not found: " + in.unfound(object)
	}
	act := in.siteAt(a.Act.Place(), actObject, a.Act.Op)
	if act == nil {
		return "the act is not found: " + in.unfound(actObject)
	}
	unit.enter(body, fmt.Sprintf("defer atomvetrt.Unit(%d)(); ", i))
	in.config.Sites[check.number].Check = append(in.config.Sites[check.number].Check, i)
	in.config.Sites[act.number].Act = append(in.config.Sites[act.number].Act, i)
	in.markSame(act, i)
	unit.markCalls(i, a)
	return ""
}

// unfound says why no access to an object is found in the program.
func (in *Instrumenter) unfound(o report.Object) string {
	if !slices.ContainsFunc(in.files, func(f *file) bool { return f.Path == o.Package }) {
		return fmt.Sprintf("%s is accessed in package %s, which is not among those that were named: name it, too", o, o.Package)
	}
	return o.String() + " has no address there"
}

// file returns the file with a position, nil for none. Of a dependency only the base name is known.
func (in *Instrumenter) file(p report.Position) *file {
	abs, err := filepath.Abs(p.File)
	if err != nil {
		return nil
	}
	for _, f := range in.files {
		if f.Name == abs {
			return f
		}
	}
	return nil
}

// pos returns the position in the syntax of the file.
func (f *file) pos(p report.Position) token.Pos {
	file := f.in.program.Fset.File(f.Syntax.FileStart)
	if p.Line < 1 || p.Line > file.LineCount() {
		return token.NoPos
	}
	return file.LineStart(p.Line) + token.Pos(max(p.Column-1, 0))
}

// bodyWith returns the body of the innermost function that has both positions.
func (f *file) bodyWith(p, q report.Position) *ast.BlockStmt {
	from, to := f.pos(p), f.pos(q)
	var best *ast.BlockStmt
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if n == nil || from < n.Pos() || n.End() <= from || to < n.Pos() || n.End() <= to {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			best = n.Body
		case *ast.FuncLit:
			best = n.Body
		}
		return true
	})
	return best
}

// siteAt returns the site of an access to a variable: on the same line, the nearest to the column.
// Of two at the same place the one that does what the access does is taken.
func (in *Instrumenter) siteAt(p report.Position, o report.Object, op string) *site {
	o.Key = false
	var best *site
	bestFar := 0
	for _, f := range in.files {
		if f.Name != p.File && filepath.Base(f.Name) != filepath.Base(p.File) {
			continue
		}
		if abs, err := filepath.Abs(p.File); err != nil || filepath.Base(p.File) != p.File && abs != f.Name {
			continue
		}
		at := f.pos(p)
		file := in.program.Fset.File(f.Syntax.FileStart)
		for _, s := range f.sites {
			if s.object != o || file.PositionFor(s.from, false).Line > p.Line || file.PositionFor(s.to, false).Line < p.Line {
				continue
			}
			far := 0
			switch {
			case p.Column == 0:
			case at < s.from:
				far = int(s.from - at)
			case at > s.to:
				far = int(at - s.to)
			}
			far *= 2
			if s.write != (op != "read") {
				far++
			}
			if best == nil || far < bestFar {
				best, bestFar = s, far
			}
		}
	}
	return best
}

// markSame marks the other accesses in the statement of an act.
func (in *Instrumenter) markSame(act *site, finding int) {
	for _, f := range in.files {
		if act.node.Pos() < f.Syntax.FileStart || f.Syntax.FileEnd <= act.node.Pos() {
			continue
		}
		st := f.statement(act.node)
		if st == nil {
			return
		}
		for _, s := range f.sites {
			if s != act && st.Pos() <= s.from && s.to <= st.End() {
				in.config.Sites[s.number].Same = append(in.config.Sites[s.number].Same, finding)
			}
		}
	}
}

// statement returns the simple statement with a node, or nil.
func (f *file) statement(n ast.Node) ast.Stmt {
	for ; n != nil; n = f.parent[n] {
		switch n := n.(type) {
		case *ast.AssignStmt, *ast.IncDecStmt, *ast.ExprStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt, *ast.ReturnStmt:
			return n.(ast.Stmt)
		case *ast.FuncLit, ast.Stmt:
			return nil
		}
	}
	return nil
}

// markCalls marks the calls of the check and of the act, and the place of the pause.
func (f *file) markCalls(i int, a *report.Anchors) {
	if len(a.Check.Calls) > 0 {
		f.markCall(i, "B", a.Check.Position)
	}
	if len(a.Act.Calls) > 0 {
		if arg := f.argumentWith(a.Act.Position, a.Check.Position); arg != nil {
			f.wrap(arg, fmt.Sprintf("atomvetrt.V(%d, ", i), ")", marker)
		} else {
			f.markCall(i, "A", a.Act.Position)
		}
	} else if a.Check.Place() == a.Act.Place() {
		return
	} else {
		f.markBefore(i, "A0", a.Act.Position)
	}
	if a.Later != nil {
		f.markCall(i, "P", *a.Later)
	}
}

// markCall wraps the function of a call, or marks the statement of it.
func (f *file) markCall(i int, what string, p report.Position) {
	call := f.call(p)
	if call == nil || !f.canWrap(call) {
		f.markBefore(i, what+"0", p)
		return
	}
	f.wrap(call.Fun, fmt.Sprintf("atomvetrt.%s(%d, ", what, i), ")", marker)
}

// markBefore puts a call before the statement at a position. It is left out where no statement can
// come before it.
func (f *file) markBefore(i int, what string, p report.Position) {
	if st := f.listed(f.pos(p)); st != nil {
		f.insert(st, fmt.Sprintf("atomvetrt.%s(%d); ", what, i))
	}
}

// listed returns the innermost statement at a position that is in a list of statements.
func (f *file) listed(at token.Pos) ast.Stmt {
	var best ast.Stmt
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if n == nil || at < n.Pos() || n.End() < at {
			return false
		}
		st, ok := n.(ast.Stmt)
		if !ok {
			return true
		}
		switch list := f.parent[n].(type) {
		case *ast.BlockStmt:
			if _, clause := n.(*ast.CaseClause); clause {
				return true
			}
			if _, clause := n.(*ast.CommClause); clause {
				return true
			}
			best = st
		case *ast.CaseClause:
			best = st
		case *ast.CommClause:
			if list.Comm != n {
				best = st
			}
		}
		return true
	})
	return best
}

// call returns the call that a position means, nil for none: that is the place of its parenthesis.
func (f *file) call(p report.Position) *ast.CallExpr {
	at := f.pos(p)
	var found *ast.CallExpr
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if n == nil || at < n.Pos() || n.End() < at {
			return false
		}
		if c, ok := n.(*ast.CallExpr); ok && c.Lparen == at {
			found = c
		}
		return true
	})
	return found
}

// canWrap reports whether the function of a call can be an argument.
func (f *file) canWrap(c *ast.CallExpr) bool {
	tv := f.Info.Types[c.Fun]
	if tv.IsType() || tv.IsBuiltin() {
		return false
	}
	switch f.parent[c].(type) {
	case *ast.DeferStmt, *ast.GoStmt:
		return false
	}
	var id *ast.Ident
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return true
	}
	fn, ok := f.Info.Uses[id].(*types.Func)
	return !ok || fn.Signature().TypeParams().Len() == 0
}

// argumentWith returns the argument of the call at p that has q in it, nil for none.
func (f *file) argumentWith(p, q report.Position) ast.Expr {
	call := f.call(p)
	if call == nil || p.File != q.File {
		return nil
	}
	at := f.pos(q)
	for _, arg := range call.Args {
		if _, tuple := f.Info.TypeOf(arg).(*types.Tuple); !tuple && arg.Pos() <= at && at < arg.End() && f.Info.Types[arg].Value == nil {
			return arg
		}
	}
	return nil
}
