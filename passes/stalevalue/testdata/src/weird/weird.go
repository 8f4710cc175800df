// Package weird is made of code that nobody writes and everybody's tools meet.
package weird

import (
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Initialization in a circle of functions, and variables that need them.
var (
	first  = second() + len(table)
	table  = map[string]func() int{"a": one, "b": func() int { return two(3) }}
	_      = func() int { zeroMu.Lock(); defer zeroMu.Unlock(); return 0 }()
	zeroMu sync.Mutex
)

func second() int { return two(1) }
func one() int    { return 1 }
func two(n int) int {
	if n <= 0 {
		return 0
	}
	return two(n-1) + one()
}

func init() { first++ }
func init() { zeroMu.Lock(); first = first * 2; zeroMu.Unlock() }

// Nothing at all.
func empty()           {}
func (machine) empty() {}

type nothing struct{}

func (nothing) Lock()   {}
func (nothing) Unlock() {}

type machine struct {
	sync.Mutex
	sync.Locker // both have Lock: neither is promoted
	n           int
}

type state struct {
	mu   sync.Mutex
	n    int
	ch   chan int
	f    func(*state) int
	self *state
	arr  [3][3]int
	any  any
	sub  struct {
		sub struct {
			sub struct {
				deep struct{ n int }
			}
		}
	}
}

// Jumps forwards, backwards, and into the middle of things.
func (s *state) jump(n int) int {
	i := 0
	goto check
body:
	s.mu.Lock()
	s.n += i
	s.mu.Unlock()
	i++
check:
	if i < n {
		goto body
	}
	if n > 100 {
		goto out
	}
	for {
		if i > 10 {
			goto out
		}
		i++
	}
out:
	return s.n
}

func labels(s *state) {
outer:
	for i := range 10 {
	middle:
		for {
			switch {
			case i == 3:
				continue outer
			case i == 4:
				break middle
			case i == 5:
				break outer
			default:
				select {
				case n := <-s.ch:
					s.mu.Lock()
					s.n = n
					s.mu.Unlock()
					continue middle
				default:
					break middle
				}
			}
		}
	}
}

// Loops without an end, with a lock held, given up, or forgotten.
func forever(s *state) {
	s.mu.Lock()
	for {
		s.n++
	}
}

func foreverRelock(s *state) {
	for {
		s.mu.Lock()
		n := s.n
		s.mu.Unlock()
		if n < 0 {
			continue
		}
		select {}
	}
}

func unreachable(s *state) int {
	panic("never")
	s.mu.Lock()
	s.n = s.n + 1
	return s.n
}

func deadlock(s *state) {
	s.mu.Lock()
	s.mu.Lock()
	s.mu.Unlock()
	s.mu.Unlock()
	s.mu.Unlock()
}

func onlyUnlock(s *state) { s.mu.Unlock() }
func onlyLock(s *state)   { s.mu.Lock() }

func selects(s *state, a, b chan func(), done <-chan struct{}) {
	for {
		select {
		case f, ok := <-a:
			if ok {
				f()
			}
		case b <- func() { s.mu.Lock(); defer s.mu.Unlock(); s.n = 0 }:
		case s.ch <- s.n:
		case <-done:
			return
		}
	}
}

// Recursion: by itself, in pairs, through literals and interfaces.
func (s *state) down(n int) int {
	if n == 0 {
		return 0
	}
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
	return s.down(n-1) + s.up(n-1)
}

func (s *state) up(n int) int {
	if n == 0 {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down(n - 1)
}

func literals() {
	var f func(int) int
	var g func(int) int
	var mu sync.Mutex
	f = func(n int) int { mu.Lock(); defer mu.Unlock(); return g(n) }
	g = func(n int) int {
		if n == 0 {
			return 0
		}
		return f(n - 1)
	}
	f(3)
	func() func() func() { return func() func() { return func() {} } }()()()
	defer func() { _ = recover() }()
	defer func(f func()) { defer f() }(func() { mu.Unlock() })
	go func() { go func() { go func() { mu.Lock() }() }() }()
}

type walker interface{ walk(walker, int) walker }
type left struct{ walker }
type right struct{ w walker }

func (l left) walk(w walker, n int) walker   { return w.walk(l.walker, n-1) }
func (r *right) walk(w walker, n int) walker { r.w = w; return r.w.walk(r, n) }

// Methods of embedded interfaces, and of nil.
type embeds struct {
	walker
	fmt.Stringer
	*state
}

func useEmbeds(e embeds, p *embeds) {
	_ = e.walk(p.walker, 1)
	_ = e.String()
	e.mu.Lock()
	n := e.n
	p.mu.Unlock()
	p.mu.Lock()
	p.n = n
	e.mu.Unlock()
	var none *state
	none.down(1)
	(*state)(nil).mu.Lock()
	var m interface{ Lock() }
	m.Lock()
	f := none.up
	f(2)
	(*state).jump(none, 3)
}

// Iterators, with everything that leaves them.
func each(s *state) iter.Seq2[int, *state] {
	return func(yield func(int, *state) bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for i := range s.n {
			if !yield(i, s) {
				return
			}
		}
	}
}

func overFunc(s *state) (n int) {
outer:
	for i, x := range each(s) {
		for j := range each(x) {
			if i > j {
				continue outer
			}
			if i == 7 {
				break outer
			}
			if i == 8 {
				return j
			}
			defer func() { n++ }()
		}
		s.n += i
	}
	for range s.countdown {
		s.mu.Lock()
		s.n--
		s.mu.Unlock()
	}
	return n
}

func (s *state) countdown(yield func() bool) {
	for s.n > 0 && yield() {
	}
}

// Generics.
type number interface {
	~int | ~int8 | ~int64 | ~float64
	comparable
}

type locker[T any] interface {
	*T
	sync.Locker
}

type ring[K number, V any] struct {
	mu   sync.RWMutex
	m    map[K][]V
	next *ring[K, V]
	fn   func(K) V
}

func (r *ring[K, V]) put(k K, vs ...V) {
	r.mu.RLock()
	old := r.m[k]
	r.mu.RUnlock()
	if len(old) > 3 {
		r.next.put(k+1, vs...)
	}
	r.mu.Lock()
	r.m[k] = append(r.m[k], r.fn(k))
	r.mu.Unlock()
}

func under[T any, P locker[T]](p P, f func(P)) {
	p.Lock()
	defer p.Unlock()
	f(p)
}

type list[T any] struct {
	head *list[T]
	val  T
}

func (l *list[T]) all() iter.Seq[T] {
	return func(yield func(T) bool) {
		for x := l; x != nil && yield(x.val); x = x.head {
		}
	}
}

func instances() {
	var mu sync.Mutex
	under(&mu, func(*sync.Mutex) {})
	r := &ring[int, string]{}
	r.put(1, "a")
	(&ring[float64, []ring[int8, any]]{}).put(2.5)
	for v := range (&list[list[int]]{}).all() {
		_ = v
	}
	_ = under[sync.Mutex, *sync.Mutex]
}

// A type that is all constraint.
func field[T interface{ ~struct{ N int } }](t *T) *T { return t }

// Unsafe pointers and atomics behind them.
func raw(s *state) int {
	p := unsafe.Pointer(s)
	q := (*int)(unsafe.Add(p, unsafe.Offsetof(s.n)))
	n := atomic.LoadInt64((*int64)(unsafe.Pointer(q)))
	atomic.StoreInt64((*int64)(unsafe.Pointer(q)), n*2)
	var up unsafe.Pointer
	atomic.StorePointer(&up, atomic.LoadPointer(&up))
	return *q + len(unsafe.Slice(q, 3))
}

// Addresses of elements, structs in maps, pointers to pointers.
func addresses(s *state, pp **state, m map[[2]int]state, is []any) {
	p := &s.arr[1][2]
	s.mu.Lock()
	*p++
	n := *p
	s.mu.Unlock()
	(*pp).mu.Lock()
	(*pp).arr[n%3][0] = n
	(*pp).mu.Unlock()
	x := m[[2]int{1, 2}]
	x.mu.Lock()
	x.n = 1
	m[[2]int{1, 2}] = x
	s.sub.sub.sub.deep.n = m[[2]int{}].sub.sub.sub.deep.n
	s.self.self.self.self.self.self.self.self.self.self.mu.Lock()
	k := s.self.self.self.self.self.self.self.self.self.self.n
	s.self.self.self.self.self.self.self.self.self.self.mu.Unlock()
	s.self.self.self.self.self.self.self.self.self.self.mu.Lock()
	s.self.self.self.self.self.self.self.self.self.self.n = k
	s.any = s
	s.any.(*state).mu.Lock()
	switch v := s.any.(type) {
	case nil:
	case *state:
		v.mu.Unlock()
	case interface{ Unlock() }:
		v.Unlock()
	}
	s.f(s)
	*s = state{}
	**pp = *s
	is[0], is[1] = is[1], is[0]
	clear(m)
	_ = append([]any(nil), is...)
	_ = max(s.n, n, k)
	_ = [...]int{5: s.n}
	_, _ = <-s.ch, cap(s.ch)
}

// A switch with many cases, each with a lock.
func huge(s *state, n int) string {
	switch n {
	case 0, 1, 2:
		s.mu.Lock()
		s.n = 0
		s.mu.Unlock()
		fallthrough
	case 3:
		s.mu.Lock()
		fallthrough
	case 4:
		s.mu.Unlock()
	case 5:
		defer s.mu.Unlock()
	case 6:
		for range 3 {
			defer s.mu.Unlock()
			s.mu.Lock()
		}
	case 7:
		if s.mu.TryLock() && s.n > 0 || !s.mu.TryLock() {
			s.mu.Unlock()
		}
	case 8:
		ok := s.mu.TryLock()
		for !ok {
			ok = s.mu.TryLock()
		}
	case 9:
		func() {
			defer func() {
				if r := recover(); r != nil {
					s.mu.Unlock()
					panic(r)
				}
			}()
			s.mu.Lock()
			panic(s.n)
		}()
	case 10:
		var mus [4]sync.Mutex
		for i := range mus {
			mus[i].Lock()
		}
	case 11:
		mus := map[string]*sync.Mutex{}
		mus["a"].Lock()
		mus["b"].Unlock()
	case 12:
		c := sync.NewCond(&s.mu)
		c.Wait()
		c.L.Lock()
		sync.NewCond(nothing{}).Wait()
		new(sync.Cond).Wait()
	case 13:
		new(sync.Once).Do(nil)
		var once sync.Once
		once.Do(func() { once.Do(func() {}) })
	case 14:
		s, t := s.self, s
		s.mu.Lock()
		s, t = t, s
		s.mu.Unlock()
		t.mu.Unlock()
	case 15:
		for s := s; s != nil; s = s.self {
			s.mu.Lock()
			defer func() { s.mu.Unlock() }()
		}
	default:
		return fmt.Sprint(n)
	}
	return ""
}

var pool = sync.Pool{New: func() any { return new(state) }}

func pooled() {
	s := pool.Get().(*state)
	defer pool.Put(s)
	s.mu.Lock()
	n := s.n
	s.mu.Unlock()
	defer func(n int) { s.n = n }(n)
}

var (
	_ = forever
	_ = foreverRelock
	_ = unreachable
	_ = huge
	_ = field[struct{ N int }]
	_ = table["a"]
)
