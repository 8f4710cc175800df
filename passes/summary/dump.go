package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/guards"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/views"
)

// dump is set by the flag -atomvetsummary.dump: report the summary of every function at
// its declaration, for tests and for debugging.
var dump, dumpLocs, dumpContexts bool

func init() {
	Analyzer.Flags.BoolVar(&dump, "dump", false, "report the summary of every function at its declaration")
	Analyzer.Flags.BoolVar(&dumpLocs, "locations", false, "with -dump: report the guards of every location at its first write")
	Analyzer.Flags.BoolVar(&dumpContexts, "contexts", false, "with -dump: report the contexts of every function instead")
}

// dumpAll reports the summaries as diagnostics.
func dumpAll(pass *analysis.Pass, all *views.Views) {
	if dumpContexts {
		for _, f := range all.Funcs {
			if f.Fn.Pos().IsValid() {
				pass.Reportf(f.Fn.Pos(), "%s", contextsText(all.Processes, f))
			}
		}
		return
	}
	for _, f := range all.Funcs {
		if f.State == funcsum.Built && f.Fn.Pos().IsValid() {
			pass.Reportf(f.Fn.Pos(), "%s", summaryText(f))
		}
	}
	if dumpLocs {
		dumpLocations(pass, all.Guards)
	}
}

// dumpLocations reports what is known of the locations of the package, at the
// place of their first write.
func dumpLocations(pass *analysis.Pass, p *guards.Guards) {
	for _, l := range p.Locations() {
		info := p.Location(l)
		if len(info.Writers) > 0 && info.Writers[0].Pos.Pos.IsValid() {
			pass.Reportf(info.Writers[0].Pos.Pos, "%s", locationText(info))
		}
	}
}

func locationText(i *fact.LocInfo) string {
	var b strings.Builder
	fmt.Fprintf(&b, "location %s:", i.Loc.Name())
	for _, g := range i.Guards {
		fmt.Fprintf(&b, " guarded by %s", g.Name())
	}
	for _, flag := range []struct {
		on   bool
		text string
	}{{i.Atomic, "atomic"}, {i.InsertOnly, "insert-only"}, {i.ClockOnly, "clock"}, {i.Latch != "", "latch " + i.Latch}} {
		if flag.on {
			b.WriteString(" " + flag.text)
		}
	}
	for _, w := range i.Writers {
		fmt.Fprintf(&b, "; %s", w.Func)
		for _, g := range w.Guards {
			fmt.Fprintf(&b, " %s", g.Name())
		}
	}
	return b.String()
}

// summaryText returns the summary of f as one line of clauses separated by "; ", in
// the order of the fields of FuncSummary, then the locks that callers hold.
func summaryText(f *process.Func) string {
	s := f.Sum
	clauses := []string{}
	add := func(format string, args ...any) { clauses = append(clauses, fmt.Sprintf(format, args...)) }
	for _, op := range s.Effects {
		add("%s%s %s%s", mayText(op.May), opText(op.Kind), guardText(op.Guard), outcomeText(op))
	}
	for i, r := range s.Regions {
		entry := ""
		if r.Entry {
			entry = " of the caller"
		}
		if r.Open {
			entry += " left open"
		}
		add("region %d %s%s", i, guardText(r.Guard), entry)
	}
	for i, a := range s.Accesses {
		add("%d %s", i, accessText(a))
	}
	for _, o := range s.Outs {
		add("leaves in p%d%s", o.Param, fromText(" from", 0, o.Reads))
	}
	for i, r := range s.Results {
		if text := resultText(r); text != "" {
			add("result %d%s", i, text)
		}
	}
	for _, c := range s.Calls {
		add("%s p%d%s%s", [...]string{"calls", "spawns", "keeps"}[c.Kind], c.Param, argsText(c.Args), regionsText(c.Regions))
	}
	if s.Spawns {
		add("starts goroutines")
	}
	for _, g := range f.Entry {
		add("entered with %s", guardText(g))
	}
	if f.Constructs() {
		add("constructs")
	}
	return s.Name + ": " + strings.Join(clauses, "; ")
}

// contextsText returns the contexts of f as one line: the roots that reach it, with their
// multiplicity, and the locks that all callers hold.
func contextsText(p *process.Processes, f *process.Func) string {
	clauses := []string{}
	roots, all := p.Procs.Reaching(f.ID)
	for _, r := range roots {
		clauses = append(clauses, r.String()+" "+Name(p.Funcs[r.Func].Fn))
	}
	if !all {
		clauses = append(clauses, "many more")
	}
	slices.Sort(clauses)
	clauses = slices.Compact(clauses)
	if times := f.Times(); times != "" {
		clauses = append(clauses, "runs "+times)
	}
	for _, g := range f.Entry {
		clauses = append(clauses, "entered with "+guardText(g))
	}
	clauses = append(clauses, p.Roles(f)...)
	if f.Constructs() {
		clauses = append(clauses, "constructs")
	}
	return Name(f.Fn) + ": " + strings.Join(clauses, "; ")
}

func mayText(may bool) string {
	if may {
		return "may "
	}
	return ""
}

func opText(k lockset.OpKind) string {
	return [...]string{"acquire", "release", "split"}[k]
}

func outcomeText(op lockset.Op) string {
	switch op.Outcome {
	case lockset.IfTrue:
		return fmt.Sprintf(" if result %d is true", op.Result)
	case lockset.IfFalse:
		return fmt.Sprintf(" if result %d is false", op.Result)
	case lockset.IfNil:
		return fmt.Sprintf(" if result %d is nil", op.Result)
	}
	return ""
}

func guardText(g lockset.Guard) string {
	path := string(g.Path)
	if g.Path == accesspath.Unknown {
		path = "?" + g.Class.Name()
	}
	return path + " " + g.Mode.String()
}

func accessText(a fact.Access) string {
	var b strings.Builder
	switch {
	case a.Op&fact.Read != 0 && a.Op&fact.Write != 0:
		b.WriteString("update")
	case a.Op&fact.Write != 0:
		b.WriteString("write")
	default:
		b.WriteString("read")
	}
	fmt.Fprintf(&b, " %s", a.Loc.Name())
	if a.Key != "" {
		fmt.Fprintf(&b, "[%s]", a.Key)
	}
	base := string(a.Base)
	if base == "" {
		base = "?"
	}
	fmt.Fprintf(&b, " of %s%s", base, regionsText(a.Regions))
	for _, flag := range []struct {
		on   bool
		text string
	}{
		{a.Op&fact.Delete != 0, "delete"}, {a.Op&fact.Compare != 0, "compare"}, {a.Op&fact.Presence != 0, "presence"},
		{a.Op&fact.Content != 0, "content"},
	} {
		if flag.on {
			b.WriteString(" " + flag.text)
		}
	}
	b.WriteString(a.Traits.String())
	if a.Const != "" {
		b.WriteString(" =" + a.Const)
	}
	if len(a.RuledOut) > 0 {
		b.WriteString(" not " + strings.Join(a.RuledOut, ", "))
	}
	b.WriteString(fromText(" from", a.DataParams, a.Data))
	b.WriteString(fromText(" adds", a.AddedParams, nil))
	b.WriteString(fromText(" if", a.ControlParams, a.Control))
	b.WriteString(fromText(" with", a.TrueParams, nil))
	b.WriteString(fromText(" without", a.FalseParams, nil))
	return b.String()
}

func resultText(r fact.Result) string {
	text := fromText(" from", r.Params, r.Reads)
	if r.Path != accesspath.Unknown {
		text += " is " + string(r.Path)
	}
	if r.Key != "" {
		text += " is key " + string(r.Key)
	}
	switch r.Truth {
	case fact.Plain:
		text += " plain"
	case fact.Negated:
		text += " negated"
	}
	if r.Nil {
		text += " or nil"
	}
	if r.Fresh {
		text += " fresh"
	}
	return text
}

// fromText lists the parameters and accesses of a dependency.
func fromText(word string, params uint32, accesses []int) string {
	var list []string
	for i := range fact.MaxParams {
		if params&(1<<i) != 0 {
			list = append(list, fmt.Sprintf("p%d", i))
		}
	}
	for _, a := range accesses {
		list = append(list, fmt.Sprint(a))
	}
	if len(list) == 0 {
		return ""
	}
	return word + " " + strings.Join(list, ",")
}

func regionsText(set uint64) string {
	var list []string
	for i := range 64 {
		if set&(1<<i) != 0 {
			list = append(list, fmt.Sprint(i))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " in " + strings.Join(list, ",")
}

// argsText returns what a function is called with as (p0.st, ?), nothing if nothing is known of it.
func argsText(args []accesspath.Path) string {
	if len(args) == 0 {
		return ""
	}
	var out []string
	for _, a := range args {
		out = append(out, cmp.Or(string(a), "?"))
	}
	return "(" + strings.Join(out, ", ") + ")"
}
