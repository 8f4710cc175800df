package funcsum

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// CalleeName returns the name of the function that the instruction of an access calls.
func (f *Body) CalleeName(e *Event) string {
	if c, ok := e.Instr.(ssa.CallInstruction); ok {
		if fn := c.Common().StaticCallee(); fn != nil {
			return fn.Name()
		}
		if c.Common().IsInvoke() {
			return c.Common().Method.Name()
		}
	}
	return "the callee"
}

// NameOf returns the variable of an access as the source writes it, as far as it has a
// name.
func (f *Body) NameOf(e *Event) string {
	field := e.Loc.Name()
	if e.Loc.Type() != "" {
		field = field[strings.LastIndexByte(field, '.')+1:]
		base := f.pathName(e.Base)
		if base == "" {
			return e.Loc.Name()
		}
		field = base + "." + field
	}
	if e.Key != "" {
		for _, k := range e.Key.Parts() {
			field += "[" + f.keyName(k) + "]"
		}
	}
	return field
}

// GuardName returns the guard of a hold as the source writes it, or the name of its class.
func (f *Body) GuardName(h Hold) string {
	if name := f.pathName(h.Object()); name != "" {
		return name
	}
	if h.Class == "" {
		return "its lock"
	}
	return h.Class.Name()
}

func (f *Body) keyName(k accesspath.Key) string {
	if c, ok := k.Const(); ok {
		return c
	}
	if name := f.pathName(k.Path()); name != "" {
		return name
	}
	return "…"
}

// pathName returns a path in the names of the source, or "".
func (f *Body) pathName(p accesspath.Path) string {
	if p == accesspath.Unknown {
		return ""
	}
	root := f.rootName(p.Root())
	if root == "" {
		return ""
	}
	if p.IsComputed() {
		return ""
	}
	return root + withoutKeys(p.Selectors())
}

// withoutKeys returns selectors with each key left out: .conns[…].mu for .conns[p1].mu.
func withoutKeys(selectors string) string {
	var out strings.Builder
	depth := 0
	for _, c := range selectors {
		if c == ']' {
			depth--
		}
		if depth == 0 {
			out.WriteRune(c)
		}
		if c == '[' {
			if depth == 0 {
				out.WriteString("…")
			}
			depth++
		}
	}
	return out.String()
}

func (f *Body) rootName(root accesspath.Path) string {
	fn := f.Fn
	for i, prm := range fn.Params {
		if root == accesspath.Param(i) {
			return prm.Name()
		}
	}
	for i, fv := range fn.FreeVars {
		if root == accesspath.Free(i) {
			return fv.Name()
		}
	}
	if root.IsGlobal() {
		return accesspath.Location(root).Name()
	}
	switch v := f.Res.Definition(root).(type) {
	case *ssa.Alloc:
		if v.Comment == "complit" || v.Comment == "new" {
			return "" // an allocation without a variable
		}
		return v.Comment
	case *ssa.Phi:
		return v.Comment
	}
	return ""
}
