package mechanisms

import (
	"iter"
	"sync"
)

// A board of quotes tells the last price to those who are in a list, and copies the list to go through it without the lock.
type quotes struct {
	mu    sync.Mutex
	price int
	subs  []chan int
	names []string
}

func (t *quotes) publish(price int) {
	t.mu.Lock()
	t.price = price
	subs := t.subs
	t.mu.Unlock()
	for _, sub := range subs {
		sub <- price
	}
}

// subscribe returns the price and the channel of the changes: one in between is in neither.
func (t *quotes) subscribe() (int, <-chan int) {
	t.mu.Lock()
	price := t.price
	t.mu.Unlock()
	sub := make(chan int, 8)
	t.mu.Lock()
	t.subs = append(t.subs, sub) // want `stale-use: t\.price was read at line \d+ for what is only put into t\.subs here`
	t.mu.Unlock()
	return price, sub
}

// subscribeFed sends the price to the channel itself.
func (t *quotes) subscribeFed() <-chan int {
	t.mu.Lock()
	price := t.price
	t.mu.Unlock()
	sub := make(chan int, 8)
	sub <- price
	t.mu.Lock()
	t.subs = append(t.subs, sub) // want `stale-use: t\.price was read at line \d+ for what is only put into t\.subs here`
	t.mu.Unlock()
	return sub
}

// subscribeAtOnce reads the price in the section in which it is added.
func (t *quotes) subscribeAtOnce() (int, <-chan int) {
	sub := make(chan int, 8)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.subs = append(t.subs, sub)
	return t.price, sub
}

// name has nothing to do with those who are told.
func (t *quotes) name(name string) int {
	t.mu.Lock()
	price := t.price
	t.mu.Unlock()
	t.mu.Lock()
	t.names = append(t.names, name)
	t.mu.Unlock()
	return price
}

// Elements that have their place in the list.

type seating struct {
	id   int
	name string
}

type seatPlan struct {
	mu    sync.Mutex
	seats []seating
}

// add gives two elements one number.
func (p *seatPlan) add(name string) {
	p.mu.Lock()
	id := len(p.seats)
	p.mu.Unlock()
	s := seating{id, name}
	p.mu.Lock()
	p.seats = append(p.seats, s) // want `lost-update: p\.seats was read at line \d+`
	p.mu.Unlock()
}

// addAtOnce draws the number in the section.
func (p *seatPlan) addAtOnce(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seats = append(p.seats, seating{len(p.seats), name})
}

// addLong has a length that is no place.
func (p *seatPlan) addLong(name string) {
	s := seating{len(name), name}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seats = append(p.seats, s)
}

// Iterators.

type stockroom struct {
	mu    sync.Mutex
	stock map[string]int
}

func (s *stockroom) all() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for k, n := range s.stock {
			if !yield(k, n) {
				return
			}
		}
	}
}

// restock has the number from an iterator that holds the lock while it yields.
func (s *stockroom) restock(name string, order func(int) int) {
	have := 0
	for k, n := range s.all() {
		if k == name {
			have = n
		}
	}
	have = order(have)
	s.mu.Lock()
	s.stock[name] = have // want `lost-update: s\.stock was read at line \d+`
	s.mu.Unlock()
}

// count only shows it.
func (s *stockroom) count() (n int) {
	for _, m := range s.all() {
		n += m
	}
	return n
}

func (s *stockroom) put(name string, n int) {
	s.mu.Lock()
	s.stock[name] += n
	s.mu.Unlock()
}

// A method that is given to one that holds the lock.

func (s *stockroom) locked(f func() int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f()
}

func (s *stockroom) size() int { return len(s.stock) }

// bound looks in one section and puts in another.
func (s *stockroom) bound(name string, n int) bool {
	if s.locked(s.size) > 9 {
		return false
	}
	s.mu.Lock()
	s.stock[name] = n // want `check-then-act: s\.stock was checked at line \d+`
	s.mu.Unlock()
	return true
}
