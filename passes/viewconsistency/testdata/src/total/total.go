// Package total has variables of many objects that are added up while amounts are moved from one to another.
package total

import (
	"errors"
	"sync"
)

var errFunds = errors.New("no funds")

// An Account has a lock of its own.
type Account struct {
	id      int
	mu      sync.Mutex
	balance int64
}

func (a *Account) get() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

// A Bank locks two accounts for a transfer.
type Bank struct {
	accounts []*Account
}

func (b *Bank) Transfer(from, to *Account, n int64) error {
	first, second := from, to
	if second.id < first.id {
		first, second = second, first
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	if from.balance < n {
		return errFunds
	}
	from.balance -= n
	to.balance += n
	return nil
}

// Sum sees a transfer halfway.
func (b *Bank) Sum() int64 {
	var sum int64
	for _, a := range b.accounts {
		a.mu.Lock()
		sum += a.balance // want `split-read: Account.balance is added up here, each object in a critical section of its own, while \(\*Bank\).Transfer \(total.go:41\) moves amounts`
		a.mu.Unlock()
	}
	return sum
}

// SumByGetter does so with a getter.
func (b *Bank) SumByGetter() int64 {
	var sum int64
	for _, a := range b.accounts {
		sum += a.get() // want `split-read: Account.balance is added up here`
	}
	return sum
}

// SumOfAll holds all locks.
func (b *Bank) SumOfAll() int64 {
	var sum int64
	for _, a := range b.accounts {
		a.mu.Lock()
	}
	for _, a := range b.accounts {
		sum += a.balance
	}
	for _, a := range b.accounts {
		a.mu.Unlock()
	}
	return sum
}

// Largest adds nothing up.
func (b *Bank) Largest() int64 {
	var most int64
	for _, a := range b.accounts {
		most = max(most, a.get())
	}
	return most
}

// A Vault has a lock around transfers.
type Vault struct {
	mu    sync.Mutex
	boxes []*Box
}

type Box struct {
	mu sync.Mutex
	n  int64
}

func (v *Vault) Move(from, to *Box, n int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	from.n -= n
	to.n += n
}

// Sum is not interrupted by a transfer.
func (v *Vault) Sum() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	var sum int64
	for _, b := range v.boxes {
		b.mu.Lock()
		sum += b.n
		b.mu.Unlock()
	}
	return sum
}

// A Meter counts apart: nothing goes from one to another.
type Meter struct {
	mu   sync.Mutex
	n    int64
	unit string
}

type Panel struct{ meters []*Meter }

func (p *Panel) Correct(m *Meter, n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n -= n
	m.n += n / 2
}

func (p *Panel) Sum() int64 {
	var sum int64
	for _, m := range p.meters {
		m.mu.Lock()
		sum += m.n
		m.mu.Unlock()
	}
	return sum
}

// A Loader is one goroutine's, as far as its parts are concerned.
type Loader struct {
	parts []*Part
	tick  chan int64
}

type Part struct {
	mu sync.Mutex
	n  int64
}

func NewLoader() *Loader {
	l := &Loader{tick: make(chan int64)}
	go l.run()
	return l
}

func (l *Loader) run() {
	for n := range l.tick {
		l.even(0, 1, n)
		if l.sum() != 0 {
			return
		}
	}
}

func (l *Loader) even(i, j int, n int64) {
	a, b := l.parts[i], l.parts[j]
	a.mu.Lock()
	b.mu.Lock()
	a.n -= n
	b.n += n
	b.mu.Unlock()
	a.mu.Unlock()
}

func (l *Loader) sum() int64 {
	var sum int64
	for _, p := range l.parts {
		p.mu.Lock()
		sum += p.n
		p.mu.Unlock()
	}
	return sum
}

// Settle adds up after the end of all transfers of its own accounts.
func Settle() int64 {
	ring := make([]*Account, 3)
	for i := range ring {
		ring[i] = &Account{id: i, balance: 100}
	}
	b := &Bank{}
	var wg sync.WaitGroup
	for i := range ring {
		wg.Go(func() { b.Transfer(ring[i], ring[0], 1) })
	}
	wg.Wait()
	var sum int64
	for _, a := range ring {
		sum += a.get()
	}
	return sum
}

// A Shop books under one lock.
type Shop struct {
	mu    sync.Mutex
	stock map[string]*Shelf
}

type Shelf struct{ n int }

func (s *Shop) post(name string, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	shelf := s.stock[name]
	if shelf == nil || shelf.n+n < 0 {
		return errFunds
	}
	shelf.n += n
	return nil
}

// Move has the goods nowhere in between.
func (s *Shop) Move(from, to string, n int) error {
	if err := s.post(from, -n); err != nil {
		return err
	}
	return s.post(to, n) // want `split-write: what was taken off s.stock\[…\].n at line 237, in an earlier critical section, is added to another one here; in between it is in neither, and \(\*Shop\).Count \(total.go:260\) adds up all of them`
}

// MoveInOne books both in one section.
func (s *Shop) MoveInOne(from, to string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, b := s.stock[from], s.stock[to]
	if a == nil || b == nil {
		return
	}
	a.n -= n
	b.n += n
}

func (s *Shop) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := 0
	for _, shelf := range s.stock {
		sum += shelf.n
	}
	return sum
}

// An Office has a second lock, which keeps who adds up out of a transfer.
type Office struct {
	moving sync.Mutex

	mu    sync.Mutex
	desks map[int]*Desk
}

type Desk struct{ n int }

func (o *Office) post(id, n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.desks[id].n += n
}

func (o *Office) Transfer(from, to, n int) {
	o.moving.Lock()
	defer o.moving.Unlock()
	o.move(from, to, n)
}

func (o *Office) move(from, to, n int) {
	o.post(from, -n)
	o.post(to, n)
}

func (o *Office) Count() int {
	o.moving.Lock()
	defer o.moving.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	sum := 0
	for _, d := range o.desks {
		sum += d.n
	}
	return sum
}

// Queues have what is in work: each worker takes off and adds in sections of its own, and so does who adds up.
type Queues struct{ all []*Queue }

type Queue struct {
	mu sync.Mutex
	n  int
}

func (q *Queue) add(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.n += n
}

func (q *Queues) Steal(from, to *Queue, n int) {
	from.add(-n)
	to.add(n)
}

// Load is no more than an estimate anyway.
func (q *Queues) Load() int {
	sum := 0
	for _, one := range q.all {
		one.mu.Lock()
		sum += one.n
		one.mu.Unlock()
	}
	return sum
}

// A Group moves amounts between its own members, under its own lock.
type Group struct {
	mu      sync.Mutex
	members []int
}

func (g *Group) Move(i, j, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.members[i] -= n
	g.members[j] += n
}

type Groups struct{ all []*Group }

// Sum has each group as a whole.
func (s *Groups) Sum() int {
	sum := 0
	for _, g := range s.all {
		g.mu.Lock()
		for _, n := range g.members {
			sum += n
		}
		g.mu.Unlock()
	}
	return sum
}

// A Branch is read by those who move amounts and by those who add up: readers let each other in.
type Branch struct {
	mu    sync.RWMutex
	boxes map[int]*Drawer
}

type Drawer struct {
	mu sync.Mutex
	n  int
}

func (b *Branch) Move(from, to, n int) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	x, y := b.boxes[from], b.boxes[to]
	x.mu.Lock()
	y.mu.Lock()
	x.n -= n
	y.n += n
	y.mu.Unlock()
	x.mu.Unlock()
}

func (b *Branch) Sum() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	sum := 0
	for _, d := range b.boxes {
		d.mu.Lock()
		sum += d.n // want `split-read: .* is added up here`
		d.mu.Unlock()
	}
	return sum
}

// A Mart adds before it takes off.
type Mart struct {
	mu    sync.Mutex
	stock map[string]*Tray
}

type Tray struct{ n int }

func (m *Mart) book(name string, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stock[name].n += n
}

func (m *Mart) Move(from, to string, n int) {
	m.book(to, n)
	m.book(from, -n) // want `split-write: what was added to .*; in between it is in both`
}

func (m *Mart) Count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	sum := 0
	for _, s := range m.stock {
		sum += s.n
	}
	return sum
}

// Harvest takes out what it adds up: each unit is taken once.
func (b *Bank) Harvest() int64 {
	var sum int64
	for _, a := range b.accounts {
		a.mu.Lock()
		sum += a.balance
		a.balance = 0
		a.mu.Unlock()
	}
	return sum
}

// Parts locks a group for each of its members anew.
func (s *Groups) Parts(size int) int {
	sum := 0
	for _, g := range s.all {
		for i := range size {
			g.mu.Lock()
			sum += g.members[i] // want `split-read: .* is added up here`
			g.mu.Unlock()
		}
	}
	return sum
}

// Pay adds interest while it adds up.
func (b *Bank) Pay() int64 {
	var sum int64
	for _, a := range b.accounts {
		a.mu.Lock()
		a.balance += a.balance / 100 // want `split-read: .* is added up here`
		sum += a.balance
		a.mu.Unlock()
	}
	return sum
}

// A Ring books on one slot after the other.
type Ring struct {
	mu    sync.Mutex
	slots []*Slot
	at    int
}

type Slot struct{ n int }

func (r *Ring) next() *Slot {
	r.at++
	return r.slots[r.at%len(r.slots)]
}

func (r *Ring) Shift(n int) {
	r.mu.Lock()
	r.next().n -= n
	r.mu.Unlock()
	r.mu.Lock()
	r.next().n += n // want `split-write: what was taken off .*; in between it is in neither`
	r.mu.Unlock()
}

// first is always the same one.
func (r *Ring) first() *Slot { return r.slots[0] }

func (r *Ring) Try(n int, work func() error) {
	r.mu.Lock()
	r.first().n -= n
	r.mu.Unlock()
	if err := work(); err != nil {
		r.mu.Lock()
		r.first().n += n
		r.mu.Unlock()
	}
}

func (r *Ring) Sum() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum := 0
	for _, s := range r.slots {
		sum += s.n
	}
	return sum
}
