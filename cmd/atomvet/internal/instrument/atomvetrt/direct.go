//go:build atomvet_direct

package atomvetrt

import "unsafe"

// This file is a part of instrumented programs only, which are linked with -checklinkname=0; the
// constraint is left out there.

//go:linkname acquirem runtime.acquirem
func acquirem() unsafe.Pointer

//go:linkname releasem runtime.releasem
func releasem(unsafe.Pointer)

var _ = enable(directID)

// directID reads the number of the current goroutine where the runtime has it.
//
//go:norace
func directID() uint64 {
	m := acquirem()
	id := *(*uint64)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Add(m, cfg.CurG)), cfg.GoID))
	releasem(m)
	return id
}

// enable is called before the initialization of the package begins.
func enable(f func() uint64) bool {
	direct = f
	return true
}
