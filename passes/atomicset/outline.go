package atomicset

import (
	"go/token"
	"go/types"
	"strings"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/summary"
)

// The units of work of a type of another package are known by their summaries only. A
// summary has the accesses in order, with their critical sections; whether an access is
// made is a choice.

// imported returns a process for each exported method of the type that has the
// set, if that is a type of another package.
func imported(pkg *summary.Package, dir *directives, set *atomicSet) []*process {
	named := dir.namedType(set.owner)
	if named == nil || named.Obj().Pkg() == dir.pass.Pkg {
		return nil
	}
	var out []*process
	for i := range named.NumMethods() {
		m := named.Method(i)
		if sum := pkg.Foreign(m); m.Exported() && sum != nil {
			out = append(out, &process{outline: sum, method: m})
		}
	}
	return out
}

// namedType returns the type with a key, of this package or of one that it
// imports, or nil.
func (d *directives) namedType(key string) *types.Named {
	obj := d.typeName(key)
	if obj == nil {
		return nil
	}
	named, _ := obj.Type().(*types.Named)
	return named
}

// outline translates a process of which only the summary is known.
func (t *translator) outline(p *process) int {
	i := len(t.m.Procs)
	proc := &model.Proc{Name: t.procName(p.outline.Name, i)}
	t.m.Procs = append(t.m.Procs, proc)
	o := &outliner{t: t, sum: p.outline, b: &builder{t: t, proc: proc, where: p.outline.Name}}
	o.b.emit(model.Begin, 0, token.NoPos, "")
	for j := range p.outline.Accesses {
		o.access(&p.outline.Accesses[j])
	}
	o.leave(0)
	o.b.emit(model.End, 0, token.NoPos, "")
	o.b.emit(model.Return, 0, token.NoPos, "")
	return i
}

// An outliner translates a summary to a procedure.
type outliner struct {
	t    *translator
	b    *builder
	sum  *summary.FuncSummary
	open []int // the open critical sections
}

func (o *outliner) access(a *summary.Access) {
	name := a.Loc.Name()
	if a.Loc.Type() == "" || a.Base.Root() != receiver {
		return
	}
	path := a.Base.Field(name[strings.LastIndexByte(name, '.')+1:])
	i := o.t.set.find(o.t.normal(path.Moved(receiver, object)))
	if i < 0 {
		return
	}
	o.leave(a.Regions)
	o.enter(a.Regions)
	m := o.t.set.members[i]
	loc := o.t.m.Location(m.name())
	before := o.b.loose
	if a.Op&summary.Read != 0 {
		o.b.emit(model.Read, loc, token.NoPos, m.name())
	}
	if a.Op&summary.Write != 0 {
		o.b.emit(model.Write, loc, token.NoPos, m.name())
	}
	o.b.loose = append(before[:len(before):len(before)], o.b.loose...)
}

// leave ends the open critical sections that are not in a set.
func (o *outliner) leave(keep uint64) {
	for len(o.open) > 0 {
		last := o.open[len(o.open)-1]
		if keep&(1<<last) != 0 {
			return
		}
		o.lock(last, lockset.Release)
		o.open = o.open[:len(o.open)-1]
	}
}

// enter begins the critical sections of a set that are not open.
func (o *outliner) enter(regions uint64) {
	for i := range o.sum.Regions {
		open := false
		for _, r := range o.open {
			open = open || r == i
		}
		if regions&(1<<i) != 0 && !open {
			o.lock(i, lockset.Acquire)
			o.open = append(o.open, i)
		}
	}
}

func (o *outliner) lock(region int, kind lockset.OpKind) {
	g := o.sum.Regions[region].Guard
	if g.Path.Root() != receiver {
		return
	}
	name := o.t.normal(g.Path.Moved(receiver, object))
	o.b.emit(lockOp(kind, g.Mode), o.t.m.Lock(string(name)), token.NoPos, g.Class.Name())
}
