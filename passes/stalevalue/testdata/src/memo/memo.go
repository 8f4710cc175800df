// Package memo has results of computations that are kept, and other things that are made when they
// are first asked for.
package memo

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
)

// A Word never changes.
type Word struct {
	text   string
	mu     sync.Mutex
	length int
	known  bool
}

// NewWord returns a word.
func NewWord(text string) *Word { return &Word{text: text} }

// Length counts once, or twice at the same time.
func (w *Word) Length() int {
	w.mu.Lock()
	if w.known {
		n := w.length
		w.mu.Unlock()
		return n
	}
	w.mu.Unlock()
	n := len(strings.Fields(w.text))
	w.mu.Lock()
	w.length, w.known = n, true
	w.mu.Unlock()
	return n
}

// A Draft can be changed.
type Draft struct {
	mu     sync.Mutex
	text   string
	length int
	known  bool
}

// Write makes the length unknown.
func (d *Draft) Write(text string) {
	d.mu.Lock()
	d.text, d.known = text, false
	d.mu.Unlock()
}

// Length may keep that of the text before.
func (d *Draft) Length() int {
	d.mu.Lock()
	if d.known {
		n := d.length
		d.mu.Unlock()
		return n
	}
	text := d.text
	d.mu.Unlock()
	n := len(strings.Fields(text))
	d.mu.Lock()
	d.length, d.known = n, true // want `d.known was checked`
	d.mu.Unlock()
	return n
}

// A Tree never changes.
type Tree struct {
	kids []*Tree
	mu   sync.Mutex
	size int
}

// NewTree returns a tree.
func NewTree(kids ...*Tree) *Tree { return &Tree{kids: kids} }

// Size asks the parts.
func (t *Tree) Size() int {
	t.mu.Lock()
	s := t.size
	t.mu.Unlock()
	if s != 0 {
		return s
	}
	s = 1
	for _, k := range t.kids {
		s += k.Size()
	}
	t.mu.Lock()
	t.size = s
	t.mu.Unlock()
	return s
}

// A Tally counts how often it has been asked.
type Tally struct {
	parts []int
	mu    sync.Mutex
	sum   int
	asked int
}

// NewTally returns a tally.
func NewTally(parts []int) *Tally { return &Tally{parts: parts} }

// Sum has two results of which one depends on what was found.
func (t *Tally) Sum() int {
	t.mu.Lock()
	s, n := t.sum, t.asked
	t.mu.Unlock()
	if n != 3 {
		for _, p := range t.parts {
			s += p
		}
		t.mu.Lock()
		t.sum, t.asked = s, n+1 // want `t.sum was read`
		t.mu.Unlock()
	}
	return s
}

// A shape is never changed.
type shape struct {
	name  string
	sides int
}

// Shapes are kept by name.
type Shapes struct {
	mu     sync.RWMutex
	byName map[string]*shape
}

func measure(name string) (*shape, error) {
	if name == "" {
		return nil, errors.New("no name")
	}
	return &shape{name, strings.Count(name, "|")}, nil
}

// Sides makes equal shapes.
func (s *Shapes) Sides(name string) (int, error) {
	s.mu.RLock()
	x, ok := s.byName[name]
	s.mu.RUnlock()
	if !ok {
		made, err := measure(name)
		if err != nil {
			return 0, err
		}
		s.mu.Lock()
		s.byName[name] = made
		s.mu.Unlock()
		x = made
	}
	return x.sides, nil
}

// A user can be told from others by the reference.
type user struct{ name string }

// Users are kept by name.
type Users struct {
	mu     sync.RWMutex
	byName map[string]*user
	last   *user
}

// Again reports whether it is the same user as before.
func (u *Users) Again(name string) bool {
	u.mu.RLock()
	x := u.byName[name]
	u.mu.RUnlock()
	if x == nil {
		x = &user{name: strings.TrimSpace(name)}
		u.mu.Lock()
		u.byName[name] = x // want `u.byName\[name\] was checked`
		u.mu.Unlock()
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	same := u.last == x
	u.last = x
	return same
}

// A Filter builds a set of what it lets through.
type Filter struct {
	words []string
	set   atomic.Pointer[map[string]bool]
}

// NewFilter returns a filter.
func NewFilter(words ...string) *Filter { return &Filter{words: words} }

// Passes builds the set when it is first asked.
func (f *Filter) Passes(word string) bool {
	set := f.set.Load()
	if set == nil {
		m := make(map[string]bool, len(f.words))
		for _, w := range f.words {
			m[w] = true
		}
		set = &m
		f.set.Store(set)
	}
	return (*set)[word]
}

// A Collector puts more into the set.
type Collector struct {
	words []string
	mu    sync.Mutex
	set   map[string]bool
}

// NewCollector returns a collector.
func NewCollector(words ...string) *Collector { return &Collector{words: words} }

// Add may put a word into a set that is replaced.
func (c *Collector) Add(word string) {
	c.mu.Lock()
	empty := c.set == nil
	c.mu.Unlock()
	if empty {
		m := make(map[string]bool)
		for _, w := range c.words {
			m[w] = true
		}
		c.mu.Lock()
		c.set = m // want `c.set was checked`
		c.mu.Unlock()
	}
	c.mu.Lock()
	c.set[word] = true
	c.mu.Unlock()
}

// A Page is read from a file, which may change.
type Page struct {
	path string
	mu   sync.Mutex
	text []byte
	read bool
}

// NewPage returns a page.
func NewPage(path string) *Page { return &Page{path: path} }

// Text may go back to an older text.
func (p *Page) Text() []byte {
	p.mu.Lock()
	text, read := p.text, p.read
	p.mu.Unlock()
	if !read {
		text, _ = os.ReadFile(p.path)
		p.mu.Lock()
		p.text, p.read = text, true // want `p.read was checked`
		p.mu.Unlock()
	}
	return text
}

// A Stack is no memo, though what is put there comes from it.
type Stack struct {
	mu    sync.Mutex
	items []int
}

// Drop may find nothing any more.
func (s *Stack) Drop() {
	s.mu.Lock()
	n := len(s.items)
	s.mu.Unlock()
	if n == 0 {
		return
	}
	s.mu.Lock()
	s.items = s.items[1:] // want `s.items was checked`
	s.mu.Unlock()
}

// A Router keeps where a server was found. A hint that was wrong is removed, if it is still the same.
type Router struct {
	mu    sync.Mutex
	hints map[string]string
	find  interface {
		Whereabouts(ctx context.Context, key string) (string, error)
	}
}

// Locate may store the answer of an earlier question over that of a later one: who finds it wrong removes it.
func (r *Router) Locate(ctx context.Context, key string) (string, error) {
	r.mu.Lock()
	addr, ok := r.hints[key]
	r.mu.Unlock()
	if ok {
		return addr, nil
	}
	addr, err := r.find.Whereabouts(ctx, key)
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hints[key] = addr
	return addr, nil
}

func (r *Router) Evict(key, tried string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hints[key] == tried {
		delete(r.hints, key)
	}
}

// A Signpost removes what has changed, whatever it is.
type Signpost struct {
	mu    sync.Mutex
	signs map[string]string
	find  interface {
		Whereabouts(ctx context.Context, key string) (string, error)
	}
}

// Locate may store an answer that is older than the removal.
func (s *Signpost) Locate(ctx context.Context, key string) (string, error) {
	s.mu.Lock()
	addr, ok := s.signs[key]
	s.mu.Unlock()
	if ok {
		return addr, nil
	}
	addr, err := s.find.Whereabouts(ctx, key)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signs[key] = addr // want `check-then-act: s\.signs\[key\] was checked at line \d+`
	return addr, nil
}

func (s *Signpost) Changed(key, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.signs[key] != to {
		delete(s.signs, key)
	}
}
