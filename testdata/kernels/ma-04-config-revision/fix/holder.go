// Package dynconf receives configuration documents from a push stream and, as a
// fallback, from a poller, and keeps the newest one.
package dynconf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"regexp"
	"sync"
	"time"
)

// Document is a configuration as it comes over the wire.
type Document struct {
	Revision int64           `json:"revision"`
	Body     json.RawMessage `json:"body"`
}

// Config is a compiled document; it is not changed once built.
type Config struct {
	Revision int64
	Timeout  time.Duration
	Deny     []*regexp.Regexp
}

// Source delivers documents.
type Source interface {
	Next(ctx context.Context) (Document, error)
}

// Holder keeps the current configuration.
type Holder struct {
	lock    *sync.Mutex
	current *Config
	wake    []chan struct{}
}

// NewHolder returns a holder with the given built-in configuration.
func NewHolder(builtin *Config) *Holder {
	return &Holder{lock: new(sync.Mutex), current: builtin}
}

// Current returns the configuration in force.
func (h *Holder) Current() *Config {
	h.lock.Lock()
	defer h.lock.Unlock()
	return h.current
}

// Changes returns a channel that has an element after each change.
func (h *Holder) Changes() <-chan struct{} {
	ch := make(chan struct{}, 1)
	h.lock.Lock()
	h.wake = append(h.wake, ch)
	h.lock.Unlock()
	return ch
}

func (h *Holder) install(c *Config) bool {
	h.lock.Lock()
	defer h.lock.Unlock()
	if c.Revision <= h.current.Revision {
		return false
	}
	h.current = c
	for _, ch := range h.wake {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
	return true
}

func compile(doc Document) (*Config, error) {
	var raw struct {
		TimeoutMS int      `json:"timeout_ms"`
		Deny      []string `json:"deny"`
	}
	if err := json.Unmarshal(doc.Body, &raw); err != nil {
		return nil, fmt.Errorf("dynconf: revision %d: %w", doc.Revision, err)
	}
	c := &Config{Revision: doc.Revision, Timeout: time.Duration(raw.TimeoutMS) * time.Millisecond}
	for _, expr := range raw.Deny {
		re, err := regexp.Compile(expr)
		if err != nil {
			return nil, fmt.Errorf("dynconf: revision %d: deny: %w", doc.Revision, err)
		}
		c.Deny = append(c.Deny, re)
	}
	return c, nil
}

// Apply takes a document if it is newer than what is in force.
func (h *Holder) Apply(doc Document) (bool, error) {
	if doc.Revision <= h.Current().Revision {
		return false, nil
	}
	c, err := compile(doc)
	if err != nil {
		return false, err
	}
	return h.install(c), nil
}

func (h *Holder) follow(ctx context.Context, name string, src Source) {
	for {
		doc, err := src.Next(ctx)
		switch {
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			return
		case err != nil:
			log.Printf("dynconf: %s: %v", name, err)
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
			}
			continue
		}
		taken, err := h.Apply(doc)
		if err != nil {
			log.Printf("dynconf: %s: %v", name, err)
		} else if taken {
			log.Printf("dynconf: revision %d from %s", doc.Revision, name)
		}
	}
}

// Run follows both sources until ctx ends.
func (h *Holder) Run(ctx context.Context, stream, poller Source) {
	var wg sync.WaitGroup
	wg.Go(func() { h.follow(ctx, "stream", stream) })
	wg.Go(func() { h.follow(ctx, "poller", poller) })
	wg.Wait()
}
