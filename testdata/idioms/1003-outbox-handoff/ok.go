// Package outbox delivers webhooks of a developer platform.
package outbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// ErrStopped is returned for events that come after Stop.
var ErrStopped = errors.New("outbox: stopped")

// Event is one webhook call.
type Event struct {
	URL  string
	Body []byte
}

// Result says what became of an event.
type Result struct {
	Event Event
	Err   error
}

// Outbox hands events to a pool of workers. An event for which Submit has
// returned nil is delivered, or reported as failed. Safe for concurrent use.
type Outbox struct {
	client  *http.Client
	report  func(Result)
	handoff chan Event // unbuffered
	quit    chan struct{}
	stopped atomic.Bool
	wg      sync.WaitGroup
}

// New starts the workers. report is called by them, once for each event.
func New(client *http.Client, workers int, report func(Result)) *Outbox {
	o := &Outbox{
		client:  client,
		report:  report,
		handoff: make(chan Event),
		quit:    make(chan struct{}),
	}
	for range max(workers, 1) {
		o.wg.Go(o.work)
	}
	return o
}

func (o *Outbox) work() {
	for {
		select {
		case e := <-o.handoff:
			o.report(Result{Event: e, Err: o.deliver(e)})
		case <-o.quit:
			return
		}
	}
}

func (o *Outbox) deliver(e Event) error {
	var err error
	for attempt := range 3 {
		if attempt > 0 {
			time.Sleep(time.Duration(attempt) * time.Second)
		}
		if err = o.post(e); err == nil {
			return nil
		}
	}
	return err
}

func (o *Outbox) post(e Event) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(e.Body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := o.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("outbox: %s: %s", e.URL, resp.Status)
	}
	return nil
}

// Submit waits for a worker that takes the event.
func (o *Outbox) Submit(ctx context.Context, e Event) error {
	if o.stopped.Load() {
		return ErrStopped
	}
	select {
	case o.handoff <- e:
		return nil
	case <-o.quit:
		return ErrStopped
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stop lets the workers finish what they have taken and waits for them.
func (o *Outbox) Stop() {
	if o.stopped.CompareAndSwap(false, true) {
		close(o.quit)
	}
	o.wg.Wait()
}
