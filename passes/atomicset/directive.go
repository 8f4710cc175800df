package atomicset

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// prefix begins every directive.
const prefix = "//atomvet:"

// directivesAnalyzer reads the directives. It is separate from the check because
// importers need the sets of a package as facts: drivers run an analyzer with facts on
// all dependencies, where the check itself would be wasted.
var directivesAnalyzer = &analysis.Analyzer{
	Name:       "atomvetdirectives",
	Doc:        "read the directives that declare atomic sets and units of work",
	URL:        "https://pkg.go.dev/github.com/atomvet/atomvet/passes/atomicset",
	Run:        runDirectives,
	ResultType: reflect.TypeFor[*directives](),
	FactTypes:  []analysis.Fact{new(Sets)},
}

func runDirectives(pass *analysis.Pass) (any, error) {
	d := readDirectives(pass)
	exportSets(pass, d.sets)
	return d, nil
}

// directives are the declarations in the comments of a package.
type directives struct {
	pass  *analysis.Pass
	sets  []*atomicSet
	units map[*types.Func]*unitDirective
	// imported are the sets of the packages that this one imports.
	imported []*atomicSet
	// pending are the directives that no declaration has used yet.
	pending map[*ast.Comment]bool
	errors  []finding.Finding
}

// readDirectives reads the directives of the package. Invalid directives are recorded in
// errors.
func readDirectives(pass *analysis.Pass) *directives {
	d := &directives{pass: pass, units: make(map[*types.Func]*unitDirective), pending: make(map[*ast.Comment]bool)}
	for _, file := range pass.Files {
		d.collect(file)
	}
	if len(d.pending) == 0 {
		return d
	}
	d.imported = importedSets(pass)
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if st, ok := n.Type.(*ast.StructType); ok {
					d.structType(n, st)
				}
			case *ast.GenDecl:
				d.variables(n)
			case *ast.FuncDecl:
				d.function(n)
			}
			return true
		})
	}
	for c := range d.pending {
		d.misplaced(c)
	}
	d.embed()
	return d
}

// collect finds the directives of a file.
func (d *directives) collect(file *ast.File) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, prefix) {
				d.pending[c] = true
				continue
			}
			rest := strings.TrimLeft(strings.TrimPrefix(c.Text, "//"), " \t")
			// Text after a colon would start with a space.
			if verb, ok := strings.CutPrefix(rest, "atomvet:"); ok && verb != "" && verb[0] != ' ' {
				d.fail(c, "a directive has no space after the slashes: "+prefix+verb)
			}
		}
	}
}

func (d *directives) fail(c *ast.Comment, text string) {
	d.errors = append(d.errors, finding.Finding{Pos: c.Pos(), End: c.End(), Category: directiveCategory, Message: text})
}

// split returns the verb and the arguments of a directive.
func split(c *ast.Comment) (verb string, args []string) {
	text := strings.TrimPrefix(c.Text, prefix)
	words := strings.Fields(text)
	if len(words) == 0 || text[0] == ' ' {
		return "", nil
	}
	return words[0], words[1:]
}

// take returns the directives in some comments, and marks them as used.
func (d *directives) take(groups ...*ast.CommentGroup) []*ast.Comment {
	var out []*ast.Comment
	for _, g := range groups {
		if g == nil {
			continue
		}
		for _, c := range g.List {
			if d.pending[c] {
				out = append(out, c)
			}
		}
	}
	return out
}

// setName returns the name of the set in a set directive; it is false for other
// directives.
func (d *directives) setName(c *ast.Comment) (string, bool) {
	verb, args := split(c)
	if verb != "set" {
		return "", false
	}
	delete(d.pending, c)
	if len(args) != 1 {
		d.fail(c, "//atomvet:set takes one name, that of the atomic set")
		return "", false
	}
	return args[0], true
}

// structType reads the directives on the fields of a type.
func (d *directives) structType(spec *ast.TypeSpec, st *ast.StructType) {
	obj, ok := d.pass.TypesInfo.Defs[spec.Name].(*types.TypeName)
	if !ok {
		return
	}
	owner := d.pass.Pkg.Path() + "#" + obj.Name()
	d.fields(owner, "", accesspath.Location(owner), st)
}

// fields reads the directives on the fields of a struct, which sel selects in the owner.
func (d *directives) fields(owner, sel string, loc accesspath.Location, st *ast.StructType) {
	for _, field := range st.Fields.List {
		for _, c := range d.take(field.Doc, field.Comment) {
			name, ok := d.setName(c)
			if !ok {
				continue
			}
			for _, id := range fieldNames(field) {
				if isSync(d.pass.TypesInfo.TypeOf(field.Type)) {
					d.fail(c, id+" is a lock or the like, not a part of an atomic set")
					continue
				}
				s := d.set(owner, name)
				s.members = append(s.members, member{sel + "." + id, loc + accesspath.Location("."+id)})
				if !s.pos.IsValid() {
					s.pos = field.Pos()
				}
			}
		}
		if inner, ok := field.Type.(*ast.StructType); ok {
			for _, id := range fieldNames(field) {
				d.fields(owner, sel+"."+id, loc+accesspath.Location("."+id), inner)
			}
		}
	}
}

// fieldNames returns the names of the fields in one declaration.
func fieldNames(field *ast.Field) []string {
	var out []string
	for _, id := range field.Names {
		out = append(out, id.Name)
	}
	if len(out) == 0 {
		out = append(out, embeddedName(field.Type))
	}
	return out
}

func embeddedName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return embeddedName(t.X)
	case *ast.SelectorExpr:
		return t.Sel.Name
	case *ast.IndexExpr:
		return embeddedName(t.X)
	case *ast.IndexListExpr:
		return embeddedName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// isSync reports whether t is a type that synchronizes goroutines, and holds no data.
func isSync(t types.Type) bool {
	known, _ := stdlib.OfType(t)
	return known.Waits
}

// set returns the named set of a type, or of the package.
func (d *directives) set(owner, name string) *atomicSet {
	for _, s := range d.sets {
		if s.owner == owner && s.name == name {
			return s
		}
	}
	s := &atomicSet{name: name, owner: owner}
	d.sets = append(d.sets, s)
	return s
}

// variables reads the directives on package variables.
func (d *directives) variables(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		vs, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		groups := []*ast.CommentGroup{vs.Doc, vs.Comment}
		if !decl.Lparen.IsValid() {
			groups = append(groups, decl.Doc)
		}
		for _, c := range d.take(groups...) {
			if !d.global(vs) {
				continue // a local variable: the directive is misplaced
			}
			name, ok := d.setName(c)
			if !ok {
				continue
			}
			if isSync(d.pass.TypesInfo.Defs[vs.Names[0]].Type()) {
				d.fail(c, vs.Names[0].Name+" is a lock or the like, not a part of an atomic set")
				continue
			}
			s := d.set("", name)
			for _, id := range vs.Names {
				s.members = append(s.members, member{"", accesspath.Location(accesspath.Global(d.pass.Pkg.Path(), id.Name))})
			}
			if !s.pos.IsValid() {
				s.pos = vs.Pos()
			}
		}
	}
}

func (d *directives) global(vs *ast.ValueSpec) bool {
	v, ok := d.pass.TypesInfo.Defs[vs.Names[0]].(*types.Var)
	return ok && v.Parent() == d.pass.Pkg.Scope()
}

// function reads the directives on a function.
func (d *directives) function(decl *ast.FuncDecl) {
	obj, ok := d.pass.TypesInfo.Defs[decl.Name].(*types.Func)
	if !ok {
		return
	}
	for _, c := range d.take(decl.Doc) {
		verb, args := split(c)
		if verb == "serial" { // for the contexts, not for the sets
			delete(d.pending, c)
			continue
		}
		if !slices.Contains([]string{"unit", "notunit", "unitfor"}, verb) {
			continue
		}
		delete(d.pending, c)
		u := d.units[obj]
		if u == nil {
			u = new(unitDirective)
			d.units[obj] = u
		}
		switch {
		case verb == "unitfor" && len(args) != 1:
			d.fail(c, "//atomvet:unitfor takes one name, that of a parameter")
		case verb == "unitfor":
			d.unitFor(c, obj, u, args[0])
		case len(args) > 0:
			d.fail(c, prefix+verb+" takes nothing")
		case verb == "unit":
			u.unit = true
		default:
			u.not = true
		}
		if u.unit && u.not {
			d.fail(c, decl.Name.Name+" cannot be a unit of work and not be one")
		}
	}
}

func (d *directives) unitFor(c *ast.Comment, obj *types.Func, u *unitDirective, name string) {
	sig := obj.Signature()
	first := 0
	if sig.Recv() != nil {
		if sig.Recv().Name() == name {
			u.params = append(u.params, 0)
			return
		}
		first = 1
	}
	for i := range sig.Params().Len() {
		if sig.Params().At(i).Name() == name {
			u.params = append(u.params, first+i)
			return
		}
	}
	d.fail(c, fmt.Sprintf("%s has no parameter %s", obj.Name(), name))
}

func (d *directives) misplaced(c *ast.Comment) {
	switch verb, _ := split(c); verb {
	case "set":
		d.fail(c, "//atomvet:set belongs to a field of a named struct type, or to a package variable")
	case "unit", "notunit", "unitfor", "serial":
		d.fail(c, prefix+verb+" belongs to the comment of a function")
	default:
		d.fail(c, fmt.Sprintf("unknown directive %q: there are set, unit, notunit, unitfor and serial", prefix+verb))
	}
}

// embed adds to the sets of a type the sets of the same name of its embedded structs,
// which are parts of the same object.
func (d *directives) embed() {
	own := make(map[*atomicSet][]member)
	for _, s := range d.sets {
		if s.owner != "" {
			own[s] = d.embedded(s.owner, s.name, "", 0)
		}
	}
	for s, list := range own {
		for _, m := range list {
			if !slices.Contains(s.members, m) {
				s.members = append(s.members, m)
			}
		}
	}
}

// embedded returns the members of a set in embedded structs.
func (d *directives) embedded(owner, name, sel string, depth int) []member {
	st := d.structOf(owner)
	if st == nil || depth == limit.SetEmbedding {
		return nil
	}
	var out []member
	for i := range st.NumFields() {
		f := st.Field(i)
		inner := typeKey(f.Type())
		if !f.Embedded() || inner == "" {
			continue
		}
		at := sel + "." + f.Name()
		if s := d.lookup(inner, name); s != nil {
			for _, m := range s.members {
				if strings.Count(m.sel, ".") == 1 { // not in an embedded struct of its own
					out = append(out, member{at + m.sel, m.loc})
				}
			}
		}
		out = append(out, d.embedded(inner, name, at, depth+1)...)
	}
	return out
}

// lookup finds a set of this package or of one of its imports.
func (d *directives) lookup(owner, name string) *atomicSet {
	for _, s := range append(slices.Clip(d.sets), d.imported...) {
		if s.owner == owner && s.name == name {
			return s
		}
	}
	return nil
}

// structOf returns the struct type with a key, or nil.
func (d *directives) structOf(key string) *types.Struct {
	obj := d.typeName(key)
	if obj == nil {
		return nil
	}
	st, _ := obj.Type().Underlying().(*types.Struct)
	return st
}

// typeName returns the type with a key, of this package or of one of its imports, or nil.
func (d *directives) typeName(key string) *types.TypeName {
	path, name, _ := strings.Cut(key, "#")
	pkg := d.pass.Pkg
	if path != pkg.Path() {
		i := slices.IndexFunc(pkg.Imports(), func(p *types.Package) bool { return p.Path() == path })
		if i < 0 {
			return nil
		}
		pkg = pkg.Imports()[i]
	}
	obj, _ := pkg.Scope().Lookup(name).(*types.TypeName)
	return obj
}

// typeKey returns the key of the named struct type that t is or points to, or "".
func typeKey(t types.Type) string {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return ""
	}
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return ""
	}
	return n.Obj().Pkg().Path() + "#" + n.Obj().Name()
}
