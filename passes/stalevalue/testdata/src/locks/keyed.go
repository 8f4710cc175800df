package locks

import "sync"

type lockOfKey struct {
	mu   sync.Mutex
	refs int
}

// tableOfLocks has a lock for each key, as long as somebody wants it.
type tableOfLocks struct {
	mu    sync.Mutex
	locks map[string]*lockOfKey
}

func (k *tableOfLocks) lock(key string) {
	k.mu.Lock()
	l, ok := k.locks[key]
	if !ok {
		l = &lockOfKey{}
		k.locks[key] = l
	}
	l.refs++
	k.mu.Unlock()
	l.mu.Lock()
}

func (k *tableOfLocks) unlock(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.locks[key]
	l.mu.Unlock()
	l.refs--
	if l.refs == 0 {
		delete(k.locks, key)
	}
}

// Allowances are changed under the lock of their key, by helpers that do not know which one it is.
type Allowances struct {
	keys tableOfLocks

	mu   sync.Mutex
	used map[string]int
}

func (q *Allowances) get(key string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.used[key]
}

func (q *Allowances) put(key string, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used[key] = n
}

func (q *Allowances) change(key string, by int) { q.put(key, q.get(key)+by) }

func (q *Allowances) Reserve(key string, n int) {
	q.keys.lock(key)
	defer q.keys.unlock(key)
	q.change(key, n)
}

// Move has the locks of both keys, in order.
func (q *Allowances) Move(from, to string, n int) {
	first, second := from, to
	if second < first {
		first, second = second, first
	}
	q.keys.lock(first)
	defer q.keys.unlock(first)
	q.keys.lock(second)
	defer q.keys.unlock(second)
	if q.get(from) >= n {
		q.change(from, -n)
		q.change(to, n)
	}
}

func (q *Allowances) Double(key string) {
	q.keys.lock(key)
	defer q.keys.unlock(key)
	n := q.get(key)
	q.put(key, 2*n)
}

// Charges have a helper that one caller calls without a lock.
type Charges struct {
	keys tableOfLocks

	mu   sync.Mutex
	used map[string]int
}

func (r *Charges) get(key string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used[key]
}

func (r *Charges) put(key string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used[key] = n
}

func (r *Charges) change(key string, by int) {
	n := r.get(key)
	r.put(key, n+by) // want `lost-update: r.used\[key\] was read at line \d+`
}

func (r *Charges) Raise(key string) {
	r.keys.lock(key)
	defer r.keys.unlock(key)
	r.change(key, 1)
}

func (r *Charges) Lower(key string) { r.change(key, -1) }
