// Package claim has flags that are locks: who finds one set turns away or waits.
package claim

import "sync"

// A flight is a call in progress.
type flight struct {
	done chan struct{}
	user string
}

// Flights lets one caller at a time work for a key.
type Flights struct {
	mu     sync.Mutex
	flying map[string]*flight
}

// Do runs fn unless somebody else does so for the key.
func (g *Flights) Do(key string, fn func() string) string {
	g.mu.Lock()
	if f, ok := g.flying[key]; ok {
		g.mu.Unlock()
		<-f.done
		return f.user
	}
	f := &flight{done: make(chan struct{})}
	g.flying[key] = f
	g.mu.Unlock()
	g.call(f, key, fn)
	return f.user
}

func (g *Flights) call(f *flight, key string, fn func() string) {
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.flying[key] == f {
			delete(g.flying, key)
		}
		close(f.done)
	}()
	func() {
		f.user = fn()
	}()
}

// A Cache asks for what it does not have.
type Cache struct {
	flights Flights
	ask     func(string) string

	mu    sync.Mutex
	users map[string]string
}

func (c *Cache) known(token string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	user, ok := c.users[token]
	return user, ok
}

// User looks again when it is the only one that works for the token.
func (c *Cache) User(token string) string {
	if user, ok := c.known(token); ok {
		return user
	}
	return c.flights.Do(token, func() string {
		if user, ok := c.known(token); ok {
			return user
		}
		user := c.ask(token)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.users[token] = user
		return user
	})
}

// A Bare cache does the same without a flight.
type Bare struct {
	ask   func(string) string
	mu    sync.Mutex
	users map[string]string
}

// User may ask twice, and forget the first answer.
func (c *Bare) User(token string) string {
	c.mu.Lock()
	user, ok := c.users[token]
	c.mu.Unlock()
	if ok {
		return user
	}
	user = c.ask(token)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users[token] = user // want `c.users\[token\] was checked`
	return user
}

// A Shared cache is also filled by who has no claim.
type Shared struct {
	flights Flights
	ask     func(string) string
	mu      sync.Mutex
	users   map[string]string
}

// Set takes no part in the flights.
func (c *Shared) Set(token, user string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users[token] = user
}

// User may write over what Set has put there.
func (c *Shared) User(token string) string {
	return c.flights.Do(token, func() string {
		c.mu.Lock()
		user, ok := c.users[token]
		c.mu.Unlock()
		if ok {
			return user
		}
		user = c.ask(token)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.users[token] = user // want `c.users\[token\] was checked`
		return user
	})
}

// A Store saves what it has, one goroutine at a time.
type Store struct {
	mu     sync.Mutex
	busy   bool
	dirty  int
	saved  int
	writer func(int)
}

// Save turns away who comes while somebody saves.
func (s *Store) Save() {
	s.mu.Lock()
	if s.busy {
		s.mu.Unlock()
		return
	}
	s.busy = true
	s.mu.Unlock()
	s.save()
	s.mu.Lock()
	s.busy = false
	s.mu.Unlock()
}

// save is only called under the claim: nobody else changes saved.
func (s *Store) save() {
	s.mu.Lock()
	n := s.saved
	s.mu.Unlock()
	if n > 10 {
		return
	}
	s.writer(n)
	s.mu.Lock()
	s.saved = n * 2
	s.mu.Unlock()
}
