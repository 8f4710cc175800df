// Package routes keeps the routing table of an edge proxy in step with what
// service discovery reports.
package routes

import (
	"maps"
	"slices"
	"sync"
)

// Update is a report from service discovery. An empty Endpoints list removes
// the service.
type Update struct {
	Service   string
	Endpoints []string
}

// Prober tells which of the endpoints of a service answer.
type Prober interface {
	Alive(service string, endpoints []string) []string
}

// Router answers lookups from request handlers while a goroutine of its own
// applies updates. It is safe for concurrent use.
type Router struct {
	prober  Prober
	updates chan Update
	quit    chan struct{}
	done    chan struct{}

	mu     sync.RWMutex
	table  map[string][]string // replaced as a whole by reconcile
	serial uint64
}

// Start returns a running Router with an empty table.
func Start(p Prober) *Router {
	r := &Router{
		prober:  p,
		updates: make(chan Update, 16),
		quit:    make(chan struct{}),
		done:    make(chan struct{}),
		table:   make(map[string][]string),
	}
	go r.reconcile()
	return r
}

// Offer queues an update, waiting for room. It gives up and reports false when
// the router stops.
func (r *Router) Offer(u Update) bool {
	select {
	case r.updates <- u:
		return true
	case <-r.quit:
		return false
	}
}

// Lookup returns the endpoints of service. The result must not be changed.
func (r *Router) Lookup(service string) []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.table[service]
}

// Dump returns the whole table and its serial number.
func (r *Router) Dump() (map[string][]string, uint64) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return maps.Clone(r.table), r.serial
}

// Stop ends the router; updates still queued are dropped. It is called once.
func (r *Router) Stop() {
	close(r.quit)
	<-r.done
}

func (r *Router) reconcile() {
	defer close(r.done)
	for {
		select {
		case u := <-r.updates:
			r.apply(u)
		case <-r.quit:
			return
		}
	}
}

// apply works out the next table and installs it. Probing can take seconds, so
// lookups go on meanwhile.
func (r *Router) apply(u Update) {
	next, serial := r.Dump()
	alive := r.prober.Alive(u.Service, u.Endpoints)
	if len(alive) == 0 {
		delete(next, u.Service)
	} else {
		alive = slices.Clone(alive)
		slices.Sort(alive)
		next[u.Service] = alive
	}
	r.install(next, serial+1)
}

func (r *Router) install(table map[string][]string, serial uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.table = table
	r.serial = serial
}
