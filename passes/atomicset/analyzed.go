package atomicset

import (
	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
)

// analyzed is one set with its model.
type analyzed struct {
	pass      *analysis.Pass
	pkg       *summary.Package
	set       *atomicSet
	judge     *rule.Judge
	processes []*process
	model     *model.Model
	full      bool // the model reached its bound: see translator.full
	before    size
	after     size
	questions int
	bounded   int // number of questions with an inexact answer
}
