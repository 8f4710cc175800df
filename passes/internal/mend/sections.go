package mend

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// Sections makes one critical section of two, of which the first has the access at one position,
// and the second the one at another:
//
//	mu.Lock(); full := s.n == max; mu.Unlock()
//	if full { return }
//	mu.Lock(); s.n++; mu.Unlock()
//
// What is in between may only compute, or leave; it gives the lock up before it leaves. The first
// section ends with the release at the given position. With exclusive, the first section may also be
// one of a read lock and the second of the write lock; then all becomes one of the write lock.
func Sections(pass *analysis.Pass, read, release, act token.Pos, exclusive bool) []analysis.SuggestedFix {
	f, ok := functionAt(pass, read, act)
	if !ok {
		return nil
	}
	for _, p := range f.places(act) {
		for k := p.index; k >= 0; k-- {
			lock := f.lockCall(p.list[k], "Lock", "RLock")
			if lock == nil || p.list[k].Pos() <= read {
				continue
			}
			if out := f.join(p.list, k, lock, read, release, exclusive); out != nil {
				return out
			}
		}
	}
	return nil
}

// A lockCall is a statement that takes or releases a lock.
type lockCall struct {
	stmt ast.Stmt
	lock ast.Expr
	name *ast.Ident // Lock, Unlock, RLock or RUnlock
}

// lockCall returns the call of a method of a mutex that a statement is, if it has one of the names.
func (f *function) lockCall(s ast.Stmt, names ...string) *lockCall {
	var call *ast.CallExpr
	switch s := s.(type) {
	case *ast.ExprStmt:
		call, _ = s.X.(*ast.CallExpr)
	case *ast.DeferStmt:
		call = s.Call
	}
	if call == nil || len(call.Args) > 0 {
		return nil
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !f.plain(sel.X) {
		return nil
	}
	fn, ok := f.pass.TypesInfo.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "sync" {
		return nil
	}
	for _, name := range names {
		if fn.Name() == name {
			return &lockCall{s, sel.X, sel.Sel}
		}
	}
	return nil
}

// join removes the end of a section and the beginning of the next, which is statement k of a list.
func (f *function) join(list []ast.Stmt, k int, begin *lockCall, read, release token.Pos, exclusive bool) []analysis.SuggestedFix {
	for j := k - 1; j >= 0 && list[j].End() > read; j-- {
		end := f.lockCall(list[j], "Unlock", "RUnlock")
		if _, deferred := list[j].(*ast.DeferStmt); end == nil || deferred || !f.same(end.lock, begin.lock) {
			continue
		}
		edits, ok := f.held(list[j+1:k], begin)
		if !ok || list[j].Pos() <= read || release < list[j].Pos() || list[j].End() <= release || !f.stable(begin.lock, list[0].Pos(), list[k].End()) {
			return nil
		}
		for _, s := range []ast.Stmt{list[j], list[k]} {
			edit, ok := f.remove(s)
			if !ok {
				return nil
			}
			edits = append(edits, edit)
		}
		if (end.name.Name == "Unlock") != (begin.name.Name == "Lock") {
			change, ok := f.exclusive(list[:j], begin.lock, read)
			if !ok || !exclusive || begin.name.Name == "RLock" {
				return nil
			}
			edits = append(edits, change...)
		}
		return fix("Merge the two critical sections", edits...)
	}
	return nil
}

// held returns the edits by which statements can be in a critical section that ends after them: a
// block that leaves gives up the lock first.
func (f *function) held(list []ast.Stmt, begin *lockCall) ([]analysis.TextEdit, bool) {
	var edits []analysis.TextEdit
	release := f.text(begin.lock) + ".Unlock()"
	if begin.name.Name == "RLock" {
		release = f.text(begin.lock) + ".RUnlock()"
	}
	for _, s := range list {
		cond, ok := s.(*ast.IfStmt)
		if !ok || cond.Else != nil || !f.leaves(cond.Body) {
			if !f.computes(s) || !f.changesLocals(s) {
				return nil, false
			}
			continue
		}
		if !f.computes(cond.Cond) || cond.Init != nil && (!f.computes(cond.Init) || !f.changesLocals(cond.Init)) {
			return nil, false
		}
		first := cond.Body.List[0].Pos()
		edits = append(edits, insert(first, release+"\n"+f.indent(first)))
	}
	return edits, true
}

// exclusive returns the edits that make an exclusive section of the shared one whose last
// statements are given, and which reads at a position.
func (f *function) exclusive(list []ast.Stmt, lock ast.Expr, read token.Pos) ([]analysis.TextEdit, bool) {
	for i := len(list) - 1; i >= 0; i-- {
		begin := f.lockCall(list[i], "RLock")
		if begin == nil || !f.same(begin.lock, lock) {
			continue
		}
		edits := []analysis.TextEdit{replace(begin.name, "Lock")}
		ok := list[i].End() <= read
		for _, s := range list[i+1:] {
			ast.Inspect(s, func(n ast.Node) bool {
				if s, isStmt := n.(ast.Stmt); isStmt {
					if release := f.lockCall(s, "RUnlock"); release != nil && f.same(release.lock, lock) {
						edits = append(edits, replace(release.name, "Unlock"))
					}
				}
				return true
			})
		}
		return edits, ok
	}
	return nil, false
}
