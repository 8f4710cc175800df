// Package parts has objects that are replaced as a whole, and readers that take their parts from
// one read, or from two.
package parts

import (
	"encoding/csv"
	"strconv"
	"sync"
	"sync/atomic"
)

type page struct {
	height, time uint64
	name         string
	parent       *page
}

func (p *page) Height() uint64 { return p.height }
func (p *page) Time() uint64   { return p.time }

// A Book has the newest page of a history.
type Book struct {
	mu    sync.Mutex
	head  atomic.Pointer[page]
	first atomic.Pointer[page] // is never replaced
}

func NewBook() *Book {
	b := new(Book)
	b.first.Store(new(page))
	b.head.Store(b.first.Load())
	return b
}

func (b *Book) Head() *page { return b.head.Load() }

func (b *Book) Append(time uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := b.head.Load()
	b.head.Store(&page{height: last.height + 1, time: time, parent: last})
}

func badge(height, time uint64) uint64 { return height<<32 ^ time }

// Badge has the height of one page and the time of another.
func Badge(b *Book) uint64 {
	return badge(b.Head().height, b.Head().time) // want `split-read: b\.head\.height at line 48 and b\.head\.time here are taken from two reads of b\.head, in separate atomic operations, but it may be replaced in between by \(\*Book\)\.Append`
}

// BadgeByGetters does the same.
func BadgeByGetters(b *Book) uint64 {
	return badge(b.Head().Height(), b.Head().Time()) // want `b\.head\.Height\(\) at line 53 and b\.head\.Time\(\) here are taken from two reads`
}

// BadgeOfOne has both of one page.
func BadgeOfOne(b *Book) uint64 {
	head := b.Head()
	return badge(head.height, head.time)
}

// BadgeOfFirst reads a page that is never replaced.
func BadgeOfFirst(b *Book) uint64 { return badge(b.first.Load().height, b.first.Load().time) }

// Each uses each part for itself.
func Each(b *Book, use func(uint64)) {
	use(b.Head().height)
	use(b.Head().time)
}

// Grown takes the same part twice: it looks again.
func Grown(b *Book) bool {
	before := b.Head().height
	b.Append(1)
	return b.Head().height > before
}

// Appended uses all of the page that it read first.
func Appended(b *Book, add func(*page) error) (uint64, uint64) {
	head := b.Head()
	if add(head) != nil {
		return 0, 0
	}
	return head.height, b.Head().time
}

// Retry takes both of one page in each round.
func Retry(b *Book, ok func(h, t uint64) bool) {
	for {
		head := b.Head()
		if ok(head.height, head.time) {
			return
		}
	}
}

// A Desk has a struct under a lock.
type Desk struct {
	mu  sync.Mutex
	job page
}

func (d *Desk) Job() page {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.job
}

func (d *Desk) Next(p page) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.job = p
}

// Label has parts of two jobs.
func (d *Desk) Label() uint64 {
	return badge(d.Job().height, d.Job().time) // want `split-read: d\.job\.height at line 117 and d\.job\.time here are taken from two reads of d\.job, in separate critical sections`
}

// LabelOfOne copies the job once.
func (d *Desk) LabelOfOne() uint64 {
	job := d.Job()
	return badge(job.height, job.time)
}

// LabelHeld keeps others away with a lock that they need.
func (b *Book) LabelHeld() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return badge(b.Head().height, b.Head().time)
}

type settings struct {
	name  string
	limit int
	slots int
}

// A Plan has settings of which some are changed while it runs.
type Plan struct{ conf atomic.Pointer[settings] }

type change struct{ limit, slots int }

func (c change) apply(to settings) settings {
	to.limit = c.limit
	to.slots = c.slots
	return to
}

func (p *Plan) Reload(c change) {
	conf := c.apply(*p.conf.Load())
	p.conf.Store(&conf)
}

// Greeting has a name that is always the same.
func (p *Plan) Greeting() (string, int) { return p.conf.Load().name, p.conf.Load().limit }

// Room has the limit and the slots of two.
func (p *Plan) Room() int {
	return p.conf.Load().limit - p.conf.Load().slots // want `p\.conf\.limit at line 160 and p\.conf\.slots here are taken from two reads`
}

// Install replaces all settings by those that it is given, one of them changed.
type Site struct{ conf atomic.Pointer[settings] }

func (s *Site) Install(next settings) {
	next.name += "!"
	s.conf.Store(&next)
}

func (s *Site) Greeting() (string, int) {
	return s.conf.Load().name, s.conf.Load().limit // want `s\.conf\.name at line \d+ and s\.conf\.limit here are taken from two reads`
}

// A Stack replaces its top by a copy that is a copy of itself, as it is changed in a loop.
type Stack struct{ top atomic.Pointer[page] }

func (s *Stack) Grow(n int) {
	c := *s.top.Load()
	for range n {
		next := c
		next.height++
		next.time++
		c = next
	}
	s.top.Store(&c)
}

func (s *Stack) Badge() uint64 {
	return badge(s.top.Load().height, s.top.Load().time) // want `split-read: s\.top\.height at line \d+ and s\.top\.time here are taken from two reads of s\.top`
}

func (b *Book) height() uint64 { return b.head.Load().height }
func (b *Book) time() uint64   { return b.Head().time }

// BadgeByParts asks for one part after the other.
func BadgeByParts(b *Book) uint64 {
	return badge(b.height(), b.time()) // want `split-read: b\.head\.height at line \d+ and b\.head\.time here are taken from two reads of b\.head`
}

// BadgeOfHeights has one part twice.
func BadgeOfHeights(b *Book) uint64 { return badge(b.height(), b.height()) }

// parent yields another page than the one that was read.
func (b *Book) parent() *page { return b.head.Load().parent }

// climb comes back to itself.
func (b *Book) climb(n int) *page {
	if n == 0 {
		return b.head.Load()
	}
	return b.climb(n - 1)
}

// BadgeOfClimb reads through a function that calls itself.
func BadgeOfClimb(b *Book, n int) uint64 { return badge(b.climb(n).height, b.parent().time) } // want `b\.head\.height at line \d+ and b\.head\.parent here are taken from two reads`

// Row writes a number that is computed from two pages.
func Row(b *Book, w *csv.Writer) {
	height := b.Head().height
	w.Write([]string{strconv.FormatUint(b.Head().time-height, 10)}) // want `b\.head\.height at line \d+ and b\.head\.time here are taken from two reads`
}
