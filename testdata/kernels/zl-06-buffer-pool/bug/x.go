// Package bug caches the pages of a table file.
package bug

import (
	"bytes"
	"sync"
)

// PageID numbers the pages of a file.
type PageID uint32

// Disk reads and writes whole pages.
type Disk interface {
	ReadPage(id PageID) ([]byte, error)
	WritePage(id PageID, data []byte) error
}

type frame struct {
	id    PageID
	latch sync.RWMutex // guards data while pinned
	data  []byte

	// guarded by Pool.mu
	pins  int
	dirty bool
	used  uint64
}

// Pool holds about limit pages in memory.
type Pool struct {
	disk  Disk
	limit int

	mu     sync.Mutex
	frames map[PageID]*frame
	tick   uint64

	trimming sync.Mutex
	kick     chan struct{}
}

func NewPool(d Disk, limit int) *Pool {
	return &Pool{disk: d, limit: limit, frames: make(map[PageID]*frame), kick: make(chan struct{}, 1)}
}

func (p *Pool) pin(id PageID) (*frame, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.frames[id]
	if f == nil {
		data, err := p.disk.ReadPage(id)
		if err != nil {
			return nil, err
		}
		f = &frame{id: id, data: data}
		p.frames[id] = f
		if len(p.frames) > p.limit {
			select {
			case p.kick <- struct{}{}:
			default:
			}
		}
	}
	p.tick++
	f.used = p.tick
	f.pins++
	return f, nil
}

func (p *Pool) unpin(f *frame, changed bool) {
	p.mu.Lock()
	f.pins--
	if changed {
		f.dirty = true
	}
	p.mu.Unlock()
}

// View calls fn with a page's data, which it must not change or keep.
func (p *Pool) View(id PageID, fn func(data []byte)) error {
	f, err := p.pin(id)
	if err != nil {
		return err
	}
	defer p.unpin(f, false)
	f.latch.RLock()
	defer f.latch.RUnlock()
	fn(f.data)
	return nil
}

// Update calls fn, which may change the data in place.
func (p *Pool) Update(id PageID, fn func(data []byte)) error {
	f, err := p.pin(id)
	if err != nil {
		return err
	}
	defer p.unpin(f, true)
	f.latch.Lock()
	defer f.latch.Unlock()
	fn(f.data)
	return nil
}

// coldest wants p.mu held.
func (p *Pool) coldest() *frame {
	var c *frame
	for _, f := range p.frames {
		if f.pins == 0 && (c == nil || f.used < c.used) {
			c = f
		}
	}
	return c
}

// evict writes the coldest page back and lets go of it.
func (p *Pool) evict() (bool, error) {
	p.mu.Lock()
	f := p.coldest()
	if f == nil || len(p.frames) <= p.limit {
		p.mu.Unlock()
		return false, nil
	}
	var image []byte
	if f.dirty {
		image = bytes.Clone(f.data)
	}
	p.mu.Unlock()

	if image != nil {
		if err := p.disk.WritePage(f.id, image); err != nil {
			return false, err
		}
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	if f.pins > 0 {
		return false, nil
	}
	delete(p.frames, f.id)
	return true, nil
}

// Trim evicts pages until the pool is within its limit.
func (p *Pool) Trim() error {
	p.trimming.Lock()
	defer p.trimming.Unlock()
	for {
		more, err := p.evict()
		if err != nil || !more {
			return err
		}
	}
}

// Run trims when the pool grows over its limit.
func (p *Pool) Run(stop <-chan struct{}) {
	for {
		select {
		case <-p.kick:
			_ = p.Trim()
		case <-stop:
			return
		}
	}
}
