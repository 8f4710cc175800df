package storage

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// part represents a searchable part containing time series data.
type part struct {
	path string
	f    *os.File
}

func mustOpenPart(path string) *part {
	f, err := os.Open(filepath.Join(path, "values.bin"))
	if err != nil {
		panic(fmt.Errorf("FATAL: cannot open part: %w", err))
	}
	return &part{path: path, f: f}
}

// partWrapper is a wrapper for the part.
type partWrapper struct {
	// The number of references to the part.
	refCount atomic.Int32

	// The flag, which is set when the part must be deleted after refCount reaches zero.
	// This field should be updated only after partWrapper
	// was removed from the list of active parts.
	mustDrop atomic.Bool

	// The part itself.
	p *part

	// Whether the part is in merge now.
	isInMerge bool
}

func newPartWrapper(p *part) *partWrapper {
	pw := &partWrapper{p: p}
	pw.incRef()
	return pw
}

func (pw *partWrapper) incRef() {
	pw.refCount.Add(1)
}

func (pw *partWrapper) decRef() {
	n := pw.refCount.Add(-1)
	if n < 0 {
		panic(fmt.Errorf("BUG: pw.refCount must be bigger than 0; got %d", n))
	}
	if n > 0 {
		return
	}

	deletePath := ""
	if pw.mustDrop.Load() {
		deletePath = pw.p.path
	}
	pw.p.f.Close()
	pw.p = nil

	if deletePath != "" {
		os.RemoveAll(deletePath)
	}
}

// partition represents a partition.
type partition struct {
	// partsLock protects parts.
	partsLock sync.Mutex

	// Contains file-based parts with their own references.
	parts []*partWrapper

	merge func(dstPath string, pws []*partWrapper) error

	mergeIdx atomic.Uint64
	path     string
	wg       sync.WaitGroup
	stopCh   chan struct{}
}

// GetParts appends parts snapshot to dst and returns it.
//
// The appended parts must be released with PutParts.
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

// SizeBytes is called by search goroutines and by the metrics handler.
func (pt *partition) SizeBytes() (uint64, error) {
	pws := pt.GetParts(nil)
	defer pt.PutParts(pws)
	n := uint64(0)
	for _, pw := range pws {
		fi, err := pw.p.f.Stat()
		if err != nil {
			return 0, err
		}
		n += uint64(fi.Size())
	}
	return n, nil
}

func (pt *partition) startPartsMergers(workers int) {
	for i := 0; i < workers; i++ {
		pt.wg.Add(1)
		go func() {
			pt.partsMerger()
			pt.wg.Done()
		}()
	}
}

func (pt *partition) partsMerger() {
	for {
		select {
		case <-pt.stopCh:
			return
		default:
		}
		pws := pt.getPartsToMerge()
		if len(pws) == 0 {
			return
		}
		dstPath := filepath.Join(pt.path, fmt.Sprintf("%016X", pt.mergeIdx.Add(1)))
		if err := pt.merge(dstPath, pws); err != nil {
			pt.releasePartsToMerge(pws)
			return
		}
		pt.swapSrcWithDstParts(pws, newPartWrapper(mustOpenPart(dstPath)))
	}
}

// getPartsToMerge returns parts which aren't in merge yet and marks them.
func (pt *partition) getPartsToMerge() []*partWrapper {
	pt.partsLock.Lock()
	defer pt.partsLock.Unlock()
	var pws []*partWrapper
	for _, pw := range pt.parts {
		if !pw.isInMerge {
			pws = append(pws, pw)
		}
	}
	if len(pws) < 2 {
		return nil
	}
	for _, pw := range pws {
		pw.isInMerge = true
	}
	return pws
}

func (pt *partition) releasePartsToMerge(pws []*partWrapper) {
	pt.partsLock.Lock()
	for _, pw := range pws {
		pw.isInMerge = false
	}
	pt.partsLock.Unlock()
}

func (pt *partition) swapSrcWithDstParts(pws []*partWrapper, pwNew *partWrapper) {
	// Atomically unregister old parts and add new part to pt.
	m := make(map[*partWrapper]struct{}, len(pws))
	for _, pw := range pws {
		m[pw] = struct{}{}
	}

	pt.partsLock.Lock()
	parts := make([]*partWrapper, 0, len(pt.parts))
	for _, pw := range pt.parts {
		if _, ok := m[pw]; !ok {
			parts = append(parts, pw)
		}
	}
	pt.parts = append(parts, pwNew)
	pt.partsLock.Unlock()

	// Mark old parts as must be deleted and decrement reference count,
	// so they are eventually closed and deleted.
	for _, pw := range pws {
		pw.mustDrop.Store(true)
		pw.decRef()
	}
}
