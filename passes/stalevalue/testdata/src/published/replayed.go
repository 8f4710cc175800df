package published

import (
	"slices"
	"sync"
)

type tune struct {
	name string
	take int
}

// A Jukebox tells its listeners of tunes, of which it makes a copy of the list.
type Jukebox struct {
	mu        sync.Mutex
	tunes     map[string]tune
	lmu       sync.Mutex
	listeners []func(tune)
}

func (j *Jukebox) list() []tune {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []tune
	for _, t := range j.tunes {
		out = append(out, t)
	}
	return out
}

// Listen tells of the tunes before the listener is on the list.
func (j *Jukebox) Listen(f func(tune)) {
	for _, t := range j.list() {
		f(t)
	}
	j.lmu.Lock()
	j.listeners = append(j.listeners, f) // want `j\.tunes was read at line \d+ for what is only put into j\.listeners here; \(\*Jukebox\)\.Put .* may run in between and be missed`
	j.lmu.Unlock()
}

// ListenFirst puts it on the list first.
func (j *Jukebox) ListenFirst(f func(tune)) {
	j.lmu.Lock()
	j.listeners = append(j.listeners, f)
	j.lmu.Unlock()
	for _, t := range j.list() {
		f(t)
	}
}

func (j *Jukebox) Put(t tune) {
	j.mu.Lock()
	if old, ok := j.tunes[t.name]; ok && old.take >= t.take {
		j.mu.Unlock()
		return
	}
	j.tunes[t.name] = t
	j.mu.Unlock()
	j.lmu.Lock()
	listeners := slices.Clone(j.listeners)
	j.lmu.Unlock()
	for _, f := range listeners {
		f(t)
	}
}

type stand struct {
	mu    sync.Mutex
	pages map[int]tune
}

func (s *stand) put(n int, t tune) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.pages[n]; ok && old.take >= t.take {
		return false
	}
	s.pages[n] = t
	return true
}

// replay goes through the pages until the function fails.
func (s *stand) replay(f func(tune) error) error {
	s.mu.Lock()
	pages := make([]tune, 0, len(s.pages))
	for _, t := range s.pages {
		pages = append(pages, t)
	}
	s.mu.Unlock()
	for _, t := range pages {
		if err := f(t); err != nil {
			return err
		}
	}
	return nil
}

type choir struct {
	mu      sync.RWMutex
	singers []func(tune) error
}

func (c *choir) add(f func(tune) error) {
	c.mu.Lock()
	c.singers = append(c.singers, f)
	c.mu.Unlock()
}

func (c *choir) sing(t tune) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, f := range c.singers {
		_ = f(t)
	}
}

// A Recital has the pages and the singers in two objects.
type Recital struct {
	stand stand
	choir choir
}

// Join replays what is there, and is on the list after that.
func (r *Recital) Join(f func(tune) error) error {
	if err := r.stand.replay(f); err != nil {
		return err
	}
	r.choir.add(f) // want `r\.stand\.pages was read at line \d+ for what is only put into r\.choir\.singers here; \(\*Recital\)\.Turn .* may run in between and be missed`
	return nil
}

// JoinAnother replays to another one.
func (r *Recital) JoinAnother(f, other func(tune) error) error {
	if err := r.stand.replay(other); err != nil {
		return err
	}
	r.choir.add(f)
	return nil
}

// JoinFirst is on the list before.
func (r *Recital) JoinFirst(f func(tune) error) error {
	r.choir.add(f)
	return r.stand.replay(f)
}

func (r *Recital) Turn(n int, t tune) {
	if r.stand.put(n, t) {
		r.choir.sing(t)
	}
}
