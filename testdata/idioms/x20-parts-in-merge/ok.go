// Package ok merges parts of a table in the background.
package ok

import (
	"log"
	"sync"
	"sync/atomic"
)

type part struct {
	rows []int64
	size int
}

func (p *part) mustClose() { p.rows = nil }

type partWrapper struct {
	refCount atomic.Int32
	p        *part

	isInMerge bool // guarded by partsLock
}

func newPartWrapper(p *part) *partWrapper {
	pw := &partWrapper{p: p}
	pw.incRef()
	return pw
}

func (pw *partWrapper) incRef() { pw.refCount.Add(1) }

func (pw *partWrapper) decRef() {
	n := pw.refCount.Add(-1)
	if n < 0 {
		log.Panicf("BUG: pw.refCount cannot be negative; got %d", n)
	}
	if n > 0 {
		return
	}
	pw.p.mustClose()
	pw.p = nil
}

// partition is safe for concurrent use.
type partition struct {
	partsLock sync.Mutex
	parts     []*partWrapper
}

// GetParts appends parts snapshot to dst; the caller must call PutParts.
func (pt *partition) GetParts(dst []*partWrapper) []*partWrapper {
	pt.partsLock.Lock()
	for _, pw := range pt.parts {
		pw.incRef()
	}
	dst = append(dst, pt.parts...)
	pt.partsLock.Unlock()
	return dst
}

// PutParts releases the given pws obtained via GetParts.
func (pt *partition) PutParts(pws []*partWrapper) {
	for _, pw := range pws {
		pw.decRef()
	}
}

func (pt *partition) getPartsToMerge(maxSize int) []*partWrapper {
	pt.partsLock.Lock()
	defer pt.partsLock.Unlock()
	var pws []*partWrapper
	for _, pw := range pt.parts {
		if !pw.isInMerge && pw.p.size <= maxSize {
			pw.isInMerge = true
			pws = append(pws, pw)
		}
	}
	return pws
}

func (pt *partition) releasePartsToMerge(pws []*partWrapper) {
	pt.partsLock.Lock()
	for _, pw := range pws {
		if !pw.isInMerge {
			log.Panicf("BUG: missing isInMerge flag on the part")
		}
		pw.isInMerge = false
	}
	pt.partsLock.Unlock()
}

// mergeOnce merges small parts.
func (pt *partition) mergeOnce(maxSize int, merge func([]*part) (*part, error)) error {
	pws := pt.getPartsToMerge(maxSize)
	if len(pws) == 0 {
		return nil
	}
	src := make([]*part, len(pws))
	for i, pw := range pws {
		src[i] = pw.p
	}
	dst, err := merge(src)
	if err != nil {
		pt.releasePartsToMerge(pws)
		return err
	}
	pt.swapSrcWithDstParts(pws, newPartWrapper(dst))
	return nil
}

func (pt *partition) swapSrcWithDstParts(pws []*partWrapper, pwNew *partWrapper) {
	m := make(map[*partWrapper]bool, len(pws))
	for _, pw := range pws {
		m[pw] = true
	}
	pt.partsLock.Lock()
	dst := make([]*partWrapper, 0, len(pt.parts))
	for _, pw := range pt.parts {
		if !m[pw] {
			dst = append(dst, pw)
		}
	}
	pt.parts = append(dst, pwNew)
	pt.partsLock.Unlock()
	// Remove references from old parts.
	for _, pw := range pws {
		pw.decRef()
	}
}
