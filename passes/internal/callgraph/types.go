package callgraph

import (
	"go/types"

	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

func IsMutex(t types.Type) bool {
	known, _ := stdlib.OfType(t)
	return known.Lock && !known.Abstract
}
