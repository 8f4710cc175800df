package early

import (
	"context"
	"sync"
	"sync/atomic"
)

// A Download has its error first.
type Download struct {
	mu   sync.Mutex
	err  error
	read int
	stop chan struct{}
	done chan struct{}
	conn *row
	more chan struct{}
	list []string
}

func (d *Download) Fail(err error) {
	d.mu.Lock()
	d.err = err
	d.mu.Unlock()
	close(d.done)
	d.mu.Lock()
	d.read++ // statistics
	d.mu.Unlock()
}

func (d *Download) Wait() error {
	<-d.done
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

func (d *Download) Read() int {
	<-d.done
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.read
}

// Stop withdraws the connection: whoever is told to stop may use it to the end.
func (d *Download) Stop() {
	close(d.stop)
	d.mu.Lock()
	d.conn = nil
	d.mu.Unlock()
}

func (d *Download) Finish(say func(*row)) {
	<-d.stop
	d.mu.Lock()
	c := d.conn
	d.mu.Unlock()
	if c != nil {
		say(c)
	}
}

// A Ferry is announced by a flag that is set in the section of its data.
type Ferry struct {
	mu    sync.Mutex
	there bool
	cargo *row
	outer sync.Mutex
	ready chan struct{}
	cap   *row
	tick  chan struct{}
	state int
}

func (f *Ferry) Land(cargo *row) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.there = true
	f.cargo = cargo
}

func (f *Ferry) Unload() int {
	f.mu.Lock()
	there := f.there
	f.mu.Unlock()
	if !there {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cargo.width
}

// Board holds a lock that Leave needs as well.
func (f *Ferry) Board(cap *row) {
	f.outer.Lock()
	defer f.outer.Unlock()
	close(f.ready)
	f.mu.Lock()
	f.cap = cap
	f.mu.Unlock()
}

func (f *Ferry) Leave() int {
	<-f.ready
	f.outer.Lock()
	defer f.outer.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cap.width
}

// Steer wakes the helm before the course is there, which looks until it is.
func (f *Ferry) Steer(course int) {
	f.tick <- struct{}{}
	f.mu.Lock()
	f.state = course
	f.mu.Unlock()
}

func (f *Ferry) Helm() int {
	<-f.tick
	for {
		f.mu.Lock()
		course := f.state
		f.mu.Unlock()
		if course != 0 {
			return course
		}
	}
}

// A Lock gate says twice what it does: what is announced has been written before as well.
type Gate struct {
	mu    sync.Mutex
	level int
	moved chan struct{}
}

const (
	low = iota
	rising
	high
)

func (g *Gate) Rise() {
	g.mu.Lock()
	g.level = rising
	g.mu.Unlock()
	close(g.moved)
	g.mu.Lock()
	g.level = high
	g.mu.Unlock()
}

func (g *Gate) Moved() bool {
	<-g.moved
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.level != low
}

// A Hotel makes its rooms before anybody sees them.
type Hotel struct {
	mu    sync.Mutex
	rooms map[string]*room
}

type room struct {
	mu    sync.Mutex
	bed   *row
	ready chan struct{}
}

func (h *Hotel) Build(name string, bed *row) {
	r := &room{ready: make(chan struct{})}
	r.mu.Lock()
	r.bed = bed
	r.mu.Unlock()
	h.mu.Lock()
	h.rooms[name] = r
	h.mu.Unlock()
}

// Plan puts in what is not ready, and tells when it is.
func (h *Hotel) Plan(name string, bed *row) {
	r := &room{ready: make(chan struct{})}
	h.mu.Lock()
	h.rooms[name] = r
	h.mu.Unlock()
	r.mu.Lock()
	r.bed = bed
	r.mu.Unlock()
	close(r.ready)
}

func (r *room) strip() {
	r.mu.Lock()
	r.bed = nil
	r.mu.Unlock()
}

// Sleep waits for the room itself.
func (h *Hotel) Sleep(name string) int {
	h.mu.Lock()
	r := h.rooms[name]
	h.mu.Unlock()
	if r == nil {
		return 0
	}
	<-r.ready
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bed.width
}

// A Choir waits for its singers before it looks what they have sung.
type Choir struct {
	mu    sync.Mutex
	songs []string
	begun atomic.Bool
	group sync.WaitGroup
}

func (c *Choir) Sing(song string) {
	c.group.Add(1)
	go func() {
		defer c.group.Done()
		c.begun.Store(true)
		c.mu.Lock()
		c.songs = append(c.songs, song)
		c.mu.Unlock()
	}()
}

func (c *Choir) Songs() []string {
	if !c.begun.Load() {
		return nil
	}
	c.group.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.songs
}

// A Lamp is switched off: who sees that does not read the color.
type Lamp struct {
	mu    sync.Mutex
	off   bool
	color string
	ctx   context.Context
	end   context.CancelFunc
}

func NewLamp(ctx context.Context) *Lamp {
	l := &Lamp{}
	l.ctx, l.end = context.WithCancel(ctx)
	return l
}

func (l *Lamp) Off() {
	l.mu.Lock()
	l.off = true
	l.mu.Unlock()
	l.end()
	l.mu.Lock()
	l.color = "black"
	l.mu.Unlock()
}

func (l *Lamp) Color(show func(string)) {
	l.mu.Lock()
	off := l.off
	l.mu.Unlock()
	if off || l.ctx.Err() != nil {
		return
	}
	l.mu.Lock()
	color := l.color
	l.mu.Unlock()
	if color != "" {
		show(color)
	}
}

// A Buoy changes what is waited for first, and wakes then.
type Buoy struct {
	mu   sync.Mutex
	cond *sync.Cond
	lit  bool
	n    int
}

func NewBuoy() *Buoy {
	b := &Buoy{}
	b.cond = sync.NewCond(&b.mu)
	return b
}

func (b *Buoy) Light() {
	b.mu.Lock()
	b.lit = true
	b.cond.Broadcast()
	b.mu.Unlock()
	b.mu.Lock()
	b.n++
	b.mu.Unlock()
}

func (b *Buoy) Await() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.lit {
		b.cond.Wait()
	}
}
