// Package idiom is correct code that looks wrong. Nothing in it is reported.
package idiom

import (
	"errors"
	"sync"
	"sync/atomic"
)

var errFull = errors.New("full")

// Re-check under the lock: the first look is a short cut.

type doc struct {
	title string
	words int
}

type Library struct {
	mu   sync.RWMutex
	docs map[string]*doc
	open int
	max  int
}

func NewLibrary(max int) *Library { return &Library{docs: make(map[string]*doc), max: max} }

func (l *Library) Doc(title string) *doc {
	l.mu.RLock()
	d, ok := l.docs[title]
	l.mu.RUnlock()
	if ok {
		return d
	}
	n := &doc{title: title}
	l.mu.Lock()
	defer l.mu.Unlock()
	if d, ok := l.docs[title]; ok {
		return d
	}
	l.docs[title] = n
	return n
}

// Replace swaps a document if it is still the one that was measured.
func (l *Library) Replace(title string, measure func(*doc) int) bool {
	l.mu.RLock()
	d := l.docs[title]
	l.mu.RUnlock()
	if d == nil {
		return false
	}
	n := &doc{title: title, words: measure(d)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.docs[title] != d {
		return false
	}
	l.docs[title] = n
	return true
}

// Forget is another writer of all this.
func (l *Library) Forget(title string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.docs, title)
}

// Open is a pre-filter: openLocked has the authoritative check.
func (l *Library) Open() error {
	l.mu.RLock()
	full := l.open >= l.max
	l.mu.RUnlock()
	if full {
		return errFull
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.openLocked()
}

func (l *Library) openLocked() error {
	if l.open >= l.max {
		return errFull
	}
	l.open++
	return nil
}

func (l *Library) Shut() {
	l.mu.Lock()
	l.open--
	l.mu.Unlock()
}

// The check is in a method that answers, and the caller asks it twice.
func (l *Library) OpenAgain() bool {
	if l.full() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fullLocked() {
		return false
	}
	l.open++
	return true
}

func (l *Library) full() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.fullLocked()
}

func (l *Library) fullLocked() bool { return l.open >= l.max }

// Insert if absent, checked inside.

type Names struct {
	mu sync.Mutex
	m  map[string]*doc
}

func (n *Names) find(name string) *doc {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.m[name]
}

func (n *Names) insert(name string, d *doc) (*doc, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if old := n.m[name]; old != nil {
		return old, false
	}
	n.m[name] = d
	return d, true
}

func (n *Names) remove(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.m, name)
}

func (n *Names) Ensure(name string) *doc {
	if d := n.find(name); d != nil {
		return d
	}
	d, _ := n.insert(name, &doc{title: name})
	return d
}

func (n *Names) Drop(name string) { n.remove(name) }

// Versions: the act compares a generation.

type Page struct {
	mu   sync.Mutex
	gen  int
	text string
	html string
}

func (p *Page) Edit(text string) {
	p.mu.Lock()
	p.gen++
	p.text = text
	p.html = ""
	p.mu.Unlock()
}

func (p *Page) Render(render func(string) string) string {
	p.mu.Lock()
	text, gen, html := p.text, p.gen, p.html
	p.mu.Unlock()
	if html != "" {
		return html
	}
	html = render(text)
	p.mu.Lock()
	if p.gen == gen {
		p.html = html
	}
	p.mu.Unlock()
	return html
}

// An atomic version beside the lock.
type Board struct {
	rev  atomic.Uint64
	mu   sync.Mutex
	view string
	rows []string
}

func (b *Board) Write(row string) {
	b.mu.Lock()
	b.rows = append(b.rows, row)
	b.view = ""
	b.rev.Add(1)
	b.mu.Unlock()
}

func (b *Board) View(draw func([]string) string) string {
	b.mu.Lock()
	rows := append([]string(nil), b.rows...)
	rev := b.rev.Load()
	b.mu.Unlock()
	v := draw(rows)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rev.Load() == rev {
		b.view = v
	}
	return v
}

// A lease is a token that is checked again.

type Lease struct {
	mu    sync.Mutex
	token uint64
	owner string
	until int64
}

func (l *Lease) Acquire(owner string, now int64) (uint64, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.owner != "" && now < l.until {
		return 0, false
	}
	l.token++
	l.owner, l.until = owner, now+10
	return l.token, true
}

func (l *Lease) Extend(token uint64, now int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token != token || now >= l.until {
		return false
	}
	l.until = now + 10
	return true
}

func (l *Lease) Work(owner string, now func() int64, step func() bool) bool {
	token, ok := l.Acquire(owner, now())
	for ok && step() {
		ok = l.Extend(token, now())
	}
	return ok
}

// Upgrade of an expiring value: tested again under the writers' lock.
type Fresh struct {
	mu    sync.RWMutex
	val   *doc
	until int64
}

func (f *Fresh) validLocked(now int64) bool { return f.val != nil && now < f.until }

func (f *Fresh) Value(now int64, load func() *doc) *doc {
	f.mu.RLock()
	v, ok := f.val, f.validLocked(now)
	f.mu.RUnlock()
	if ok {
		return v
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.validLocked(now) {
		return f.val
	}
	f.val, f.until = load(), now+60
	return f.val
}

func (f *Fresh) Expire() {
	f.mu.Lock()
	f.val = nil
	f.mu.Unlock()
}

// A Door is closed by whoever finds that it was open in the step that closes it.
type Door struct {
	state atomic.Int32
	shut  []string
	mu    sync.Mutex
}

const closed = 1

func (d *Door) Close(who string) {
	if d.state.Load() == closed {
		return
	}
	if d.state.Swap(closed) == closed {
		return
	}
	d.mu.Lock()
	d.shut = append(d.shut, who)
	d.mu.Unlock()
}

func (d *Door) swap() int32 { return d.state.Swap(closed) }

func (d *Door) close(who string) {
	if d.swap() == closed {
		return
	}
	d.mu.Lock()
	d.shut = append(d.shut, who)
	d.mu.Unlock()
}

func (d *Door) Slam(who string) {
	if d.state.Load() != closed {
		d.close(who)
	}
}

// Open is the other direction.
func (d *Door) Open() { d.state.Store(0) }

// A Pool makes an entry and then looks it up, all in one section.
type Pool struct {
	mu      sync.RWMutex
	entries map[string]*entry
}

type entry struct{ refs atomic.Int64 }

func (p *Pool) Intern(s string) {
	p.mu.RLock()
	e, ok := p.entries[s]
	if ok {
		e.refs.Add(1)
		p.mu.RUnlock()
		return
	}
	p.mu.RUnlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if e, ok := p.entries[s]; ok {
		e.refs.Add(1)
		return
	}
	p.entries[s] = new(entry)
	p.entries[s].refs.Store(1)
}

func (p *Pool) Drop(s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.entries, s)
}

// A Fifo has one goroutine that takes from its front; others append behind.
type Fifo struct {
	mu      sync.Mutex
	pending []func()
	resume  chan struct{}
}

func NewFifo() *Fifo {
	f := &Fifo{resume: make(chan struct{}, 1)}
	go f.run()
	return f
}

func (f *Fifo) Schedule(job func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending = append(f.pending, job)
	select {
	case f.resume <- struct{}{}:
	default:
	}
}

func (f *Fifo) run() {
	for {
		var todo func()
		f.mu.Lock()
		if len(f.pending) != 0 {
			todo = f.pending[0]
		}
		f.mu.Unlock()
		if todo == nil {
			<-f.resume
			continue
		}
		todo()
		f.mu.Lock()
		f.pending = f.pending[1:]
		f.mu.Unlock()
	}
}
