package viewconsistency

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
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
// comparison with nil uses nothing.
func (d *detector) partsOf(e *summary.Event) []string {
	var out []string
	for _, v := range e.Values {
		if !isStruct(v.Type()) {
			return nil
		}
		for _, use := range *v.Referrers() {
			part, ok := d.partIn(use, v)
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
func (d *detector) partIn(use ssa.Instruction, v ssa.Value) (part string, ok bool) {
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
		whole, path := d.f.Res.Resolve(v).Path, d.f.Res.Resolve(use).Path
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
