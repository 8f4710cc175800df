// Package escaperef has references to guarded containers that are used outside of
// their critical sections.
package escaperef

import (
	"maps"
	"slices"
	"sync"
)

type Peers struct {
	mu     sync.RWMutex
	byName map[string]int
	list   []string
	queue  []string
	frozen map[string]int
	config map[string]int
}

func (p *Peers) Set(name string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byName[name] = n
}

func (p *Peers) Swap(i, j int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list[i], p.list[j] = p.list[j], p.list[i]
}

func (p *Peers) Push(s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, s)
	p.queue[0] = s
}

// Refreeze replaces the map: who has the old one keeps it as it is.
func (p *Peers) Refreeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := maps.Clone(p.frozen)
	m["n"]++
	p.frozen = m
}

func (p *Peers) Sum() (n int) {
	p.mu.RLock()
	m := p.byName
	p.mu.RUnlock()
	for _, v := range m { // want `escape-ref: p\.byName was taken at line \d+ under p\.mu and is used here after that was released, while \(\*Peers\)\.Set changes elements of it in place`
		n += v
	}
	return n
}

func (p *Peers) SumUnderLock() (n int) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for _, v := range p.byName {
		n += v
	}
	return n
}

func (p *Peers) SumOfCopy() (n int) {
	p.mu.RLock()
	m := maps.Clone(p.byName)
	p.mu.RUnlock()
	for _, v := range m {
		n += v
	}
	return n
}

func (p *Peers) Has(name string) bool {
	p.mu.RLock()
	m := p.byName
	p.mu.RUnlock()
	_, ok := m[name] // want `escape-ref: p\.byName was taken`
	return ok
}

func (p *Peers) HasAgain(name string) bool {
	p.mu.RLock()
	m := p.byName
	p.mu.RUnlock()
	p.mu.RLock()
	defer p.mu.RUnlock()
	_, ok := m[name]
	return ok
}

func (p *Peers) Size() int {
	p.mu.RLock()
	m := p.byName
	p.mu.RUnlock()
	return len(m)
}

func (p *Peers) First() string {
	p.mu.RLock()
	l := p.list
	p.mu.RUnlock()
	return l[0] // want `escape-ref: p\.list was taken`
}

func (p *Peers) Sorted() []string {
	p.mu.RLock()
	l := p.list
	p.mu.RUnlock()
	return slices.Sorted(slices.Values(l)) // want `escape-ref: p\.list was taken`
}

// To take out the whole container is to own it.
func (p *Peers) Drain(use func(string)) {
	p.mu.Lock()
	q := p.queue
	p.queue = nil
	p.mu.Unlock()
	for _, s := range q {
		use(s)
	}
}

func (p *Peers) Frozen(name string) int {
	p.mu.RLock()
	m := p.frozen
	p.mu.RUnlock()
	return m[name]
}

// Nobody changes the configuration.
func (p *Peers) Config(name string) int {
	p.mu.RLock()
	m := p.config
	p.mu.RUnlock()
	return m[name]
}

// A getter that gives away the reference.
func (p *Peers) names() []string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.list
}

func (p *Peers) Last() string {
	l := p.names()
	return l[len(l)-1] // want `escape-ref: p\.list was taken`
}

// The lock is released too early.
func (p *Peers) Save(save func([]string)) {
	p.mu.Lock()
	p.list = append(p.list, "")
	p.mu.Unlock()
	save(p.list) // want `escape-ref: p\.list was read at line \d+ without a lock`
}

// Who never takes the lock has another mistake.
func (p *Peers) Unlocked() string { return p.list[0] }

// Dump may be called by somebody who has the lock.
func (p *Peers) Dump(j *Journal) {
	j.Rotate()
	for name := range p.byName {
		println(name)
	}
}

// SetAll cannot: it calls what takes the lock.
func (p *Peers) SetAll(n int) {
	for name := range p.byName { // want `escape-ref: p\.byName was read at line \d+ without a lock`
		p.Set(name, n)
	}
}

// A Depot has lists of batches, whose elements others remove.
type Depot struct {
	mu      sync.Mutex
	batches []map[string]int
}

func (d *Depot) Add(b map[string]int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.batches = append(d.batches, b)
}

// Remove takes a name out of the batch that has it.
func (d *Depot) Remove(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var of map[string]int
	for _, b := range d.batches {
		if b[name] != 0 {
			of = b
			break
		}
	}
	if of != nil {
		delete(of, name)
	}
}

// Move takes all batches out, and owns what is in them.
func (d *Depot) Move(use func(string)) {
	d.mu.Lock()
	list := d.batches
	d.batches = nil
	d.mu.Unlock()
	for _, b := range list {
		for name := range b {
			use(name)
		}
	}
}

// Show leaves them in their place.
func (d *Depot) Show(use func(string)) {
	d.mu.Lock()
	list := d.batches
	d.mu.Unlock()
	for _, b := range list { // want `d\.batches was taken at line \d+ under d\.mu and is used here after that was released`
		for name := range b { // want `d\.batches\[…\] was read at line \d+ without a lock, while \(\*Depot\)\.Remove changes elements of it in place`
			use(name)
		}
	}
}
