package idiom

import (
	"sync"
	"sync/atomic"
)

// Objects that nobody else knows yet.

type Graph struct {
	mu    sync.Mutex
	nodes map[string]int
	edges int
	ready bool
}

func (g *Graph) size() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.edges
}

func (g *Graph) setSize(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.edges = n
}

// NewGraph uses the accessors before it gives the graph away.
func NewGraph(names []string) *Graph {
	g := &Graph{nodes: make(map[string]int)}
	for range names {
		g.setSize(g.size() + 1)
	}
	return g
}

func (g *Graph) Clear() {
	g.mu.Lock()
	g.edges = 0
	g.mu.Unlock()
}

// A builder.

type Builder struct{ g *Graph }

func NewBuilder() *Builder { return &Builder{g: &Graph{nodes: make(map[string]int)}} }

// Work after the join.

type Sum struct {
	mu sync.Mutex
	n  int
}

func (s *Sum) add(n int) {
	s.mu.Lock()
	s.n += n
	s.mu.Unlock()
}

func (s *Sum) get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func (s *Sum) set(n int) {
	s.mu.Lock()
	s.n = n
	s.mu.Unlock()
}

// Before the first goroutine.
func Primed(parts []int) int {
	s := new(Sum)
	s.set(1)
	s.set(s.get() * 2)
	var wg sync.WaitGroup
	for _, p := range parts {
		wg.Go(func() { s.add(p) })
	}
	wg.Wait()
	return s.get()
}

// sync.Once bodies.

type Lazy struct {
	once sync.Once
	mu   sync.Mutex
	val  *Graph
	err  error
	uses int
}

func (l *Lazy) Value() *Graph {
	l.mu.Lock()
	v := l.val
	l.mu.Unlock()
	if v != nil {
		return v
	}
	l.once.Do(func() {
		l.mu.Lock()
		l.val = NewGraph(nil)
		l.mu.Unlock()
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.val
}

func (l *Lazy) init() {
	l.mu.Lock()
	v := l.val
	l.mu.Unlock()
	if v == nil {
		l.mu.Lock()
		l.val = NewGraph(nil)
		l.mu.Unlock()
	}
}

func (l *Lazy) Init() { l.once.Do(l.init) }

var load = sync.OnceValue(func() *Graph { return NewGraph([]string{"a"}) })

func Loaded() int { return load().size() }

// CAS claims and loops.

type Stack struct {
	head  atomic.Pointer[link]
	state atomic.Int32
	hits  atomic.Int64
}

type link struct {
	next *link
	val  int
}

func (s *Stack) Push(v int) {
	l := &link{val: v}
	for {
		old := s.head.Load()
		l.next = old
		if s.head.CompareAndSwap(old, l) {
			return
		}
	}
}

func (s *Stack) Start(run func()) bool {
	if s.state.Load() != 0 {
		return false
	}
	if !s.state.CompareAndSwap(0, 1) {
		return false
	}
	run()
	s.state.Store(2)
	return true
}

func (s *Stack) Max(n int64) {
	for old := s.hits.Load(); n > old; old = s.hits.Load() {
		if s.hits.CompareAndSwap(old, n) {
			return
		}
	}
}

// Retry: the decision is made again each time.

type Queue struct {
	mu    sync.Mutex
	cond  *sync.Cond
	items []int
	limit int
}

func NewQueue(limit int) *Queue {
	q := &Queue{limit: limit}
	q.cond = sync.NewCond(&q.mu)
	return q
}

func (q *Queue) Put(n int, wait func()) {
	for {
		q.mu.Lock()
		full := len(q.items) >= q.limit
		if !full {
			q.items = append(q.items, n)
			q.mu.Unlock()
			return
		}
		q.mu.Unlock()
		wait()
	}
}

func (q *Queue) Take() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		q.cond.Wait()
	}
	n := q.items[0]
	q.items = q.items[1:]
	return n
}
