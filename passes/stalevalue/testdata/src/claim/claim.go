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

// User may forget the new name.
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

// Rename is told of a change.
func (c *Bare) Rename(token, user string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users[token] = user
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

type phase int

const (
	parked phase = iota
	warming
	flying
	scrapped
)

// A Drone is scrapped for good.
type Drone struct {
	mu    sync.Mutex
	phase phase
	trips int
	seen  map[string]int
}

func (d *Drone) to(p phase) { d.phase = p }

// Fly claims that it is warming, but Scrap does not ask for that.
func (d *Drone) Fly(warm func() error) {
	d.mu.Lock()
	if d.phase == scrapped {
		d.mu.Unlock()
		return
	}
	d.to(warming)
	d.mu.Unlock()
	err := warm()
	d.mu.Lock()
	if err == nil {
		d.to(flying) // want `check-then-act: d\.phase was checked at line 201`
	}
	d.mu.Unlock()
}

func (d *Drone) Scrap() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.phase == scrapped {
		return // that is not to ask for the claim
	}
	d.to(scrapped)
}

// Visit counts the trips. That keeps nobody else from the place.
func (d *Drone) Visit(place string, limit int, land func() int) bool {
	d.mu.Lock()
	if _, ok := d.seen[place]; ok || d.trips == limit {
		d.mu.Unlock()
		return false
	}
	d.trips++
	d.mu.Unlock()
	n := land()
	d.mu.Lock()
	d.seen[place] = n // want `check-then-act: d\.seen\[place\] was checked at line 227`
	d.mu.Unlock()
	return true
}

// A Kite is only scrapped while it is parked.
type Kite struct {
	mu    sync.Mutex
	phase phase
	out   int
	seen  map[string]int
}

func (k *Kite) to(p phase) { k.phase = p }

func (k *Kite) Fly(warm func() error) {
	k.mu.Lock()
	if k.phase == scrapped || k.phase == warming {
		k.mu.Unlock()
		return
	}
	k.to(warming)
	k.mu.Unlock()
	err := warm()
	k.mu.Lock()
	if err == nil {
		k.to(flying)
	}
	k.mu.Unlock()
}

func (k *Kite) Scrap() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.phase != parked {
		return false
	}
	k.to(scrapped)
	return true
}

// Visit is the only one to be out.
func (k *Kite) Visit(place string, land func() int) bool {
	k.mu.Lock()
	if _, ok := k.seen[place]; ok || k.out > 0 {
		k.mu.Unlock()
		return false
	}
	k.out++
	k.mu.Unlock()
	n := land()
	k.mu.Lock()
	k.seen[place] = n
	k.out--
	k.mu.Unlock()
	return true
}
