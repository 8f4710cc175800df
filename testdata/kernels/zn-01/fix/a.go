package a

import (
	"errors"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrNoProduct = errors.New("license: no such product")
	ErrNoSeat    = errors.New("license: all seats in use")
)

type product struct {
	name    string
	seats   int
	holders map[string]time.Time
}

// Server hands out floating seats for desktop software.
type Server struct {
	mu       sync.RWMutex
	products map[string]*product
	rev      uint64
	denied   atomic.Int64
	now      func() time.Time
}

type tx struct {
	s     *Server
	dirty bool
}

func (t *tx) product(name string) (*product, error) {
	p, ok := t.s.products[name]
	if !ok {
		return nil, ErrNoProduct
	}
	return p, nil
}

func (t *tx) touch() { t.dirty = true }

func NewServer() *Server {
	return &Server{products: make(map[string]*product), now: time.Now}
}

func (s *Server) view(fn func(t *tx) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return fn(&tx{s: s})
}

func (s *Server) update(fn func(t *tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &tx{s: s}
	err := fn(t)
	if t.dirty {
		s.rev++
	}
	return err
}

// Install registers a product with the given number of seats.
func (s *Server) Install(name string, seats int) error {
	return s.update(func(t *tx) error {
		if p, err := t.product(name); err == nil {
			p.seats = seats
		} else {
			s.products[name] = &product{name: name, seats: seats, holders: make(map[string]time.Time)}
		}
		t.touch()
		return nil
	})
}

// Checkout gives user a seat of the product.
func (s *Server) Checkout(name, user string) error {
	var free int
	err := s.view(func(t *tx) error {
		p, err := t.product(name)
		if err != nil {
			return err
		}
		free = p.seats - len(p.holders)
		return nil
	})
	if err != nil {
		return err
	}
	if free <= 0 {
		s.denied.Add(1)
		return ErrNoSeat
	}
	return s.update(func(t *tx) error {
		p, err := t.product(name)
		if err != nil {
			return err
		}
		if len(p.holders) >= p.seats {
			s.denied.Add(1)
			return ErrNoSeat
		}
		p.holders[user] = s.now()
		t.touch()
		return nil
	})
}

// Return gives the seat of user back.
func (s *Server) Return(name, user string) error {
	return s.update(func(t *tx) error {
		p, err := t.product(name)
		if err != nil {
			return err
		}
		delete(p.holders, user)
		t.touch()
		return nil
	})
}

// Holders lists who has a seat at the moment.
func (s *Server) Holders(name string) (out []string, err error) {
	err = s.view(func(t *tx) error {
		p, err := t.product(name)
		if err != nil {
			return err
		}
		for u := range p.holders {
			out = append(out, u)
		}
		return nil
	})
	sort.Strings(out)
	return out, err
}
