// Package gap moves elements from one place to another.
package gap

import (
	"errors"
	"sync"
	"sync/atomic"
)

var errUnknown = errors.New("no such parcel")

type parcel struct {
	id    string
	stops int
}

// A Depot has parcels that wait, and parcels that are on the road.
type Depot struct {
	door    sync.Mutex // one at a time
	mu      sync.Mutex
	waiting map[string]*parcel
	road    map[string]*parcel
}

func (d *Depot) Accept(p *parcel) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting[p.id] = p
}

func (d *Depot) take(id string) *parcel {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.waiting[id]
	delete(d.waiting, id)
	return p
}

func (d *Depot) put(p *parcel) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.road[p.id] = p
}

// Send leaves the parcel in neither place for a while.
func (d *Depot) Send(id string) {
	if p := d.take(id); p != nil {
		d.put(p) // want `split-write: d.road\[.*\] is written here for what was taken out of d.waiting\[id\] at line 47, in an earlier critical section: in between it is in neither, and \(\*Depot\).Find \(gap.go:\d+\), which looks in both, finds nothing`
	}
}

// SendInOne moves it in one critical section.
func (d *Depot) SendInOne(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.waiting[id]
	if p == nil {
		return
	}
	delete(d.waiting, id)
	d.road[id] = p
}

// SendFirst has it in both places for a while.
func (d *Depot) SendFirst(id string) {
	d.mu.Lock()
	p := d.waiting[id]
	if p != nil {
		d.road[id] = p
	}
	d.mu.Unlock()
	if p != nil {
		d.take(id)
	}
}

// SendAgain enters the parcel before it is removed, and once more afterwards, as it has changed.
func (d *Depot) SendAgain(id string) {
	d.mu.Lock()
	p := d.waiting[id]
	if p == nil {
		d.mu.Unlock()
		return
	}
	d.road[id] = p
	delete(d.waiting, id)
	d.mu.Unlock()
	d.put(&parcel{id, p.stops + 1})
}

// Find tells who asks for a parcel that is in neither place that there is none.
func (d *Depot) Find(id string) (*parcel, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p := d.waiting[id]; p != nil {
		return p, nil
	}
	if p := d.road[id]; p != nil {
		return p, nil
	}
	return nil, errUnknown
}

// A Tally has two lists, which are only counted together.
type Tally struct {
	mu        sync.Mutex
	open, out map[string]*parcel
}

func (t *Tally) Add(p *parcel) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open[p.id] = p
}

func (t *Tally) Send(id string) {
	t.mu.Lock()
	p := t.open[id]
	delete(t.open, id)
	t.mu.Unlock()
	if p == nil {
		return
	}
	t.mu.Lock()
	t.out[id] = p
	t.mu.Unlock()
}

// Report concludes nothing from what it does not find.
func (t *Tally) Report() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open) > 0 {
		n++
	}
	if len(t.out) > 0 {
		n++
	}
	return n
}

// A Yard sends one at a time, under a lock that the look needs, too.
type Yard struct {
	door    sync.Mutex
	mu      sync.Mutex
	waiting map[string]*parcel
	road    map[string]*parcel
	closed  bool
}

func (y *Yard) Accept(p *parcel) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.waiting[p.id] = p
}

func (y *Yard) Send(id string) {
	y.door.Lock()
	defer y.door.Unlock()
	y.mu.Lock()
	p := y.waiting[id]
	delete(y.waiting, id)
	y.mu.Unlock()
	y.mu.Lock()
	y.road[id] = p
	y.mu.Unlock()
}

func (y *Yard) Close() error {
	y.door.Lock()
	defer y.door.Unlock()
	y.mu.Lock()
	defer y.mu.Unlock()
	if len(y.waiting) > 0 || len(y.road) > 0 {
		return errUnknown
	}
	y.closed = true
	return nil
}

// A Hub counts what is on its way.
type Hub struct {
	mu      sync.Mutex
	waiting []*parcel
	road    []*parcel
	moving  int
	closed  bool
}

func (h *Hub) Accept(p *parcel) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting = append(h.waiting, p)
}

func (h *Hub) Send() {
	h.mu.Lock()
	if len(h.waiting) == 0 {
		h.mu.Unlock()
		return
	}
	p := h.waiting[0]
	h.waiting = h.waiting[1:]
	h.moving++
	h.mu.Unlock()
	p.load()
	h.mu.Lock()
	h.road = append(h.road, p)
	h.moving--
	h.mu.Unlock()
}

func (p *parcel) load() {}

func (h *Hub) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting)+len(h.road)+h.moving > 0 {
		return errUnknown
	}
	h.closed = true
	return nil
}

// A queue has a lock of its own, and so have the ways out.
type queue struct {
	mu   sync.Mutex
	list []*parcel
}

func (q *queue) push(p *parcel) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list = append(q.list, p)
}

func (q *queue) pop() *parcel {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return nil
	}
	p := q.list[0]
	q.list = q.list[1:]
	return p
}

func (q *queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.list) == 0
}

type ways struct {
	mu  sync.Mutex
	all map[string]*parcel
}

func (w *ways) add(p *parcel) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all[p.id] = p
}

func (w *ways) none() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.all) == 0
}

// A Port has places with locks of their own.
type Port struct {
	in   queue
	out  ways
	mu   sync.Mutex
	done bool
}

func (p *Port) Accept(x *parcel) { p.in.push(x) }

func (p *Port) Work() {
	if x := p.in.pop(); x != nil {
		p.out.add(x) // want `split-write: p.out.all\[.*\] is written here for what was taken out of p.in.list .*: in between it is in neither, and \(\*Port\).Stop`
	}
}

func (p *Port) Stop() {
	if p.in.idle() && p.out.none() {
		p.mu.Lock()
		p.done = true
		p.mu.Unlock()
	}
}

// A Loader has one goroutine that moves and looks.
type Loader struct {
	mu      sync.Mutex
	waiting map[string]*parcel
	road    map[string]*parcel
	idle    bool
}

func (l *Loader) Accept(p *parcel) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting[p.id] = p
}

func NewLoader() *Loader {
	l := &Loader{waiting: make(map[string]*parcel), road: make(map[string]*parcel)}
	go l.loop()
	return l
}

func (l *Loader) loop() {
	for {
		l.send("a")
		l.rest()
	}
}

func (l *Loader) send(id string) {
	l.mu.Lock()
	p := l.waiting[id]
	delete(l.waiting, id)
	l.mu.Unlock()
	l.mu.Lock()
	l.road[id] = p
	l.mu.Unlock()
}

func (l *Loader) rest() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting)+len(l.road) == 0 {
		l.idle = true
	}
}

// SendDeep is far from what it does.
func (d *Depot) SendDeep(id string) {
	if p := d.take(id); p != nil {
		d.load(p) // want `split-write: d.road\[.*\] is written here .* \[medium confidence: `
	}
}

func (d *Depot) load(p *parcel)   { d.lift(p); p.load() }
func (d *Depot) lift(p *parcel)   { p.load(); d.stow(p) }
func (d *Depot) stow(p *parcel)   { d.settle(p); p.load() }
func (d *Depot) settle(p *parcel) { d.put(p); p.load() }

// A Crew counts those who work.
type Crew struct {
	mu    sync.Mutex
	work  *sync.Cond
	queue []*parcel
	busy  int
}

func (c *Crew) Add(p *parcel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, p)
}

func (c *Crew) next() *parcel {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) == 0 {
		c.work.Wait()
	}
	p := c.queue[0]
	c.queue = c.queue[1:]
	return p
}

func (c *Crew) nextBusy() *parcel {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) == 0 {
		c.work.Wait()
	}
	p := c.queue[0]
	c.queue = c.queue[1:]
	c.busy++
	return p
}

func (c *Crew) enter() {
	c.mu.Lock()
	c.busy++
	c.mu.Unlock()
}

func (c *Crew) leave() {
	c.mu.Lock()
	c.busy--
	c.mu.Unlock()
	c.work.Broadcast()
}

func (c *Crew) Run() {
	for {
		p := c.next()
		c.enter() // want `split-write: c.busy is written here for what was taken out of c.queue at line 404, in an earlier critical section: in between nothing tells of it, and \(\*Crew\).Drain`
		p.load()
		c.leave()
	}
}

func (c *Crew) RunRight() {
	for {
		p := c.nextBusy()
		p.load()
		c.leave()
	}
}

// RunAlways is busy from the beginning.
func (c *Crew) RunAlways() {
	c.enter()
	defer c.leave()
	for {
		c.next().load()
	}
}

func (c *Crew) Drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) > 0 || c.busy > 0 {
		c.work.Wait()
	}
}

// A Pit counts in what makes a parcel, which is no writer of the count.
type Pit struct {
	mu    sync.Mutex
	queue []*parcel
	made  uint64
}

func (p *Pit) Work() *carton {
	p.mu.Lock()
	p.queue = p.queue[1:]
	p.mu.Unlock()
	c := &carton{pit: p}
	c.init(p)
	return c
}

type carton struct {
	pit *Pit
	no  uint64
}

func (c *carton) init(p *Pit) {
	c.no = atomic.AddUint64(&p.made, 1)
}

// A Quay has one goroutine that loads, which Close waits for.
type Quay struct {
	exited chan struct{}

	mu     sync.Mutex
	line   []*parcel
	failed []*parcel
}

func NewQuay(n int) *Quay {
	q := &Quay{exited: make(chan struct{})}
	go q.load(n)
	return q
}

func (q *Quay) Arrive(p *parcel) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.line = append(q.line, p)
}

func (q *Quay) next() *parcel {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.line) == 0 {
		return nil
	}
	p := q.line[0]
	q.line = q.line[1:]
	return p
}

func (q *Quay) load(n int) {
	defer close(q.exited)
	for range n {
		if p := q.next(); p != nil {
			q.mu.Lock()
			q.failed = append(q.failed, p)
			q.mu.Unlock()
		}
	}
}

func (q *Quay) Close() error {
	<-q.exited
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.line)+len(q.failed) > 0 {
		return nil
	}
	return errUnknown
}

// Leases are revoked, and those for which this fails are tried again.
type Leases struct {
	mu      sync.Mutex
	current map[string]*parcel
	failed  map[string]*parcel
	revoke  func(*parcel) error
}

func (l *Leases) Grant(p *parcel) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current[p.id] = p
}

func (l *Leases) take(id string) *parcel {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.current[id]
	delete(l.current, id)
	return p
}

// Revoke puts the lease nowhere if all goes well.
func (l *Leases) Revoke(id string) {
	if p := l.take(id); p != nil {
		l.end(p)
	}
}

func (l *Leases) end(p *parcel) {
	if err := l.revoke(p); err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.failed[p.id] = p
	}
}

func (l *Leases) Find(id string) (*parcel, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.current[id]; p != nil {
		return p, nil
	}
	if p := l.failed[id]; p != nil {
		return p, nil
	}
	return nil, errUnknown
}
