package early

import "sync"

// Pass closes one and writes another.
func (u *Upload) Pass(o *Upload, err error) {
	close(u.done)
	o.mu.Lock()
	o.err = err
	o.mu.Unlock()
}

// Blink wakes a second time when there is something.
func (b *Buoy) Blink() {
	b.cond.Broadcast()
	b.mu.Lock()
	b.lit = true
	b.mu.Unlock()
	b.cond.Broadcast()
}

// A Street is opened before all its houses are built.
type Street struct {
	mu     sync.Mutex
	houses map[int]*row
	opened chan struct{}
	widest int
	named  chan struct{}
}

func (s *Street) Open(number int) {
	close(s.opened)
	s.mu.Lock()
	s.houses[number] = &row{}
	s.mu.Unlock()
}

// Count takes the houses that there are.
func (s *Street) Count() int {
	<-s.opened
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, h := range s.houses {
		n += h.width
	}
	return n
}

func (s *Street) Name(width int) {
	close(s.named)
	s.mu.Lock()
	s.widest = width
	s.mu.Unlock()
}

// Widen keeps the larger one.
func (s *Street) Widen(width int) {
	<-s.named
	s.mu.Lock()
	defer s.mu.Unlock()
	if width > s.widest {
		s.widest = width
	}
}

// A Meter is stopped in three ways, of which one says at which value.
type Meter struct {
	mu   sync.Mutex
	stop chan struct{}
	last int
	quit bool
}

func (m *Meter) Stop(last int) {
	close(m.stop)
	m.mu.Lock()
	m.last = last
	m.mu.Unlock()
}

func (m *Meter) Quit() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.quit = true
	close(m.stop)
}

func (m *Meter) Kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.quit = true
	close(m.stop)
}

func (m *Meter) Last() int {
	<-m.stop
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}

// A Cellar has bottles that may be empty.
type Cellar struct {
	mu      sync.Mutex
	bottles map[string]*bottle
}

type bottle struct {
	mu   sync.Mutex
	wine *row
}

func (c *Cellar) Store(name string, wine *row) {
	b := &bottle{}
	c.mu.Lock()
	c.bottles[name] = b
	c.mu.Unlock()
	b.mu.Lock()
	b.wine = wine // want `early-signal: bottle\.wine is written here, after c\.bottles\[name\] is filled at line \d+; \(\*Cellar\)\.Pour .*medium confidence: the receiver asks whether it is there`
	b.mu.Unlock()
}

func (b *bottle) drink() {
	b.mu.Lock()
	b.wine = nil
	b.mu.Unlock()
}

func (c *Cellar) Pour(name string) int {
	c.mu.Lock()
	b := c.bottles[name]
	c.mu.Unlock()
	if b == nil {
		return 0
	}
	b.mu.Lock()
	w := b.wine
	b.mu.Unlock()
	if w == nil {
		return -1
	}
	return w.width
}

// A Barge is loaded when it says so, under a lock of its own.
type Barge struct {
	mu     sync.Mutex
	loaded bool
	hold   sync.Mutex
	coal   int
}

func (b *Barge) Load(coal int) {
	b.mu.Lock()
	b.loaded = true
	b.mu.Unlock()
	b.hold.Lock()
	b.coal = coal // want `early-signal: b\.coal is written here, after b\.loaded is written at line \d+; \(\*Barge\)\.Burn .*medium confidence: what comes first is a part of the state`
	b.hold.Unlock()
}

func (b *Barge) Burn() int {
	b.mu.Lock()
	loaded := b.loaded
	b.mu.Unlock()
	if !loaded {
		return 0
	}
	b.hold.Lock()
	defer b.hold.Unlock()
	return b.coal
}

// A Lighter is loaded with something that is followed, without a test.
type Lighter struct {
	mu     sync.Mutex
	loaded bool
	hold   sync.Mutex
	coal   *row
}

func (l *Lighter) Load(coal *row) {
	l.mu.Lock()
	l.loaded = true
	l.mu.Unlock()
	l.hold.Lock()
	l.coal = coal // want `early-signal: l\.coal is written here, after l\.loaded is written at line \d+; \(\*Lighter\)\.Burn .*may not find it$`
	l.hold.Unlock()
}

func (l *Lighter) Burn() int {
	l.mu.Lock()
	loaded := l.loaded
	l.mu.Unlock()
	if !loaded {
		return 0
	}
	l.hold.Lock()
	defer l.hold.Unlock()
	return l.coal.width
}

// A Report is written far away.
type Report struct {
	mu    sync.Mutex
	text  string
	ready chan struct{}
}

func (r *Report) Write(text string) {
	close(r.ready)
	r.first(text) // want `early-signal: .* \[medium confidence: it is deep in callees\]`
}

func (r *Report) first(text string) {
	if text != "" {
		r.second(text)
	}
}

func (r *Report) second(text string) {
	if text != "" {
		r.third(text)
	}
}

func (r *Report) third(text string) {
	if text != "" {
		r.fourth(text)
	}
}

func (r *Report) fourth(text string) {
	if text != "" {
		r.fifth(text)
	}
}

func (r *Report) fifth(text string) {
	r.mu.Lock()
	r.text = text
	r.mu.Unlock()
}

func (r *Report) Read() string {
	<-r.ready
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text
}

// A Yard is asked in two steps, for which no order is right.
type Yard struct {
	mu     sync.Mutex
	tours  map[string]bool
	trucks trucks
}

func (y *Yard) End(name string) {
	y.trucks.remove(name)
	y.mu.Lock()
	delete(y.tours, name)
	y.mu.Unlock()
}

func (y *Yard) Call(name string) string {
	y.mu.Lock()
	there := y.tours[name]
	y.mu.Unlock()
	if there {
		return y.trucks.get(name).place
	}
	return ""
}

// A Quay expects that there may be no truck.
type Quay struct {
	mu     sync.Mutex
	tours  map[string]bool
	trucks trucks
}

func (q *Quay) End(name string) {
	q.trucks.remove(name)
	q.mu.Lock()
	delete(q.tours, name)
	q.mu.Unlock()
}

func (q *Quay) Call(name string) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tours[name] {
		if t := q.trucks.get(name); t != nil {
			return t.place
		}
	}
	return ""
}

// Swap ends one tour and takes the truck of another.
func (d *Depot) Swap(one, other string) {
	d.trucks.remove(one)
	d.mu.Lock()
	delete(d.tours, other)
	d.mu.Unlock()
}

// A Throttle lets some calls run at a time, and waits for all.
type Throttle struct {
	slots chan struct{}
	group sync.WaitGroup
	mu    sync.Mutex
	errs  []error
}

func (t *Throttle) Do() error {
	t.mu.Lock()
	t.errs = nil
	t.mu.Unlock()
	t.slots <- struct{}{}
	t.group.Add(1)
	return nil
}

// Done ends what Do has begun.
func (t *Throttle) Done(err error) {
	<-t.slots
	t.mu.Lock()
	t.errs = append(t.errs, err)
	t.mu.Unlock()
	t.group.Done()
}

// Addons are entered before they have a handler, which who finds one calls without a test.
type Addons struct {
	mu  sync.RWMutex
	all map[string]*addon
}

type addon struct {
	name string

	mu      sync.RWMutex
	handler interface{ Handle(int) int }
}

func (p *addon) set(h interface{ Handle(int) int }) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.handler = h
}

func (p *addon) current() interface{ Handle(int) int } {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.handler
}

func (r *Addons) add(p *addon) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, dup := r.all[p.name]; dup {
		return false
	}
	r.all[p.name] = p
	return true
}

func (r *Addons) get(name string) *addon {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.all[name]
}

// Register is wrong: who finds the addon before it has been opened calls nil.
func (r *Addons) Register(name string, open func() interface{ Handle(int) int }) bool {
	p := &addon{name: name}
	if !r.add(p) {
		return false
	}
	p.set(open()) // want `early-signal: addon\.handler is written here, after r\.all\[name\] is filled at line \d+; \(\*Addons\)\.Dispatch .*may not find it$`
	return true
}

func (r *Addons) Dispatch(name string, n int) int {
	p := r.get(name)
	if p == nil {
		return 0
	}
	return p.current().Handle(n)
}

// Files are entered by a callback, before there is a store to look into.
type Files struct {
	mu    sync.RWMutex
	names map[string]string
	store *row
}

func (f *Files) track(name, id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names[name] = id
}

func scan(list []string, each func(name, id string)) *row {
	for _, name := range list {
		each(name, name)
	}
	return new(row)
}

func (f *Files) Load(list []string) {
	store := scan(list, f.track)
	f.mu.Lock()
	f.store = store // want `early-signal: f\.store is written here, after f\.names\[.*\] is filled at line \d+; \(\*Files\)\.Width .*may not find it$`
	f.mu.Unlock()
}

func (f *Files) Width(name string) int {
	f.mu.RLock()
	_, ok := f.names[name]
	f.mu.RUnlock()
	if !ok {
		return 0
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.store.width
}

// A Site asks by a predicate, in the section in which it follows what is there.
type Site struct {
	mu      sync.RWMutex
	names   map[string]*row
	running bool
	sys     *system
}

type system struct {
	client *row
	width  int
}

func (s *Site) isRunning() bool { return s.running }

func (s *Site) isEnabled() bool { return s.sys != nil && s.sys.client != nil }

func (s *Site) Enable(name string) {
	s.mu.Lock()
	s.names[name] = new(row)
	s.mu.Unlock()
	s.mu.Lock()
	s.sys = &system{client: new(row)} // want `early-signal: s\.sys is written here, .*\(\*Site\)\.Clip`
	s.mu.Unlock()
}

func (s *Site) Width(name string) int {
	s.mu.RLock()
	_, ok := s.names[name]
	s.mu.RUnlock()
	if !ok {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isRunning() || !s.isEnabled() {
		return 0
	}
	return s.sys.width
}

// Clip asks nobody.
func (s *Site) Clip(name string) int {
	s.mu.RLock()
	_, ok := s.names[name]
	s.mu.RUnlock()
	if !ok {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sys.width
}

// Desks are open before there is light, and who asks whether one is open does so by a predicate.
type Desks struct {
	mu   sync.Mutex
	open map[string]bool
	lamp *row
}

func (d *Desks) isOpen(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open[name]
}

func (d *Desks) Open(name string) {
	d.mu.Lock()
	d.open[name] = true
	d.mu.Unlock()
	d.mu.Lock()
	d.lamp = new(row) // want `early-signal: d\.lamp is written here, after d\.open\[name\] is filled at line \d+; \(\*Desks\)\.Lit`
	d.mu.Unlock()
}

func (d *Desks) Lit(name string) int {
	if !d.isOpen(name) {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lamp.width
}
