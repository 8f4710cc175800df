package known

import (
	"sync"
	"time"
)

type level struct {
	mu   sync.Mutex
	n    int
	tags []string
	m    map[string]*item
}

func New() *level { return &level{m: make(map[string]*item)} }

func (l *level) get() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

func (l *level) set(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n = n
}

// Clear interferes.
func (l *level) Clear() {
	l.mu.Lock()
	l.n, l.tags = 0, nil
	clear(l.m)
	l.mu.Unlock()
}

// Literals that are called where they stand.

func (l *level) Immediate() {
	l.mu.Lock()
	n := l.n
	l.mu.Unlock()
	func(n int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.n = n * 2 // MISSED: lost-update: it is reported at the call instead
	}(n) // FALSE: lost-update: this is not the line to edit
}

func (l *level) Captured() {
	var n int
	func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		n = l.n
	}()
	l.set(n * 2) // want `lost-update: l\.n was read`
}

func (l *level) CapturedAct() {
	n := l.get()
	func() {
		l.set(n * 2) // want `lost-update: l\.n was read`
	}()
}

func (l *level) Deferred(work func()) {
	n := l.get()
	defer func() {
		l.set(n * 2) // want `lost-update: l\.n was read`
	}()
	work()
}

func (l *level) Go() {
	n := l.get()
	go func() { // want `lost-update: l\.n was read`
		l.set(n * 2)
	}()
}

func (l *level) GoArgument() {
	n := l.get()
	go l.set(n * 2) // want `lost-update: l\.n was read`
}

func (l *level) After(d time.Duration) {
	n := l.get()
	time.AfterFunc(d, func() { // want `lost-update: l\.n was read`
		l.set(n * 2)
	})
}

// update gives f what is there, which f ignores.
func (l *level) update(f func(int) int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n = f(l.n)
}

func (l *level) Update() {
	old := l.get()
	l.update(func(int) int { return old * 2 }) // MISSED: lost-update: not a delta
}

// By pointer, by an object that the callee has made.

func (l *level) read(n *int) {
	l.mu.Lock()
	*n = l.n
	l.mu.Unlock()
}

func (l *level) Out() {
	var n int
	l.read(&n)
	l.set(n * 2) // want `lost-update: l\.n was read at line 116`
}

func (l *level) made() *item {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &item{n: l.n}
}

func (l *level) Made() {
	x := l.made()
	x.n *= 2
	l.set(x.n) // MISSED: lost-update: by way of a new object
}

// The elements of the old slice are no second look.
func (l *level) Append(tag string) {
	l.mu.Lock()
	tags := l.tags
	l.mu.Unlock()
	for _, t := range tags {
		if t == tag {
			return
		}
	}
	tags = append(tags[:len(tags):len(tags)], tag)
	l.mu.Lock()
	l.tags = tags // want `lost-update: l\.tags was read at line \d+`
	l.mu.Unlock()
}

// A flag that is found in a loop.
func (l *level) Missing(tag string) {
	l.mu.Lock()
	found := false
	for _, t := range l.tags {
		if t == tag {
			found = true
		}
	}
	l.mu.Unlock()
	if found {
		return
	}
	l.mu.Lock()
	l.tags = append(l.tags, tag) // MISSED: check-then-act: found in a loop
	l.mu.Unlock()
}

// A key that is computed from what was read.
func (l *level) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.tags)
}

type table struct {
	mu   sync.Mutex
	rows map[int]*item
}

func (t *table) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.rows)
}

func (t *table) Add(x *item) int {
	id := t.Len() + 1
	t.mu.Lock()
	t.rows[id] = x // MISSED: stale-use: two callers may get one id
	t.mu.Unlock()
	return id
}

func (t *table) Delete(id int) {
	t.mu.Lock()
	delete(t.rows, id)
	t.mu.Unlock()
}

// A new object whose fields get constants: nothing of it was read.

type cache struct {
	mu sync.RWMutex
	m  map[string]*item
}

func (c *cache) Get(name string) *item {
	c.mu.RLock()
	x := c.m[name]
	c.mu.RUnlock()
	if x == nil {
		x = &item{n: 1}
		c.mu.Lock()
		c.m[name] = x // want `check-then-act: `
		c.mu.Unlock()
	}
	return x
}

func (c *cache) Drop(name string) {
	c.mu.Lock()
	delete(c.m, name)
	c.mu.Unlock()
}

// The number that the flow begins with is chosen by nothing.

type word struct {
	text string
	mu   sync.Mutex
	hash uint32
}

func NewWord(text string) *word { return &word{text: text} }

func (w *word) Hash() uint32 {
	w.mu.Lock()
	h := w.hash
	w.mu.Unlock()
	if h != 0 {
		return h
	}
	h = 17
	for _, c := range w.text {
		h = h*31 + uint32(c)
	}
	w.mu.Lock()
	w.hash = h
	w.mu.Unlock()
	return h
}

func (w *word) HashFromZero() uint32 {
	w.mu.Lock()
	h := w.hash
	w.mu.Unlock()
	if h == 0 {
		for _, c := range w.text {
			h = h*31 + uint32(c)
		}
		w.mu.Lock()
		w.hash = h // FALSE: lost-update: h was 0, so it depends on the text alone
		w.mu.Unlock()
	}
	return h
}

type gauge struct {
	mu    sync.Mutex
	level int
}

// A function without locks is not summarized: its result is taken to depend on
// its arguments.
func (g *gauge) HelperIgnores() {
	g.mu.Lock()
	n := g.level
	g.mu.Unlock()
	n = fixed(n)
	g.mu.Lock()
	g.level = n // FALSE: lost-update: n is 42
	g.mu.Unlock()
}

func fixed(int) int { return 42 }
