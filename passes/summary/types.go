package summary

import (
	"go/types"

	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

func isMutex(t types.Type) bool {
	known, _ := stdlib.OfType(t)
	return known.Lock && !known.Abstract
}
