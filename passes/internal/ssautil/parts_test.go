package ssautil_test

import (
	"fmt"
	"go/token"
	"go/types"
	"testing"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// TestParts demands that each type is returned once, though the number of the fields is
// multiplied with each level, and that references are not followed. Export data can have such
// types; the type checker of the source would take too long.
func TestParts(t *testing.T) {
	const levels = 60
	pkg := types.NewPackage("p", "p")
	var level types.Type = types.Typ[types.Int]
	for i := range levels {
		named := types.NewNamed(types.NewTypeName(token.NoPos, pkg, fmt.Sprint("T", i), nil), nil, nil)
		var fields []*types.Var
		for j, t := range []types.Type{level, level, types.NewArray(level, 3), types.NewPointer(named)} {
			fields = append(fields, types.NewField(token.NoPos, pkg, fmt.Sprint("f", j), t, false))
		}
		named.SetUnderlying(types.NewStruct(fields, nil))
		level = named
	}
	structs, steps := 0, 0
	for part := range ssautil.Parts(level) {
		if _, ok := part.Underlying().(*types.Struct); ok {
			structs++
		}
		if steps++; steps > 4*levels {
			t.Fatalf("more than %d parts", 4*levels)
		}
	}
	if structs != levels {
		t.Errorf("%d structs, want %d", structs, levels)
	}
}
