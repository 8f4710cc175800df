package instances

import "sync"

// A Feed is filled before its second goroutine is started, and while the first one runs.
type Feed struct {
	mu    sync.Mutex
	items int
	seen  int
	stop  chan bool
}

func NewFeed() *Feed {
	f := &Feed{stop: make(chan bool)}
	go f.watch()
	f.restore()
	f.begin()
	return f
}

// begin starts the goroutine: it runs once per feed, after restore.
func (f *Feed) begin() { f.mu.Lock(); f.mu.Unlock(); go f.run() }

func (f *Feed) restore() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keep()
}

func (f *Feed) keep() {
	f.items++
	f.seen++
}

func (f *Feed) count() int    { f.mu.Lock(); defer f.mu.Unlock(); return f.items }
func (f *Feed) set(n int)     { f.mu.Lock(); defer f.mu.Unlock(); f.items = n }
func (f *Feed) number() int   { f.mu.Lock(); defer f.mu.Unlock(); return f.seen }
func (f *Feed) setSeen(n int) { f.mu.Lock(); defer f.mu.Unlock(); f.seen = n }

// run comes after restore.
func (f *Feed) run() {
	for range f.stop {
		f.set(f.count() + 1)
	}
}

// watch has been started before.
func (f *Feed) watch() {
	for range f.stop {
		f.setSeen(f.number() + 1) // want `lost-update: f.seen was read .* \(Feed.seen is also written by \(\*Feed\).keep`
	}
}

// Each Late is filled after its goroutine has been started.
type Late struct {
	mu    sync.Mutex
	items int
	stop  chan bool
}

func NewLates(n int) []*Late {
	var out []*Late
	for range n {
		x := &Late{stop: make(chan bool)}
		go x.run()
		x.restore()
		out = append(out, x)
	}
	return out
}

func (x *Late) restore()   { x.mu.Lock(); x.items++; x.mu.Unlock() }
func (x *Late) count() int { x.mu.Lock(); defer x.mu.Unlock(); return x.items }
func (x *Late) set(n int)  { x.mu.Lock(); defer x.mu.Unlock(); x.items = n }

func (x *Late) run() {
	for range x.stop {
		x.set(x.count() + 1) // want `lost-update: x.items was read .* \(Late.items is also written by`
	}
}

// Each Round is filled, and then has a goroutine: what is done to the next one is no matter of this one.
type Round struct {
	mu    sync.Mutex
	items int
	stop  chan bool
}

func NewRounds(n int) []*Round {
	var out []*Round
	for range n {
		x := &Round{stop: make(chan bool)}
		out = append(out, x)
		x.restore()
		go x.run()
	}
	return out
}

func (x *Round) restore()   { x.mu.Lock(); x.items++; x.mu.Unlock() }
func (x *Round) count() int { x.mu.Lock(); defer x.mu.Unlock(); return x.items }
func (x *Round) set(n int)  { x.mu.Lock(); defer x.mu.Unlock(); x.items = n }

func (x *Round) run() {
	for range x.stop {
		x.set(x.count() + 1)
	}
}

// A Refill is filled before, and again by a method that others call.
type Refill struct {
	mu    sync.Mutex
	items int
	stop  chan bool
}

func NewRefill() *Refill {
	x := &Refill{stop: make(chan bool)}
	go func() { <-x.stop }()
	x.restore()
	go x.run()
	return x
}

func (x *Refill) Again() { x.restore() }

func (x *Refill) restore()   { x.mu.Lock(); x.items++; x.mu.Unlock() }
func (x *Refill) count() int { x.mu.Lock(); defer x.mu.Unlock(); return x.items }
func (x *Refill) set(n int)  { x.mu.Lock(); defer x.mu.Unlock(); x.items = n }

func (x *Refill) run() {
	for range x.stop {
		x.set(x.count() + 1) // want `lost-update: x.items was read .* \(Refill.items is also written by`
	}
}

// A Deferred is filled when its constructor returns.
type Deferred struct {
	mu    sync.Mutex
	items int
	stop  chan bool
}

func NewDeferred() *Deferred {
	x := &Deferred{stop: make(chan bool)}
	defer x.restore()
	go x.run()
	return x
}

func (x *Deferred) restore()   { x.mu.Lock(); x.items++; x.mu.Unlock() }
func (x *Deferred) count() int { x.mu.Lock(); defer x.mu.Unlock(); return x.items }
func (x *Deferred) set(n int)  { x.mu.Lock(); defer x.mu.Unlock(); x.items = n }

func (x *Deferred) run() {
	for range x.stop {
		x.set(x.count() + 1) // want `lost-update: x.items was read .* \(Deferred.items is also written by`
	}
}

// All Copies have one purse, which the goroutine of another one may use.
type Copy struct {
	purse *purse
	stop  chan bool
}

type purse struct {
	mu sync.Mutex
	n  int
}

func (p *purse) get() int  { p.mu.Lock(); defer p.mu.Unlock(); return p.n }
func (p *purse) set(n int) { p.mu.Lock(); defer p.mu.Unlock(); p.n = n }
func (p *purse) add()      { p.mu.Lock(); defer p.mu.Unlock(); p.n++ }

func NewCopy() *Copy { return &Copy{purse: &purse{}, stop: make(chan bool)} }

func CopyOf(c *Copy) *Copy {
	d := &Copy{}
	*d = *c
	go d.look()
	d.purse.add()
	go d.run()
	return d
}

func (c *Copy) look() { c.purse.get() }

func (c *Copy) run() {
	for range c.stop {
		c.purse.set(c.purse.get() + 1) // want `lost-update: c.purse.n was read .* is also written by CopyOf`
	}
}
