// Package tenants accounts for the bytes that each tenant keeps in the store.
package tenants

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrOverQuota is returned when an object does not fit in the quota.
var ErrOverQuota = errors.New("tenants: quota exceeded")

// Meter counts the bytes of one tenant. It is on the path of every request
// and takes no lock.
type Meter struct {
	limit atomic.Int64
	bytes atomic.Int64
}

// SetLimit changes the quota; zero means no limit.
func (m *Meter) SetLimit(n int64) { m.limit.Store(n) }

// Used returns the bytes charged at the moment.
func (m *Meter) Used() int64 { return m.bytes.Load() }

// Charge books n bytes, or fails and books nothing.
func (m *Meter) Charge(n int64) error {
	for {
		cur := m.bytes.Load()
		if limit := m.limit.Load(); limit > 0 && cur+n > limit {
			return ErrOverQuota
		}
		if m.bytes.CompareAndSwap(cur, cur+n) {
			return nil
		}
	}
}

// Credit gives n bytes back. Sizes from before the accounting was introduced
// are estimates, so the counter is kept from going negative.
func (m *Meter) Credit(n int64) {
	for {
		cur := m.bytes.Load()
		left := cur - n
		if left < 0 {
			left = 0
		}
		if m.bytes.CompareAndSwap(cur, left) {
			return
		}
	}
}

type object struct {
	size    int64
	expires time.Time
}

// Bucket holds the objects of one tenant.
type Bucket struct {
	meter *Meter

	mu      sync.Mutex
	objects map[string]object
}

// Put stores an object's metadata, replacing an older one of the same key.
func (b *Bucket) Put(key string, size int64, ttl time.Duration) error {
	if err := b.meter.Charge(size); err != nil {
		return err
	}
	b.mu.Lock()
	old, replaced := b.objects[key]
	b.objects[key] = object{size: size, expires: time.Now().Add(ttl)}
	b.mu.Unlock()
	if replaced {
		b.meter.Credit(old.size)
	}
	return nil
}

// Delete removes an object and reports whether it existed.
func (b *Bucket) Delete(key string) bool {
	b.mu.Lock()
	o, ok := b.objects[key]
	delete(b.objects, key)
	b.mu.Unlock()
	if ok {
		b.meter.Credit(o.size)
	}
	return ok
}

func (b *Bucket) sweep(now time.Time) {
	var freed int64
	b.mu.Lock()
	for k, o := range b.objects {
		if now.After(o.expires) {
			delete(b.objects, k)
			freed += o.size
		}
	}
	b.mu.Unlock()
	if freed > 0 {
		b.meter.Credit(freed)
	}
}

// Registry finds the bucket of a tenant.
type Registry struct {
	quota int64
	stop  chan struct{}

	mu      sync.Mutex
	buckets map[string]*Bucket
}

// NewRegistry starts the sweeper; Close ends it.
func NewRegistry(quota int64, every time.Duration) *Registry {
	r := &Registry{quota: quota, stop: make(chan struct{}), buckets: make(map[string]*Bucket)}
	go r.sweepLoop(every)
	return r
}

// Close ends the sweeper. It must be called once.
func (r *Registry) Close() { close(r.stop) }

// Bucket returns the bucket of a tenant, creating it at first use.
func (r *Registry) Bucket(tenant string) *Bucket {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.buckets[tenant]
	if b == nil {
		b = &Bucket{meter: new(Meter), objects: make(map[string]object)}
		b.meter.SetLimit(r.quota)
		r.buckets[tenant] = b
	}
	return b
}

func (r *Registry) sweepLoop(every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-r.stop:
			return
		case now := <-t.C:
			for _, b := range r.all() {
				b.sweep(now)
			}
		}
	}
}

func (r *Registry) all() []*Bucket {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]*Bucket, 0, len(r.buckets))
	for _, b := range r.buckets {
		out = append(out, b)
	}
	return out
}
