package callees

import "sync"

// A Meter is read and set through an interface.
type Meter interface {
	Value() int
	SetValue(int)
}

type meter struct {
	mu sync.Mutex
	v  int
}

func (m *meter) Value() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.v
}

func (m *meter) SetValue(v int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.v = v
}

func NewMeter() Meter { return new(meter) }

func Triple(m Meter) {
	v := m.Value()
	m.SetValue(v * 3) // want `lost-update: .*\.v was read`
}

// TripleAtOnce cannot be had of the interface, only of the type.
func (m *meter) TripleAtOnce() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.v *= 3
}

// Method values.
func Bound(m *meter) {
	get, set := m.Value, m.SetValue
	v := get()
	set(v * 3) // want `lost-update: m\.v was read`
}

// Method expressions.
func Expression(m *meter) {
	v := (*meter).Value(m)
	(*meter).SetValue(m, v*3) // want `lost-update: m\.v was read`
}

// Literals kept in variables.
func Kept(m *meter) {
	read := func() int { return m.Value() }
	write := func(v int) { m.SetValue(v) }
	v := read()
	write(v * 3) // want `lost-update: .*v was read`
}

// A Cell is generic.
type Cell[T any] struct {
	mu  sync.RWMutex
	val T
	set bool
}

func (c *Cell[T]) Load() (T, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.val, c.set
}

func (c *Cell[T]) Store(v T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.val, c.set = v, true
}

func (c *Cell[T]) Update(f func(T) T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.val = f(c.val)
}

// Map works on stale values inside of the generic type.
func (c *Cell[T]) Map(f func(T) T) {
	v, _ := c.Load()
	c.Store(f(v)) // want `lost-update: c\.val was read`
}

// Bump works on an instance of it.
func Bump(c *Cell[int]) {
	v, _ := c.Load()
	c.Store(v + 1) // want `lost-update: c\.val was read`
}

func BumpAtOnce(c *Cell[int]) {
	c.Update(func(v int) int { return v + 1 })
}

// Init gives every caller that comes early its own value.
func Init(c *Cell[*note]) *note {
	if n, ok := c.Load(); ok {
		return n
	}
	n := new(note)
	c.Store(n) // want `check-then-act: c\.(set|val) was checked`
	return n
}

// Numeric is a constraint with methods to lock.
type Numeric interface{ ~int | ~int64 | ~float64 }

type Sum[N Numeric] struct {
	sync.Mutex
	total N
}

func Scale[N Numeric](s *Sum[N], by N) {
	s.Lock()
	t := s.total
	s.Unlock()
	s.Lock()
	s.total = t * by // want `lost-update: s\.total was read`
	s.Unlock()
}

func ScaleAtOnce[N Numeric](s *Sum[N], by N) {
	s.Lock()
	defer s.Unlock()
	s.total *= by
}

// Recursive callees.
type Tree struct {
	mu    sync.Mutex
	depth int
	kids  []*Tree
}

func (t *Tree) Depth() int {
	t.mu.Lock()
	d := t.depth
	kids := append([]*Tree(nil), t.kids...)
	t.mu.Unlock()
	for _, k := range kids {
		d = max(d, k.Depth()+1)
	}
	return d
}

func (t *Tree) SetDepth(d int) {
	t.mu.Lock()
	t.depth = d
	t.mu.Unlock()
}

func (t *Tree) Add(k *Tree) {
	t.mu.Lock()
	t.kids = append(t.kids, k)
	t.mu.Unlock()
}

func (t *Tree) Deepen() {
	t.SetDepth(t.Depth() + 1) // want `lost-update: t\.depth was read`
}
