// Correct: the reconciler reads and writes the table in many small critical
// sections, but every writer holds the outer lock "change" all the while; the
// inner lock is only there so that readers need not wait for a slow apply.

// Package ok programs the endpoints of services into a data plane.
package ok

import (
	"errors"
	"slices"
	"sync"
)

type Dataplane interface {
	Program(service string, endpoints []string) error
	Remove(service string) error
}

type entry struct {
	endpoints []string
	gen       int
}

type Proxier struct {
	plane Dataplane

	change sync.Mutex // held over each whole change

	mu    sync.RWMutex // guards table
	table map[string]entry
}

func NewProxier(p Dataplane) *Proxier {
	return &Proxier{plane: p, table: make(map[string]entry)}
}

func (p *Proxier) lookup(service string) (entry, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	e, ok := p.table[service]
	return e, ok
}

func (p *Proxier) put(service string, e entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.table[service] = e
}

func (p *Proxier) drop(service string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.table, service)
}

func (p *Proxier) names() []string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	out := make([]string, 0, len(p.table))
	for s := range p.table {
		out = append(out, s)
	}
	return out
}

// AddEndpoint makes one more endpoint of a service reachable.
func (p *Proxier) AddEndpoint(service, addr string) error {
	p.change.Lock()
	defer p.change.Unlock()
	e, _ := p.lookup(service)
	if slices.Contains(e.endpoints, addr) {
		return nil
	}
	next := append(slices.Clone(e.endpoints), addr)
	if err := p.plane.Program(service, next); err != nil {
		return err
	}
	p.put(service, entry{endpoints: next, gen: e.gen + 1})
	return nil
}

// Sync makes the data plane look like want.
func (p *Proxier) Sync(want map[string][]string) error {
	p.change.Lock()
	defer p.change.Unlock()
	var errs []error
	for service, eps := range want {
		cur, ok := p.lookup(service)
		if ok && slices.Equal(cur.endpoints, eps) {
			continue
		}
		if err := p.plane.Program(service, eps); err != nil {
			errs = append(errs, err)
			continue
		}
		p.put(service, entry{endpoints: slices.Clone(eps), gen: cur.gen + 1})
	}
	for _, service := range p.names() {
		if _, ok := want[service]; ok {
			continue
		}
		if err := p.plane.Remove(service); err != nil {
			errs = append(errs, err)
			continue
		}
		p.drop(service)
	}
	return errors.Join(errs...)
}

// Endpoints returns what is programmed for a service.
func (p *Proxier) Endpoints(service string) []string {
	e, _ := p.lookup(service)
	return slices.Clone(e.endpoints)
}
