// Package webhook collects events and sends them in batches.
package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"sync"
	"time"
)

var ErrClosed = errors.New("webhook: batcher is closed")

type Event struct {
	Kind string          `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// Sender posts one batch.
type Sender interface {
	Send(ctx context.Context, batch []Event) error
}

// HTTPSender posts JSON.
type HTTPSender struct {
	URL    string
	Client *http.Client
}

func (h HTTPSender) Send(ctx context.Context, batch []Event) error {
	body, err := json.Marshal(batch)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := h.Client.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("webhook: endpoint answered %s", resp.Status)
	}
	return nil
}

type Batcher struct {
	out   Sender
	delay time.Duration
	max   int

	mu     sync.Mutex
	closed bool
	batch  []Event
	timer  *time.Timer
	armed  uint64 // number of the arming that may flush
}

func NewBatcher(out Sender, delay time.Duration, max int) *Batcher {
	return &Batcher{out: out, delay: delay, max: max}
}

// arm needs mu.
func (b *Batcher) arm() {
	b.armed++
	n := b.armed
	b.timer = time.AfterFunc(b.delay, func() { b.expired(n) })
}

// take needs mu. It leaves nothing for a timer that is already on its way.
func (b *Batcher) take() []Event {
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
	b.armed++
	batch := b.batch
	b.batch = nil
	return batch
}

func (b *Batcher) expired(n uint64) {
	b.mu.Lock()
	if b.armed != n {
		b.mu.Unlock()
		return
	}
	batch := b.take()
	b.mu.Unlock()
	b.send(batch)
}

// Add queues the event; a full batch is sent by the caller that filled it.
func (b *Batcher) Add(e Event) error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return ErrClosed
	}
	b.batch = append(b.batch, e)
	var full []Event
	switch {
	case len(b.batch) >= b.max:
		full = b.take()
	case b.timer == nil:
		b.arm()
	}
	b.mu.Unlock()
	b.send(full)
	return nil
}

func (b *Batcher) send(batch []Event) {
	if len(batch) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	if err := b.out.Send(ctx, batch); err != nil {
		log.Printf("webhook: %d events lost: %v", len(batch), err)
	}
}

// Close sends what is left.
func (b *Batcher) Close() {
	b.mu.Lock()
	b.closed = true
	rest := b.take()
	b.mu.Unlock()
	b.send(rest)
}
