package driver

import (
	"os"
	"runtime"
	"runtime/debug"
)

// startingHeap is the size up to which the heap of a process that analyzes one
// package grows before garbage is collected for the first time. Most packages are
// done by then, and a process of a second need not collect what its end throws
// away. The compiler starts with a heap of 128 MB for the same reason (see
// cmd/compile/internal/base, AdjustStartingHeap).
const startingHeap = 48 << 20

// delayCollection puts the first collection of garbage off until the heap has its
// starting size. Later ones come as usual, so that large packages need no more
// memory than without it.
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return // somebody knows better
	}
	const smallestHeap = 4 << 20 // that of the runtime, at 100 percent
	usual := debug.SetGCPercent(100 * startingHeap / smallestHeap)
	sentinel := new([64]byte)
	runtime.AddCleanup(sentinel, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
