package process

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// Annotations name locks, and are taken as certain: those of gVisor's checklocks analyzer,
// which checks them, and the sentence that many write instead. On a field they say that
// the lock is held at all accesses, on a function that its callers hold the lock.
//
//	type table struct {
//		mu   sync.Mutex
//		rows int // guarded by mu
//		// +checklocks:mu
//		size int
//	}
//
//	// +checklocks:t.mu
//	func (t *table) grow()
//
// A lock of a field is another field of the struct, by its name. A sentence that names
// anything else says nothing.

var (
	fieldLock = regexp.MustCompile(`\+checklocks:\s*(\w+)\s*$`)
	guardedBy = regexp.MustCompile(`(?i)(\bnot\s+(?:be\s+)?)?\b(?:guarded|protected)\s+by\s+` + "`?" + `(?:\w+\.)*(\w+)`)
	entryLock = regexp.MustCompile(`\+checklocks(read)?:\s*(\w[\w.]*)\s*$`)
)

// annotatedFields returns the locks of the fields of a package that have an annotation.
func annotatedFields(pkg *types.Package, files []*ast.File) map[accesspath.Location][]accesspath.Location {
	out := make(map[accesspath.Location][]accesspath.Location)
	for _, file := range files {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range decl.Specs {
				if spec, ok := s.(*ast.TypeSpec); ok {
					annotateStruct(pkg, spec, out)
				}
			}
		}
	}
	return out
}

func annotateStruct(pkg *types.Package, spec *ast.TypeSpec, out map[accesspath.Location][]accesspath.Location) {
	syntax, ok := spec.Type.(*ast.StructType)
	obj := pkg.Scope().Lookup(spec.Name.Name)
	if !ok || obj == nil {
		return
	}
	locks := make(map[string]accesspath.Location)
	for _, g := range mutexes(obj.Type()) {
		locks[strings.TrimPrefix(g.Path.Last(), ".")] = g.Class
	}
	for _, field := range syntax.Fields.List {
		for _, lock := range locksNamed(field) {
			class, ok := locks[lock]
			if !ok {
				continue
			}
			for _, name := range field.Names {
				loc := accesspath.FieldRef(accesspath.Ref{Path: accesspath.Param(0)}, obj.Type(), name.Name).Loc
				if loc != "" && loc != class && !slices.Contains(out[loc], class) {
					out[loc] = append(out[loc], class)
				}
			}
		}
	}
}

// locksNamed returns the names of locks in the comments of a field.
func locksNamed(field *ast.Field) []string {
	var out []string
	for _, group := range []*ast.CommentGroup{field.Doc, field.Comment} {
		if group == nil {
			continue
		}
		for _, c := range group.List {
			if m := fieldLock.FindStringSubmatch(c.Text); m != nil {
				out = append(out, m[1])
			}
		}
		for _, m := range guardedBy.FindAllStringSubmatch(group.Text(), -1) {
			if m[1] == "" {
				out = append(out, m[2])
			}
		}
	}
	return out
}

// mutexes returns the locks that are fields of a struct type, with paths from p0.
func mutexes(t types.Type) []lockset.Guard {
	st, ok := ssautil.Deref(t).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var out []lockset.Guard
	for i := range st.NumFields() {
		if callgraph.IsMutex(st.Field(i).Type()) {
			ref := accesspath.FieldRef(accesspath.Ref{Path: accesspath.Param(0)}, ssautil.Deref(t), st.Field(i).Name())
			out = append(out, lockset.Guard{Path: ref.Path, Class: ref.Loc, Mode: lockset.Exclusive})
		}
	}
	return out
}

// AnnotatedLocks returns the locks that an annotation names for a location.
func (p *Processes) AnnotatedLocks(l accesspath.Location) []accesspath.Location { return p.fields[l] }

// annotatedEntry returns the locks that annotations say the callers of f hold.
func (p *Processes) annotatedEntry(f *Func) []lockset.Guard {
	doc := p.docs[f.Fn.Pos()]
	if doc == nil {
		return nil
	}
	var out []lockset.Guard
	for _, c := range doc.List {
		m := entryLock.FindStringSubmatch(c.Text)
		if m == nil {
			continue
		}
		if g, ok := lockOfParam(f, strings.Split(m[2], ".")); ok {
			if m[1] != "" {
				g.Mode = lockset.Shared
			}
			out = append(out, g)
		}
	}
	return out
}

// lockOfParam returns the lock that is reached by fields from a parameter of f, by names.
func lockOfParam(f *Func, names []string) (lockset.Guard, bool) {
	for i, prm := range f.Fn.Params {
		if prm.Name() != names[0] {
			continue
		}
		ref, t := accesspath.Ref{Path: accesspath.Param(i)}, prm.Type()
		for _, name := range names[1:] {
			st, ok := ssautil.Deref(t).Underlying().(*types.Struct)
			if !ok {
				return lockset.Guard{}, false
			}
			k := slices.IndexFunc(slices.Collect(st.Fields()), func(v *types.Var) bool { return v.Name() == name })
			if k < 0 {
				return lockset.Guard{}, false
			}
			ref, t = accesspath.FieldRef(ref, ssautil.Deref(t), name), st.Field(k).Type()
		}
		return lockset.Guard{Path: ref.Path, Class: ref.Loc, Mode: lockset.Exclusive}, len(names) > 1 && callgraph.IsMutex(t)
	}
	return lockset.Guard{}, false
}

// withLocks adds to some locks those that are not among them.
func withLocks(locks, more []lockset.Guard) []lockset.Guard {
	for _, g := range more {
		if !slices.ContainsFunc(locks, func(h lockset.Guard) bool { return h.Class == g.Class && h.Path == g.Path }) {
			locks = append(slices.Clone(locks), g)
		}
	}
	return locks
}
