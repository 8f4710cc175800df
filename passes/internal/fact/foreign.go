package fact

import (
	"errors"
	"fmt"
	"go/types"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/limit"
)

// Foreign answers questions about functions and locations of other packages from their
// facts. A fact is decoded at its first use.
type Foreign struct {
	importFact func(*types.Package, analysis.Fact) bool
	tables     map[string]*table // by package path; nil for a package without a fact that can be used
	funcs      map[*types.Func]*FuncSummary
	locs       map[accesspath.Location]*LocInfo
	// Views are the decoded views, by package path: see ViewsOf.
	Views map[string][]*View
	// direct are the tables of the imports. They also have entries for functions and
	// locations of packages that are not imported: see Leaked.
	direct []*table
	// Errs are the errors met while facts were decoded.
	Errs []error
}

// errAbsent is the error for a package without a fact, and errFailed for one whose analysis
// failed.
var (
	errAbsent = errors.New("no summary fact")
	errFailed = errors.New("its analysis failed")
)

// NewForeign returns a Foreign for the packages that pkg imports. importFact is that of the
// analysis.Pass. If complete is set, a fact that an import does not have is an error, as each
// analyzed package exports one.
func NewForeign(pkg *types.Package, importFact func(*types.Package, analysis.Fact) bool, complete bool) *Foreign {
	f := &Foreign{
		importFact: importFact,
		tables:     make(map[string]*table),
		funcs:      make(map[*types.Func]*FuncSummary),
		locs:       make(map[accesspath.Location]*LocInfo),
		Views:      make(map[string][]*View),
	}
	imports := pkg.Imports()
	sort.Slice(imports, func(i, j int) bool { return imports[i].Path() < imports[j].Path() })
	for _, imp := range imports {
		errs := len(f.Errs)
		switch t := f.Load(imp); {
		case t != nil && len(t.funcs) > 0:
			f.direct = append(f.direct, t)
		case t == nil && len(f.Errs) == errs && complete && imp != types.Unsafe:
			f.fail(imp, errAbsent)
		}
	}
	return f
}

// fail records that the fact of a package cannot be used.
func (f *Foreign) fail(pkg *types.Package, err error) {
	f.Errs = append(f.Errs, fmt.Errorf("package %s: %w", pkg.Path(), err))
}

// Load decodes the fact of a package at the first call. It returns nil if the package has
// no fact, or a corrupt one.
func (f *Foreign) Load(pkg *types.Package) *table {
	t, ok := f.tables[pkg.Path()]
	if ok {
		return t
	}
	var fact PackageSummary
	if f.importFact(pkg, &fact) {
		var err error
		t, err = decodePackage(fact.Data)
		if err == nil && t.failed {
			err = errFailed
		}
		if err != nil {
			f.fail(pkg, err)
			t = nil
		}
	}
	f.tables[pkg.Path()] = t
	return t
}

// FuncKey returns the name of a function in facts, pkg#Func or pkg#Type.Method, or "" for a
// function that other packages cannot call.
func FuncKey(fn *types.Func) string {
	if fn.Pkg() == nil {
		return ""
	}
	key := fn.Pkg().Path() + "#"
	if recv := fn.Signature().Recv(); recv != nil {
		t := types.Unalias(recv.Type())
		if ptr, ok := t.(*types.Pointer); ok {
			t = types.Unalias(ptr.Elem())
		}
		named, ok := t.(*types.Named)
		if !ok {
			return ""
		}
		key += named.Obj().Name() + "."
	}
	return key + fn.Name()
}

// Function returns the summary of a function of another package, or nil if no fact has one.
func (f *Foreign) Function(fn *types.Func) *FuncSummary {
	fn = fn.Origin()
	if s, ok := f.funcs[fn]; ok {
		return s
	}
	var sum *FuncSummary
	if key := FuncKey(fn); key != "" {
		f.each(fn.Pkg(), func(t *table) bool {
			data, ok := t.funcs[key]
			if !ok {
				return false
			}
			s, err := t.function(data)
			if err != nil {
				f.Errs = append(f.Errs, fmt.Errorf("function %s: %w", key, err))
				return false
			}
			sum = s
			return true
		})
	}
	f.funcs[fn] = sum
	return sum
}

// each calls try with the tables that may have entries for pkg until one call returns true.
func (f *Foreign) each(pkg *types.Package, try func(*table) bool) {
	if t := f.Load(pkg); t != nil {
		try(t)
		return
	}
	for _, t := range f.direct {
		if try(t) {
			return
		}
	}
}

// Location returns the LocInfo of a location of another package, or nil if no fact has one.
func (f *Foreign) Location(l accesspath.Location) *LocInfo {
	if info, ok := f.locs[l]; ok {
		return info
	}
	var info *LocInfo
	try := func(t *table) bool {
		data, ok := t.locs[l]
		if !ok {
			return false
		}
		i, err := t.location(l, data)
		if err != nil {
			f.Errs = append(f.Errs, fmt.Errorf("location %s: %w", l, err))
			return false
		}
		info = i
		return true
	}
	if t := f.tables[l.Pkg()]; t == nil || !try(t) {
		for _, t := range f.direct {
			if try(t) {
				break
			}
		}
	}
	f.locs[l] = info
	return info
}

// ViewsOf returns the views in the fact of the package with the given path.
func (f *Foreign) ViewsOf(pkg string) []*View {
	if views, ok := f.Views[pkg]; ok {
		return views
	}
	var out []*View
	if t := f.tables[pkg]; t != nil {
		for _, data := range t.views {
			v, err := t.view(data)
			if err != nil {
				f.Errs = append(f.Errs, fmt.Errorf("views of %s: %w", pkg, err))
				break
			}
			out = append(out, v)
		}
	}
	f.Views[pkg] = out
	return out
}

// Leaked returns the summaries, by key, of methods of other packages that users of pkg can
// call through its exported declarations without importing those packages.
func (f *Foreign) Leaked(pkg *types.Package) map[string]*FuncSummary {
	out := make(map[string]*FuncSummary)
	seen := make(map[types.Type]bool)
	var visit func(t types.Type, depth int)
	visit = func(t types.Type, depth int) {
		t = types.Unalias(t)
		if depth > limit.LeakDepth || seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Pointer:
			visit(t.Elem(), depth)
		case *types.Slice:
			visit(t.Elem(), depth)
		case *types.Array:
			visit(t.Elem(), depth)
		case *types.Map:
			visit(t.Elem(), depth)
		case *types.Chan:
			visit(t.Elem(), depth)
		case *types.Signature:
			for v := range t.Results().Variables() {
				visit(v.Type(), depth)
			}
		case *types.Struct:
			for field := range t.Fields() {
				if field.Exported() {
					visit(field.Type(), depth)
				}
			}
		case *types.Named:
			own := t.Obj().Pkg() == pkg
			if t.Obj().Pkg() == nil {
				return
			}
			for m := range t.Origin().Methods() {
				if !m.Exported() {
					continue
				}
				if own {
					visit(m.Signature(), depth+1)
				} else if s := f.Function(m); s != nil {
					out[FuncKey(m)] = s
				}
			}
			visit(t.Underlying(), depth+1)
		}
	}
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		if obj := scope.Lookup(name); obj.Exported() {
			visit(obj.Type(), 0)
		}
	}
	return out
}

// MethodKeys returns the keys of the methods with the given name, sorted.
func (t *table) MethodKeys(method string) []string {
	if t.methods == nil {
		t.methods = make(map[string][]string)
		for key := range t.funcs {
			if i := strings.LastIndexByte(key, '.'); i > strings.IndexByte(key, '#') {
				t.methods[key[i+1:]] = append(t.methods[key[i+1:]], key)
			}
		}
		for _, keys := range t.methods {
			slices.Sort(keys)
		}
	}
	return t.methods[method]
}
