package funcsum

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// isOwnSignal reports whether a local variable always has one channel, which is received from and
// closed, and which nobody else can send to.
//
//	quit := make(chan struct{})
//	for range workers {
//		go func() {
//			select {
//			case <-quit:
//			default:
//				close(quit)
//			}
//		}()
//	}
func isOwnSignal(v *ssa.Alloc) bool {
	if _, isChan := ssautil.Deref(v.Type()).Underlying().(*types.Chan); !isChan || accesspath.IsReassigned(v) {
		return false
	}
	received := false
	for _, l := range ssautil.LoadsOf(v) {
		for _, use := range ssautil.Uses(l) {
			switch use := use.(type) {
			case *ssa.DebugRef:
			case *ssa.UnOp:
				received = true
			case *ssa.Select:
				if slices.ContainsFunc(use.States, func(st *ssa.SelectState) bool { return st.Chan == l && st.Dir != types.RecvOnly }) {
					return false
				}
				received = true
			case ssa.CallInstruction:
				if !isClose(use.Common()) {
					return false
				}
			case *ssa.ChangeType:
				if t, ok := use.Type().Underlying().(*types.Chan); !ok || t.Dir() != types.RecvOnly {
					return false
				}
			default:
				return false
			}
		}
	}
	return received
}

// isClose reports whether a call closes a channel.
func isClose(c *ssa.CallCommon) bool {
	return ssautil.Builtin(c) == "close"
}
