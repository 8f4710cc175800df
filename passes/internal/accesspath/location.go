package accesspath

import (
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A Location is a piece of shared memory identified by its declaration: a field of a
// struct type, as pkg#Type.field, a package variable, as @pkg#name, a parameter, as
// pkg#function(name), or a local variable that a function literal captures, as
// pkg#function{name}. All objects of the type, or runs of the function, share it. The content of a map, slice, array
// or pointer that a field holds belongs to the location of that field.
//
// The location of a parameter stands for the memory that a caller passes, which only the
// caller can name. A call replaces it by the location of the argument; in the function
// itself it is what a lock, which may be a parameter as well, is found to guard:
//
//	func weight(k string, sh map[string]*int, mu *sync.RWMutex) // weight(mu) guards weight(sh)
type Location string

// paramLocation returns the location of a parameter of fn, "" if the function has no
// package.
func paramLocation(fn *ssa.Function, name string) Location {
	pkg := fn.Package()
	if pkg == nil {
		return ""
	}
	return Location(pkg.Pkg.Path() + "#" + fn.RelString(pkg.Pkg) + "(" + name + ")")
}

// ParamLocation returns the location of a parameter.
func ParamLocation(v *ssa.Parameter) Location { return paramLocation(v.Parent(), v.Name()) }

// VariableLocation returns the location of a local variable, "" if it has no name that
// identifies it.
func VariableLocation(v *ssa.Alloc) Location {
	fn := v.Parent()
	pkg := fn.Package()
	if pkg == nil || !v.Pos().IsValid() {
		return ""
	}
	// Variables of one name are distinguished by their places in the function.
	at := strconv.Itoa(int(v.Pos() - fn.Pos()))
	return Location(pkg.Pkg.Path() + "#" + fn.RelString(pkg.Pkg) + "{" + v.Comment + "@" + at + "}")
}

// IsParam reports whether l is the location of a parameter.
func (l Location) IsParam() bool { return strings.HasSuffix(string(l), ")") }

// IsVariable reports whether l is the location of a local variable.
func (l Location) IsVariable() bool { return strings.HasSuffix(string(l), "}") }

// IsOfRun reports whether l is the location of a parameter or of a local variable: memory
// that no declaration outside of functions names.
func (l Location) IsOfRun() bool { return l.IsParam() || l.IsVariable() }

// flagMark separates the name of a flag from the location that it belongs to.
const flagMark = "!"

// Flag returns the location of a flag that the channel or context at l stands for, as
// pkg#Type.field!name, @pkg#variable!name or pkg#function{variable!name}.
func (l Location) Flag(name string) Location {
	if l.IsVariable() {
		at := strings.LastIndexByte(string(l), '@')
		return l[:at] + Location(flagMark+name) + l[at:]
	}
	return l + Location(flagMark+name)
}

// IsFlag reports whether l is a location that Flag has returned.
func (l Location) IsFlag() bool { return strings.Contains(string(l), flagMark) }

// Name returns the location as a message shows it: Type.field or name.
func (l Location) Name() string {
	s := strings.Replace(string(l), flagMark, ".", 1)
	if l.IsParam() {
		return s[strings.LastIndexByte(s, '(')+1 : len(s)-1]
	}
	if l.IsVariable() {
		return s[strings.LastIndexByte(s, '{')+1 : strings.LastIndexByte(s, '@')]
	}
	if i := strings.LastIndexByte(s, '#'); i >= 0 {
		return s[i+1:]
	}
	return s
}

// Pkg returns the import path of the package that declares l.
func (l Location) Pkg() string {
	pkg, _, _ := strings.Cut(strings.TrimPrefix(string(l), "@"), "#")
	return pkg
}

// Type returns the name of the struct type that declares l, or "" for a variable or a
// parameter.
func (l Location) Type() string {
	if strings.HasPrefix(string(l), "@") || l.IsOfRun() {
		return ""
	}
	name, _, _ := strings.Cut(l.Name(), ".")
	return name
}

// fieldLocation returns the location of the named field of a struct type, or "" if the
// type has no name by which another function could refer to the same field.
func fieldLocation(structType types.Type, outer Location, field string) Location {
	if named := namedOf(structType); named != nil && named.Obj().Pkg() != nil {
		return Location(named.Obj().Pkg().Path() + "#" + named.Obj().Name() + "." + field)
	}
	if outer == "" {
		return ""
	}
	// A struct literal type belongs to the location that holds it.
	return outer + Location("."+field)
}

// TypeLocation returns the location that stands for all values of a named type, as pkg#Type, or "" if
// the type has no name.
func TypeLocation(t types.Type) Location {
	if named := namedOf(t); named != nil && named.Obj().Pkg() != nil {
		return Location(named.Obj().Pkg().Path() + "#" + named.Obj().Name())
	}
	return ""
}

// namedOf returns the origin of the named type behind t, through one pointer,
// or nil.
func namedOf(t types.Type) *types.Named {
	n := ssautil.Named(t)
	if n == nil {
		return nil
	}
	return n.Origin()
}

// Of returns the path of the variable at the location, in the object at base.
func (l Location) Of(base Path) Path {
	if l.Type() == "" && !l.IsFlag() {
		return base
	}
	return base.Field(l.LastField())
}

// LastField returns the name of the last field of the location, or of its flag.
func (l Location) LastField() string {
	name := l.Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}
