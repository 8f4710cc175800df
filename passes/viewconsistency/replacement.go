package viewconsistency

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// What is written to a variable may be a changed copy of what was in it. The parts that it keeps
// are those of any object that the variable ever has:
//
//	c := *s.conf.Load(); c.limit = n; s.conf.Store(&c) // keeps c.name

// replacements returns a view for each write that may replace the object in a location.
func (d *detector) replacements(l accesspath.Location) []*summary.View {
	var out []*summary.View
	for _, c := range d.changesOf(l) {
		if !c.Part && c.Const == "" {
			out = append(out, c.view)
		}
	}
	return out
}

// changes returns a view for each write of a location.
func (d *detector) changes(l accesspath.Location) []*summary.View {
	var out []*summary.View
	for _, c := range d.changesOf(l) {
		out = append(out, c.view)
	}
	return out
}

func (d *detector) changesOf(l accesspath.Location) []change {
	if views, known := d.changed[l]; known {
		return views
	}
	var out []change
	if info := d.pkg.Location(l); !info.Constant() {
		for _, w := range info.Writers {
			v := &summary.View{Kind: fact.WriteView, Vars: []summary.Var{{Loc: l}}, Locks: w.Guards, Func: w.Func, Pos: w.Pos, Fn: w.Fn}
			_, e := d.pkg.WriteOf(&w)
			if e != nil {
				v.Vars[0].Base = e.Base
			}
			out = append(out, change{w, e, v})
		}
	}
	d.changed[l] = out
	return out
}

// change returns the write that the view of the candidate is made of, if it is in this package, or nil.
func (c *candidate) change() *summary.Event {
	for _, of := range c.d.changesOf(c.view.Vars[0].Loc) {
		if of.view == c.view {
			return of.event
		}
	}
	return nil
}

// keptParts: the new object has one of the two parts from another one of which it is a changed copy.
func (c *candidate) keptParts() bool {
	e := c.change()
	if e == nil || len(e.Inputs) != 1 {
		return false
	}
	changed, known := new(copies).changedFields(e.Inputs[0])
	keeps := func(read *summary.Event) bool {
		return !slices.ContainsFunc(c.d.partsOf(read), func(part string) bool { return slices.Contains(changed, part) || strings.HasSuffix(part, ")") })
	}
	return known && (keeps(c.first) || keeps(c.second))
}

// copies follows a struct to those that it is a copy of.
type copies struct {
	calls int // that were followed
	// seen are the variables on the way: one may be a copy of itself.
	seen []*ssa.Alloc
}

// changedFields returns the fields that the function stores into a copy of another struct, and false
// if v may be any struct, or is one that begins empty.
func (c *copies) changedFields(v ssa.Value) (fields []string, known bool) {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return c.changedFields(v.X)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			if made, ok := v.X.(*ssa.Alloc); ok {
				return c.changedFields(made)
			}
		}
	case *ssa.Alloc:
		return c.changedIn(v)
	case *ssa.Call:
		if fn := ssautil.Target(&v.Call); fn != nil && c.calls < limit.CopyCalls {
			return c.changedInResult(fn)
		}
	}
	return nil, false
}

func (c *copies) changedIn(made *ssa.Alloc) (fields []string, known bool) {
	if slices.Contains(c.seen, made) {
		return nil, false
	}
	c.seen = append(c.seen, made)
	for _, use := range *made.Referrers() {
		switch use := use.(type) {
		case *ssa.FieldAddr:
			if slices.ContainsFunc(*use.Referrers(), func(instr ssa.Instruction) bool {
				st, ok := instr.(*ssa.Store)
				return ok && st.Addr == use
			}) {
				fields = append(fields, "."+ssautil.Field(made.Type(), use.Field).Name())
			}
		case *ssa.Store:
			if use.Addr == made {
				more, copied := c.changedFields(use.Val)
				if !copied && !c.isCopy(use.Val) {
					return nil, false // some other struct
				}
				fields, known = append(fields, more...), true
			}
		}
	}
	return fields, known && len(fields) > 0
}

// isCopy reports whether v is the struct that a pointer points to, or what a callee is given.
func (c *copies) isCopy(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.UnOp:
		return true
	case *ssa.Parameter:
		return c.calls > 0
	}
	return false
}

func (c *copies) changedInResult(fn *ssa.Function) (fields []string, known bool) {
	c.calls++
	defer func() { c.calls-- }()
	for _, ret := range ssautil.Returns(fn) {
		if len(ret.Results) == 0 {
			continue
		}
		more, ok := c.changedFields(ssautil.Returned(ret, 0))
		if !ok {
			return nil, false
		}
		fields = append(fields, more...)
	}
	return fields, len(fields) > 0
}
