package summary

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"

	"github.com/atomvet/atomvet/passes/closedworld"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// outside is set by the flag -atomvetsummary.outside: the driver decides, when it has seen all
// packages, which findings their callers refute.
var outside bool

func init() {
	Analyzer.Flags.BoolVar(&outside, "outside", false, "report the calls of other packages, and what is handed out to them, in the category "+OutsideCategory+", as JSON")
}

// OutsideCategory is the category of the diagnostic by which a package tells what it calls: see
// package closedworld.
const OutsideCategory = "outside"

// scopeOf returns what the standard library is for a package, and what is generic in it.
func scopeOf(pass *analysis.Pass) process.Scope {
	var s process.Scope
	if pass.Module != nil {
		s.Module = pass.Module.Path
	}
	if pass.TypesInfo != nil {
		s.Instances = pass.TypesInfo.Instances
	}
	return s
}

// outsideOf returns what a package knows of its calls.
func outsideOf(pass *analysis.Pass, p *process.Processes) *closedworld.Unit {
	return p.Outside(scopeOf(pass))
}

// outsideOfBuiltin returns what is known of the calls of a package of the standard library that is not analyzed.
func outsideOfBuiltin(pass *analysis.Pass, prog *buildssa.SSA) *closedworld.Unit {
	return &closedworld.Unit{Package: pass.Pkg.Path(), Handout: closedworld.Handout{Invoked: process.Invoked(pass.Pkg, prog.SrcFuncs)}}
}

// ReportOutside reports what the package knows of its calls, if the driver asks for it and no other
// detector has reported it before.
func (p *Package) ReportOutside(pass *analysis.Pass) {
	if p.outside != nil && len(pass.Files) > 0 {
		pass.Report(analysis.Diagnostic{Pos: pass.Files[0].Package, Category: OutsideCategory, Message: p.outside.Encode()})
	}
	p.outside = nil
}

// rests returns what the finding rests on that a split is.
func (s Split) rests(p *Package) []closedworld.Pair {
	if !s.Complete || !outside || p.standard {
		return nil // the calls of the standard library are not reported
	}
	var out []closedworld.Pair
	first := true
	add := func(pairs []closedworld.Pair) {
		if first {
			out, first = pairs, false
			return
		}
		out = closedworld.Both(out, pairs)
	}
	for i := range s.Writers {
		add(p.views.Pairs(s.Func, s.Check, &s.Writers[i]))
	}
	for _, v := range s.Readers {
		add(p.views.PairsOfView(s.Func, s.Check, v))
	}
	return out
}
