// Package stats counts events and pushes the deltas to a collector.
package stats

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"sync"
	"time"
)

// Counters is a set of named counters.
type Counters struct {
	mu     sync.Mutex
	values map[string]int64
}

func NewCounters() *Counters {
	return &Counters{values: make(map[string]int64)}
}

// Add counts n events.
func (c *Counters) Add(name string, n int64) {
	c.mu.Lock()
	c.values[name] += n
	c.mu.Unlock()
}

// Snapshot returns a copy of the counters.
func (c *Counters) Snapshot() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[string]int64, len(c.values))
	for k, v := range c.values {
		out[k] = v
	}
	return out
}

// Subtract takes off what has been delivered.
func (c *Counters) Subtract(deltas map[string]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, v := range deltas {
		if c.values[k] -= v; c.values[k] == 0 {
			delete(c.values, k)
		}
	}
}

// Pusher sends what has been counted since the last push. Deltas that could
// not be delivered stay in the counters and go out with the next push.
type Pusher struct {
	url      string
	client   *http.Client
	counters *Counters
	interval time.Duration
}

func NewPusher(url string, counters *Counters, interval time.Duration) *Pusher {
	return &Pusher{
		url:      url,
		client:   &http.Client{Timeout: 10 * time.Second},
		counters: counters,
		interval: interval,
	}
}

// Run pushes until the context ends. It must be called once only.
func (p *Pusher) Run(ctx context.Context) {
	t := time.NewTicker(p.interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := p.push(ctx); err != nil {
				log.Printf("stats: %v", err)
			}
		}
	}
}

func (p *Pusher) push(ctx context.Context) error {
	deltas := p.counters.Snapshot()
	if len(deltas) == 0 {
		return nil
	}
	if err := p.post(ctx, deltas); err != nil {
		return err
	}
	p.counters.Subtract(deltas)
	return nil
}

func (p *Pusher) post(ctx context.Context, deltas map[string]int64) error {
	body, err := json.Marshal(deltas)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("collector answered %s", resp.Status)
	}
	return nil
}
