// Package fix executes conditional requests over a versioned key space.
package fix

import (
	"errors"
	"sync"
)

var (
	errStopped = errors.New("server is stopped")
	errKey     = errors.New("key must not be empty")
)

// Item is the newest version of a key.
type Item struct {
	Key   string
	Value string
	Mod   int64
	Ver   int64
}

// Space is the key space.
type Space struct {
	mu    sync.RWMutex
	rev   int64
	items map[string]Item
}

// NewSpace returns an empty key space.
func NewSpace() *Space { return &Space{rev: 1, items: make(map[string]Item)} }

// View is a read lock over the key space.
type View struct{ s *Space }

// Read opens a view, which keeps writers out until it is closed.
func (s *Space) Read() *View {
	s.mu.RLock()
	return &View{s}
}

// Get returns a key.
func (v *View) Get(key string) (Item, bool) {
	it, ok := v.s.items[key]
	return it, ok
}

// Rev returns the revision.
func (v *View) Rev() int64 { return v.s.rev }

// Close ends the view.
func (v *View) Close() { v.s.mu.RUnlock() }

// Get returns the newest version of a key.
func (s *Space) Get(key string) (Item, bool) {
	v := s.Read()
	defer v.Close()
	return v.Get(key)
}

// Batch is a write lock over the key space.
type Batch struct {
	View
	changed bool
}

// Write opens a batch.
func (s *Space) Write() *Batch {
	s.mu.Lock()
	return &Batch{View: View{s}}
}

// Put sets a key.
func (b *Batch) Put(key, value string) {
	it := b.s.items[key]
	b.s.items[key] = Item{key, value, b.s.rev + 1, it.Ver + 1}
	b.changed = true
}

// Delete removes a key.
func (b *Batch) Delete(key string) {
	if _, ok := b.s.items[key]; ok {
		delete(b.s.items, key)
		b.changed = true
	}
}

// Close ends the batch.
func (b *Batch) Close() {
	if b.changed {
		b.s.rev++
	}
	b.s.mu.Unlock()
}

// Compare is one condition on the value or version of a key.
type Compare struct {
	Key   string
	Value *string
	Ver   *int64
}

// Kind of an operation.
type Kind int

// The operations.
const (
	Get Kind = iota
	Put
	Delete
)

// Op is one operation of a request.
type Op struct {
	Kind  Kind
	Key   string
	Value string
}

// Request executes Then if all conditions hold and Else otherwise.
type Request struct {
	If   []Compare
	Then []Op
	Else []Op
}

// Reply has the items that were read.
type Reply struct {
	OK    bool
	Rev   int64
	Items []Item
}

func readonly(r *Request) bool {
	for _, ops := range [][]Op{r.Then, r.Else} {
		for _, op := range ops {
			if op.Kind != Get {
				return false
			}
		}
	}
	return true
}

type job struct {
	req *Request
	out chan Reply
}

// Server orders all requests that write.
type Server struct {
	space *Space
	jobs  chan job
	stop  chan struct{}
	once  sync.Once
}

// NewServer returns a running server.
func NewServer(s *Space) *Server {
	srv := &Server{space: s, jobs: make(chan job), stop: make(chan struct{})}
	go srv.loop()
	return srv
}

// Stop ends the server.
func (s *Server) Stop() { s.once.Do(func() { close(s.stop) }) }

func (s *Server) loop() {
	for {
		select {
		case j := <-s.jobs:
			j.out <- s.execute(j.req)
		case <-s.stop:
			return
		}
	}
}

// Txn executes a request.
func (s *Server) Txn(r *Request) (Reply, error) {
	for _, c := range r.If {
		if c.Key == "" {
			return Reply{}, errKey
		}
	}
	if readonly(r) {
		return s.execute(r), nil
	}
	j := job{r, make(chan Reply, 1)}
	select {
	case s.jobs <- j:
	case <-s.stop:
		return Reply{}, errStopped
	}
	select {
	case rep := <-j.out:
		return rep, nil
	case <-s.stop:
		return Reply{}, errStopped
	}
}

func holds(v *View, c Compare) bool {
	it, _ := v.Get(c.Key)
	if c.Value != nil && it.Value != *c.Value {
		return false
	}
	return c.Ver == nil || it.Ver == *c.Ver
}

func (s *Server) execute(r *Request) Reply {
	v := s.space.Read()
	ok := true
	for _, c := range r.If {
		if ok = holds(v, c); !ok {
			break
		}
	}
	ops := r.Then
	if !ok {
		ops = r.Else
	}
	rep := Reply{OK: ok}
	if readonly(r) {
		defer v.Close()
		for _, op := range ops {
			if it, found := v.Get(op.Key); found {
				rep.Items = append(rep.Items, it)
			}
		}
		rep.Rev = v.Rev()
		return rep
	}
	v.Close()
	b := s.space.Write()
	defer b.Close()
	for _, op := range ops {
		switch op.Kind {
		case Get:
			if it, found := b.Get(op.Key); found {
				rep.Items = append(rep.Items, it)
			}
		case Put:
			b.Put(op.Key, op.Value)
		case Delete:
			b.Delete(op.Key)
		}
	}
	rep.Rev = b.Rev()
	if b.changed {
		rep.Rev++
	}
	return rep
}
