package memo

import (
	"sync"
	"sync/atomic"
	"time"
)

type source interface {
	Text(key string) (string, error)
}

// Cache only fills its places, and makes room.
type Cache struct {
	from   source
	limit  int
	misses atomic.Int64

	mu sync.Mutex
	m  map[string]string
}

func (c *Cache) get(key string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.m[key]
	return s, ok
}

func (c *Cache) put(key, s string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.m {
		if len(c.m) < c.limit {
			break
		}
		delete(c.m, k)
	}
	c.m[key] = s
}

// Compile may put another text in the place of the first: one is as good as the other.
func (c *Cache) Compile(key string) (string, error) {
	if s, ok := c.get(key); ok {
		return s, nil
	}
	s, err := c.from.Text(key)
	if err != nil {
		return "", err
	}
	c.misses.Add(1)
	c.put(key, s)
	return s, nil
}

func (c *Cache) Misses() int64 { return c.misses.Load() }

// Copy is a Cache that is told of changes.
type Copy struct {
	from source
	mu   sync.Mutex
	m    map[string]string
}

func (c *Copy) get(key string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.m[key]
	return s, ok
}

func (c *Copy) put(key, s string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[key] = s
}

// Changed has the new text.
func (c *Copy) Changed(key, s string) { c.put(key, s) }

// Find may put an old text in the place of a new one.
func (c *Copy) Find(key string) (string, error) {
	if s, ok := c.get(key); ok {
		return s, nil
	}
	s, err := c.from.Text(key)
	if err != nil {
		return "", err
	}
	c.put(key, s) // want `check-then-act: c\.m\[key\] was checked at line \d+`
	return s, nil
}

// Guests are told apart, as they count.
type Guests struct {
	mu sync.Mutex
	m  map[string]*guest
}

type guest struct {
	name   string
	logins atomic.Int64
}

func (u *Guests) find(name string) *guest {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.m[name]
}

// Login may count for a guest who is not in the table any more.
func (u *Guests) Login(name string) *guest {
	x := u.find(name)
	if x == nil {
		x = &guest{name: name}
		u.mu.Lock()
		u.m[name] = x // want `check-then-act: u\.m\[name\] was checked at line \d+`
		u.mu.Unlock()
	}
	x.logins.Add(1)
	return x
}

// Names has each name once: a place says what has been done.
type Names struct {
	from source
	mu   sync.Mutex
	m    map[string]string
}

func (n *Names) has(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, ok := n.m[name]
	return ok
}

func (n *Names) Enter(name string) bool {
	if n.has(name) {
		return false
	}
	s, _ := n.from.Text(name)
	n.mu.Lock()
	n.m[name] = s // want `check-then-act: n\.m\[name\] was checked at line \d+`
	n.mu.Unlock()
	return true
}

// Offset is asked for once, or twice.
type Offset struct {
	from  source
	value atomic.Value
}

func (o *Offset) Get() string {
	s, ok := o.value.Load().(string)
	if ok {
		return s
	}
	s, err := o.from.Text("offset")
	if err != nil {
		return ""
	}
	o.value.Store(s)
	return s
}

// Runes notes when an entry was last asked for, which tells nobody which of two it is.
type Runes struct {
	mu      sync.Mutex
	entries map[string]*rune32
}

type rune32 struct {
	used  atomic.Int64
	count int
}

func (r *Runes) get(word string) *rune32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.entries[word]
}

func (r *Runes) put(word string, e *rune32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries[word] = e
}

func (r *Runes) Count(word string) int {
	if e := r.get(word); e != nil {
		e.used.Store(time.Now().Unix())
		return e.count
	}
	e := &rune32{count: len([]rune(word))}
	e.used.Store(time.Now().Unix())
	r.put(word, e)
	return e.count
}

// Hits notes how often an entry was asked for: a second one begins anew.
type Hits struct {
	mu      sync.Mutex
	entries map[string]*hit
}

type hit struct {
	times atomic.Int64
	count int
}

func (h *Hits) get(word string) *hit {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.entries[word]
}

func (h *Hits) put(word string, e *hit) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entries[word] = e
}

func (h *Hits) Count(word string) int {
	if e := h.get(word); e != nil {
		e.times.Add(1)
		return e.count
	}
	e := &hit{count: len([]rune(word))}
	e.times.Store(1)
	h.put(word, e) // want `check-then-act: h.entries\[word\] was checked at line \d+`
	return e.count
}
