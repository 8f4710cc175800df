package process

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
)

// An Activity is what a function does at an instruction to an object.
type Activity struct {
	F    *Func
	Base accesspath.Path // of the object, or Unknown
	At   ssa.Instruction // nil if any is meant
}

// activityOf returns what f does at an access. What is not known of the access is not set.
func activityOf(f *Func, e *funcsum.Event) Activity { return Activity{f, e.Base, e.Instr} }
