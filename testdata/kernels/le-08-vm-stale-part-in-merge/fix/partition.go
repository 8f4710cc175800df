package storage

import (
	"errors"
	"fmt"
	"log"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

const (
	defaultPartsToMerge  = 15
	minMergeSleepTime    = time.Millisecond
	maxMergeSleepTime    = time.Second
	staleRemoverInterval = 7 * time.Minute
	maxRowsPerSmallPart  = 10e6
)

var errNothingToMerge = errors.New("nothing to merge")

type row struct {
	metricID  uint64
	timestamp int64
	value     float64
}

type partHeader struct {
	RowsCount    uint64
	MinTimestamp int64
	MaxTimestamp int64
}

// part represents a searchable part containing time series data.
type part struct {
	ph   partHeader
	rows []row
}

func newPart(rows []row) *part {
	p := &part{rows: rows}
	p.ph.RowsCount = uint64(len(rows))
	p.ph.MinTimestamp = rows[0].timestamp
	p.ph.MaxTimestamp = rows[len(rows)-1].timestamp
	return p
}

// MustClose closes all the part files.
func (p *part) MustClose() { p.rows = nil }

// partWrapper is a wrapper for the part.
type partWrapper struct {
	// The number of references to the part.
	refCount int64

	// The part itself.
	p *part

	// Whether the part is in merge now.
	isInMerge bool
}

func (pw *partWrapper) incRef() {
	atomic.AddInt64(&pw.refCount, 1)
}

func (pw *partWrapper) decRef() {
	n := atomic.AddInt64(&pw.refCount, -1)
	if n < 0 {
		log.Panicf("BUG: pw.refCount must be bigger than 0; got %d", n)
	}
	if n > 0 {
		return
	}
	pw.p.MustClose()
	pw.p = nil
}

// partition represents a partition.
type partition struct {
	smallRowsMerged  uint64
	smallRowsDeleted uint64
	bigRowsDeleted   uint64

	// data retention in milliseconds.
	// Used for deleting data outside the retention during background merge.
	retentionMsecs int64

	// Name is the name of the partition in the form YYYY_MM.
	name string

	// partsLock protects smallParts and bigParts.
	partsLock sync.Mutex

	// Contains all the inmemoryPart plus file-based parts
	// with small number of items (up to maxRowsCountPerSmallPart).
	smallParts []*partWrapper

	// Contains file-based parts with big number of items.
	bigParts []*partWrapper

	stopCh chan struct{}

	partsMergerWG       sync.WaitGroup
	stalePartsRemoverWG sync.WaitGroup
}

func openPartition(name string, retentionMsecs int64) *partition {
	pt := &partition{
		name:           name,
		retentionMsecs: retentionMsecs,
		stopCh:         make(chan struct{}),
	}
	pt.partsMergerWG.Add(1)
	go func() {
		pt.partsMerger()
		pt.partsMergerWG.Done()
	}()
	pt.stalePartsRemoverWG.Add(1)
	go func() {
		pt.stalePartsRemover()
		pt.stalePartsRemoverWG.Done()
	}()
	return pt
}

// MustClose closes the pt, so the app may safely exit.
//
// The pt must be detached from table before calling pt.MustClose.
func (pt *partition) MustClose() {
	close(pt.stopCh)
	pt.stalePartsRemoverWG.Wait()
	pt.partsMergerWG.Wait()

	// Remove references to parts from the pt, so they may be eventually closed
	// after all the searches are done.
	pt.partsLock.Lock()
	pws := append(pt.smallParts, pt.bigParts...)
	pt.smallParts, pt.bigParts = nil, nil
	pt.partsLock.Unlock()
	for _, pw := range pws {
		pw.decRef()
	}
}

// AddRows adds the given rows to the partition pt.
//
// rows must be sorted by timestamp.
func (pt *partition) AddRows(rows []row) {
	if len(rows) == 0 {
		return
	}
	pw := &partWrapper{p: newPart(rows), refCount: 1}
	pt.partsLock.Lock()
	pt.smallParts = append(pt.smallParts, pw)
	pt.partsLock.Unlock()
}

// GetParts appends parts snapshot to dst and returns it.
//
// The appended parts must be released with PutParts.
func (pt *partition) GetParts(dst []*partWrapper) []*partWrapper {
	pt.partsLock.Lock()
	for _, pw := range pt.smallParts {
		pw.incRef()
	}
	dst = append(dst, pt.smallParts...)
	for _, pw := range pt.bigParts {
		pw.incRef()
	}
	dst = append(dst, pt.bigParts...)
	pt.partsLock.Unlock()

	return dst
}

// PutParts releases the given pws obtained via GetParts.
func (pt *partition) PutParts(pws []*partWrapper) {
	for _, pw := range pws {
		pw.decRef()
	}
}

func (pt *partition) partsMerger() {
	sleepTime := minMergeSleepTime
	for {
		err := pt.mergeSmallParts()
		if err == nil {
			// Try merging additional parts.
			sleepTime = minMergeSleepTime
			continue
		}
		// Nothing to merge. Sleep for a while and try again.
		sleepTime = min(2*sleepTime, maxMergeSleepTime)
		select {
		case <-pt.stopCh:
			return
		case <-time.After(sleepTime):
		}
	}
}

func (pt *partition) mergeSmallParts() error {
	pt.partsLock.Lock()
	pws := getPartsToMerge(pt.smallParts)
	pt.partsLock.Unlock()
	return pt.mergeParts(pws)
}

// getPartsToMerge returns optimal parts to merge from pws.
//
// The returned parts are marked with isInMerge.
func getPartsToMerge(pws []*partWrapper) []*partWrapper {
	var pms []*partWrapper
	for _, pw := range pws {
		if !pw.isInMerge && len(pms) < defaultPartsToMerge {
			pms = append(pms, pw)
		}
	}
	if len(pms) < 2 {
		return nil
	}
	for _, pw := range pms {
		pw.isInMerge = true
	}
	return pms
}

func (pt *partition) releasePartsToMerge(pws []*partWrapper) {
	pt.partsLock.Lock()
	for _, pw := range pws {
		if !pw.isInMerge {
			log.Panicf("BUG: missing isInMerge flag on the part in partition %q", pt.name)
		}
		pw.isInMerge = false
	}
	pt.partsLock.Unlock()
}

// mergeParts merges pws and atomically replaces them with the resulting part.
//
// All the parts inside pws must have isInMerge field set to true.
func (pt *partition) mergeParts(pws []*partWrapper) error {
	if len(pws) == 0 {
		// Nothing to merge.
		return errNothingToMerge
	}
	defer pt.releasePartsToMerge(pws)

	startTime := time.Now()
	retentionDeadline := startTime.UnixMilli() - pt.retentionMsecs
	var rows []row
	for _, pw := range pws {
		for _, r := range pw.p.rows {
			if r.timestamp < retentionDeadline {
				atomic.AddUint64(&pt.smallRowsDeleted, 1)
				continue
			}
			rows = append(rows, r)
		}
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i].timestamp < rows[j].timestamp })
	atomic.AddUint64(&pt.smallRowsMerged, uint64(len(rows)))

	var newPW *partWrapper
	if len(rows) > 0 {
		newPW = &partWrapper{p: newPart(rows), refCount: 1}
	}

	// Atomically remove old parts and add new part.
	m := make(map[*partWrapper]bool, len(pws))
	for _, pw := range pws {
		m[pw] = true
	}
	pt.partsLock.Lock()
	removedSmallParts, removedBigParts := pt.removePartsLocked(m)
	if newPW != nil {
		if newPW.p.ph.RowsCount > maxRowsPerSmallPart {
			pt.bigParts = append(pt.bigParts, newPW)
		} else {
			pt.smallParts = append(pt.smallParts, newPW)
		}
	}
	pt.partsLock.Unlock()
	if removedSmallParts+removedBigParts != len(m) {
		log.Panicf("BUG: unexpected number of parts removed; got %d, want %d", removedSmallParts+removedBigParts, len(m))
	}

	// Remove partition references from old parts.
	for _, pw := range pws {
		pw.decRef()
	}
	if d := time.Since(startTime); d > 10*time.Second {
		log.Printf("merged %d rows in %.3f seconds", len(rows), d.Seconds())
	}
	return nil
}

func (pt *partition) removePartsLocked(m map[*partWrapper]bool) (int, int) {
	removedSmallParts := 0
	removedBigParts := 0
	pt.smallParts, removedSmallParts = removeParts(pt.smallParts, m)
	pt.bigParts, removedBigParts = removeParts(pt.bigParts, m)
	return removedSmallParts, removedBigParts
}

func removeParts(pws []*partWrapper, partsToRemove map[*partWrapper]bool) ([]*partWrapper, int) {
	removedParts := 0
	dst := pws[:0]
	for _, pw := range pws {
		if !partsToRemove[pw] {
			dst = append(dst, pw)
			continue
		}
		removedParts++
	}
	return dst, removedParts
}

func (pt *partition) stalePartsRemover() {
	ticker := time.NewTicker(staleRemoverInterval)
	defer ticker.Stop()
	for {
		select {
		case <-pt.stopCh:
			return
		case <-ticker.C:
			pt.removeStaleParts()
		}
	}
}

func (pt *partition) removeStaleParts() {
	m := make(map[*partWrapper]bool)
	retentionDeadline := time.Now().UnixMilli() - pt.retentionMsecs

	pt.partsLock.Lock()
	for _, pw := range pt.bigParts {
		if !pw.isInMerge && pw.p.ph.MaxTimestamp < retentionDeadline {
			atomic.AddUint64(&pt.bigRowsDeleted, pw.p.ph.RowsCount)
			m[pw] = true
		}
	}
	for _, pw := range pt.smallParts {
		if !pw.isInMerge && pw.p.ph.MaxTimestamp < retentionDeadline {
			atomic.AddUint64(&pt.smallRowsDeleted, pw.p.ph.RowsCount)
			m[pw] = true
		}
	}
	removedSmallParts, removedBigParts := pt.removePartsLocked(m)
	pt.partsLock.Unlock()

	if removedSmallParts+removedBigParts != len(m) {
		log.Panicf("BUG: unexpected number of stale parts removed; got %d, want %d", removedSmallParts+removedBigParts, len(m))
	}

	// Remove partition references from removed parts, so they are eventually deleted when nobody reads from them.
	for pw := range m {
		log.Printf("removing part %s, since its data is out of the configured retention (%d secs)", fmt.Sprint(pw.p.ph), retentionDeadline/1000)
		pw.decRef()
	}
}
