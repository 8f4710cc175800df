package instrument

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// closedState ends the name of the object that is the state of a channel, open or closed.
const closedState = ".closed"

// variable returns the variable that the memory of an object is in. Whether a channel is closed has no
// address: the variable with the channel stands for it, which close(x.done) writes and a receive reads.
func (in *Instrumenter) variable(o report.Object) report.Object {
	name, ok := strings.CutSuffix(o.Field, closedState)
	if !ok {
		return o
	}
	for _, f := range in.files {
		if f.Types.Path() != o.Package {
			continue
		}
		if t := typeAt(f.Types, o.Type, name); t != nil {
			if _, ok := t.Underlying().(*types.Chan); ok {
				o.Field = name
			}
		}
		return o
	}
	return o
}

// typeAt returns the type of a field of a type, or of a package variable or a field of one; nil for
// none.
func typeAt(pkg *types.Package, typ, path string) types.Type {
	names := strings.Split(path, ".")
	if typ == "" {
		typ, names = names[0], names[1:]
	}
	obj := pkg.Scope().Lookup(typ)
	if obj == nil {
		return nil
	}
	t := obj.Type()
	for _, name := range names {
		field, _, _ := types.LookupFieldOrMethod(t, true, pkg, name)
		v, ok := field.(*types.Var)
		if !ok {
			return nil
		}
		t = v.Type()
	}
	return t
}

// polled returns the receive from a channel in the select statement at a position, which is that of the
// statement, nil for none.
func (in *Instrumenter) polled(p report.Position, o report.Object) *site {
	f := in.file(p)
	if f == nil {
		return nil
	}
	at := f.pos(p)
	for _, s := range f.sites {
		if s.object != o {
			continue
		}
		for n := f.parent[s.node]; n != nil; n = f.parent[n] {
			if sel, ok := n.(*ast.SelectStmt); ok {
				if sel.Pos() <= at && at <= sel.Body.Lbrace {
					return s
				}
				break
			}
		}
	}
	return nil
}
