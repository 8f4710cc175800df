// Package detours is about conditions that decide only what is done before the act.
package detours

import (
	"encoding/json"
	"os"
	"sync"
	"time"
)

type verifier interface{ Verify(string) error }

// A Config is verified by its subscribers.
type Config struct {
	mu    sync.Mutex
	subs  []verifier
	ids   []string
	text  string
	dirty bool
	used  int
}

func (c *Config) Subscribe(id string, v verifier) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subs = append(c.subs, v)
	c.ids = append(c.ids, id)
	return c.text
}

func (c *Config) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subs = nil
	c.text = ""
}

// Replace goes by the subscribers only in so far as they refuse.
func (c *Config) Replace(text string) error {
	c.mu.Lock()
	subs := append([]verifier(nil), c.subs...)
	c.mu.Unlock()
	for _, s := range subs {
		if err := s.Verify(text); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text = text
	return nil
}

// Choose acts because one of them has accepted, which may not be a subscriber any more.
func (c *Config) Choose(text string) bool {
	c.mu.Lock()
	subs := append([]verifier(nil), c.subs...)
	c.mu.Unlock()
	for _, s := range subs {
		if err := s.Verify(text); err == nil {
			c.mu.Lock()
			c.text = text // want `check-then-act: c\.subs was checked at line \d+`
			c.mu.Unlock()
			return true
		}
	}
	return false
}

// Add looks through all that there are.
func (c *Config) Add(id string) bool {
	c.mu.Lock()
	ids := c.ids
	c.mu.Unlock()
	for _, x := range ids {
		if x == id {
			return false
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids = append(c.ids, id) // want `check-then-act: c\.ids.* was checked at line \d+`
	return true
}

func (c *Config) Touch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dirty = true
	c.used++
}

func (c *Config) Clean() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dirty = false
	c.used = 1
}

// Flush writes first what has changed, and forgets it anyway.
func (c *Config) Flush(write func() error) error {
	c.mu.Lock()
	dirty := c.dirty
	c.mu.Unlock()
	if dirty {
		if err := write(); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used = 0
	return nil
}

// FlushOnly forgets only what it has written.
func (c *Config) FlushOnly(write func() error) error {
	c.mu.Lock()
	dirty := c.dirty
	c.mu.Unlock()
	if dirty {
		if err := write(); err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.used = 0 // want `check-then-act: c\.dirty was checked at line \d+`
	}
	return nil
}

// A Dialer waits longer after each failure.
type Dialer struct {
	mu       sync.Mutex
	failures int
	limit    int
}

func (d *Dialer) Reset() {
	d.mu.Lock()
	d.failures = 0
	d.mu.Unlock()
}

// Dial gives the number of failures to what decides, and counts one more.
func (d *Dialer) Dial(dial func(time.Duration) error) error {
	d.mu.Lock()
	wait := time.Second << d.failures
	d.mu.Unlock()
	err := dial(wait)
	if err != nil {
		d.mu.Lock()
		d.failures++
		d.mu.Unlock()
	}
	return err
}

// DialLimited compares it.
func (d *Dialer) DialLimited() {
	d.mu.Lock()
	n := d.failures
	d.mu.Unlock()
	if n < d.limit {
		d.mu.Lock()
		d.failures++ // want `check-then-act: d\.failures was checked at line \d+`
		d.mu.Unlock()
	}
}

// A Crew stops at the first failure, which is told once.
type Crew struct {
	mu   sync.Mutex
	err  error
	tell func(error)
}

func (c *Crew) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *Crew) setFailure(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

// Fail is wrong: two may find that there was none, and tell it.
func (c *Crew) Fail(err error) {
	if c.failure() != nil {
		return
	}
	c.setFailure(err) // want `check-then-act: c\.err was checked at line \d+`
	c.tell(err)
}

// Note keeps one of the failures.
func (c *Crew) Note(err error) {
	if c.failure() == nil {
		c.setFailure(err)
	}
}

// A Shelf has what is in the files of a directory.
type Shelf struct {
	mu    sync.Mutex
	names []string
}

// Reload is wrong: what package json remembers of types is no claim of the list, which another call may have replaced in between.
func (s *Shelf) Reload(dir string) error {
	s.mu.Lock()
	names, err := listed(dir, s.names)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.names = names // want `lost-update: s\.names was read at line \d+`
	s.mu.Unlock()
	return nil
}

func listed(dir string, known []string) ([]string, error) {
	text, err := os.ReadFile(dir)
	if err != nil {
		return nil, err
	}
	var more struct{ Names []string }
	if err := json.Unmarshal(text, &more); err != nil {
		return nil, err
	}
	return append(append([]string(nil), known...), more.Names...), nil
}
