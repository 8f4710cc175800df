package a

import (
	"context"
	"fmt"
	"sync"
	"time"
)

type Snapshot struct {
	ID      int
	Host    string
	Key     string
	Bytes   int64
	TakenAt time.Time
}

// Vault holds the data. Removing an object that is gone is not an error.
type Vault interface {
	Remove(ctx context.Context, key string) error
}

type Catalogue struct {
	vault Vault
	quota int64

	mu    sync.RWMutex
	snaps map[int]Snapshot
	bytes int64
	last  int
}

func NewCatalogue(v Vault, quota int64) *Catalogue {
	return &Catalogue{vault: v, quota: quota, snaps: make(map[int]Snapshot)}
}

func (c *Catalogue) Record(host string, bytes int64, now time.Time) (Snapshot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes+bytes > c.quota {
		return Snapshot{}, fmt.Errorf("catalogue: %d of %d bytes used", c.bytes, c.quota)
	}
	c.last++
	s := Snapshot{
		ID:      c.last,
		Host:    host,
		Key:     fmt.Sprintf("%s/%d.tar", host, c.last),
		Bytes:   bytes,
		TakenAt: now,
	}
	c.snaps[s.ID] = s
	c.bytes += bytes
	return s, nil
}

func (c *Catalogue) Get(id int) (Snapshot, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	s, ok := c.snaps[id]
	return s, ok
}

func (c *Catalogue) Drop(ctx context.Context, id int) error {
	s, ok := c.Get(id)
	if !ok {
		return nil
	}
	if err := c.vault.Remove(ctx, s.Key); err != nil {
		return fmt.Errorf("catalogue: drop %d: %w", id, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.snaps, id)
	c.bytes -= s.Bytes
	return nil
}

// Expire drops every snapshot older than the limit; it runs in the hourly
// sweep and from the admin page.
func (c *Catalogue) Expire(ctx context.Context, limit time.Time) error {
	var old []int
	c.mu.RLock()
	for id, s := range c.snaps {
		if s.TakenAt.Before(limit) {
			old = append(old, id)
		}
	}
	c.mu.RUnlock()
	for _, id := range old {
		if err := c.Drop(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (c *Catalogue) Usage() (count int, bytes int64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.snaps), c.bytes
}
