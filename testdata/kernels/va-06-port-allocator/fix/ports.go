package ports

import (
	"errors"
	"fmt"
	"sync"
)

var (
	ErrExhausted = errors.New("ports: exhausted")
	ErrBanned    = errors.New("ports: owner banned")
)

type Allocator struct {
	mu     sync.Mutex
	free   []int
	owner  map[int]string
	banned map[string]bool
}

func New(first, last int) *Allocator {
	a := &Allocator{owner: make(map[int]string), banned: make(map[string]bool)}
	for p := last; p >= first; p-- {
		a.free = append(a.free, p)
	}
	return a
}

func (a *Allocator) admit(who string) error {
	switch {
	case a.banned[who]:
		return ErrBanned
	case len(a.free) == 0:
		return ErrExhausted
	}
	return nil
}

func (a *Allocator) prepare(who string) error {
	if err := a.admit(who); err != nil {
		return fmt.Errorf("lease for %q: %w", who, err)
	}
	return nil
}

func (a *Allocator) Lease(who string) (port int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err = a.prepare(who); err != nil {
		return 0, err
	}
	top := len(a.free) - 1
	port, a.free = a.free[top], a.free[:top]
	a.owner[port] = who
	return port, nil
}

func (a *Allocator) Release(port int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, leased := a.owner[port]; leased {
		delete(a.owner, port)
		a.free = append(a.free, port)
	}
}

func (a *Allocator) Ban(who string) {
	a.mu.Lock()
	a.banned[who] = true
	a.mu.Unlock()
}
