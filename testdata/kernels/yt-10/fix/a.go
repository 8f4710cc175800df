// Package webhook delivers events to subscribed endpoints.
package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"
)

var (
	ErrNoSubscription = errors.New("webhook: no such subscription")
	ErrDown           = errors.New("webhook: dispatcher is down")
)

const maxTries = 8

type delivery struct {
	id    uint64
	sub   string
	url   string
	body  []byte
	tries int
	timer *time.Timer
}

func (d *delivery) backoff() time.Duration {
	if d.tries == 0 {
		return 0
	}
	base := time.Second << d.tries
	return base + rand.N(base/4)
}

// Dispatcher owns all deliveries that are not finished.
type Dispatcher struct {
	client *http.Client
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	subs    map[string]string // subscription -> url
	pending map[uint64]*delivery
	lastID  uint64
	dead    int
}

func New(c *http.Client) *Dispatcher {
	d := &Dispatcher{client: c, subs: make(map[string]string), pending: make(map[uint64]*delivery)}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

func (d *Dispatcher) Subscribe(sub, url string) {
	d.mu.Lock()
	d.subs[sub] = url
	d.mu.Unlock()
}

// Unsubscribe forgets the subscription and everything that waits for it.
func (d *Dispatcher) Unsubscribe(sub string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.subs, sub)
	for id, dl := range d.pending {
		if dl.sub == sub {
			dl.timer.Stop()
			delete(d.pending, id)
		}
	}
}

// Publish queues an event for the subscription.
func (d *Dispatcher) Publish(sub string, body []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil {
		return ErrDown
	}
	url, ok := d.subs[sub]
	if !ok {
		return fmt.Errorf("%w: %s", ErrNoSubscription, sub)
	}
	d.lastID++
	d.schedule(&delivery{id: d.lastID, sub: sub, url: url, body: body})
	return nil
}

// schedule needs mu.
func (d *Dispatcher) schedule(dl *delivery) {
	d.pending[dl.id] = dl
	dl.timer = time.AfterFunc(dl.backoff(), func() { d.attempt(dl.id) })
}

func (d *Dispatcher) lookup(id uint64) (*delivery, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dl, ok := d.pending[id]
	return dl, ok
}

func (d *Dispatcher) done(dl *delivery) {
	d.mu.Lock()
	delete(d.pending, dl.id)
	d.mu.Unlock()
}

func (d *Dispatcher) retry(dl *delivery, cause error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pending[dl.id] != dl {
		return // unsubscribed during the post
	}
	dl.tries++
	if dl.tries >= maxTries || d.ctx.Err() != nil {
		delete(d.pending, dl.id)
		d.dead++
		log.Printf("webhook: giving up on %d for %s: %v", dl.id, dl.sub, cause)
		return
	}
	d.schedule(dl)
}

// attempt runs on the timer of the delivery.
func (d *Dispatcher) attempt(id uint64) {
	dl, ok := d.lookup(id)
	if !ok {
		return // unsubscribed meanwhile
	}
	if err := d.post(dl.url, dl.id, dl.body); err != nil {
		d.retry(dl, err)
		return
	}
	d.done(dl)
}

func (d *Dispatcher) post(url string, id uint64, body []byte) error {
	ctx, cancel := context.WithTimeout(d.ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("X-Delivery", strconv.FormatUint(id, 10))
	resp, err := d.client.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("endpoint answered %s", resp.Status)
	}
	return nil
}

func (d *Dispatcher) Stop() { d.cancel() }
