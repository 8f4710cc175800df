package a

import (
	"context"
	"fmt"
	"sync"
)

type Volume struct {
	Name   string
	Bytes  int64
	Sealed bool
}

type Tape interface {
	Copy(ctx context.Context, volume string) (int64, error)
}

// Catalogue has two locks: admin is held by whoever changes the catalogue,
// for as long as the change takes; mu only keeps the listing pages from
// seeing half of it.
type Catalogue struct {
	tape  Tape
	admin sync.Mutex

	mu      sync.RWMutex
	volumes map[string]Volume
	total   int64
}

func NewCatalogue(t Tape) *Catalogue {
	return &Catalogue{tape: t, volumes: make(map[string]Volume)}
}

func (c *Catalogue) Get(name string) (Volume, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok := c.volumes[name]
	return v, ok
}

func (c *Catalogue) put(v Volume, delta int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.volumes[v.Name] = v
	c.total += delta
}

func (c *Catalogue) Backup(ctx context.Context, name string) error {
	c.admin.Lock()
	defer c.admin.Unlock()

	v, ok := c.Get(name)
	if ok && v.Sealed {
		return fmt.Errorf("catalogue: volume %s is sealed", name)
	}
	n, err := c.tape.Copy(ctx, name)
	if err != nil {
		return err
	}
	delta := n - v.Bytes
	v.Name = name
	v.Bytes = n
	c.put(v, delta)
	return nil
}

func (c *Catalogue) Seal(name string) bool {
	c.admin.Lock()
	defer c.admin.Unlock()
	v, ok := c.Get(name)
	if !ok {
		return false
	}
	v.Sealed = true
	c.put(v, 0)
	return true
}

func (c *Catalogue) Forget(name string) {
	c.admin.Lock()
	defer c.admin.Unlock()
	v, ok := c.Get(name)
	if !ok || v.Sealed {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.volumes, name)
	c.total -= v.Bytes
}

func (c *Catalogue) Usage() (volumes int, bytes int64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.volumes), c.total
}
