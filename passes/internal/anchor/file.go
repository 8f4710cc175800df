package anchor

import (
	"go/token"
	"go/types"
	"path/filepath"
)

// FileOf returns the file of a package that has a base name, as the positions of what the package
// declares have it: in full for a dependency that was compiled without -trimpath. It returns "" if
// nothing that is known is declared there.
func FileOf(fset *token.FileSet, pkg *types.Package, base string) string {
	if pkg == nil {
		return ""
	}
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if file := fset.PositionFor(o.Pos(), false).Filename; filepath.Base(file) == base {
			return file
		}
		named, ok := o.Type().(*types.Named)
		if !ok || named.Obj() != o {
			continue
		}
		for m := range named.Methods() {
			if file := fset.PositionFor(m.Pos(), false).Filename; filepath.Base(file) == base {
				return file
			}
		}
	}
	return ""
}
