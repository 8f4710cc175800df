package precise

import (
	"bytes"
	"os"
	"regexp"
	"sync"
	"sync/atomic"
	"text/template"
	"time"
)

// A Pattern is compiled when it is first used.
type Pattern struct {
	text string
	re   atomic.Pointer[regexp.Regexp]
	one  atomic.Pointer[regexp.Regexp]
	page atomic.Pointer[template.Template]
	log  atomic.Pointer[os.File]
	buf  atomic.Pointer[bytes.Buffer]
	sum  atomic.Pointer[[4]byte]
	low  atomic.Pointer[[4]byte]
}

func (p *Pattern) hash() [4]byte { return [4]byte{byte(len(p.text))} }

// Sum keeps a copy of what is computed.
func (p *Pattern) Sum() [4]byte {
	if sum := p.sum.Load(); sum != nil {
		return *sum
	}
	v := p.hash()
	p.sum.Store(&v)
	return v
}

// Lower changes one of two copies.
func (p *Pattern) Lower() {
	low := p.low.Load()
	if low == nil {
		v := p.hash()
		low = &v
		p.low.Store(low) // want `check-then-act: p\.low was checked at line \d+`
	}
	low[0]--
}

func (p *Pattern) quoted() string { return "^" + regexp.QuoteMeta(p.text) + "$" }

// Matches may compile it twice: one is as good as the other.
func (p *Pattern) Matches(s string) bool {
	re := p.re.Load()
	if re == nil {
		re = regexp.MustCompile(p.quoted())
		p.re.Store(re)
	}
	return re.MatchString(s)
}

func (p *Pattern) Page() *template.Template {
	t := p.page.Load()
	if t == nil {
		t = template.Must(template.New("page").Parse(p.text))
		p.page.Store(t)
	}
	return t
}

// Log opens a file twice, and one of them is never closed.
func (p *Pattern) Log() *os.File {
	f := p.log.Load()
	if f == nil {
		f, _ = os.Create(p.text)
		p.log.Store(f) // want `check-then-act: p\.log was checked at line \d+`
	}
	return f
}

// Note writes into one of two buffers.
func (p *Pattern) Note(s string) {
	b := p.buf.Load()
	if b == nil {
		b = bytes.NewBufferString(p.text)
		p.buf.Store(b) // want `check-then-act: p\.buf was checked at line \d+`
	}
	b.WriteString(s)
}

// For compiles the pattern of its first caller, or of two of them. The others get one of these, as in any order.
func (p *Pattern) For(text string) *regexp.Regexp {
	re := p.one.Load()
	if re == nil {
		re = regexp.MustCompile(text)
		p.one.Store(re)
	}
	return re
}

var now atomic.Int64

func init() {
	go func() {
		for t := range time.Tick(time.Second) {
			now.Store(t.Unix())
		}
	}()
}

// A Visitor keeps the time of its last visit, by the clock of the program.
type Visitor struct {
	mu    sync.Mutex
	seen  atomic.Int64
	high  atomic.Int64
	until time.Time
	days  int
}

func (v *Visitor) Touch() {
	if t := now.Load(); v.seen.Load() < t-10 {
		v.seen.Store(t)
	}
}

// Raise loses the larger of two values.
func (v *Visitor) Raise(n int64) {
	if v.high.Load() < n {
		v.high.Store(n) // want `check-then-act: v\.high was checked at line \d+`
	}
}

// Extend sets a deadline by the days that are there then.
func (v *Visitor) Extend(ask func() bool) {
	v.mu.Lock()
	late := time.Now().After(v.until)
	v.mu.Unlock()
	if late && ask() {
		v.mu.Lock()
		v.until = time.Now().AddDate(0, 0, v.days)
		v.mu.Unlock()
	}
}

func (v *Visitor) SetDays(n int) {
	v.mu.Lock()
	v.days = n
	v.mu.Unlock()
}

// ExtendOld sets it by the days that were there.
func (v *Visitor) ExtendOld(ask func() bool) {
	v.mu.Lock()
	late, n := time.Now().After(v.until), v.days
	v.mu.Unlock()
	if late && ask() {
		v.mu.Lock()
		v.until = time.Now().AddDate(0, 0, n) // want `v\.until was checked at line \d+|stale-use: v\.days was read at line \d+`
		v.mu.Unlock()
	}
}

// Words gives numbers to words, and keeps them.
type Words struct {
	mu    sync.RWMutex
	of    map[string]int
	texts []string
	spare []string
}

func (w *Words) Number(text string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n, ok := w.of[text]; ok {
		return n
	}
	n := len(w.texts)
	w.of[text] = n
	w.texts = append(w.texts, text)
	w.spare = append(w.spare, text)
	return n
}

func (w *Words) text(n int) string { w.mu.RLock(); defer w.mu.RUnlock(); return w.texts[n] }

func (w *Words) spareText(n int) string { w.mu.RLock(); defer w.mu.RUnlock(); return w.spare[n] }

func (w *Words) Drop() { w.mu.Lock(); w.spare = w.spare[:0]; w.mu.Unlock() }

// Pair takes elements of a slice to which others only append.
func (w *Words) Pair(a, b int) int { return w.Number(w.text(a) + w.text(b)) }

// PairSpare takes elements of one that others empty.
func (w *Words) PairSpare(a, b int) int {
	return w.Number(w.spareText(a) + w.spareText(b)) // want `stale-use: w\.spare\[b\] was read at line \d+`
}

// Cells are read without the lock, by readers that are counted.
type Cells struct {
	mu      sync.Mutex
	free    *sync.Cond
	readers int
	visits  int
	cells   []int
}

func (c *Cells) enter() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.readers++
	return c.cells
}

func (c *Cells) leave() {
	c.mu.Lock()
	c.readers--
	c.mu.Unlock()
	c.free.Broadcast()
}

// Sum is safe from Scale, which waits for it.
func (c *Cells) Sum() (sum int) {
	cells := c.enter()
	defer c.leave()
	for _, x := range cells {
		sum += x
	}
	return sum
}

func (c *Cells) Scale(by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.readers > 0 {
		c.free.Wait()
	}
	for i := range c.cells {
		c.cells[i] *= by
	}
}

// Rows are counted, and nobody waits for the count.
type Rows struct {
	mu      sync.Mutex
	readers int
	rows    []int
}

func (r *Rows) enter() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readers++
	return r.rows
}

func (r *Rows) Sum() (sum int) {
	rows := r.enter()
	for _, x := range rows { // want `escape-ref: r\.rows was taken at line \d+`
		sum += x
	}
	return sum
}

func (r *Rows) Scale(by int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.readers > 10 {
		r.readers = 0
	}
	for i := range r.rows {
		r.rows[i] *= by
	}
}

// A Lease has a deadline, and an alarm that is set with it.
type Lease struct {
	mu    sync.Mutex
	ttl   time.Duration
	until time.Time
	alarm time.Time
}

func (l *Lease) Revoke() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until, l.alarm = time.Time{}, time.Time{}
}

// Renew sets both to what the clock says then.
func (l *Lease) Renew(ask func()) {
	l.mu.Lock()
	late := time.Now().After(l.until)
	l.mu.Unlock()
	if late {
		return
	}
	ask()
	l.mu.Lock()
	l.until = time.Now().Add(l.ttl)
	l.alarm = l.until
	l.mu.Unlock()
}
