// Package bufpool caches disk pages in a fixed number of frames.
package bufpool

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// PageSize is the size of a page on disk.
const PageSize = 4096

// ErrNoFrame is returned when all frames are pinned.
var ErrNoFrame = errors.New("bufpool: all frames pinned")

// PageID numbers pages from zero.
type PageID int64

// Disk is where pages live.
type Disk interface {
	io.ReaderAt
	io.WriterAt
}

type frame struct {
	// guarded by Pool.mu
	id   PageID
	used bool
	pins int
	ref  bool

	latch sync.RWMutex
	data  [PageSize]byte
	dirty bool
}

// Pool is a clock-replacement buffer pool.
type Pool struct {
	disk Disk

	mu     sync.Mutex
	frames []*frame
	byID   map[PageID]*frame
	hand   int
}

// New returns a pool of n frames.
func New(disk Disk, n int) *Pool {
	p := &Pool{disk: disk, byID: make(map[PageID]*frame, n), frames: make([]*frame, n)}
	for i := range p.frames {
		p.frames[i] = new(frame)
	}
	return p
}

// pin protects a frame from eviction. p.mu is held.
func (p *Pool) pin(f *frame) {
	f.pins++
	f.ref = true
}

func (p *Pool) unpin(f *frame) {
	p.mu.Lock()
	f.pins--
	p.mu.Unlock()
}

// fetch returns the pinned frame of a page.
func (p *Pool) fetch(id PageID) (*frame, error) {
	p.mu.Lock()
	f, ok := p.byID[id]
	p.mu.Unlock()
	if !ok {
		return p.load(id)
	}
	p.mu.Lock()
	p.pin(f)
	p.mu.Unlock()
	return f, nil
}

// load reads a page into a free or evicted frame and pins it.
func (p *Pool) load(id PageID) (*frame, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, ok := p.byID[id]; ok {
		p.pin(f)
		return f, nil
	}
	f, err := p.victim()
	if err != nil {
		return nil, err
	}
	f.latch.Lock()
	defer f.latch.Unlock()
	if f.used {
		if f.dirty {
			if _, err := p.disk.WriteAt(f.data[:], int64(f.id)*PageSize); err != nil {
				return nil, fmt.Errorf("bufpool: write page %d: %w", f.id, err)
			}
			f.dirty = false
		}
		delete(p.byID, f.id)
		f.used = false
	}
	n, err := p.disk.ReadAt(f.data[:], int64(id)*PageSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("bufpool: read page %d: %w", id, err)
	}
	clear(f.data[n:])
	f.id, f.used = id, true
	p.byID[id] = f
	p.pin(f)
	return f, nil
}

// victim chooses a frame without pins. p.mu is held.
func (p *Pool) victim() (*frame, error) {
	for range 2 * len(p.frames) {
		f := p.frames[p.hand]
		p.hand = (p.hand + 1) % len(p.frames)
		switch {
		case f.pins > 0:
		case f.used && f.ref:
			f.ref = false
		default:
			return f, nil
		}
	}
	return nil, ErrNoFrame
}

// ReadPage calls fn with the content of a page; fn must not keep it.
func (p *Pool) ReadPage(id PageID, fn func([]byte) error) error {
	f, err := p.fetch(id)
	if err != nil {
		return err
	}
	defer p.unpin(f)
	f.latch.RLock()
	defer f.latch.RUnlock()
	return fn(f.data[:])
}

// WritePage calls fn to change a page; the change reaches the disk on eviction or Flush.
func (p *Pool) WritePage(id PageID, fn func([]byte) error) error {
	f, err := p.fetch(id)
	if err != nil {
		return err
	}
	defer p.unpin(f)
	f.latch.Lock()
	defer f.latch.Unlock()
	if err := fn(f.data[:]); err != nil {
		return err
	}
	f.dirty = true
	return nil
}

// Flush writes all dirty pages.
func (p *Pool) Flush() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, f := range p.byID {
		f.latch.Lock()
		if f.dirty {
			if _, err := p.disk.WriteAt(f.data[:], int64(id)*PageSize); err != nil {
				f.latch.Unlock()
				return fmt.Errorf("bufpool: flush page %d: %w", id, err)
			}
			f.dirty = false
		}
		f.latch.Unlock()
	}
	return nil
}
