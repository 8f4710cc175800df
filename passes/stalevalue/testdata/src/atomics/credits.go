package atomics

import (
	"errors"
	"sync"
	"sync/atomic"
)

var errSpent = errors.New("spent")

// Credits have an atomic variable for each account, which helpers return.
type Credits struct {
	mu    sync.Mutex
	used  map[string]*atomic.Int64
	kept  sync.Map // name -> *atomic.Int64
	limit int64
}

func (c *Credits) of(name string) *atomic.Int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.used[name]
	if n == nil {
		n = new(atomic.Int64)
		c.used[name] = n
	}
	return n
}

// Spend passes the limit if two callers do.
func (c *Credits) Spend(name string, n int64) error {
	if c.of(name).Load()+n > c.limit {
		return errSpent
	}
	c.of(name).Add(n) // want `check-then-act: c\.used\[name\] was checked at line \d+`
	return nil
}

// SpendAtMost adds in the step that compares.
func (c *Credits) SpendAtMost(name string, n int64) error {
	used := c.of(name)
	for {
		now := used.Load()
		if now+n > c.limit {
			return errSpent
		}
		if used.CompareAndSwap(now, now+n) {
			return nil
		}
	}
}

func (c *Credits) keptOf(name string) *atomic.Int64 {
	n, _ := c.kept.LoadOrStore(name, new(atomic.Int64))
	return n.(*atomic.Int64)
}

// SpendKept is the same with a sync.Map.
func (c *Credits) SpendKept(name string, n int64) error {
	if c.keptOf(name).Load()+n > c.limit {
		return errSpent
	}
	c.keptOf(name).Add(n) // want `check-then-act: c\.kept\[name\] was checked at line \d+`
	return nil
}

// Used is only shown.
func (c *Credits) Used(name string) int64 { return c.of(name).Load() }
