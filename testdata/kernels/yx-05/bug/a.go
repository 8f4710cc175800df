package a

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Endpoint is one subscriber of the webhooks.
type Endpoint struct {
	mu     sync.RWMutex
	url    string
	secret []byte
}

// URL is where the events go.
func (e *Endpoint) URL() string {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.url
}

// Secret signs the events.
func (e *Endpoint) Secret() []byte {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.secret
}

// Update replaces the target; a new target comes with its own secret.
func (e *Endpoint) Update(url string, secret []byte) {
	e.mu.Lock()
	e.url, e.secret = url, bytes.Clone(secret)
	e.mu.Unlock()
}

// Dispatcher delivers events with exponential backoff.
type Dispatcher struct {
	client   *http.Client
	attempts int
	base     time.Duration

	mu        sync.RWMutex
	endpoints map[string]*Endpoint
}

func NewDispatcher(client *http.Client, attempts int, base time.Duration) *Dispatcher {
	return &Dispatcher{client: client, attempts: attempts, base: base, endpoints: make(map[string]*Endpoint)}
}

// Register adds a subscriber or moves a known one to a new target.
func (d *Dispatcher) Register(name, url string, secret []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	ep, ok := d.endpoints[name]
	if !ok {
		ep = new(Endpoint)
		d.endpoints[name] = ep
	}
	ep.Update(url, secret)
}

// Dispatch sends the body to every subscriber and waits for all of them.
func (d *Dispatcher) Dispatch(ctx context.Context, body []byte) {
	var wg sync.WaitGroup
	d.mu.RLock()
	for _, ep := range d.endpoints {
		wg.Go(func() { _ = d.deliver(ctx, ep, body) })
	}
	d.mu.RUnlock()
	wg.Wait()
}

func (d *Dispatcher) deliver(ctx context.Context, ep *Endpoint, body []byte) error {
	wait := d.base
	for i := 1; ; i++ {
		err := d.post(ctx, ep, body)
		if err == nil || i == d.attempts {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
			wait *= 2
		}
	}
}

func (d *Dispatcher) post(ctx context.Context, ep *Endpoint, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, ep.URL(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, ep.Secret())
	mac.Write(body)
	req.Header.Set("X-Signature", hex.EncodeToString(mac.Sum(nil)))
	resp, err := d.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("endpoint answered %s", resp.Status)
	}
	return nil
}
