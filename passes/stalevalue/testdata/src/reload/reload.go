// Package reload has variables that are read, found usable, and read again.
package reload

import (
	"sync"
	"sync/atomic"
	"time"
)

type wire struct {
	name string
	sent int
}

func (w *wire) Send(s string) int {
	if s == "" {
		return 0
	}
	w.sent++
	return w.sent
}

// Text works without a wire.
func (w *wire) Text() string {
	if w == nil {
		return "none"
	}
	return w.name
}

type speaker interface{ Speak(string) }

// A Line is connected and cut.
type Line struct {
	mu      sync.Mutex
	wire    *wire
	onSend  func(string)
	speaker speaker
	share   int
	label   *wire
	busy    bool
	first   atomic.Pointer[wire]
	any     any
}

func (l *Line) Connect(w *wire, f func(string), s speaker, share int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wire, l.onSend, l.speaker, l.share, l.any = w, f, s, share, w
	l.first.Store(w)
}

func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wire, l.onSend, l.speaker, l.any = nil, nil, nil, nil
	l.first.Store(nil)
}

func (l *Line) Wire() *wire          { l.mu.Lock(); defer l.mu.Unlock(); return l.wire }
func (l *Line) OnSend() func(string) { l.mu.Lock(); defer l.mu.Unlock(); return l.onSend }
func (l *Line) Speaker() speaker     { l.mu.Lock(); defer l.mu.Unlock(); return l.speaker }
func (l *Line) Shares() int          { l.mu.Lock(); defer l.mu.Unlock(); return l.share }
func (l *Line) Connected() bool      { l.mu.Lock(); defer l.mu.Unlock(); return l.wire != nil }

// Send asks for the wire twice.
func (l *Line) Send(s string) int {
	if l.Wire() == nil {
		return 0
	}
	return l.Wire().Send(s) // want `check-then-act: l\.wire was checked at line \d+, but l\.mu was released when Wire returned and another goroutine may clear it before it is used here unchecked`
}

// Ask asks a predicate first.
func (l *Line) Ask() string {
	if !l.Connected() {
		return ""
	}
	return l.Wire().name // want `check-then-act: l\.wire was checked at line \d+`
}

// Tell calls what it has found before.
func (l *Line) Tell(s string) {
	if l.OnSend() != nil {
		l.OnSend()(s) // want `check-then-act: l\.onSend was checked at line \d+`
	}
}

// Announce calls a method of an interface.
func (l *Line) Announce(s string) {
	if l.Speaker() != nil {
		l.Speaker().Speak(s) // want `check-then-act: l\.speaker was checked at line \d+`
	}
}

// Share divides by what has become zero meanwhile.
func (l *Line) Share(n int) int {
	if l.Shares() == 0 {
		return n
	}
	return n / l.Shares() // want `check-then-act: l\.share was checked at line \d+`
}

// First does the same with an atomic pointer.
func (l *Line) First() string {
	if l.first.Load() != nil {
		return l.first.Load().name // want `check-then-act: l\.first was checked at line \d+`
	}
	return ""
}

// Kind asserts the type of what may be gone.
func (l *Line) Kind() *wire {
	l.mu.Lock()
	there := l.any != nil
	l.mu.Unlock()
	if !there {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.any.(*wire) // want `check-then-act: l\.any was checked at line \d+`
}

// SendOnce keeps what it has found.
func (l *Line) SendOnce(s string) int {
	w := l.Wire()
	if w == nil {
		return 0
	}
	return w.Send(s)
}

// SendChecked asks again, in the section of the use.
func (l *Line) SendChecked() string {
	if l.Wire() == nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wire == nil {
		return ""
	}
	return l.wire.name
}

// Describe calls a method that asks whether there is a wire.
func (l *Line) Describe() string {
	if l.Wire() == nil {
		return "cut"
	}
	return l.Wire().Text()
}

// Same only compares the two.
func (l *Line) Same() bool {
	w := l.Wire()
	return w != nil && l.Wire() == w
}

// Name is about a variable that is only ever filled.
func (l *Line) Name() string {
	l.mu.Lock()
	there := l.label != nil
	l.mu.Unlock()
	if !there {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.label.name
}

func (l *Line) SetName(w *wire) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.label = w
}

// Outer holds a lock that all writers need.
type Outer struct {
	change sync.Mutex
	mu     sync.Mutex
	wire   *wire
}

func (o *Outer) Set() {
	o.change.Lock()
	o.mu.Lock()
	o.wire = new(wire)
	o.mu.Unlock()
	o.change.Unlock()
}
func (o *Outer) Cut() { o.change.Lock(); o.mu.Lock(); o.wire = nil; o.mu.Unlock(); o.change.Unlock() }

func (o *Outer) get() *wire { o.mu.Lock(); defer o.mu.Unlock(); return o.wire }

func (o *Outer) Name() string {
	o.change.Lock()
	defer o.change.Unlock()
	if o.get() == nil {
		return ""
	}
	return o.get().name
}

// A Pump runs while it leads.
type Pump struct {
	mu   sync.Mutex
	quit chan struct{}
	out  *wire
	done sync.WaitGroup
}

// Lead starts a goroutine that reads the channel by itself.
func (p *Pump) Lead() {
	p.mu.Lock()
	p.quit = make(chan struct{})
	p.mu.Unlock()
	go p.run() // want `check-then-act: p\.quit was set at line \d+ for the goroutine that is started here, which reads it later`
}

func (p *Pump) run() {
	p.mu.Lock()
	quit := p.quit
	p.mu.Unlock()
	<-quit
}

// LeadWith hands the channel on.
func (p *Pump) LeadWith() {
	p.mu.Lock()
	p.quit = make(chan struct{})
	quit := p.quit
	p.mu.Unlock()
	go p.runWith(quit)
}

func (p *Pump) runWith(quit chan struct{}) {
	p.mu.Lock()
	p.out.sent++
	p.mu.Unlock()
	<-quit
}

// Resign ends it.
func (p *Pump) Resign() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.quit != nil {
		close(p.quit)
		p.quit = nil
	}
	p.out = nil
}

func (p *Pump) wire() *wire { p.mu.Lock(); defer p.mu.Unlock(); return p.out }

// Open reads back what it has stored.
func (p *Pump) Open(name string) int {
	p.mu.Lock()
	p.out = &wire{name: name}
	p.mu.Unlock()
	return p.wire().Send(name) // want `check-then-act: p\.out was set at line \d+, but p\.mu was released and another goroutine may clear it`
}

// OpenOwn goes on with its own.
func (p *Pump) OpenOwn(name string) int {
	w := &wire{name: name}
	p.mu.Lock()
	p.out = w
	p.mu.Unlock()
	return w.Send(name)
}

// OpenAndLook asks whether it is still there.
func (p *Pump) OpenAndLook(name string) int {
	p.mu.Lock()
	p.out = &wire{name: name}
	p.mu.Unlock()
	if w := p.wire(); w != nil {
		return w.Send(name)
	}
	return 0
}

// A Joined pump is cleared when its goroutine has ended.
type Joined struct {
	mu   sync.Mutex
	quit chan struct{}
	done sync.WaitGroup
}

// Start starts the goroutine.
func (j *Joined) Start() {
	j.mu.Lock()
	j.quit = make(chan struct{})
	j.mu.Unlock()
	j.done.Add(1)
	go j.run()
}

func (j *Joined) run() {
	defer j.done.Done()
	j.mu.Lock()
	quit := j.quit
	j.mu.Unlock()
	<-quit
}

// Stop waits for the goroutine before it clears the channel.
func (j *Joined) Stop() {
	j.mu.Lock()
	close(j.quit)
	j.mu.Unlock()
	j.done.Wait()
	j.mu.Lock()
	j.quit = nil
	j.mu.Unlock()
}

// A Poller is told how often it has to look.
type Poller struct{ every atomic.Int64 }

func (p *Poller) Set(d time.Duration)     { p.every.Store(int64(d)) }
func (p *Poller) Interval() time.Duration { return time.Duration(p.every.Load()) }

func (p *Poller) Ticks() *time.Ticker {
	if p.Interval() > 0 {
		return time.NewTicker(p.Interval()) // want `check-then-act: p.every was checked at line \d+`
	}
	return nil
}

func (p *Poller) TicksOnce() *time.Ticker {
	if every := p.Interval(); every > 0 {
		return time.NewTicker(every)
	}
	return nil
}

// Timer does not mind.
func (p *Poller) Timer() *time.Timer {
	if p.Interval() > 0 {
		return time.NewTimer(p.Interval())
	}
	return nil
}

func relay(w *wire, s string) int { return w.sent + len(s) }

func label(w *wire) string { return w.Text() }

func relayIf(w *wire, s string) int {
	if w == nil {
		return 0
	}
	return w.Send(s)
}

// Relay hands what may be nil by then to a function that needs it.
func (l *Line) Relay(s string) int {
	if l.Wire() == nil {
		return 0
	}
	return relay(l.Wire(), s) // want `l\.wire was checked at line \d+`
}

// RelayLabel hands it to one that does not.
func (l *Line) RelayLabel() string {
	if l.Wire() == nil {
		return ""
	}
	return label(l.Wire())
}

// RelayIf hands it to one that asks.
func (l *Line) RelayIf(s string) int {
	if l.Wire() == nil {
		return 0
	}
	return relayIf(l.Wire(), s)
}

func usable(w *wire) bool { return w != nil && w.name != "" }

func relayUsable(w *wire, s string) int {
	if !usable(w) {
		return 0
	}
	return w.Send(s)
}

func relayUnless(w *wire, s string, dry bool) int {
	if dry {
		return 0
	}
	return w.Send(s)
}

func store(n *int, at int) { *n = at }

// RelayUsable hands what may be nil to a function that asks another one.
func (l *Line) RelayUsable(s string) int {
	if l.Wire() == nil {
		return 0
	}
	return relayUsable(l.Wire(), s)
}

// RelayUnless hands it to one that does not always need it.
func (l *Line) RelayUnless(s string) int {
	if l.Wire() == nil {
		return 0
	}
	return relayUnless(l.Wire(), s, true)
}

// A Dial points to a number, or to none.
type Dial struct {
	mu sync.Mutex
	at *int
}

func (d *Dial) Place() *int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.at
}

func (d *Dial) Drop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at = nil
}

// Set has another function store there.
func (d *Dial) Set(n int) {
	if d.Place() != nil {
		store(d.Place(), n) // want `d\.at was checked at line \d+`
	}
}
