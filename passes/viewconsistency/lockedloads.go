package viewconsistency

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// lockedLoads finds the loads of fields that are made under a lock. They are no accesses of a summary where the field is only written by
// the maker of the object, as it counts as constant then.
type lockedLoads struct {
	pkg   *summary.Package
	known map[accesspath.Location][]lockedLoad
}

// A lockedLoad is the load of a field by a function, as a read.
type lockedLoad struct {
	by *summary.Func
	*summary.Event
}

// of returns the loads of a field.
func (l *lockedLoads) of(field accesspath.Location) []lockedLoad {
	if l.known == nil {
		l.known = make(map[accesspath.Location][]lockedLoad)
		for _, g := range l.pkg.Funcs {
			g.VisitHeld(func(instr ssa.Instruction, locks []lockset.Guard) { l.add(g, instr, locks) })
		}
	}
	return l.known[field]
}

func (l *lockedLoads) add(g *summary.Func, instr ssa.Instruction, locks []lockset.Guard) {
	load, ok := instr.(*ssa.UnOp)
	if !ok || len(locks) == 0 {
		return
	}
	field, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return
	}
	r := &summary.Event{Instr: load, Op: summary.Read, Ref: g.Resolver().Resolve(field), Values: []ssa.Value{load}, Pos: l.pkg.Views().Pos(ssautil.Pos(load))}
	for _, lock := range locks {
		r.Holds = append(r.Holds, summary.Hold{Guard: lock})
	}
	at := accesspath.LocationOf(field)
	l.known[at] = append(l.known[at], lockedLoad{g, r})
}
