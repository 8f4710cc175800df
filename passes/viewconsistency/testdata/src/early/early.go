// Package early has signals that are given before the data that they announce.
package early

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// An Upload tells by a closed channel that it is over.
type Upload struct {
	mu   sync.Mutex
	err  error
	size int
	done chan struct{}
}

func NewUpload() *Upload { return &Upload{done: make(chan struct{})} }

// Fail closes the channel before the error is there.
func (u *Upload) Fail(err error) {
	close(u.done)
	u.mu.Lock()
	u.err = err // want `early-signal: u\.err is written here, after u\.done is closed at line 23; \(\*Upload\)\.Wait \(early\.go:34\) goes by that, reads u\.err then, and may not find it`
	u.mu.Unlock()
}

// Wait takes the lack of an error for success.
func (u *Upload) Wait() error {
	<-u.done
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.err
}

// A Post wakes its worker by a token.
type Post struct {
	mu      sync.Mutex
	letters []string
	wake    chan struct{}
}

// Put wakes before there is something: the worker goes back to sleep, and the letter stays.
func (p *Post) Put(letter string) {
	select {
	case p.wake <- struct{}{}:
	default:
	}
	p.mu.Lock()
	p.letters = append(p.letters, letter) // want `early-signal: p\.letters is written here, after p\.wake is sent to at line \d+; \(\*Post\)\.Work`
	p.mu.Unlock()
}

func (p *Post) Work(send func(string)) {
	for range p.wake {
		p.mu.Lock()
		letters := p.letters
		p.letters = nil
		p.mu.Unlock()
		for _, l := range letters {
			send(l)
		}
	}
}

// A Lobby has guests by name.
type Lobby struct {
	mu     sync.Mutex
	guests map[string]*guest
}

type key struct{ secret []byte }

type guest struct {
	mu  sync.Mutex
	key *key
}

func (g *guest) give(k *key) {
	g.mu.Lock()
	g.key = k
	g.mu.Unlock()
}

// Enter puts a guest into the list who has no key yet.
func (l *Lobby) Enter(name string, k *key) {
	g := &guest{}
	l.mu.Lock()
	l.guests[name] = g
	l.mu.Unlock()
	g.give(k) // want `early-signal: guest\.key is written here, after l\.guests\[name\] is filled at line \d+; \(\*Lobby\)\.Sign`
}

// Sign follows the key of each guest that is in the list.
func (l *Lobby) Sign(name string) []byte {
	l.mu.Lock()
	g := l.guests[name]
	l.mu.Unlock()
	if g == nil {
		return nil
	}
	g.mu.Lock()
	k := g.key
	g.mu.Unlock()
	return k.secret
}

// A Crawl collects what its goroutines find.
type Crawl struct {
	mu    sync.Mutex
	found []string
	group sync.WaitGroup
}

func (c *Crawl) note(s string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found = append(c.found, s)
}

func (c *Crawl) visit(url string) {
	c.group.Done()
	c.note(url) // want `early-signal: c\.found is written here, after c\.group is told that this is done at line \d+; \(\*Crawl\)\.Run`
}

func (c *Crawl) Run(urls []string) []string {
	for _, u := range urls {
		c.group.Add(1)
		go c.visit(u)
	}
	c.group.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.found
}

// A Table is usable when it is loaded.
type Table struct {
	loaded atomic.Bool
	mu     sync.RWMutex
	rows   map[string]*row
}

type row struct{ width int }

func (t *Table) Load(rows map[string]*row) {
	t.loaded.Store(true)
	t.mu.Lock()
	t.rows = rows // want `early-signal: t\.rows is written here, after t\.loaded is written at line \d+; \(\*Table\)\.Width`
	t.mu.Unlock()
}

func (t *Table) Width(name string) (int, error) {
	if !t.loaded.Load() {
		return 0, errors.New("not loaded")
	}
	t.mu.RLock()
	r := t.rows[name]
	t.mu.RUnlock()
	return r.width, nil
}

// A Link is dialed again when it is lost, unless it was closed on purpose.
type Link struct {
	ctx    context.Context
	cancel context.CancelFunc
	mu     sync.Mutex
	closed bool
}

func NewLink(ctx context.Context) *Link {
	l := &Link{}
	l.ctx, l.cancel = context.WithCancel(ctx)
	return l
}

// Close wakes the watcher before it says why.
func (l *Link) Close() {
	l.cancel()
	l.mu.Lock()
	l.closed = true // want `early-signal: l\.closed is written here, after the context is canceled at line \d+; \(\*Link\)\.Watch`
	l.mu.Unlock()
}

func (l *Link) Watch(dial func()) {
	<-l.ctx.Done()
	l.mu.Lock()
	closed := l.closed
	l.mu.Unlock()
	if !closed {
		dial()
	}
}

// A Job stores its result by a deferred call, and its end by one that runs before.
type Job struct {
	mu     sync.Mutex
	result int
	ended  chan struct{}
}

func (j *Job) set(n int) {
	j.mu.Lock()
	j.result = n
	j.mu.Unlock()
}

func (j *Job) Do(work func() int) {
	n := work()
	defer j.set(n) // want `early-signal: j\.result is written here, after j\.ended is closed at line \d+; \(\*Job\)\.Result`
	defer close(j.ended)
}

func (j *Job) Result() int {
	select {
	case <-j.ended:
		j.mu.Lock()
		defer j.mu.Unlock()
		return j.result
	}
}

// A Pool tells of a job before it counts it.
type Pool struct {
	jobs    chan func()
	pending sync.WaitGroup
	mu      sync.Mutex
	closed  bool
	done    int
}

func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
}

func (p *Pool) Add(job func()) {
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if closed {
		return
	}
	p.jobs <- job
	p.pending.Add(1) // want `early-signal: p\.pending is counted up here, after p\.jobs is sent to at line \d+; \(\*Pool\)\.Work`
}

func (p *Pool) Work() {
	for job := range p.jobs {
		job()
		p.mu.Lock()
		p.done++
		p.mu.Unlock()
		p.pending.Done()
	}
}

// A Tide is waited for on a condition variable.
type Tide struct {
	mu   sync.Mutex
	cond *sync.Cond
	high bool
}

func NewTide() *Tide {
	t := &Tide{}
	t.cond = sync.NewCond(&t.mu)
	return t
}

// Rise wakes those that find nothing changed and wait again.
func (t *Tide) Rise() {
	t.cond.Broadcast()
	t.mu.Lock()
	t.high = true // want `early-signal: t\.high is written here, after t\.cond is signaled at line \d+; \(\*Tide\)\.Await`
	t.mu.Unlock()
}

func (t *Tide) Await() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for !t.high {
		t.cond.Wait()
	}
}

// A Depot has a truck for each tour, in a list with a lock of its own.
type Depot struct {
	mu     sync.Mutex
	tours  map[string]bool
	trucks trucks
}

type trucks struct {
	mu sync.Mutex
	m  map[string]*truck
}

type truck struct{ place string }

func (t *trucks) get(name string) *truck {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.m[name]
}

func (t *trucks) remove(name string) {
	t.mu.Lock()
	delete(t.m, name)
	t.mu.Unlock()
}

func (d *Depot) Add(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trucks.mu.Lock()
	d.trucks.m[name] = &truck{}
	d.trucks.mu.Unlock()
	d.tours[name] = true
}

// End takes the truck away while the tour is still in the list. The order in which things are
// taken away is not looked at.
func (d *Depot) End(name string) {
	d.trucks.remove(name)
	d.mu.Lock()
	delete(d.tours, name)
	d.mu.Unlock()
}

// Drop does both at once.
func (d *Depot) Drop(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trucks.remove(name)
	delete(d.tours, name)
}

// Finish takes the tour away first.
func (d *Depot) Finish(name string) {
	d.mu.Lock()
	delete(d.tours, name)
	d.mu.Unlock()
	d.trucks.remove(name)
}

func (d *Depot) Call(name string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tours[name] {
		return d.trucks.get(name).place
	}
	return ""
}

// CallIfThere expects that there may be no truck.
func (d *Depot) CallIfThere(name string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tours[name] {
		if t := d.trucks.get(name); t != nil {
			return t.place
		}
	}
	return ""
}

// A Framer hands out its channel by a method, which gives no more than the right to receive.
type Framer struct {
	mu   sync.Mutex
	err  error
	exit chan struct{}
}

func NewFramer() *Framer {
	f := &Framer{exit: make(chan struct{})}
	go f.run()
	return f
}

func (f *Framer) Exit() <-chan struct{} { return f.exit }

func (f *Framer) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *Framer) run() {
	err := errors.New("cut off")
	defer func() {
		close(f.exit)
		f.mu.Lock()
		f.err = err // want `early-signal: f\.err is written here, after f\.exit is closed at line \d+; Follow`
		f.mu.Unlock()
	}()
}

// Follow is another one's function, which asks for the error because the channel is closed.
func Follow(f *Framer, tick <-chan int) error {
	for {
		select {
		case <-tick:
		case <-f.Exit():
			return f.Err()
		}
	}
}

// A Directory finds addresses by the number that a name has: who finds the number takes the address for
// there.
type Directory struct {
	mu     sync.RWMutex
	next   int
	byName map[string]int
	byID   map[int]*address
}

type address struct{ mail string }

func (d *Directory) claim(name string) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, taken := d.byName[name]; taken {
		return 0, errors.New("taken")
	}
	d.next++
	d.byName[name] = d.next
	return d.next, nil
}

func (d *Directory) Register(name, mail string) error {
	id, err := d.claim(name)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byID[id] = &address{mail} // want `early-signal: d\.byID\[…\] is written here, after d\.byName\[name\] is filled at line \d+; \(\*Directory\)\.Mail`
	return nil
}

func (d *Directory) Mail(name string) string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	id, ok := d.byName[name]
	if !ok {
		return ""
	}
	return d.byID[id].mail
}

// A Slot is reserved in a table unless there is one of its name, and gets its handler afterwards.
type Slot struct {
	mu     sync.Mutex
	handle func(string) string
}

type Plugins struct {
	mu    sync.RWMutex
	slots map[string]*Slot
}

func (t *Plugins) reserve(name string, s *Slot) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, taken := t.slots[name]; taken {
		return errors.New("taken")
	}
	t.slots[name] = s
	return nil
}

func (s *Slot) install(f func(string) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handle = f
}

func (t *Plugins) Load(name string, f func(string) string) error {
	s := new(Slot)
	if err := t.reserve(name, s); err != nil {
		return err
	}
	s.install(f) // want `early-signal: Slot\.handle is written here, after t\.slots\[name\] is filled at line \d+; \(\*Plugins\)\.Call`
	return nil
}

func (t *Plugins) Call(name, text string) string {
	t.mu.RLock()
	s, ok := t.slots[name]
	t.mu.RUnlock()
	if !ok {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.handle(text)
}

// A Squad has the cancel functions of tasks that run; a task takes out its own when it ends.
type Squad struct {
	mu      sync.Mutex
	cancels map[string]context.CancelFunc
}

func NewSquad() *Squad { return &Squad{cancels: make(map[string]context.CancelFunc)} }

func (s *Squad) run(ctx context.Context, name string, task func(context.Context)) {
	task(ctx)
	s.mu.Lock()
	delete(s.cancels, name)
	s.mu.Unlock()
}

// Go enters the function when the task may be over.
func (s *Squad) Go(name string, task func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	go s.run(ctx, name, task)
	s.mu.Lock()
	s.cancels[name] = cancel // want `early-signal: s\.cancels\[name\] is entered here, after the goroutine that looks for it \(early\.go:\d+\) was started at line \d+: it may have looked before`
	s.mu.Unlock()
}

// GoLocked holds the lock that the task needs.
func (s *Squad) GoLocked(name string, task func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	go s.run(ctx, name, task)
	s.cancels[name] = cancel
}

// GoAgain has entered one before.
func (s *Squad) GoAgain(name string, task func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	s.cancels[name] = func() {}
	s.mu.Unlock()
	go s.run(ctx, name, task)
	s.mu.Lock()
	s.cancels[name] = cancel
	s.mu.Unlock()
}

// GoFirst enters it first.
func (s *Squad) GoFirst(name string, task func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	s.cancels[name] = cancel
	s.mu.Unlock()
	go s.run(ctx, name, task)
}

// A Fetch is waited for by a helper that has a deferred call.
type Fetch struct {
	mu   sync.Mutex
	err  error
	done chan struct{}
}

func NewFetch() *Fetch { return &Fetch{done: make(chan struct{})} }

// Fail closes the channel before the error is there.
func (d *Fetch) Fail(err error) {
	close(d.done)
	d.mu.Lock()
	d.err = err // want `early-signal: d\.err is written here, after d\.done is closed at line \d+; \(\*Fetch\)\.Wait`
	d.mu.Unlock()
}

func (d *Fetch) Wait(seen func()) error {
	d.wait(seen)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

func (d *Fetch) wait(seen func()) {
	defer seen()
	<-d.done
}
