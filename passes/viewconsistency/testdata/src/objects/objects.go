// Package objects has objects that consist of others, with locks of their own.
package objects

import "sync"

// A counter locks by itself.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) Get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *counter) Set(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = n
}

// A roster does, too.
type roster struct {
	mu    sync.RWMutex
	names []string
}

func (r *roster) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return append([]string(nil), r.names...)
}

func (r *roster) Replace(names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names = names
}

// A club keeps the two consistent, under a lock of its own.
type club struct {
	mu      sync.Mutex
	members *roster
	size    *counter
	head    string
}

func (c *club) Admit(names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.head = names[0]
	c.members.Replace(names)
	c.size.Set(len(names))
}

// Snapshot takes each under its own lock: Admit may run in between.
func (c *club) Snapshot() (string, int) {
	c.mu.Lock()
	head := c.head
	c.mu.Unlock()
	n := c.size.Get() // want `split-read: c\.head at line 61 and c\.size\.n here are read apart, in separate critical sections, but written together by \(\*club\)\.Admit under club\.mu`
	return head, n
}

func (c *club) SnapshotAtOnce() (string, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.head, c.size.Get()
}

// Two that nobody writes together.
type hotel struct {
	mu    sync.Mutex
	rooms *counter
	staff *roster
}

func (h *hotel) Build(n int)            { h.mu.Lock(); h.rooms.Set(n); h.mu.Unlock() }
func (h *hotel) Hire(names []string)    { h.mu.Lock(); h.staff.Replace(names); h.mu.Unlock() }
func (h *hotel) Stats() (int, []string) { return h.rooms.Get(), h.staff.Names() }

// In line, with structs by value.

type half struct {
	mu  sync.Mutex
	val int
}

type rest struct {
	mu  sync.Mutex
	val int
}

type whole struct {
	mu    sync.Mutex
	left  half
	right rest
	moves int
}

func (w *whole) Both(l, r int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moves++
	w.left.mu.Lock()
	w.left.val = l
	w.left.mu.Unlock()
	w.right.mu.Lock()
	w.right.val = r
	w.right.mu.Unlock()
}

func (w *whole) Diff() int {
	w.left.mu.Lock()
	l := w.left.val
	w.left.mu.Unlock()
	w.right.mu.Lock()
	r := w.right.val // want `split-read: w\.left\.val at line 117 and w\.right\.val here are read apart, in separate critical sections`
	w.right.mu.Unlock()
	return l - r
}

func (w *whole) DiffAtOnce() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left.mu.Lock()
	l := w.left.val
	w.left.mu.Unlock()
	w.right.mu.Lock()
	r := w.right.val
	w.right.mu.Unlock()
	return l - r
}

// A pair of fields of a part, whose lock is that of the whole.

type stats struct{ hits, misses int }

type cache struct {
	mu    sync.Mutex
	data  map[string]string
	stats stats
}

func (c *cache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats = stats{}
	clear(c.data)
}

func (c *cache) Resize(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.hits, c.stats.misses = n, n
}

func (c *cache) Ratio() float64 {
	c.mu.Lock()
	h := c.stats.hits
	c.mu.Unlock()
	c.mu.Lock()
	m := c.stats.misses // want `split-read: c\.stats\.hits at line 162 and c\.stats\.misses here are read apart, in separate critical sections`
	c.mu.Unlock()
	return float64(h) / float64(h+m)
}

func (c *cache) RatioAtOnce() float64 {
	c.mu.Lock()
	st := c.stats
	c.mu.Unlock()
	return float64(st.hits) / float64(st.hits+st.misses)
}

// Elements of a map, and the number of them.

type index struct {
	mu    sync.Mutex
	byKey map[string]int
	order []string
}

func (x *index) Add(key string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.byKey[key] = len(x.order)
	x.order = append(x.order, key)
}

func (x *index) At(key string) string {
	x.mu.Lock()
	i, ok := x.byKey[key]
	x.mu.Unlock()
	if !ok {
		return ""
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.order[i] // want `split-read: x\.byKey\[key\] at line 194 and x\.order\[x\.byKey\[…\]\] here are read apart, in separate critical sections`
}

func (x *index) AtAtOnce(key string) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if i, ok := x.byKey[key]; ok {
		return x.order[i]
	}
	return ""
}

func (x *index) Drop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.byKey = make(map[string]int)
	x.order = nil
}

// An interface with several implementations, of which one moves.

type planar interface {
	X() int
	Y() int
}

type anchor struct{ x, y int }

func (p anchor) X() int { return p.x }
func (p anchor) Y() int { return p.y }

type boat struct {
	mu   sync.Mutex
	x, y int
}

func (b *boat) X() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.x
}

func (b *boat) Y() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.y
}

func (b *boat) Move(x, y int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.x, b.y = x, y
}

func Area(p planar) int {
	return p.X() * p.Y() // want `split-read: p\.x at line 256 and p\.y here are read apart, in separate critical sections, but written together by \(\*boat\)\.Move under boat\.mu`
}

func AnchorArea(p anchor) int { return p.X() * p.Y() }

// Method values.
func Value(b *boat) int {
	x, y := b.X, b.Y
	return x() * y() // want `split-read: b\.x at line 264 and b\.y here are read apart, in separate critical sections`
}

// The lock of another object of the same type.

type vec struct {
	mu  sync.Mutex
	len int
	b   []byte
}

func (s *vec) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.len
}

func (s *vec) Bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]byte(nil), s.b...)
}

func (s *vec) Truncate(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b, s.len = s.b[:n], n
}

// AppendFrom has the locks of the original StringBuffer.
func (s *vec) AppendFrom(o *vec) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := o.Len()
	b := o.Bytes() // want `split-read: o\.len at line 297 and o\.b here are read apart, in separate critical sections, but written together by \(\*vec\)\.Truncate under vec\.mu`
	s.b = append(s.b, b[:n]...)
	s.len += n
}

func (s *vec) Clear(o *vec) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.mu.Lock()
	o.len = 0
	o.mu.Unlock()
	o.mu.Lock()
	o.b = nil // want `split-write: o\.len at line 307 and o\.b here are written apart, in separate critical sections`
	o.mu.Unlock()
}

func (s *vec) AppendAtOnce(o *vec) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	s.b = append(s.b, o.b[:o.len]...)
	s.len += o.len
}

// The lock of an element is held, and within it that of the table.

type wing struct{ doors int }

type house struct {
	mu    sync.Mutex
	wings map[string]*wing
	floor map[string]int
}

type town struct {
	mu     sync.Mutex
	houses map[string]*house
	names  []string
}

func (t *town) Raze(name, side string) {
	t.mu.Lock()
	h := t.houses[name]
	t.mu.Unlock()
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.wings, side)
	h.floor[side] = 0
	if len(h.wings) == 0 {
		t.mu.Lock()
		delete(t.houses, name)
		t.mu.Unlock()
	}
}

func (t *town) Build(name, side string) {
	t.mu.Lock()
	h := t.houses[name]
	if h == nil {
		h = &house{wings: make(map[string]*wing), floor: make(map[string]int)}
		t.houses[name] = h
	}
	t.mu.Unlock()
	h.mu.Lock()
	h.wings[side] = new(wing)
	h.mu.Unlock()
}

// Doors relies on the wing, which Raze removes together with the house.
func (t *town) Doors(name, side string) int {
	t.mu.Lock()
	h, ok := t.houses[name]
	t.mu.Unlock()
	if !ok {
		return 0
	}
	h.mu.Lock()
	w := h.wings[side] // want `split-read: t\.houses\[name\] at line \d+ and .*wings.* here are read apart, in separate critical sections, but written together by \(\*town\)\.Raze under house\.mu`
	h.mu.Unlock()
	return w.doors
}

// DoorsIfThere asks whether the wing is still there.
func (t *town) DoorsIfThere(name, side string) int {
	t.mu.Lock()
	h, ok := t.houses[name]
	t.mu.Unlock()
	if !ok {
		return 0
	}
	h.mu.Lock()
	w := h.wings[side]
	h.mu.Unlock()
	if w == nil {
		return 0
	}
	return w.doors
}

// Fold releases the lock of the house before it takes that of the town: two steps.
func (t *town) Fold(name string) {
	t.mu.Lock()
	h := t.houses[name]
	t.mu.Unlock()
	h.mu.Lock()
	clear(h.floor)
	h.mu.Unlock()
	t.mu.Lock()
	t.names = append(t.names, name)
	t.mu.Unlock()
}

func (t *town) Level(name, side string) (string, int) {
	t.mu.Lock()
	h, first := t.houses[name], t.names[0]
	t.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	return first, h.floor[side]
}
