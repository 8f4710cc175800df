package drained

import (
	"sync"
	"sync/atomic"
	"time"
)

type ledger interface {
	Bill(name string, n int64) error
	BillAll(map[string]int64) error
}

// A Toll is a number that is handed on.
type Toll struct {
	mu  sync.Mutex
	sum int64
}

func (t *Toll) Add(n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum += n
}

func (t *Toll) Settle(l ledger) error {
	t.mu.Lock()
	sum := t.sum
	t.mu.Unlock()
	if sum == 0 {
		return nil
	}
	if err := l.Bill("toll", sum); err != nil {
		return err
	}
	t.mu.Lock()
	t.sum = 0 // want `t.sum was read at line 28, but t.mu was released at line 29 and another goroutine may change it before this write`
	t.mu.Unlock()
	return nil
}

// SettleSum takes off what was handed on.
func (t *Toll) SettleSum(l ledger) error {
	t.mu.Lock()
	sum := t.sum
	t.mu.Unlock()
	if err := l.Bill("toll", sum); err != nil {
		return err
	}
	t.mu.Lock()
	t.sum -= sum
	t.mu.Unlock()
	return nil
}

// Fares are counted by atomics in a container.
type Fares struct {
	sums sync.Map // string -> *atomic.Int64

	settling sync.Mutex
}

func (f *Fares) of(name string) *atomic.Int64 {
	if n, ok := f.sums.Load(name); ok {
		return n.(*atomic.Int64)
	}
	n, _ := f.sums.LoadOrStore(name, new(atomic.Int64))
	return n.(*atomic.Int64)
}

func (f *Fares) Add(name string, n int64) { f.of(name).Add(n) }

// Settle holds a lock that those who add do not need.
func (f *Fares) Settle(l ledger) error {
	f.settling.Lock()
	defer f.settling.Unlock()
	all := make(map[string]int64)
	f.sums.Range(func(name, n any) bool {
		all[name.(string)] = n.(*atomic.Int64).Load()
		return true
	})
	if err := l.BillAll(all); err != nil {
		return err
	}
	for name := range all {
		f.of(name).Store(0) // want `f.sums\[…\] was read at line 79, but the atomic operations are separate and another goroutine may change it before this write`
	}
	return nil
}

// SettleSwapped takes each sum out in one step.
func (f *Fares) SettleSwapped(l ledger) error {
	all := make(map[string]int64)
	f.sums.Range(func(name, n any) bool {
		all[name.(string)] = n.(*atomic.Int64).Swap(0)
		return true
	})
	return l.BillAll(all)
}

// A Dial waits longer with each try: what is computed of their number is no amount.
type Dial struct {
	mu    sync.Mutex
	tries int
}

func (d *Dial) Failed() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tries++
}

func (d *Dial) Call(delay func(tries int) time.Duration, dial func(time.Duration) error) {
	d.mu.Lock()
	wait := delay(d.tries)
	d.mu.Unlock()
	if dial(wait) != nil {
		return
	}
	d.mu.Lock()
	d.tries = 0
	d.mu.Unlock()
}

// A Scale is tared together with what lies on it: what was added in between goes with it.
type Scale struct {
	mu     sync.Mutex
	lies   map[string]int64
	weight int64
}

func (s *Scale) Lay(name string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lies[name] = n
	s.weight += n
}

func (s *Scale) Clear(l ledger) {
	s.mu.Lock()
	n := s.weight
	s.mu.Unlock()
	l.Bill("weight", n)
	s.mu.Lock()
	clear(s.lies)
	s.weight = 0
	s.mu.Unlock()
}
