package a

import (
	"context"
	"errors"
	"slices"
	"sync"
)

var ErrNotQueued = errors.New("pharmacy: prescription is not queued")

type Prescription struct {
	ID      string
	Patient string
	Drug    string
	Units   int
	Urgent  bool
}

type Stock interface {
	Reserve(ctx context.Context, drug string, units int) error
	Release(drug string, units int)
}

type Counter struct {
	stock Stock

	mu        sync.Mutex
	waiting   []Prescription
	dispensed map[string]Prescription
}

func NewCounter(s Stock) *Counter {
	return &Counter{stock: s, dispensed: make(map[string]Prescription)}
}

func (c *Counter) Submit(rx Prescription) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !rx.Urgent {
		c.waiting = append(c.waiting, rx)
		return
	}
	at := slices.IndexFunc(c.waiting, func(w Prescription) bool { return !w.Urgent })
	if at < 0 {
		at = len(c.waiting)
	}
	c.waiting = slices.Insert(c.waiting, at, rx)
}

func (c *Counter) indexLocked(id string) int {
	return slices.IndexFunc(c.waiting, func(w Prescription) bool { return w.ID == id })
}

func (c *Counter) Withdraw(id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.indexLocked(id)
	if i < 0 {
		return ErrNotQueued
	}
	c.waiting = slices.Delete(c.waiting, i, i+1)
	return nil
}

func (c *Counter) Dispense(ctx context.Context, id string) error {
	c.mu.Lock()
	i := c.indexLocked(id)
	if i < 0 {
		c.mu.Unlock()
		return ErrNotQueued
	}
	rx := c.waiting[i]
	c.mu.Unlock()

	if err := c.stock.Reserve(ctx, rx.Drug, rx.Units); err != nil {
		return err
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = slices.Delete(c.waiting, i, i+1)
	c.dispensed[id] = rx
	return nil
}

func (c *Counter) Dispensed(id string) (Prescription, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	rx, ok := c.dispensed[id]
	return rx, ok
}

func (c *Counter) Waiting() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids := make([]string, 0, len(c.waiting))
	for _, rx := range c.waiting {
		ids = append(ids, rx.ID)
	}
	return ids
}
