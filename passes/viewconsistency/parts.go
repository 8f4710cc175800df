package viewconsistency

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// An object that is replaced as a whole keeps its parts consistent: to store it is to write all of
// them. A function that reads the variable twice, and takes one part from the first read and
// another part from the second, has parts of two objects.
//
//	func (b *Book) Append(p *Page) { b.head.Store(p) }
//
//	badge(b.head.Load().Height, b.head.Load().Time)          // WRONG: two pages
//	head := b.head.Load(); badge(head.Height, head.Time)     // RIGHT: one page
//
// A function that looks at the same part twice, or at the whole object once more, looks again.

// partsApart returns the pairs of reads of one variable in two sections that yield different
// parts of a struct.
func (d *detector) partsApart(p *partition) []pair {
	var out []pair
	for _, l := range p.locs {
		var list []access
		var parts [][]string
		for _, a := range p.accesses[l] {
			if of := d.partsOf(a.event); len(of) > 0 {
				list, parts = append(list, a), append(parts, of)
			}
		}
		for i, one := range list {
			for j := i + 1; j < len(list); j++ {
				two := list[j]
				if sameVariable(one, two) && disjoint(parts[i], parts[j]) {
					out = append(out, p.pair(one, two))
				}
			}
		}
	}
	return out
}

// disjoint reports whether two lists have no element in common.
func disjoint(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// partsOf returns the names of the fields and methods for which the function reads a struct, or a
// pointer to one, none if the function uses it in another way as well, or reads something else. A
// comparison with nil uses nothing. A callee that reads the struct may return the part.
//
//	func (b *Book) height() uint64 { return b.head.Load().height }
func (d *detector) partsOf(e *summary.Event) []string { return d.partsFor(d.f, e, fact.MaxDepth) }

func (d *detector) partsFor(f *summary.Func, e *summary.Event, depth int) []string {
	if e.Callee == nil || d.returnsWhole(f, e, depth) {
		return d.partsUsed(f, e)
	}
	g, inner := d.pkg.Processes().InCallee(f, e)
	if g == nil || depth == 0 || !yields(g, func(v ssa.Value) bool { return slices.Contains(inner.Values, v) || isPartOf(v, inner.Values) }, inner.Values) {
		return nil
	}
	return d.partsFor(g, inner, depth-1)
}

// returnsWhole reports whether the callees that make the read e for f return what it yields as a whole. So it is taken to be of a
// callee that is not known, such as one of another package.
func (d *detector) returnsWhole(f *summary.Func, e *summary.Event, depth int) bool {
	for ; e.Callee != nil; depth-- {
		g, inner := d.pkg.Processes().InCallee(f, e)
		if g == nil {
			return true
		}
		if depth == 0 || !yields(g, func(v ssa.Value) bool { return isWhole(v, inner.Values) }, inner.Values) {
			return false
		}
		f, e = g, inner
	}
	return true
}

// yields reports whether f returns something that is computed from the values, and nothing but what is asked for.
func yields(f *summary.Func, asked func(ssa.Value) bool, values []ssa.Value) bool {
	some := false
	for _, ret := range ssautil.Returns(f.Fn) {
		for i := range ret.Results {
			v := ssautil.Returned(ret, i)
			if !f.Slice(v).HasAny(values) {
				continue
			}
			if some = asked(v); !some {
				return false
			}
		}
	}
	return some
}

// isWhole reports whether v is one of the values, or the struct that one of them points to.
func isWhole(v ssa.Value, values []ssa.Value) bool {
	l, ok := v.(*ssa.UnOp)
	return slices.Contains(values, v) || ok && l.Op == token.MUL && slices.Contains(values, l.X)
}

// isPartOf reports whether v is a field of one of the values.
func isPartOf(v ssa.Value, values []ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Field:
		return slices.Contains(values, v.X)
	case *ssa.UnOp:
		field, ok := v.X.(*ssa.FieldAddr)
		return ok && v.Op == token.MUL && slices.Contains(values, field.X)
	}
	return false
}

// partsUsed is partsOf of a read whose value the function has as a whole.
func (d *detector) partsUsed(f *summary.Func, e *summary.Event) []string {
	var out []string
	for _, v := range e.Values {
		if !isStruct(v.Type()) {
			return nil
		}
		for _, use := range *v.Referrers() {
			part, ok := d.partIn(f, use, v)
			if !ok {
				return nil
			}
			if part != "" && !slices.Contains(out, part) {
				out = append(out, part)
			}
		}
	}
	return out
}

// partIn returns the field of v that an instruction takes, or the call of a method that computes
// its result from v alone, "" if it takes nothing, and false if it may use all of v.
func (d *detector) partIn(f *summary.Func, use ssa.Instruction, v ssa.Value) (part string, ok bool) {
	switch use := use.(type) {
	case *ssa.DebugRef:
		return "", true
	case *ssa.BinOp:
		return "", use.Op == token.EQL || use.Op == token.NEQ
	case *ssa.Call:
		if fn := use.Call.StaticCallee(); fn != nil && len(use.Call.Args) == 1 && d.pkg.Processes().Deterministic(use) {
			return "." + fn.Name() + "()", true
		}
	case ssa.Value:
		whole, path := f.Res.Resolve(v).Path, f.Res.Resolve(use).Path
		if whole == accesspath.Unknown || path == accesspath.Unknown || path == whole || !path.Within(whole) {
			return "", false
		}
		for path.Parent() != whole {
			path = path.Parent()
		}
		return path.Last(), true
	}
	return "", false
}

func isStruct(t types.Type) bool {
	_, ok := ssautil.Deref(t).Underlying().(*types.Struct)
	return ok
}

// replaces: the two reads are of one variable, which others replace.
func (c *candidate) replaces() bool { return c.relation == readsOfReplaced }
