package testrun

import (
	"go/types"

	"golang.org/x/tools/go/packages"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/instrument/atomvetrt"
)

// SetOffsets sets the offsets by which the running program can tell its goroutines, from the source
// of package runtime. Without them it asks runtime.Stack, which takes longer; the program checks
// that they are right.
func SetOffsets(config *atomvetrt.Config, flags []string) {
	list, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedExportFile |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes,
		BuildFlags: flags,
	}, "runtime")
	if err != nil || len(list) != 1 || len(list[0].Errors) > 0 {
		return
	}
	config.CurG = offset(list[0], "m", "curg")
	config.GoID = offset(list[0], "g", "goid")
}

// offset returns the offset of a field, 0 if there is none.
func offset(pkg *packages.Package, typ, field string) uintptr {
	obj := pkg.Types.Scope().Lookup(typ)
	if obj == nil {
		return 0
	}
	st, ok := obj.Type().Underlying().(*types.Struct)
	if !ok {
		return 0
	}
	var fields []*types.Var
	for f := range st.Fields() {
		fields = append(fields, f)
		if f.Name() == field {
			offsets := pkg.TypesSizes.Offsetsof(fields)
			return uintptr(offsets[len(offsets)-1])
		}
	}
	return 0
}
