// Correct: the calls of the object table are critical sections of their own, and
// Reserve, Free and Move are made of several of them. But whoever works on a
// key holds the lock of that key over the whole operation (Move: of both keys,
// in order), and the table is reached only through these methods. The inner
// lock only guards the map itself.
package keyedreconcile

import (
	"errors"
	"sync"
)

var (
	ErrUnknown = errors.New("unknown namespace")
	ErrQuota   = errors.New("quota exceeded")
	ErrUnused  = errors.New("not that much in use")
)

type keyLock struct {
	mu   sync.Mutex
	refs int
}

// keyLocks is a lock per key, which exists as long as someone wants it.
type keyLocks struct {
	mu    sync.Mutex
	locks map[string]*keyLock
}

func (k *keyLocks) lock(key string) {
	k.mu.Lock()
	l, ok := k.locks[key]
	if !ok {
		l = &keyLock{}
		k.locks[key] = l
	}
	l.refs++
	k.mu.Unlock()
	l.mu.Lock()
}

func (k *keyLocks) unlock(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.locks[key]
	l.mu.Unlock()
	l.refs--
	if l.refs == 0 {
		delete(k.locks, key)
	}
}

type quota struct {
	limit int
	used  int
}

type table struct {
	mu   sync.RWMutex
	rows map[string]quota
}

func (t *table) get(ns string) (quota, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	q, ok := t.rows[ns]
	return q, ok
}

func (t *table) put(ns string, q quota) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows[ns] = q
}

// Quotas accounts for what namespaces use.
type Quotas struct {
	keys  keyLocks
	table table
}

func New() *Quotas {
	return &Quotas{
		keys:  keyLocks{locks: make(map[string]*keyLock)},
		table: table{rows: make(map[string]quota)},
	}
}

// SetLimit sets the limit of a namespace and keeps what it uses.
func (q *Quotas) SetLimit(ns string, limit int) {
	q.keys.lock(ns)
	defer q.keys.unlock(ns)
	row, _ := q.table.get(ns)
	row.limit = limit
	q.table.put(ns, row)
}

// Reserve books n units.
func (q *Quotas) Reserve(ns string, n int) error {
	q.keys.lock(ns)
	defer q.keys.unlock(ns)
	return q.change(ns, n)
}

// Free gives n units back.
func (q *Quotas) Free(ns string, n int) error {
	q.keys.lock(ns)
	defer q.keys.unlock(ns)
	return q.change(ns, -n)
}

// Move books units of one namespace on another.
func (q *Quotas) Move(from, to string, n int) error {
	if from == to || n <= 0 {
		return nil
	}
	first, second := from, to
	if second < first {
		first, second = second, first
	}
	q.keys.lock(first)
	defer q.keys.unlock(first)
	q.keys.lock(second)
	defer q.keys.unlock(second)
	row, ok := q.table.get(from)
	if !ok {
		return ErrUnknown
	}
	if row.used < n {
		return ErrUnused
	}
	if err := q.change(to, n); err != nil {
		return err
	}
	return q.change(from, -n)
}

func (q *Quotas) change(ns string, n int) error {
	row, ok := q.table.get(ns)
	if !ok {
		return ErrUnknown
	}
	used := max(row.used+n, 0)
	if n > 0 && used > row.limit {
		return ErrQuota
	}
	row.used = used
	q.table.put(ns, row)
	return nil
}

// Used returns the units a namespace has booked.
func (q *Quotas) Used(ns string) int {
	row, _ := q.table.get(ns)
	return row.used
}
