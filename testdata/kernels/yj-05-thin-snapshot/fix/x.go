// Package thin implements thinly provisioned volumes with snapshots.
package thin

import (
	"errors"
	"io"
	"sync"
)

// BlockSize is the unit of allocation.
const BlockSize = 64 << 10

var (
	ErrNoSpace  = errors.New("thin: pool is full")
	ErrBadBlock = errors.New("thin: block out of range")
	ErrShort    = errors.New("thin: buffer is not one block")
)

// Device is the data device under the pool. It is safe for concurrent use.
type Device interface {
	io.ReaderAt
	io.WriterAt
}

// Pool hands out physical blocks. Block 0 holds the superblock.
type Pool struct {
	dev Device

	mu   sync.Mutex
	refs []int
	free []int
}

// NewPool returns a pool over n blocks of dev.
func NewPool(dev Device, n int) *Pool {
	p := &Pool{dev: dev, refs: make([]int, n)}
	for b := n - 1; b > 0; b-- {
		p.free = append(p.free, b)
	}
	return p
}

func (p *Pool) alloc() (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		return 0, ErrNoSpace
	}
	b := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	p.refs[b] = 1
	return b, nil
}

func (p *Pool) share(blocks []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range blocks {
		if b != 0 {
			p.refs[b]++
		}
	}
}

func (p *Pool) put(b int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refs[b]--
	if p.refs[b] == 0 {
		p.free = append(p.free, b)
	}
}

func (p *Pool) shared(b int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refs[b] > 1
}

func (p *Pool) write(b int, data []byte) error {
	_, err := p.dev.WriteAt(data, int64(b)*BlockSize)
	return err
}

// Volume is a writable thin volume.
type Volume struct {
	pool *Pool

	wmu sync.Mutex // serialises writers

	mu    sync.RWMutex
	table []int // logical to physical, 0 is a hole
}

// NewVolume returns an empty volume of n logical blocks.
func (p *Pool) NewVolume(n int) *Volume {
	return &Volume{pool: p, table: make([]int, n)}
}

// ReadBlock reads one logical block.
func (v *Volume) ReadBlock(lba int, buf []byte) error {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return readBlock(v.pool, v.table, lba, buf)
}

func readBlock(p *Pool, table []int, lba int, buf []byte) error {
	if lba < 0 || lba >= len(table) {
		return ErrBadBlock
	}
	if len(buf) != BlockSize {
		return ErrShort
	}
	b := table[lba]
	if b == 0 {
		clear(buf)
		return nil
	}
	_, err := p.dev.ReadAt(buf, int64(b)*BlockSize)
	return err
}

func (v *Volume) lookup(lba int) (int, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if lba < 0 || lba >= len(v.table) {
		return 0, false
	}
	return v.table[lba], true
}

// WriteBlock writes one logical block. Blocks that belong to a snapshot as
// well are not touched, the data goes to a new block.
func (v *Volume) WriteBlock(lba int, data []byte) error {
	if len(data) != BlockSize {
		return ErrShort
	}
	v.wmu.Lock()
	defer v.wmu.Unlock()

	old, ok := v.lookup(lba)
	if !ok {
		return ErrBadBlock
	}
	if old != 0 && !v.pool.shared(old) {
		return v.pool.write(old, data)
	}

	b, err := v.pool.alloc()
	if err != nil {
		return err
	}
	if err := v.pool.write(b, data); err != nil {
		v.pool.put(b)
		return err
	}
	v.mu.Lock()
	v.table[lba] = b
	v.mu.Unlock()
	if old != 0 {
		v.pool.put(old)
	}
	return nil
}

// Snapshot is a read-only image of a volume.
type Snapshot struct {
	pool  *Pool
	table []int
}

// Snapshot freezes the current content of the volume.
func (v *Volume) Snapshot() *Snapshot {
	v.wmu.Lock()
	defer v.wmu.Unlock()
	v.mu.RLock()
	defer v.mu.RUnlock()
	s := &Snapshot{pool: v.pool, table: append([]int(nil), v.table...)}
	v.pool.share(s.table)
	return s
}

// ReadBlock reads one logical block of the image.
func (s *Snapshot) ReadBlock(lba int, buf []byte) error {
	return readBlock(s.pool, s.table, lba, buf)
}
