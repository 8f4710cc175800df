package summary

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/anchor"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// anchors is set by the flag -atomvetsummary.anchors: findings have anchors.
var anchors bool

func init() {
	Analyzer.Flags.BoolVar(&anchors, "anchors", false, "add to each finding a related position with its places, in JSON")
}

// Anchored reports whether the driver asks for anchors.
func Anchored() bool { return anchors }

// A Split is what the anchors of a finding are computed from: two accesses of a function in
// different critical sections.
type Split struct {
	Fset    *token.FileSet
	Func    *Func
	Check   *Event
	Act     *Event
	Release token.Pos // where the section of the check ends, if that is known
	Writers []Writer  // of the object, that may come in between
	Readers []*View   // the functions that a split write is exposed to
	// Complete says that Writers and Readers are all that the finding is about.
	Complete bool
}

// Anchors returns the anchors of a finding, nil if the driver does not ask for them, or if the object has no name.
func (p *Package) Anchors(s Split) *anchor.Anchors {
	if !anchors || s.Check == nil || s.Act == nil || s.Check.Loc == "" {
		return nil
	}
	at := places{p, s.Fset}
	a := &anchor.Anchors{
		Unit:         Name(s.Func.Fn),
		Object:       anchor.ObjectAt(s.Check.Loc, s.Check.Key),
		Check:        at.access(s.Func, s.Check),
		Act:          at.access(s.Func, s.Act),
		Release:      anchor.At(s.Fset, s.Release),
		Interference: "write",
		Rests:        s.rests(p),
	}
	if s.Act.Loc != s.Check.Loc {
		o := anchor.ObjectAt(s.Act.Loc, s.Act.Key)
		a.ActObject = &o
	}
	a.Later = anchor.At(s.Fset, s.later())
	for i := range s.Writers {
		w := &s.Writers[i]
		a.Rivals = append(a.Rivals, anchor.Rival{Func: w.Func, Kind: "write", Access: at.rival(w.Fn, w.Pos, s.Check, Write)})
	}
	for _, v := range s.Readers {
		a.Interference = "read"
		a.Rivals = append(a.Rivals, anchor.Rival{Func: v.Func, Kind: "read", Access: at.rival(v.Fn, v.Pos, s.Check, Read)})
	}
	return a
}

// later returns where the critical section of the act begins: the first lock that is taken for
// it after the check, and that the check does not hold.
func (s Split) later() token.Pos {
	best := token.NoPos
	for _, h := range s.Act.Holds {
		if h.Inner || len(h.Sites) != 1 || h.Sites[0] == lockset.Entry {
			continue
		}
		if slices.ContainsFunc(s.Check.Holds, h.SamePassage) {
			continue
		}
		instr := s.Func.Instr(h.Sites[0])
		if instr == nil || !s.Func.Order().Flows(s.Check.Instr, instr) {
			continue
		}
		if at := instr.Pos(); at.IsValid() && (!best.IsValid() || at < best) {
			best = at
		}
	}
	return best
}

// places finds the places of accesses in the files of the package.
type places struct {
	*Package
	fset *token.FileSet
}

// access returns the access of an event of f, with the calls that lead to it.
func (p places) access(f *Func, e *Event) anchor.Access {
	at := anchor.At(p.fset, ssautil.Pos(e.Instr))
	if at == nil {
		at = &anchor.Place{}
	}
	out := anchor.Access{Place: *at, Name: f.NameOf(e), Op: opName(e.Op)}
	out.Calls, out.Access = p.trail(f, e)
	return out
}

func opName(op fact.Op) string {
	switch op & (fact.Read | fact.Write) {
	case fact.Write:
		return "write"
	case fact.Read | fact.Write:
		return "update"
	}
	return "read"
}

// trail follows an event into callees and literals. Without calls it returns nothing.
func (p places) trail(f *Func, e *Event) (calls []anchor.Place, access *anchor.Place) {
	for range fact.MaxDepth {
		at := anchor.At(p.fset, ssautil.Pos(e.Instr))
		switch {
		case e.Within != nil:
			if at != nil {
				calls = append(calls, *at)
			}
			f, e = p.FuncOf(e.Within.Instr.Parent()), e.Within
		case e.Callee == nil:
			if len(calls) == 0 {
				return nil, nil
			}
			return calls, at
		default:
			if at != nil {
				calls = append(calls, *at)
			}
			a := &e.Callee.Accesses[e.Index]
			g, inner := p.views.InCallee(f, e)
			if inner == nil {
				return calls, placeOf(p.fset, a.Pos, a.Loc, f)
			}
			f, e = g, inner
		}
		if f == nil {
			break
		}
	}
	return calls, nil
}

// rival returns the access of a rival, inside callees if it is made there.
func (p places) rival(fn int, pos fact.Pos, of *Event, op fact.Op) anchor.Place {
	if fn >= 0 {
		f := p.Funcs[fn]
		for _, e := range f.Events {
			if e.Pos.Pos != pos.Pos || e.Loc != of.Loc || e.Op&op == 0 {
				continue
			}
			if _, access := p.trail(f, e); access != nil {
				return *access
			}
		}
	}
	return *cmp.Or(placeOf(p.fset, pos, of.Loc, nil), &anchor.Place{})
}

// placeOf returns the place of an access to a location, which may be made in another package that f
// imports: a fact has the base name of the file only.
func placeOf(fset *token.FileSet, pos fact.Pos, l accesspath.Location, f *Func) *anchor.Place {
	if at := anchor.At(fset, pos.Pos); at != nil {
		return at
	}
	file, line, _ := strings.Cut(pos.Text, ":")
	n, err := strconv.Atoi(line)
	if err != nil {
		return nil
	}
	if f != nil {
		file = cmp.Or(anchor.FileOf(fset, imported(f.Fn.Pkg.Pkg, l.Pkg()), file), file)
	}
	return &anchor.Place{File: file, Line: n}
}

// imported returns the package with a path among those that a package depends on, nil for none.
func imported(from *types.Package, path string) *types.Package {
	seen := map[*types.Package]bool{from: true}
	list := []*types.Package{from}
	for i := 0; i < len(list); i++ {
		if list[i].Path() == path {
			return list[i]
		}
		for _, p := range list[i].Imports() {
			if !seen[p] {
				seen[p] = true
				list = append(list, p)
			}
		}
	}
	return nil
}
