package mend

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// SecondLook makes a check again under the lock of the act:
//
//	mu.RLock(); v, ok := s.m[k]; mu.RUnlock()
//	if ok { return v }
//	v = newValue()
//	mu.Lock()
//	if v, ok := s.m[k]; ok { mu.Unlock(); return v } // the second look
//	s.m[k] = v
//	mu.Unlock()
//
// To a goroutine by itself the second look shows the same as the first, unless it writes there in
// between itself, which the detector knows.
func SecondLook(pass *analysis.Pass, read, act token.Pos) []analysis.SuggestedFix {
	f, ok := functionAt(pass, read, act)
	if !ok {
		return nil
	}
	look, ok := f.look(read)
	if !ok {
		return nil
	}
	c, ok := f.afterLook(look, act)
	if !ok {
		return nil
	}
	for _, p := range f.places(act) {
		for k := p.index; k >= 0 && p.list[k].Pos() > c.cond.Pos(); k-- {
			begin := f.lockCall(p.list[k], "Lock")
			if begin == nil || !f.same(begin.lock, look.lock) {
				continue
			}
			if !f.stableLook(look, begin) {
				return nil
			}
			return f.again(look, c, p.list, k, act)
		}
	}
	return nil
}

// A look is an assignment of what is read in a critical section.
type look struct {
	place  // of the assignment
	assign *ast.AssignStmt
	lock   ast.Expr
	end    int // index of the release in the list
}

// look returns the assignment that reads at a position, if the statements around it take and
// release a lock.
func (f *function) look(read token.Pos) (*look, bool) {
	p, ok := f.place(read)
	if !ok {
		return nil, false
	}
	assign, ok := p.stmt().(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE && assign.Tok != token.ASSIGN || len(assign.Rhs) != 1 || !f.computes(assign) || !f.changesLocals(assign) || p.index == 0 {
		return nil, false
	}
	begin := f.lockCall(p.list[p.index-1], "RLock", "Lock")
	if begin == nil || p.next() == nil {
		return nil, false
	}
	end := f.lockCall(p.next(), "RUnlock", "Unlock")
	if end == nil || !f.same(begin.lock, end.lock) {
		return nil, false
	}
	return &look{p, assign, begin.lock, p.index + 1}, true
}

// afterLook returns the check that follows the release.
func (f *function) afterLook(l *look, act token.Pos) (*check, bool) {
	i := l.end + 1
	if i >= len(l.list) {
		return nil, false
	}
	cond, ok := l.list[i].(*ast.IfStmt)
	if !ok || cond.Init != nil || cond.Else != nil || !f.computes(cond.Cond) {
		return nil, false
	}
	c := &check{place: place{l.list, i}, cond: cond, assign: l.assign, before: true}
	switch body := cond.Body; {
	case body.Pos() <= act && act < body.End():
		c.holds = true
	case !f.leaves(body) || act < cond.End():
		return nil, false
	}
	return c, f.straight(c, act)
}

// stableLook reports whether what is looked at is named by the same variables under both locks.
func (f *function) stableLook(l *look, begin *lockCall) bool {
	return f.stable(begin.lock, l.assign.Pos(), begin.stmt.End()) && f.stable(l.assign.Rhs[0], l.assign.End(), begin.stmt.End())
}

// again inserts the second look after the beginning of a section, which is statement k of a list.
func (f *function) again(l *look, c *check, list []ast.Stmt, k int, act token.Pos) []analysis.SuggestedFix {
	first, deferred := k+1, false
	if first < len(list) {
		if _, deferred = list[first].(*ast.DeferStmt); deferred && f.lockCall(list[first], "Unlock") != nil {
			first++
		}
	}
	if first >= len(list) {
		return nil
	}
	const message = "Look again under the lock"
	at, indent := list[first].Pos(), "\n"+f.indent(list[first].Pos())
	if c.holds {
		header, ok := f.header(l, c.cond.Cond)
		if s := list[first]; !ok || s.Pos() > act || act >= s.End() || !f.independent(s) {
			return nil
		}
		return fix(message, insert(at, "if "+header+" {"+indent+"\t"), insert(list[first].End(), indent+"}"))
	}
	header, ok := f.header(l, c.cond.Cond, c.cond.Body)
	if !ok || len(c.cond.Body.List) != 1 || !f.leavesAlike(c.cond.Body.List[0], &c.list[0] == &list[0], deferred) {
		return nil
	}
	text := "if " + header + " {"
	if !deferred {
		text += indent + "\t" + f.text(l.lock) + ".Unlock()"
	}
	return fix(message, insert(at, text+indent+"\t"+f.text(c.cond.Body.List[0])+indent+"}"+indent))
}

// header returns the assignment and the condition of the second look. A variable that neither the
// condition nor the body names is blank there.
func (f *function) header(l *look, used ...ast.Node) (text string, ok bool) {
	var names []string
	for _, lhs := range l.assign.Lhs {
		name := f.text(lhs)
		if v := f.object(lhs); v != nil {
			n := 0
			for _, node := range used {
				n += f.uses(v, node.Pos(), node.End())
			}
			if ok = ok || n > 0; n == 0 {
				name = "_"
			}
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ") + " := " + f.text(l.assign.Rhs[0]) + "; " + f.text(used[0]), ok
}

// leavesAlike reports whether a statement that leaves can be repeated in another place: a break means
// the same only in the same list, and with a deferred release results are computed under the lock.
func (f *function) leavesAlike(s ast.Stmt, sameList, deferred bool) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		for _, e := range s.Results {
			if deferred && !f.computes(e) {
				return false
			}
		}
	case *ast.BranchStmt:
		return sameList
	}
	return true
}

// independent reports whether a statement can be left out without a difference to what follows:
// what it stores is not named again.
func (f *function) independent(s ast.Stmt) bool {
	assign, ok := s.(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 || assign.Tok == token.DEFINE {
		return false
	}
	v := f.object(assign.Rhs[0])
	return v == nil || f.uses(v, s.End(), f.body.End()) == 0
}
