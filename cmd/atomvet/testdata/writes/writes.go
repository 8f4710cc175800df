// Package writes has a check and an act for each way of writing that is hard to see when the program
// runs. The functions called Rival do it.
package writes

import (
	"container/list"
	"os"
	"path/filepath"
	"sync"
)

// The rival writes through a local variable that has the map.
type Alias struct {
	mu sync.Mutex
	m  map[string]int
}

func (a *Alias) Has(k string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.m[k]
	return ok
}

func (a *Alias) Add(k string, v int) {
	if !a.Has(k) {
		a.mu.Lock()
		a.m[k] = v
		a.mu.Unlock()
	}
}

func (a *Alias) Rival(k string) {
	a.mu.Lock()
	m := a.m
	m[k] = 7
	a.mu.Unlock()
}

// The rival replaces the whole struct.
type Whole struct {
	mu    sync.Mutex
	state struct{ n, max int }
}

func (w *Whole) Add() {
	w.mu.Lock()
	full := w.state.n >= w.state.max
	w.mu.Unlock()
	if !full {
		w.mu.Lock()
		w.state.n++
		w.mu.Unlock()
	}
}

func (w *Whole) Rival() {
	w.mu.Lock()
	w.state = struct{ n, max int }{9, 9}
	w.mu.Unlock()
}

// The rival changes what an element of the map points to.
type Behind struct {
	mu sync.Mutex
	m  map[string]*count
}

type count struct{ n, max int }

func (b *Behind) Full(k string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.m[k]
	return c != nil && c.n >= c.max
}

func (b *Behind) Add(k string) {
	if b.Full(k) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.m[k].n++
}

func (b *Behind) Rival(k string) {
	b.mu.Lock()
	b.m[k].n += 2
	b.mu.Unlock()
}

// The rival calls a method of another package's type, with a pointer receiver.
type Method struct {
	mu sync.Mutex
	l  list.List
}

func (m *Method) First() any {
	m.mu.Lock()
	empty := m.l.Len() == 0
	m.mu.Unlock()
	if empty {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.l.Remove(m.l.Front())
}

func (m *Method) Rival() {
	m.mu.Lock()
	m.l.Init()
	m.mu.Unlock()
}

// The type is generic, and the function of the finding a method of it.
type Generic[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]V
}

func (g *Generic[K, V]) GetOrAdd(k K, make func() V) V {
	g.mu.Lock()
	v, ok := g.m[k]
	g.mu.Unlock()
	if ok {
		return v
	}
	v = make()
	g.mu.Lock()
	g.m[k] = v
	g.mu.Unlock()
	return v
}

func (g *Generic[K, V]) Rival(k K, v V) {
	g.mu.Lock()
	g.m[k] = v
	g.mu.Unlock()
}

// Reads is what Alias is, with a rival that only reads.
type Reads struct {
	mu sync.Mutex
	n  int
}

func (r *Reads) Add() {
	r.mu.Lock()
	n := r.n
	r.mu.Unlock()
	r.mu.Lock()
	r.n = n + 1
	r.mu.Unlock()
}

func (r *Reads) Rival() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n
}

// The channel is closed by whoever finds it open.
type Once struct{ done chan struct{} }

func (o *Once) Close() {
	select {
	case <-o.done:
	default:
		close(o.done)
	}
}

// CloseAfter has a goroutine close it, too.
func (o *Once) CloseAfter(late <-chan struct{}) {
	go func() {
		<-late
		o.Close()
	}()
}

// Files needs a directory that exists, and an implementation of an interface.
type Files struct {
	dir    string
	logger Logger
	mu     sync.Mutex
	open   map[string]*os.File
}

type Logger interface {
	Log(format string, args ...any) (n int)
}

func NewFiles(dir string, logger Logger) *Files {
	if _, err := os.Stat(dir); err != nil {
		panic(err)
	}
	return &Files{dir: dir, logger: logger, open: make(map[string]*os.File)}
}

func (f *Files) Open(name string) error {
	f.mu.Lock()
	_, ok := f.open[name]
	f.mu.Unlock()
	if ok {
		return os.ErrExist
	}
	file, err := os.Create(filepath.Join(f.dir, name))
	if err != nil {
		return err
	}
	f.logger.Log("opened %s", name)
	f.mu.Lock()
	f.open[name] = file
	f.mu.Unlock()
	return nil
}
