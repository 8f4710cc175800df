// Package webhook delivers events to the endpoints of customers.
package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Errors returned by Enqueue.
var (
	ErrStopped  = errors.New("webhook: dispatcher is stopped")
	ErrOverload = errors.New("webhook: queue is full")
)

const maxAttempts = 5

// Event is one delivery.
type Event struct {
	ID      string
	URL     string
	Body    []byte
	attempt int
}

// Dispatcher delivers events with a fixed number of workers and tries failed
// ones again later. It is safe for concurrent use.
type Dispatcher struct {
	client *http.Client
	queue  chan Event
	wg     sync.WaitGroup

	mu      sync.RWMutex
	stopped bool
}

// New starts a dispatcher.
func New(workers, depth int) *Dispatcher {
	d := &Dispatcher{
		client: &http.Client{Timeout: 10 * time.Second},
		queue:  make(chan Event, depth),
	}
	d.wg.Add(workers)
	for range workers {
		go d.work()
	}
	return d
}

// Enqueue accepts an event for delivery. It does not block.
func (d *Dispatcher) Enqueue(ev Event) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.stopped {
		return ErrStopped
	}
	select {
	case d.queue <- ev:
		return nil
	default:
		return ErrOverload
	}
}

// Stop delivers what has been accepted and returns when the workers are done.
// Retries that come due later are dropped.
func (d *Dispatcher) Stop() {
	d.mu.Lock()
	if !d.stopped {
		d.stopped = true
		close(d.queue)
	}
	d.mu.Unlock()
	d.wg.Wait()
}

func (d *Dispatcher) work() {
	defer d.wg.Done()
	for ev := range d.queue {
		err := d.post(ev)
		if err == nil {
			continue
		}
		ev.attempt++
		if ev.attempt >= maxAttempts {
			slog.Error("webhook given up", "event", ev.ID, "err", err)
			continue
		}
		d.retryLater(ev)
	}
}

// retryLater puts the event back into the queue after a while.
func (d *Dispatcher) retryLater(ev Event) {
	delay := time.Second << ev.attempt
	time.AfterFunc(delay, func() {
		if err := d.Enqueue(ev); err != nil {
			slog.Warn("webhook retry dropped", "event", ev.ID, "err", err)
		}
	})
}

func (d *Dispatcher) post(ev Event) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, ev.URL, bytes.NewReader(ev.Body))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", ev.ID)
	resp, err := d.client.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("endpoint answered %s", resp.Status)
	}
	return nil
}
