package a

import (
	"sync"
	"sync/atomic"
	"time"
)

// window is replaced as a whole and never changed.
type window struct {
	minute int64
	used   int64
}

type key struct {
	limit int64
	win   atomic.Pointer[window]
}

type Quota struct {
	standard int64
	keys     sync.Map // api key -> *key
}

func NewQuota(standard int64) *Quota { return &Quota{standard: standard} }

func newKey(limit int64) *key {
	k := &key{limit: limit}
	k.win.Store(&window{})
	return k
}

func (q *Quota) key(name string) *key {
	if v, ok := q.keys.Load(name); ok {
		return v.(*key)
	}
	v, _ := q.keys.LoadOrStore(name, newKey(q.standard))
	return v.(*key)
}

func (k *key) take(minute, cost int64) (charged int64, ok bool) {
	for {
		cur := k.win.Load()
		next := window{minute: cur.minute, used: cur.used}
		if minute > cur.minute {
			next = window{minute: minute}
		}
		if next.used+cost > k.limit {
			return 0, false
		}
		next.used += cost
		if k.win.CompareAndSwap(cur, &next) {
			return next.minute, true
		}
	}
}

// Allow also returns the minute that was charged, which Refund needs.
func (q *Quota) Allow(name string, cost int64) (minute int64, ok bool) {
	return q.key(name).take(time.Now().Unix()/60, cost)
}

func (q *Quota) Refund(name string, minute, cost int64) {
	k := q.key(name)
	for {
		cur := k.win.Load()
		if cur.minute != minute || cur.used == 0 {
			return
		}
		next := &window{minute: cur.minute, used: max(0, cur.used-cost)}
		if k.win.CompareAndSwap(cur, next) {
			return
		}
	}
}

func (q *Quota) Remaining(name string) int64 {
	k := q.key(name)
	w := k.win.Load()
	if w.minute < time.Now().Unix()/60 {
		return k.limit
	}
	return k.limit - w.used
}
