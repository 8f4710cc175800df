// Package spelling writes Go programs otherwise than they are, and means the same.
//
// What an analyzer says of a program must not depend on whether it has x == nil or
// nil == x. The reports on a program and on what [Rewrite] makes of it can be compared: a
// metamorphic test, which needs no list of what is to be reported. Files are rewritten as
// text, so that comments stay where they are.
package spelling

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// A Style is a set of spellings.
type Style uint

const (
	Mirrored Style = 1 << iota // nil == x and 0 < n, for x == nil and n > 0
	Negated                    // !(a == b) for a != b, !(a != b) for a == b
	Compared                   // ok == false for !ok
	Lengths                    // len(x) > 0 for len(x) != 0 and the other way round, len(x) < 1 for len(x) == 0
	Inverted                   // if !c { b } else { a } for if c { a } else { b }
	Named                      // b := x == nil; if b { … } for if x == nil { … }
)

// Rewrite returns a file in another style, and how many places are spelled otherwise.
func Rewrite(name string, src []byte, style Style) ([]byte, int, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, 0, err
	}
	w := &writer{src: src, base: fset.File(file.FileStart), style: style}
	text := string(src[:w.base.Offset(file.Pos())]) + w.inside(file) + string(src[w.base.Offset(file.End()):])
	return []byte(text), w.places, nil
}

// A writer writes the nodes of a file in a style.
type writer struct {
	src    []byte
	base   *token.File
	style  Style
	places int
	names  int
}

// in reports whether a spelling belongs to the style, and counts the place if so.
func (w *writer) in(s Style) bool {
	if w.style&s == 0 {
		return false
	}
	w.places++
	return true
}

// text returns a node as it is to be written.
func (w *writer) text(n ast.Node) string {
	if s, ok := w.other(n); ok {
		return s
	}
	return w.inside(n)
}

// inside returns the text of a node, with the nodes in it as they are to be written.
func (w *writer) inside(n ast.Node) string {
	var out strings.Builder
	at := n.Pos()
	until := func(pos token.Pos) { out.Write(w.src[w.base.Offset(at):w.base.Offset(pos)]) }
	ast.Inspect(n, func(part ast.Node) bool {
		if part == nil || part == n {
			return true
		}
		s, ok := w.other(part)
		if ok {
			until(part.Pos())
			out.WriteString(s)
			at = part.End()
		}
		return !ok
	})
	until(n.End())
	return out.String()
}

// other returns the text of a node that has more than one spelling.
func (w *writer) other(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.IfStmt:
		return w.ifStmt(n), true
	case *ast.ForStmt:
		if n.Cond != nil {
			return w.forStmt(n), true
		}
	case *ast.BinaryExpr:
		if _, ok := mirrored[n.Op]; ok {
			return w.comparison(n), true
		}
	}
	return "", false
}

func (w *writer) forStmt(s *ast.ForStmt) string {
	from, to := w.base.Offset(s.Cond.End()), w.base.Offset(s.Body.Pos())
	head := "for "
	if s.Init != nil {
		head += w.text(s.Init) + "; "
	} else if s.Post != nil {
		head += "; "
	}
	head += w.condition(s.Cond)
	if s.Post == nil {
		return head + string(w.src[from:to]) + w.inside(s.Body)
	}
	return head + "; " + w.text(s.Post) + " " + w.inside(s.Body)
}

func (w *writer) ifStmt(s *ast.IfStmt) string {
	cond, body, init := w.condition(s.Cond), w.inside(s.Body), ""
	if s.Init != nil {
		init = w.text(s.Init) + "; "
	}
	otherwise := ""
	if s.Else != nil {
		otherwise = w.text(s.Else)
		if _, ok := s.Else.(*ast.IfStmt); ok && (w.style&Inverted != 0 || otherwise[0] != 'i') {
			otherwise = "{ " + otherwise + " }"
		}
		if w.in(Inverted) {
			cond, body, otherwise = "!("+cond+")", otherwise, body
		}
		otherwise = " else " + otherwise
	}
	if !simple(s.Cond) || !w.in(Named) {
		return "if " + init + cond + " " + body + otherwise
	}
	w.names++
	name := fmt.Sprintf("named%d", w.names)
	if init == "" {
		return fmt.Sprintf("{ %s := %s; if %s %s%s }", name, cond, name, body, otherwise)
	}
	return fmt.Sprintf("{ %s%s := %s; if %s %s%s }", init, name, cond, name, body, otherwise)
}

// simple reports whether a condition has no name yet and is not joined of others.
func simple(cond ast.Expr) bool {
	switch c := ast.Unparen(cond).(type) {
	case *ast.Ident:
		return false
	case *ast.BinaryExpr:
		return c.Op != token.LAND && c.Op != token.LOR
	}
	return true
}

// condition returns the text of an expression that is only asked whether it is true: the
// type of the boolean does not matter.
func (w *writer) condition(e ast.Expr) string {
	switch c := e.(type) {
	case *ast.ParenExpr:
		return "(" + w.condition(c.X) + ")"
	case *ast.BinaryExpr:
		if c.Op == token.LAND || c.Op == token.LOR {
			return w.condition(c.X) + " " + c.Op.String() + " " + w.condition(c.Y)
		}
	case *ast.UnaryExpr:
		if c.Op != token.NOT {
			break
		}
		if _, ok := ast.Unparen(c.X).(*ast.BinaryExpr); !ok && w.in(Compared) {
			return "(" + w.text(c.X) + " == false)"
		}
		return "!" + w.condition(c.X)
	}
	return w.text(e)
}

// mirrored is how y compares with x if x compares with y like that.
var mirrored = map[token.Token]token.Token{
	token.EQL: token.EQL, token.NEQ: token.NEQ,
	token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ,
}

func (w *writer) comparison(c *ast.BinaryExpr) string {
	x, op, y := w.text(c.X), c.Op, w.text(c.Y)
	if isLength(c.X) && y == "0" && (op == token.EQL || op == token.NEQ || op == token.GTR) && w.in(Lengths) {
		switch op {
		case token.EQL:
			op, y = token.LSS, "1"
		case token.NEQ:
			op = token.GTR
		case token.GTR:
			op = token.NEQ
		}
	}
	if isFixed(c.Y) && !isFixed(c.X) && w.in(Mirrored) {
		x, op, y = y, mirrored[op], x
	}
	switch {
	case op == token.EQL && w.in(Negated):
		return fmt.Sprintf("!(%s != %s)", x, y)
	case op == token.NEQ && w.in(Negated):
		return fmt.Sprintf("!(%s == %s)", x, y)
	}
	return fmt.Sprintf("%s %s %s", x, op, y)
}

func isLength(e ast.Expr) bool {
	c, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	name, ok := c.Fun.(*ast.Ident)
	return ok && name.Name == "len"
}

// isFixed reports whether an operand is nil, a boolean or a literal.
func isFixed(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return e.Name == "nil" || e.Name == "true" || e.Name == "false"
	}
	return false
}
