package badger

import (
	"bytes"
	"encoding/binary"
	"sort"
	"sync"
)

// Allocator hands out slices of one big buffer.
type Allocator struct {
	buf []byte
	off int
}

func (a *Allocator) Allocate(sz int) []byte {
	if a.off+sz > len(a.buf) {
		return make([]byte, sz)
	}
	out := a.buf[a.off : a.off+sz]
	a.off += sz
	return out
}

// AllocatorPool keeps allocators for reuse until it is released.
type AllocatorPool struct {
	mu       sync.Mutex
	free     []*Allocator
	max      int
	released bool
}

func NewAllocatorPool(max int) *AllocatorPool {
	return &AllocatorPool{max: max}
}

func (p *AllocatorPool) Get(sz int) *Allocator {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		a := p.free[n-1]
		p.free = p.free[:n-1]
		return a
	}
	return &Allocator{buf: make([]byte, sz)}
}

func (p *AllocatorPool) Return(a *Allocator) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.released {
		panic("Return of an allocator to a released pool")
	}
	if len(p.free) < p.max {
		a.off = 0
		p.free = append(p.free, a)
	}
}

func (p *AllocatorPool) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.released = true
	p.free = nil
}

// Builder is used in building a table.
type Builder struct {
	pool   *AllocatorPool
	alloc  *Allocator
	blocks [][]byte
	size   int
	max    int
}

func NewTableBuilder(pool *AllocatorPool, max int) *Builder {
	return &Builder{pool: pool, alloc: pool.Get(2 * max), max: max}
}

// Close closes the TableBuilder.
func (b *Builder) Close() {
	b.pool.Return(b.alloc)
}

func (b *Builder) Empty() bool { return len(b.blocks) == 0 }

func (b *Builder) ReachedCapacity() bool { return b.size >= b.max }

// Add adds a key-value pair to the block.
func (b *Builder) Add(key, value []byte) {
	blk := b.alloc.Allocate(4 + len(key) + len(value))
	binary.BigEndian.PutUint32(blk, uint32(len(key)))
	copy(blk[4:], key)
	copy(blk[4+len(key):], value)
	b.blocks = append(b.blocks, blk)
	b.size += len(blk)
}

// Finish returns a copy of what was added.
func (b *Builder) Finish() [][]byte {
	out := make([][]byte, len(b.blocks))
	for i, blk := range b.blocks {
		out[i] = bytes.Clone(blk)
	}
	return out
}

// Table represents a loaded table with the info we have about it.
type Table struct {
	id   uint64
	keys [][]byte
	vals [][]byte
}

func OpenInMemoryTable(blocks [][]byte, id uint64) (*Table, error) {
	if len(blocks) == 0 {
		return nil, errNoTables
	}
	t := &Table{id: id}
	for _, blk := range blocks {
		n := binary.BigEndian.Uint32(blk)
		t.keys = append(t.keys, blk[4:4+n])
		t.vals = append(t.vals, blk[4+n:])
	}
	return t, nil
}

func (t *Table) smallest() []byte { return t.keys[0] }

type entry struct{ k, v []byte }

type mergeIterator struct {
	entries []entry
	pos     int
}

func newMergeIterator(lists ...[]*Table) *mergeIterator {
	it := &mergeIterator{}
	for _, l := range lists {
		for _, t := range l {
			for i := range t.keys {
				it.entries = append(it.entries, entry{t.keys[i], t.vals[i]})
			}
		}
	}
	sort.SliceStable(it.entries, func(i, j int) bool {
		return bytes.Compare(it.entries[i].k, it.entries[j].k) < 0
	})
	return it
}

func (it *mergeIterator) Seek(k []byte) {
	it.pos = sort.Search(len(it.entries), func(i int) bool { return bytes.Compare(it.entries[i].k, k) >= 0 })
}
func (it *mergeIterator) Valid() bool   { return it.pos < len(it.entries) }
func (it *mergeIterator) Next()         { it.pos++ }
func (it *mergeIterator) Key() []byte   { return it.entries[it.pos].k }
func (it *mergeIterator) Value() []byte { return it.entries[it.pos].v }
