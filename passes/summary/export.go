package summary

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/view"
	"github.com/atomvet/atomvet/passes/internal/views"
)

// An exporter makes the fact of a package.
type exporter struct{ *views.Views }

// export writes the fact of the package, which may be empty: a package without a fact is one
// whose fact was lost.
func (p exporter) export(pass *analysis.Pass) {
	funcs := p.Foreign.Leaked(p.Pkg)
	locs := make(map[accesspath.Location]*fact.LocInfo)
	for _, s := range funcs {
		for _, a := range s.Accesses {
			if info := p.Foreign.Location(a.Loc); info != nil {
				locs[a.Loc] = info
			}
		}
	}
	for _, f := range p.Funcs {
		if f.State != funcsum.Built || !f.Exported() || f.Test {
			continue
		}
		obj := object(f)
		if obj == nil {
			continue
		}
		key := fact.FuncKey(obj)
		if s := p.outward(f); key != "" && !s.Empty() {
			funcs[key] = s
			for _, a := range s.Accesses {
				if info := p.Known(a.Loc); info != nil && !a.Loc.IsOfRun() {
					locs[a.Loc] = info
				}
			}
		}
	}
	p.mutationsOf(funcs)
	out := make(map[accesspath.Location]*fact.LocInfo, len(locs))
	for l, info := range locs {
		out[l] = outwardLocation(info, locs)
	}
	pass.ExportPackageFact(&fact.PackageSummary{Data: fact.EncodePackage(funcs, out, p.outwardViews(out))})
}

// object returns the declared function behind f, or nil for a literal.
func object(f *process.Func) *types.Func {
	obj, _ := f.Fn.Object().(*types.Func)
	return obj
}

// outward returns the part of the summary of f that other packages can use: critical
// sections, and the accesses in them to locations that change.
func (p exporter) outward(f *process.Func) *fact.FuncSummary {
	s := *f.Sum
	s.Effects = slices.DeleteFunc(slices.Clone(s.Effects), func(op lockset.Op) bool { return op.Guard.Path == accesspath.Unknown })
	renumbered := make(map[int]int)
	s.Acquires = slices.DeleteFunc(slices.Clone(s.Acquires), func(a fact.Acquisition) bool { return a.Class.Pkg() != p.Pkg.Path() })
	s.Accesses = nil
	for i, a := range f.Sum.Accesses {
		if a.Regions == 0 || a.Base == accesspath.Unknown || p.Location(a.Loc).Constant() {
			continue
		}
		// The effects of a package on other packages matter to its direct callers, and not
		// to all packages above: nearly every function reaches some cache of fmt or os.
		if a.Loc.Pkg() != p.Pkg.Path() {
			continue
		}
		if len(s.Accesses) >= limit.ExportedAccesses {
			p.Limits.Add(s.Name, "ExportedAccesses")
			continue
		}
		renumbered[i] = len(s.Accesses)
		s.Accesses = append(s.Accesses, a)
	}
	renumber := func(list []int) []int {
		var out []int
		for _, i := range list {
			if j, ok := renumbered[i]; ok {
				out = append(out, j)
			}
		}
		return out
	}
	var used uint64
	for i := range s.Accesses {
		a := &s.Accesses[i]
		a.Data, a.Control, a.Excludes = renumber(a.Data), renumber(a.Control), renumber(a.Excludes)
		used |= a.Regions
	}
	for _, c := range s.Calls {
		used |= c.Regions
	}
	s.Results = slices.Clone(s.Results)
	for i := range s.Results {
		s.Results[i].Reads = renumber(s.Results[i].Reads)
	}
	s.Outs = slices.Clone(s.Outs)
	for i := range s.Outs {
		s.Outs[i].Reads = renumber(s.Outs[i].Reads)
	}
	s.Outs = slices.DeleteFunc(s.Outs, func(o fact.Out) bool { return len(o.Reads) == 0 })
	s.DropRegions(used)
	return &s
}

// outwardViews returns the views by which other packages relate locations of this
// package: the maximal views of the known locations.
func (p exporter) outwardViews(known map[accesspath.Location]*fact.LocInfo) []*fact.View {
	var out []*fact.View
	for _, v := range p.All {
		if v.Kind != fact.WriteView && v.Kind != fact.JoinedView || v.Nested || !p.Exposed(v) {
			continue
		}
		o := *v
		o.Vars = slices.DeleteFunc(slices.Clone(v.Vars), func(x fact.Var) bool {
			return known[x.Loc] == nil || x.Loc.Pkg() != p.Pkg.Path()
		})
		within := func(of *fact.View) bool {
			return of.Kind == o.Kind && view.Set[accesspath.Location](o.Locations(p.Pkg.Path())).SubsetOf(of.Locations(p.Pkg.Path()))
		}
		if len(o.Vars) < 2 || slices.ContainsFunc(out, within) {
			continue
		}
		out = slices.DeleteFunc(out, func(of *fact.View) bool {
			return of.Kind == o.Kind && view.Set[accesspath.Location](of.Locations(p.Pkg.Path())).SubsetOf(o.Locations(p.Pkg.Path()))
		})
		if len(out) < limit.ExportedViews {
			out = append(out, &o)
		}
	}
	return out
}

// outwardLocation returns the part of a location's entry that other packages can use.
func outwardLocation(i *fact.LocInfo, known map[accesspath.Location]*fact.LocInfo) *fact.LocInfo {
	out := *i
	if len(out.Writers) > limit.ExportedWriters {
		// The remaining writers matter only by the locks that they do not hold.
		rest := out.Writers[limit.ExportedWriters-1:]
		out.Writers = slices.Clone(out.Writers[:limit.ExportedWriters-1])
		least := rest[0]
		for _, w := range rest {
			if len(w.Guards) < len(least.Guards) {
				least = w
			}
		}
		out.Writers = append(out.Writers, least)
	}
	unknown := func(l accesspath.Location) bool { return known[l] == nil }
	out.Joint = slices.DeleteFunc(slices.Clone(out.Joint), unknown)
	out.Together = slices.DeleteFunc(slices.Clone(out.Together), func(t fact.TogetherWrite) bool { return unknown(t.Loc) })
	out.Together = out.Together[:min(len(out.Together), limit.ExportedTogether)]
	return &out
}

// mutationsOf adds to the exported summaries the parameters that the functions of the
// package write through, and the use they make of function values in parameters.
func (p exporter) mutationsOf(funcs map[string]*fact.FuncSummary) {
	sets := p.Mutations()
	for _, f := range p.Funcs {
		obj := object(f)
		if sets[f.ID] == 0 || obj == nil || !f.Exported() || f.Test {
			continue
		}
		key := fact.FuncKey(obj)
		if key == "" {
			continue
		}
		s := funcs[key]
		if s == nil {
			s = &fact.FuncSummary{Name: callgraph.Name(f.Fn)}
			funcs[key] = s
		}
		if len(s.Regions) == 0 {
			s.Mutates = sets[f.ID]
		}
	}
}
