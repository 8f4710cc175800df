// Package confined has updates in two critical sections that only one goroutine at a time
// runs, as a field that is written without a lock shows, beside those where it shows
// nothing.
package confined

import (
	"errors"
	"sync"
)

type record struct{ version int }

// Elector is run by one goroutine; others only ask who leads.
type Elector struct {
	mu     sync.RWMutex
	rec    record
	rounds int
}

func (e *Elector) record() record {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.rec
}

func (e *Elector) setRecord(r record) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rec = r
}

// Run writes e.rounds with no lock: it does not run beside itself. Its helpers run in it
// alone.
func (e *Elector) Run() {
	for e.rounds < 10 {
		e.try()
		e.rounds++
	}
}

func (e *Elector) try() {
	r := e.record()
	r.version++
	e.setRecord(r)
}

// Leader is for everybody.
func (e *Elector) Leader() int { return e.record().version }

// Open is the same without the evidence: everybody may call Advance.
type Open struct {
	mu  sync.RWMutex
	rec record
}

func (e *Open) record() record {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.rec
}

func (e *Open) setRecord(r record) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rec = r
}

func (e *Open) Advance() {
	r := e.record()
	r.version++
	e.setRecord(r) // want `lost-update: e\.rec was read at line \d+, .*`
}

// Mixed writes its evidence under the lock elsewhere: the field has no goroutine of its own.
type Mixed struct {
	mu     sync.RWMutex
	rec    record
	rounds int
}

func (e *Mixed) record() record {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.rec
}

func (e *Mixed) setRecord(r record) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rec = r
	e.rounds = 0
}

func (e *Mixed) Advance() {
	r := e.record()
	r.version++
	e.setRecord(r) // want `lost-update: e\.rec was read at line \d+, .*`
	e.rounds++
}

// Asked writes its evidence for some requests only: the others may come from anywhere.
type Asked struct {
	mu     sync.RWMutex
	rec    record
	latest string
}

func (e *Asked) record() record {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.rec
}

func (e *Asked) setRecord(r record) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rec = r
}

func (e *Asked) Handle(entries []string) {
	r := e.record()
	r.version++
	e.setRecord(r) // want `lost-update: e\.rec was read at line \d+, .*`
	if len(entries) > 0 {
		e.latest = entries[0]
	}
}

// Starter writes its evidence only if the check has let it pass, which is in question.
type Starter struct {
	mu     sync.Mutex
	starts int
	conn   *record
}

func (s *Starter) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.starts
}

func (s *Starter) Start() {
	n := s.count()
	if n > 0 {
		return
	}
	s.mu.Lock()
	s.starts = n + 1 // want `lost-update: s\.starts was read at line \d+, .*`
	s.mu.Unlock()
	s.conn = new(record)
}

// Node hands one of its methods to a transport, which calls it from goroutines of its own.
type Node struct {
	mu    sync.RWMutex
	rec   record
	count int
	take  func()
}

func (n *Node) record() record {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.rec
}

func (n *Node) setRecord(r record) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rec = r
}

func (n *Node) Listen(handlers map[string]func()) {
	handlers["beat"] = n.beat
}

func (n *Node) beat() { n.step() }

func (n *Node) Run() { n.step() }

func (n *Node) step() {
	r := n.record()
	r.version++
	n.setRecord(r) // want `lost-update: n\.rec was read at line \d+, .*`
	n.count++
}

// Pair has evidence on another object: two pairs may share a counter.
type Pair struct {
	counter *Open
	last    int
}

func (p *Pair) Step() {
	r := p.counter.record()
	r.version++
	p.counter.setRecord(r) // want `lost-update: p\.counter\.rec was read at line \d+, .*`
	p.last = r.version
}

// Log has a contract in a comment, and the same as a directive.
type Log struct {
	mu  sync.Mutex
	n   int
	all int
}

func (l *Log) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

func (l *Log) total() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}

// Append writes.
func (l *Log) Append() { l.write() }

// write must not be called concurrently.
func (l *Log) write() {
	n := l.count()
	l.mu.Lock()
	l.n = n + 1 // doubted, and left out by default
	l.mu.Unlock()
}

// Add is called by the owner.
//
//atomvet:serial
func (l *Log) Add() {
	n := l.total()
	l.mu.Lock()
	l.all = n + 1
	l.mu.Unlock()
}

// Job hands its result over: what the owner of the result did before runs beside finish.
type Job struct {
	mu   sync.Mutex
	n    int
	err  error
	done chan struct{}
}

func (j *Job) count() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.n
}

func (j *Job) setCount(n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.n = n
}

func (j *Job) Finish(err error) {
	j.setCount(j.count() + 1) // want `lost-update: j\.n was read at line \d+, .*`
	j.err = err
	close(j.done)
}

func (j *Job) Wait() error {
	j.setCount(0)
	<-j.done
	return j.err
}

// Checked has its evidence behind a check of the argument: a run that is rejected does
// nothing.
type Checked struct {
	mu     sync.RWMutex
	rec    record
	rounds int
}

func (e *Checked) record() record {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.rec
}

func (e *Checked) setRecord(r record) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rec = r
}

func (e *Checked) Advance(by *record) error {
	defer println("advanced")
	if by == nil {
		return errors.New("no record")
	}
	e.rounds++
	r := e.record()
	r.version += by.version
	e.setRecord(r)
	return nil
}

// Refused rejects by what it finds under the lock: that is what keeps the runs apart, or
// does not.
type Refused struct {
	mu     sync.Mutex
	starts int
	conn   *record
}

func (s *Refused) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.starts
}

func (s *Refused) Start() error {
	n := s.count()
	if n > 0 {
		return errors.New("started")
	}
	s.mu.Lock()
	s.starts = n + 1 // want `lost-update: s\.starts was read at line \d+, .*`
	s.mu.Unlock()
	s.conn = new(record)
	return nil
}

// Owner reads without the lock what only its goroutine writes.
type Owner struct {
	mu   sync.RWMutex
	n    int
	seen int
}

func (o *Owner) get() int {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.n
}

func (o *Owner) Step() {
	if o.n > 100 {
		return
	}
	n := o.get()
	o.mu.Lock()
	o.n = n + 1
	o.mu.Unlock()
}

// Guest reads without a lock what nobody writes after all: it is not what it changes.
type Guest struct {
	mu   sync.RWMutex
	n    int
	seen int
}

func (g *Guest) get() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.n
}

func (g *Guest) See() {
	g.mu.Lock()
	g.seen++
	g.mu.Unlock()
}

func (g *Guest) Step() int {
	n := g.get()
	g.mu.Lock()
	g.n = n + 1 // want `lost-update: g\.n was read at line \d+, .*`
	g.mu.Unlock()
	return g.seen
}

// Server has one goroutine for its requests, as it counts what it does without a lock.
type Server struct {
	mu       sync.Mutex
	requests map[int]*request
	retries  int
}

type request struct {
	mu    sync.Mutex
	tries int
}

func (r *request) get() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tries
}

func (r *request) set(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tries = n
}

func (s *Server) find(id int) *request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[id]
}

func (s *Server) Retry(id int) {
	s.retries++
	if r := s.find(id); r != nil {
		s.retry(r)
	}
}

func (s *Server) retry(r *request) { r.set(r.get() + 1) }

// Desk counts alike, but keeps no tickets: two desks may have the same one.
type Desk struct{ retries int }

type ticket struct {
	mu    sync.Mutex
	tries int
}

func (t *ticket) get() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tries
}

func (t *ticket) set(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tries = n
}

type Shelf struct {
	mu      sync.Mutex
	tickets map[int]*ticket
}

func (s *Shelf) find(id int) *ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tickets[id]
}

func (d *Desk) Retry(s *Shelf, id int) {
	d.retries++
	if t := s.find(id); t != nil {
		d.retry(t)
	}
}

func (d *Desk) retry(t *ticket) {
	n := t.get()
	t.set(n + 1) // want `lost-update: t\.tries was read at line \d+, .*`
}

// All connections have one server, so that what one goroutine alone does with its connection says nothing
// of the server.
type server struct {
	mu   sync.Mutex
	hits map[string]int
}

type conn struct {
	srv  *server
	read int
}

func (s *server) accept() *conn { return &conn{srv: s} }

func (c *conn) Handle(k string) {
	c.read++
	c.srv.mu.Lock()
	n := c.srv.hits[k]
	c.srv.mu.Unlock()
	c.srv.mu.Lock()
	c.srv.hits[k] = n + 1 // want `lost-update: c.srv.hits\[k\] was read at line \d+`
	c.srv.mu.Unlock()
}

// The journal is the book's own.
type journal struct {
	mu   sync.Mutex
	sums map[string]int
}

type book struct {
	own   *journal
	pages int
}

func NewBook() *book { return &book{own: &journal{sums: make(map[string]int)}} }

func (b *book) Enter(k string) {
	b.pages++
	b.own.mu.Lock()
	n := b.own.sums[k]
	b.own.mu.Unlock()
	b.own.mu.Lock()
	b.own.sums[k] = n + 1
	b.own.mu.Unlock()
}

// An Upload is committed by those who have found that it is open, and reset by nobody at that time: both use
// the pipe without a lock.
type Upload struct {
	pipe  *journal
	mu    sync.Mutex
	state int
	parts map[int]int
}

func (u *Upload) status() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.state
}

func (u *Upload) set(state int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.state = state
}

func (u *Upload) Commit() {
	if n := u.status(); n < 10 {
		u.pipe = nil
		u.set(n + 1)
	}
}

func (u *Upload) Reset(to int, p *journal) {
	if to > 0 {
		u.pipe = p
		u.set(to)
	}
}

// A Parcel is packed without looking at the pipe, while Reset is under way.
type Parcel struct {
	pipe  *journal
	mu    sync.Mutex
	state int
}

func (p *Parcel) status() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state
}

func (p *Parcel) set(state int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = state
}

func (p *Parcel) Pack(heavy bool) {
	n := p.status()
	if heavy {
		p.pipe = nil // in some runs only
	}
	p.set(n + 1) // want `lost-update: p.state was read at line \d+`
}

func (p *Parcel) Reset(to int, j *journal) {
	if to > 0 {
		p.pipe = j
		p.set(to)
	}
}

// A hall has one goroutine for each guest, in which it counts them.
type hall struct {
	mu     sync.Mutex
	guests map[string]int
}

// welcome runs in one goroutine for each guest.
func (h *hall) welcome(name string) {
	h.mu.Lock()
	n := h.guests[name]
	h.mu.Unlock()
	h.mu.Lock()
	h.guests[name] = n + 1 // want `lost-update: h.guests\[name\] was read at line \d+, but .*\)$`
	h.mu.Unlock()
}

func (h *hall) Open(names chan string) {
	for name := range names {
		go h.welcome(name)
	}
}

// A porter is the one who writes.
type porter struct {
	mu   sync.Mutex
	keys map[string]int
}

// hand runs in one goroutine.
func (p *porter) hand(name string) {
	p.mu.Lock()
	n := p.keys[name]
	p.mu.Unlock()
	p.mu.Lock()
	p.keys[name] = n + 1
	p.mu.Unlock()
}

func (p *porter) Open(names chan string) {
	for name := range names {
		go p.hand(name)
	}
}
