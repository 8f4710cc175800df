// Package bug is a list of sorted pieces with background merging.
package bug

import (
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// body is the contents of a piece.
type body struct {
	path  string
	items []string
}

func (b *body) size() int {
	n := 0
	for _, it := range b.items {
		n += len(it)
	}
	return n
}

// piece is a body with a reference count.
type piece struct {
	b    atomic.Pointer[body]
	refs atomic.Int64

	inMerge bool
}

func newPiece(path string, items []string) *piece {
	p := &piece{}
	p.b.Store(&body{path: path, items: items})
	p.refs.Store(1)
	return p
}

func (p *piece) release() {
	n := p.refs.Add(-1)
	if n < 0 {
		panic(fmt.Sprintf("BUG: refs must not be negative; got %d", n))
	}
	if n > 0 {
		return
	}
	p.b.Store(nil)
}

type shelf struct {
	path string
	seq  atomic.Uint64

	pieces     []*piece
	piecesLock sync.Mutex

	slowMerge time.Duration
	logf      func(format string, args ...any)

	stopCh chan struct{}
}

func openShelf(path string, workers int, logf func(format string, args ...any)) *shelf {
	sh := &shelf{path: path, slowMerge: 30 * time.Second, logf: logf, stopCh: make(chan struct{})}
	for i := 0; i < workers; i++ {
		go sh.mergeLoop()
	}
	return sh
}

// Close stops the mergers.
func (sh *shelf) Close() {
	close(sh.stopCh)
}

// Add adds a piece with the given items.
func (sh *shelf) Add(items []string) {
	sort.Strings(items)
	p := newPiece(sh.nextPath(), items)
	sh.piecesLock.Lock()
	sh.pieces = append(sh.pieces, p)
	sh.piecesLock.Unlock()
}

func (sh *shelf) nextPath() string {
	return fmt.Sprintf("%s/%016X", sh.path, sh.seq.Add(1))
}

func (sh *shelf) borrow(dst []*piece) []*piece {
	sh.piecesLock.Lock()
	for _, p := range sh.pieces {
		p.refs.Add(1)
	}
	dst = append(dst, sh.pieces...)
	sh.piecesLock.Unlock()
	return dst
}

// Count returns the number of items.
func (sh *shelf) Count() int {
	ps := sh.borrow(nil)
	n := 0
	for _, p := range ps {
		n += len(p.b.Load().items)
	}
	for _, p := range ps {
		p.release()
	}
	return n
}

func (sh *shelf) mergeLoop() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-sh.stopCh:
			return
		case <-t.C:
			sh.mergeExisting(15)
		}
	}
}

func (sh *shelf) mergeExisting(limit int) {
	sh.piecesLock.Lock()
	var src []*piece
	for _, p := range sh.pieces {
		if !p.inMerge && len(src) < limit {
			src = append(src, p)
		}
	}
	if len(src) < 2 {
		src = nil
	}
	for _, p := range src {
		p.inMerge = true
	}
	sh.piecesLock.Unlock()

	if len(src) > 0 {
		sh.mergePieces(src)
	}
}

func (sh *shelf) mergePieces(src []*piece) {
	startTime := time.Now()

	srcItems, srcSize := 0, 0
	var items []string
	for _, p := range src {
		b := p.b.Load()
		srcItems += len(b.items)
		srcSize += b.size()
		items = append(items, b.items...)
	}
	sort.Strings(items)

	pNew := newPiece(sh.nextPath(), items)

	sh.exchange(src, pNew)

	d := time.Since(startTime)
	if d <= sh.slowMerge {
		return
	}

	// Log stats for long merges.
	bDst := pNew.b.Load()
	dstItems := len(bDst.items)
	dstSize := bDst.size()
	dstPath := bDst.path
	sh.logf("merged (%d pieces, %d items, %d bytes) into (1 piece, %d items, %d bytes) in %.3f seconds to %q",
		len(src), srcItems, srcSize, dstItems, dstSize, d.Seconds(), dstPath)
}

// exchange replaces the source pieces by the new one.
func (sh *shelf) exchange(src []*piece, pNew *piece) {
	m := make(map[*piece]bool, len(src))
	for _, p := range src {
		m[p] = true
	}

	sh.piecesLock.Lock()
	kept := make([]*piece, 0, len(sh.pieces))
	for _, p := range sh.pieces {
		if !m[p] {
			kept = append(kept, p)
		}
	}
	sh.pieces = append(kept, pNew)
	sh.piecesLock.Unlock()

	// Remove the references of the list.
	for _, p := range src {
		p.release()
	}
}
