// Package messages has one report of each wording. The test knows the lines.
package messages

import (
	"sync"
	"sync/atomic"
)

type Acct struct {
	mu   sync.Mutex
	sum  int
	kind map[string]*plan
	hist []int
	last int
	refs atomic.Int64
	tags sync.Map
}

type plan struct{ fee int }

func (a *Acct) Set(n int) {
	a.mu.Lock()
	a.last = a.sum
	a.sum = n
	a.mu.Unlock()
}

func (a *Acct) Double() {
	a.mu.Lock()
	n := a.sum
	a.mu.Unlock()
	a.mu.Lock()
	a.sum = n * 2
	a.mu.Unlock()
}

func (a *Acct) Plan(name string) *plan {
	a.mu.Lock()
	p := a.kind[name]
	a.mu.Unlock()
	if p != nil {
		return p
	}
	q := new(plan)
	a.mu.Lock()
	a.kind[name] = q
	a.mu.Unlock()
	return q
}

func (a *Acct) Cancel(name string) {
	a.mu.Lock()
	delete(a.kind, name)
	a.mu.Unlock()
}

func (a *Acct) Keep() {
	a.mu.Lock()
	n := a.sum
	a.mu.Unlock()
	a.mu.Lock()
	a.last = n
	a.mu.Unlock()
}

func (a *Acct) Get() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sum
}

func (a *Acct) Halve() {
	a.Set(a.Get() / 2)
}

func (a *Acct) Reset() { a.refs.Store(0) }

func (a *Acct) Scale() {
	n := a.refs.Load()
	a.refs.Store(n * 3)
}

func (a *Acct) Untag(name string) { a.tags.Delete(name) }

func (a *Acct) Tag(name string) {
	if _, ok := a.tags.Load(name); ok {
		return
	}
	a.tags.Store(name, new(plan))
}

var (
	fleetMu sync.RWMutex
	fleet   []string
)

func Scrap() {
	fleetMu.Lock()
	fleet = nil
	fleetMu.Unlock()
}

func Sell(n int) {
	fleetMu.RLock()
	f := fleet
	fleetMu.RUnlock()
	f = f[n:]
	fleetMu.Lock()
	fleet = f
	fleetMu.Unlock()
}

func Reprice(p *plan) {
	priceMu.Lock()
	f := price
	priceMu.Unlock()
	priceMu.Lock()
	price = f * 2
	priceMu.Unlock()
}

var (
	priceMu sync.Mutex
	price   int
)

type lamp struct {
	mu  sync.Mutex
	arm *plan
}

func (l *lamp) Arm() *plan {
	l.mu.Lock()
	p := l.arm
	l.mu.Unlock()
	if p != nil {
		return p
	}
	q := new(plan)
	l.mu.Lock()
	l.arm = q
	l.mu.Unlock()
	return q
}
