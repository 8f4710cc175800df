// Package repro writes a test that makes a finding happen.
//
// The test makes an object as a constructor does, brings it into a start state by calls of its own
// methods, runs the function of the finding, and runs a rival where that comes to its act. What the
// two leave and return is compared with what they do one after the other, in both orders, on objects
// made in the same way: an outcome that neither has is one that no serial order explains.
//
// Values for parameters are made from their types, and start states are tried, short ones first, until
// the rival interferes. Where that does not succeed, what is missing is said.
package repro

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/instrument"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/instrument/atomvetrt"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/program"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/testrun"
)

// A Result is a test, with what it has shown.
type Result struct {
	Test  []byte
	File  string // where it belongs
	Trial atomvetrt.Trial
	Tried int // start states and rivals
}

// Bounds of the search.
const (
	maxTrials = 400
	maxRivals = 12
)

// Run looks for a test of a finding.
func Run(ctx context.Context, p *program.Program, f *report.Finding, pause time.Duration, r *testrun.Runner) (*Result, error) {
	if f.Anchors == nil {
		return nil, errors.New("findings of this category have no check and act")
	}
	s, err := newSearch(p, f)
	if err != nil {
		return nil, err
	}
	all, err := s.candidates()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(filepath.Dir(s.file.Name), "atomvet_repro_test.go")
	text, err := s.test(p.Module, all, "")
	if err != nil {
		return nil, err
	}
	overlay, placements, err := instrument.Findings(p, []*report.Finding{f}, map[string][]byte{file: text}, r.Dir)
	if err != nil {
		return nil, err
	}
	if m := placements[0].Missing; m != "" {
		return nil, errors.New(m)
	}
	config := overlay.Config
	config.Force, config.Pause, config.Budget = []int{0}, pause, time.Hour
	testrun.SetOffsets(&config, r.Flags)
	r.Overlay, r.Packages, r.Run = overlay.File, []string{s.file.Path}, "^TestAtomvet$"
	var log bytes.Buffer
	r.Log = &log
	o, err := r.Do(ctx, config)
	if err != nil {
		return nil, err
	}
	if o.BuildFailed != "" {
		return nil, fmt.Errorf("the test does not compile:\n%s", o.BuildFailed)
	}
	best, trial := choose(log.String())
	if best < 0 {
		return nil, fmt.Errorf("in none of %d start states does another goroutine come between check and act", len(all))
	}
	text, err = s.test(p.Module, all[best:best+1], comment(f, trial))
	return &Result{Test: text, File: file, Trial: trial, Tried: len(all)}, err
}

// choose returns the first trial with an outcome that no serial order has, or else the first in
// which the rival has interfered; -1 if there is none.
func choose(log string) (best int, trial atomvetrt.Trial) {
	best = -1
	for line := range strings.Lines(log) {
		_, rest, ok := strings.Cut(line, atomvetrt.TrialMark)
		if !ok {
			continue
		}
		var n int
		var t atomvetrt.Trial
		name, data, _ := strings.Cut(rest, " ")
		if _, err := fmt.Sscan(name, &n); err != nil || json.Unmarshal([]byte(data), &t) != nil {
			continue
		}
		if t.Wrong {
			return n, t
		}
		if best < 0 {
			best, trial = n, t
		}
	}
	return best, trial
}

// A search has the functions of a finding.
type search struct {
	file    *program.File
	unit    *types.Func
	rivals  []*types.Func
	finding *report.Finding
	imports map[string]string
}

func newSearch(p *program.Program, f *report.Finding) (*search, error) {
	s := &search{finding: f, imports: make(map[string]string)}
	abs, err := filepath.Abs(f.Anchors.Check.File)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(p.Files, func(x *program.File) bool { return x.Name == abs })
	if i < 0 {
		return nil, fmt.Errorf("%s is not instrumented", f.Anchors.Check.File)
	}
	s.file = p.Files[i]
	if s.unit = s.function(p, f.Anchors.Unit); s.unit == nil {
		return nil, fmt.Errorf("%s is not a function of the package %s", f.Anchors.Unit, s.file.Path)
	}
	for _, r := range f.Anchors.Rivals {
		fn := s.function(p, r.Func)
		if fn != nil && !slices.Contains(s.rivals, fn) && len(s.rivals) < maxRivals/2 {
			s.rivals = append(s.rivals, fn)
		}
	}
	s.addRivals()
	return s, nil
}

// addRivals adds the function itself, and the exported methods of its object: they may lead to a rival
// that is elsewhere.
func (s *search) addRivals() {
	add := func(fn *types.Func) {
		if fn.Pkg() == s.file.Types && !slices.Contains(s.rivals, fn) && len(s.rivals) < maxRivals {
			s.rivals = append(s.rivals, fn)
		}
	}
	add(s.unit)
	recv := s.unit.Signature().Recv()
	if recv == nil {
		return
	}
	t := recv.Type()
	if _, ok := t.Underlying().(*types.Pointer); !ok {
		t = types.NewPointer(t)
	}
	set := types.NewMethodSet(t)
	for i := range set.Len() {
		if fn := set.At(i).Obj().(*types.Func); fn.Exported() {
			add(fn)
		}
	}
}

// function returns the function of the package with a name, as messages show it. A literal is run by
// the function that has it.
func (s *search) function(p *program.Program, name string) *types.Func {
	name, _, _ = strings.Cut(name, "$")
	for _, f := range p.Files {
		if f.Types != s.file.Types {
			continue
		}
		for _, d := range f.Syntax.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && (report.FuncName(d) == name || strings.ReplaceAll(report.FuncName(d), "*", "") == strings.ReplaceAll(name, "*", "")) {
				fn, _ := f.Info.Defs[d.Name].(*types.Func)
				return fn
			}
		}
	}
	return nil
}

// A candidate is a body for one trial.
type candidate struct{ lines []string }

// candidates returns the trials to make: each rival with each start state.
func (s *search) candidates() ([]candidate, error) {
	var out []candidate
	var failed error
	for _, rival := range s.rivals {
		b := newBuilder(s.file.Types)
		b.imports = s.imports
		unitCall, err := s.invocation(b, s.unit)
		if err == nil {
			var rivalCall string
			if rivalCall, err = s.invocation(b, rival); err == nil {
				out = append(out, s.states(b, unitCall, rivalCall)...)
			}
		}
		failed = errors.Join(failed, err)
	}
	if len(out) == 0 {
		return nil, failed
	}
	// Each rival in turn, the short start states first.
	slices.SortStableFunc(out, func(a, b candidate) int { return len(a.lines) - len(b.lines) })
	return out[:min(len(out), maxTrials)], nil
}

// invocation returns the function literal that calls a function and returns its results.
func (s *search) invocation(b *builder, fn *types.Func) (string, error) {
	sig := fn.Signature()
	if sig.TypeParams().Len()+sig.RecvTypeParams().Len() > 0 {
		return "", fmt.Errorf("%s is generic, and its type arguments are not known", fn.Name())
	}
	fun := fn.Name()
	if recv := sig.Recv(); recv != nil {
		object, err := s.receiver(b, recv.Type())
		if err != nil {
			return "", err
		}
		fun = object + "." + fun
	}
	call, err := b.call(fun, sig)
	if err != nil {
		return "", err
	}
	n := sig.Results().Len()
	if n == 0 {
		return fmt.Sprintf("func() []any { %s; return nil }", call), nil
	}
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("r%d", i+1))
	}
	list := strings.Join(names, ", ")
	return fmt.Sprintf("func() []any { %s := %s; return []any{%s} }", list, call, list), nil
}

// receiver returns an object of a type: one that there is, a part of one that there is, or a new one.
func (s *search) receiver(b *builder, t types.Type) (string, error) {
	if _, ok := t.Underlying().(*types.Pointer); !ok {
		t = types.NewPointer(t)
	}
	for _, o := range b.objects {
		if types.Identical(o.t, t) {
			return o.name, nil
		}
		if path := partOf(o.t, t); path != "" {
			return o.name + path, nil
		}
	}
	return b.value(t)
}

// partOf returns the field of an object that is, or points to, an object of a type.
func partOf(object, t types.Type) string {
	elem := t.Underlying().(*types.Pointer).Elem()
	st, ok := object.Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	for f := range st.Fields() {
		if types.Identical(f.Type(), t) || types.Identical(f.Type(), elem) {
			return "." + f.Name()
		}
	}
	return ""
}

// states returns a trial for each start state: none, one call of a method, and two.
func (s *search) states(b *builder, unit, rival string) []candidate {
	var calls []string
	base := b
	for _, o := range b.objects {
		calls = append(calls, s.methods(base, o)...)
	}
	preparations := [][]string{nil}
	for _, c := range calls {
		preparations = append(preparations, []string{c})
	}
	for _, c := range calls {
		for _, d := range calls {
			if c != d {
				preparations = append(preparations, []string{c, d})
			}
		}
	}
	state := "nil"
	if len(b.objects) > 0 {
		var names []string
		for _, o := range b.objects {
			names = append(names, o.name)
		}
		state = "[]any{" + strings.Join(names, ", ") + "}"
	}
	var out []candidate
	for _, prep := range preparations {
		lines := slices.Clone(b.lines)
		for _, c := range prep {
			lines = append(lines, fmt.Sprintf("atomvetrt.Soon(func() { %s })", c))
		}
		lines = append(lines, fmt.Sprintf("return %s, %s, %s", unit, rival, state))
		out = append(out, candidate{lines})
	}
	return out
}

// methods returns calls of the methods of an object that change it, for the most part: those with
// exported names in the package of the test.
func (s *search) methods(b *builder, o object) []string {
	var out []string
	set := types.NewMethodSet(o.t)
	for i := range set.Len() {
		fn := set.At(i).Obj().(*types.Func)
		if fn.Pkg() != s.file.Types || fn.Signature().TypeParams().Len() > 0 || !fn.Exported() || fn == s.unit {
			continue
		}
		saved := b.clone()
		call, err := b.call(o.name+"."+fn.Name(), fn.Signature())
		if err != nil || len(b.objects) > len(saved.objects) {
			*b = *saved
			continue
		}
		out = append(out, call)
	}
	return out
}

// test returns the source of a test with some trials.
func (s *search) test(module string, list []candidate, doc string) ([]byte, error) {
	var body bytes.Buffer
	for i, c := range list {
		fmt.Fprintf(&body, "\tif err := atomvetrt.Try(%q, func() (unit, rival func() []any, state any) {\n", fmt.Sprint(i))
		for _, l := range c.lines {
			fmt.Fprintf(&body, "\t\t%s\n", l)
		}
		body.WriteString("\t}); err != nil {\n\t\tt.Error(err)\n\t}\n")
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%spackage %s\n\nimport (\n\t\"testing\"\n", doc, s.file.Types.Name())
	for _, p := range slices.Sorted(maps.Keys(s.imports)) {
		if name := s.imports[p]; name != "" && bytes.Contains(body.Bytes(), []byte(name+".")) {
			fmt.Fprintf(&out, "\t%s %q\n", name, p)
		}
	}
	fmt.Fprintf(&out, "\n\t%q\n)\n\nfunc TestAtomvet(t *testing.T) {\n%s}\n", path.Join(module, "atomvetrt"), body.Bytes())
	return format.Source(out.Bytes())
}

// comment returns what stands above a test that is kept.
func comment(f *report.Finding, t atomvetrt.Trial) string {
	var out strings.Builder
	fmt.Fprintf(&out, "//go:build atomvet\n\n// This test shows the finding %s of atomvet, at %s:%d:\n//\n// %s\n//\n", f.ID, f.File, f.Line, f.Title())
	if t.Wrong {
		out.WriteString("// No serial order has its outcome:\n//\n")
	} else {
		out.WriteString("// The rival comes between check and act; the outcome is one that a serial order has, too, or it\n// is not repeatable:\n//\n")
	}
	for _, x := range []struct{ what, text string }{{"interleaved", t.Outcome}, {"unit first", t.Serial[0]}, {"rival first", t.Serial[1]}} {
		fmt.Fprintf(&out, "//\t%s:\n//\t\t%s\n", x.what, strings.ReplaceAll(x.text, "\n", "\n//\t\t"))
	}
	out.WriteString("//\n// Run it by: atomvet repro, which adds the pauses.\n\n")
	return out.String()
}
