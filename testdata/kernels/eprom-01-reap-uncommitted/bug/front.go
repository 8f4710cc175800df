// Package bug is the in-memory front of a database of samples.
package bug

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
)

var (
	errUnknown  = errors.New("unknown row")
	errOrder    = errors.New("sample out of order")
	errOverflow = errors.New("name too long")
)

type piece struct {
	minT, maxT int64
	ts         []int64
	vs         []float64
}

// row is one line of samples.
type row struct {
	sync.Mutex
	id     uint64
	name   string
	pieces []*piece
	lastT  int64
}

func (r *row) acceptable(t int64) error {
	if len(r.pieces) > 0 && t <= r.lastT {
		return errOrder
	}
	return nil
}

func (r *row) push(t int64, v float64) bool {
	if r.acceptable(t) != nil {
		return false
	}
	var p *piece
	if n := len(r.pieces); n > 0 && len(r.pieces[n-1].ts) < 120 {
		p = r.pieces[n-1]
	} else {
		p = &piece{minT: t}
		r.pieces = append(r.pieces, p)
	}
	p.ts = append(p.ts, t)
	p.vs = append(p.vs, v)
	p.maxT = t
	r.lastT = t
	return true
}

func (r *row) dropBefore(mint int64) int {
	n := 0
	for n < len(r.pieces) && r.pieces[n].maxT < mint {
		n++
	}
	r.pieces = r.pieces[n:]
	return n
}

const shards = 16

// shardMap holds the rows by id and by name.
type shardMap struct {
	locks  [shards]sync.RWMutex
	byID   [shards]map[uint64]*row
	nameMu sync.Mutex
	byName map[string]*row
	lastID uint64
}

func newShardMap() *shardMap {
	m := &shardMap{byName: make(map[string]*row)}
	for i := range m.byID {
		m.byID[i] = make(map[uint64]*row)
	}
	return m
}

func (m *shardMap) get(id uint64) *row {
	i := id % shards
	m.locks[i].RLock()
	defer m.locks[i].RUnlock()
	return m.byID[i][id]
}

func (m *shardMap) getOrCreate(name string) *row {
	m.nameMu.Lock()
	defer m.nameMu.Unlock()
	if r := m.byName[name]; r != nil {
		return r
	}
	m.lastID++
	r := &row{id: m.lastID, name: name, lastT: math.MinInt64}
	m.byName[name] = r
	i := r.id % shards
	m.locks[i].Lock()
	m.byID[i][r.id] = r
	m.locks[i].Unlock()
	return r
}

// reap drops pieces before mint and the rows that are empty then.
func (m *shardMap) reap(mint int64) (rows, pieces int) {
	m.nameMu.Lock()
	defer m.nameMu.Unlock()
	for i := range m.byID {
		m.locks[i].Lock()
		for id, r := range m.byID[i] {
			r.Lock()
			pieces += r.dropBefore(mint)
			if len(r.pieces) > 0 {
				r.Unlock()
				continue
			}
			delete(m.byID[i], id)
			delete(m.byName, r.name)
			rows++
			r.Unlock()
		}
		m.locks[i].Unlock()
	}
	return rows, pieces
}

// Front is the part of the database that is in memory.
type Front struct {
	rows *shardMap
	minT atomic.Int64
	live atomic.Int64
}

// NewFront returns an empty front.
func NewFront() *Front {
	f := &Front{rows: newShardMap()}
	f.minT.Store(math.MinInt64)
	return f
}

// Truncate is called by the compaction loop.
func (f *Front) Truncate(mint int64) (int, int) {
	f.minT.Store(mint)
	return f.rows.reap(mint)
}

type pendingSample struct {
	r *row
	t int64
	v float64
}

// batch collects samples, it is used by one goroutine.
type batch struct {
	front *Front
	todo  []pendingSample
}

// Batch starts a batch.
func (f *Front) Batch() *batch {
	f.live.Add(1)
	return &batch{front: f}
}

// Add adds a sample by name and returns the id of the row.
func (b *batch) Add(name string, t int64, v float64) (uint64, error) {
	if len(name) > 4096 {
		return 0, errOverflow
	}
	for {
		id := b.front.rows.getOrCreate(name).id
		if err := b.AddRef(id, t, v); err != errUnknown {
			return id, err
		}
	}
}

// AddRef adds a sample by id; with errUnknown the caller has to use Add.
func (b *batch) AddRef(id uint64, t int64, v float64) error {
	r := b.front.rows.get(id)
	if r == nil {
		return errUnknown
	}
	r.Lock()
	if err := r.acceptable(t); err != nil {
		r.Unlock()
		return err
	}
	r.Unlock()

	b.todo = append(b.todo, pendingSample{r, t, v})
	return nil
}

// Commit stores the samples.
func (b *batch) Commit() (stored int) {
	defer b.front.live.Add(-1)
	for _, s := range b.todo {
		s.r.Lock()
		if s.r.push(s.t, s.v) {
			stored++
		}
		s.r.Unlock()
	}
	b.todo = nil
	return stored
}

// MinTime is the bound of the last truncation.
func (f *Front) MinTime() int64 { return f.minT.Load() }

// Rollback forgets the samples.
func (b *batch) Rollback() {
	b.front.live.Add(-1)
	b.todo = nil
}
