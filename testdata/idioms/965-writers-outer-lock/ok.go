// Package registrar admits instances to a service catalog.
package registrar

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrQuota is returned when a service has as many instances as it may have.
var ErrQuota = errors.New("registrar: quota of service exhausted")

// Instance is a registered instance.
type Instance struct {
	ID      string
	Service string
	Addr    string
	Expires time.Time
}

// index is read far more often than written. Its lock covers single calls.
type index struct {
	mu    sync.RWMutex
	byID  map[string]Instance
	count map[string]int
}

func (x *index) get(id string) (Instance, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	in, ok := x.byID[id]
	return in, ok
}

func (x *index) size(service string) int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.count[service]
}

func (x *index) list(keep func(Instance) bool) []Instance {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []Instance
	for _, in := range x.byID {
		if keep(in) {
			out = append(out, in)
		}
	}
	return out
}

func (x *index) put(in Instance) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if old, ok := x.byID[in.ID]; ok {
		x.count[old.Service]--
	}
	x.byID[in.ID] = in
	x.count[in.Service]++
}

func (x *index) remove(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if old, ok := x.byID[id]; ok {
		x.count[old.Service]--
		delete(x.byID, id)
	}
}

// Registrar is safe for concurrent use.
type Registrar struct {
	ttl   time.Duration
	quota int
	// audit makes a decision durable before it takes effect; it can be slow,
	// and lookups go on meanwhile.
	audit func(op string, in Instance) error

	// changing is held by whoever is about to change idx.
	changing sync.Mutex
	idx      index
}

// New returns a registrar that removes instances whose ttl has run out, until
// ctx ends.
func New(ctx context.Context, ttl time.Duration, quota int, audit func(string, Instance) error) *Registrar {
	r := &Registrar{ttl: ttl, quota: quota, audit: audit}
	r.idx.byID = make(map[string]Instance)
	r.idx.count = make(map[string]int)
	go r.sweep(ctx)
	return r
}

// Register admits an instance or extends its time.
func (r *Registrar) Register(id, service, addr string) error {
	r.changing.Lock()
	defer r.changing.Unlock()
	have, ok := r.idx.get(id)
	if ok && have.Service != service {
		return fmt.Errorf("registrar: %s belongs to service %s", id, have.Service)
	}
	if !ok && r.idx.size(service) >= r.quota {
		return ErrQuota
	}
	in := Instance{ID: id, Service: service, Addr: addr, Expires: time.Now().Add(r.ttl)}
	if !ok || have.Addr != addr {
		if err := r.audit("register", in); err != nil {
			return err
		}
	}
	r.idx.put(in)
	return nil
}

// Deregister removes an instance.
func (r *Registrar) Deregister(id string) error {
	r.changing.Lock()
	defer r.changing.Unlock()
	in, ok := r.idx.get(id)
	if !ok {
		return nil
	}
	return r.drop("deregister", in)
}

// Lookup returns the instances of a service.
func (r *Registrar) Lookup(service string) []Instance {
	return r.idx.list(func(in Instance) bool { return in.Service == service })
}

func (r *Registrar) sweep(ctx context.Context) {
	t := time.NewTicker(r.ttl / 2)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			r.expire(now)
		}
	}
}

func (r *Registrar) expire(now time.Time) {
	r.changing.Lock()
	defer r.changing.Unlock()
	for _, in := range r.idx.list(func(in Instance) bool { return now.After(in.Expires) }) {
		// What cannot be written down now is tried again in the next round.
		_ = r.drop("expire", in)
	}
}

// drop is called with r.changing held.
func (r *Registrar) drop(op string, in Instance) error {
	if err := r.audit(op, in); err != nil {
		return err
	}
	r.idx.remove(in.ID)
	return nil
}
