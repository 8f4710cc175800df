// Package idiom has correct code, or code that is not wrong for this reason, with
// the pattern in it.
package idiom

import (
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
)

type desk struct {
	mu    sync.Mutex
	q     *queue
	r     *registry
	c     *counter
	conf  *config
	tasks []int
	sum   int
}

// The first passage changes what it reads: each is a step of its own.

type queue struct {
	mu     sync.Mutex
	jobs   []int
	closed bool
	next   int
	busy   bool
}

func (q *queue) Push(j int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, j)
}

func (q *queue) Pop() (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 {
		return 0, false
	}
	j := q.jobs[0]
	q.jobs = q.jobs[1:]
	return j, true
}

func (q *queue) Drain() []int {
	q.mu.Lock()
	defer q.mu.Unlock()
	jobs := q.jobs
	q.jobs = nil
	return jobs
}

func (q *queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.jobs)
}

func (q *queue) ID() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next++
	return q.next
}

func (q *queue) Closed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

func (q *queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}

func (d *desk) PopTwo() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	a, _ := d.q.Pop()
	b, _ := d.q.Pop()
	return a + b
}

func (d *desk) PopAll() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	sum := 0
	for {
		j, ok := d.q.Pop()
		if !ok {
			return sum
		}
		sum += j
	}
}

func (d *desk) DrainBack() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, j := range d.q.Drain() {
		d.q.Push(j + 1)
	}
}

func (d *desk) TwoIDs() (int, int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.q.ID(), d.q.ID()
}

func (d *desk) Named() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.q.ID()
	return fmt.Sprint(a, d.q.ID())
}

// A claim.
func (q *queue) claim() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy {
		return false
	}
	q.busy = true
	return true
}

func (q *queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy = false
}

func (d *desk) Exclusive(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.q.claim() {
		return
	}
	f()
	d.q.release()
}

// The second passage looks for itself.

func (d *desk) PopIfAny() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.q.Len() > 0 {
		d.q.Pop()
	}
}

// A registry that only grows.

type entry struct{ name string }

type registry struct {
	mu sync.Mutex
	m  map[string]*entry
}

func (r *registry) Get(name string) *entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.m[name]
}

func (r *registry) Intern(name string) *entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.m[name]; e != nil {
		return e
	}
	e := &entry{name}
	r.m[name] = e
	return e
}

func (d *desk) Entry(name string) *entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.r.Get(name); e != nil {
		return e
	}
	return d.r.Intern(name)
}

func (d *desk) Pair(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.r.Get(name) == d.r.Get(name)
}

// One that elements are taken out of, but what is found is checked.

type table struct {
	mu sync.Mutex
	m  map[string]int
}

func (t *table) Get(k string) (int, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok := t.m[k]
	return v, ok
}

func (t *table) Keys() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	keys := make([]string, 0, len(t.m))
	for k := range t.m {
		keys = append(keys, k)
	}
	return keys
}

func (t *table) Put(k string, v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = v
}

func (t *table) Delete(k string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.m, k)
}

func (t *table) Take(k string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.m[k]; !ok {
		return errors.New("no such key")
	}
	delete(t.m, k)
	return nil
}

func (d *desk) TakeKnown(t *table, k string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := t.Get(k); !ok {
		return nil
	}
	return t.Take(k)
}

// The value that is found is checked.
func (d *desk) First(t *table) (int, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	keys := t.Keys()
	if len(keys) == 0 {
		return 0, false
	}
	if v, ok := t.Get(keys[0]); ok {
		return v, true
	}
	return 0, false
}

// Different elements.
func (d *desk) Copy(t *table, from, to string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v, _ := t.Get(from)
	t.Put(to, v)
}

func (d *desk) Sum(t *table) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	a, _ := t.Get("a")
	b, _ := t.Get("b")
	return a + b
}

// Two that write without looking.
func (d *desk) Blind(t *table) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t.Put("a", 1)
	t.Put("b", 2)
	t.Put("a", 3)
}

// A journal: lines are added to it.

type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) Add(s string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, s)
}

func (d *desk) Note(j *journal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	j.Add("begin")
	d.sum++
	j.Add("end")
}

func (d *desk) NoteAll(j *journal, lines []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range lines {
		j.Add(s)
	}
}

// Counters that are changed by an amount.

type counter struct {
	mu   sync.Mutex
	n    int
	refs int
}

func (c *counter) Add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += n
}

func (c *counter) Value() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *counter) Retain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refs++
}

func (c *counter) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refs--; c.refs == 0 {
		c.n = 0
	}
}

func (d *desk) AddBoth(a, b int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.c.Add(a)
	d.c.Add(b)
}

func (d *desk) Use(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.c.Retain()
	f()
	d.c.Release()
}

// Polling: whoever asks again wants to know something new.
func (d *desk) WaitZero(sleep func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.c.Value() > 0 {
		sleep()
	}
}

func (d *desk) WaitClosed(sleep func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for !d.q.Closed() {
		sleep()
	}
}

// A flag that is set once and for all.
func (d *desk) Run(step func()) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.q.Closed() {
		return false
	}
	step()
	return !d.q.Closed()
}

func (d *desk) CloseOnce() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.q.Closed() {
		d.q.Close()
	}
}

// What only goes to a log.
func (d *desk) Log() {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.c.Value()
	d.sum++
	log.Printf("from %d to %d", before, d.c.Value())
}

func (d *desk) LogEach(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for range n {
		log.Print(d.c.Value())
	}
}

// A value that is not used.
func (d *desk) Unused() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.c.Value()
	return d.c.Value()
}

// What does not change.

type config struct {
	mu   sync.Mutex
	host string
	port int
}

func newConfig(host string, port int) *config { return &config{host: host, port: port} }

func (c *config) Host() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.host
}

func (c *config) Port() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.port
}

func (d *desk) Addr() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	host := d.conf.Host()
	return fmt.Sprintf("%s:%d", host, d.conf.Port())
}

// What does not belong together: one changes without the other.

type status struct {
	mu    sync.Mutex
	hits  int
	title string
}

func (s *status) Hit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits++
}

func (s *status) Rename(t string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.title = t
}

func (s *status) Hits() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits
}

func (s *status) Title() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.title
}

func (d *desk) Head(s *status) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	title := s.Title()
	return fmt.Sprint(title, s.Hits())
}

// An object that has not been given to anybody.
func (d *desk) Build() *counter {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := new(counter)
	c.Add(1)
	if c.Value() < d.sum {
		c.Add(d.sum - c.Value())
	}
	return c
}

// Copies under the lock.
func (d *desk) Snapshot(q *queue) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	q.mu.Lock()
	jobs := append([]int(nil), q.jobs...)
	q.mu.Unlock()
	for _, j := range jobs {
		n += j
	}
	return n
}

// A lock that guards nothing of what is read.
func (d *desk) Nothing(mu *sync.Mutex) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	mu.Lock()
	a := d.sum
	mu.Unlock()
	mu.Lock()
	b := d.sum
	mu.Unlock()
	return a + b
}

// What Append tells is what it has done itself.

func (q *queue) Append(j int) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, j)
	return len(q.jobs)
}

func (d *desk) Place(j int) (int, int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.q.Append(j)
	return n, d.q.Len()
}

// What was read is compared with what is there then.
func (d *desk) Forget(t *table, k string, save func(int)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old, _ := t.Get(k)
	save(old)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.m[k] == old {
		delete(t.m, k)
	}
}

// One link after the other: each is another element.

type chain struct {
	mu   sync.Mutex
	next map[int]int
}

func (c *chain) Link(a, b int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next[a] = b
}

func (c *chain) Cut(a int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.next, a)
}

func (d *desk) End(c *chain, at int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		c.mu.Lock()
		next := c.next[at]
		c.mu.Unlock()
		if next == 0 {
			return at
		}
		at = next
	}
}

// The first only decides that there is a second one.
func (d *desk) Shown(q *queue, show func(int)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if q.Len() > 3 {
		show(q.Len())
	}
}

// Others come in between without the desk.
func Submit(q *queue, j int) { q.Push(j) }

func Close(q *queue) { q.Close() }

func Register(r *registry, name string) { r.Intern(name) }

// A lock that has nothing to do with what is read in its sections.

type hits struct {
	mu   sync.Mutex
	name string
	n    atomic.Int64
}

func Hit(h *hits) { h.n.Add(1) }

func (d *desk) Rate(h *hits, pause func()) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	h.mu.Lock()
	before := h.n.Load()
	h.name = ""
	h.mu.Unlock()
	pause()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.name = "rate"
	return h.n.Load() - before
}

// What was found is taken off, and what has come in between is left.

type ledger struct {
	mu    sync.Mutex
	dirty int
	notes []string
}

func (l *ledger) Note(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, s)
	l.dirty++
}

func (d *desk) WriteOff(l *ledger, write func([]string) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	l.mu.Lock()
	notes, before := l.notes, l.dirty
	l.mu.Unlock()
	if err := write(notes); err != nil {
		return err
	}
	l.mu.Lock()
	l.dirty -= before
	l.mu.Unlock()
	d.sum = before
	return nil
}

// What has been sent is taken off by position: what has been appended meanwhile stays.

type outbox struct {
	mu    sync.Mutex
	lines []string
}

func (b *outbox) Add(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, line)
}

func (b *outbox) peek() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.lines...)
}

func (b *outbox) discard(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines[:0], b.lines[n:]...)
}

func (d *desk) Ship(b *outbox, send func([]string) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := b.peek()
	if err := send(lines); err != nil {
		return err
	}
	d.sum = len(lines)
	b.discard(len(lines))
	return nil
}
