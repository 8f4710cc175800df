package repro

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/program"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// A search has the functions of a finding.
type search struct {
	program *program.Program
	file    *program.File
	unit    *types.Func
	// rivals are those of the finding, of which there are known, and then others.
	rivals  []*types.Func
	known   int
	finding *report.Finding
	imports map[string]string
	fakes   *fakes
	untried []string // rivals, with the reason
}

// maxRivals bounds the functions that are tried as the rival.
const maxRivals = 12

func newSearch(p *program.Program, f *report.Finding) (*search, error) {
	if f.Anchors == nil {
		return nil, fmt.Errorf("findings of this category have no check and act")
	}
	s := &search{program: p, finding: f, imports: make(map[string]string), fakes: &fakes{names: make(map[string]string)}}
	name := absolute(f.Anchors.Check.File)
	i := slices.IndexFunc(p.Files, func(x *program.File) bool { return x.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s is not instrumented", f.Anchors.Check.File)
	}
	s.file = p.Files[i]
	if s.unit = s.function(f.Anchors.Unit); s.unit == nil {
		return nil, fmt.Errorf("%s is not a function of the package %s", f.Anchors.Unit, s.file.Path)
	}
	for _, r := range f.Anchors.Rivals {
		if fn := s.function(r.Func); fn != nil && len(s.rivals) < maxRivals/2 {
			s.addRival(fn)
		}
	}
	s.known = len(s.rivals)
	s.addOthers()
	return s, nil
}

func absolute(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	return abs
}

func (s *search) addRival(fn *types.Func) {
	if fn.Pkg() == s.file.Types && !slices.Contains(s.rivals, fn) && len(s.rivals) < maxRivals {
		s.rivals = append(s.rivals, fn)
	}
}

// addOthers adds the function itself, and the exported methods of its object: they may lead to a rival
// that is elsewhere.
func (s *search) addOthers() {
	s.addRival(s.unit)
	if recv := s.unit.Signature().Recv(); recv != nil {
		for _, fn := range methodsOf(pointerTo(recv.Type())) {
			if fn.Exported() {
				s.addRival(fn)
			}
		}
	}
}

// methodsOf returns the methods of a type, in the order of their names.
func methodsOf(t types.Type) []*types.Func {
	var out []*types.Func
	set := types.NewMethodSet(t)
	for i := range set.Len() {
		out = append(out, set.At(i).Obj().(*types.Func))
	}
	return out
}

// pointerTo returns a pointer type: t itself if it is one.
func pointerTo(t types.Type) types.Type {
	if _, ok := t.Underlying().(*types.Pointer); ok {
		return t
	}
	return types.NewPointer(t)
}

// function returns the function of the package with a name, as messages show it. A literal is run by
// the function that has it.
func (s *search) function(name string) *types.Func {
	name, _, _ = strings.Cut(name, "$")
	for _, f := range s.program.Files {
		if f.Types != s.file.Types {
			continue
		}
		for _, d := range f.Syntax.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && plain(report.FuncName(d)) == plain(name) {
				fn, _ := f.Info.Defs[d.Name].(*types.Func)
				return fn
			}
		}
	}
	return nil
}

// plain returns the name of a function without what is written in several ways: stars, and parameters of
// types.
func plain(name string) string {
	name = strings.ReplaceAll(name, "*", "")
	open, end := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']')
	if 0 <= open && open < end {
		name = name[:open] + name[end+1:]
	}
	return name
}

// globals returns the package variables that the finding is about, as expressions.
func (s *search) globals() []string {
	var out []string
	a := s.finding.Anchors
	for _, o := range []*report.Object{&a.Object, a.ActObject} {
		if o == nil || o.Type != "" || o.Package != s.file.Types.Path() {
			continue
		}
		name, _, _ := strings.Cut(o.Field, ".")
		if _, ok := s.file.Types.Scope().Lookup(name).(*types.Var); ok && !slices.Contains(out, "&"+name) {
			out = append(out, "&"+name)
		}
	}
	return out
}
