// Package steps is about states that several goroutines take further, and counts in elements.
package steps

import "sync"

type state int

const (
	queued state = iota
	running
	cancelled
)

type job struct {
	state state
	run   func()
}

// Jobs are run by workers.
type Jobs struct {
	mu  sync.Mutex
	all map[string]*job
}

func NewJobs() *Jobs { return &Jobs{all: make(map[string]*job)} }

func (j *Jobs) Submit(id string, run func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.all[id] = &job{run: run}
}

func (j *Jobs) stateOf(id string) state {
	j.mu.Lock()
	defer j.mu.Unlock()
	if x := j.all[id]; x != nil {
		return x.state
	}
	return cancelled
}

func (j *Jobs) set(id string, s state) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if x, ok := j.all[id]; ok {
		x.state = s
	}
}

// Work takes a job from queued to running.
func (j *Jobs) Work(id string) {
	j.mu.Lock()
	x := j.all[id]
	if x == nil || x.state != queued {
		j.mu.Unlock()
		return
	}
	x.state = running
	j.mu.Unlock()
	x.run()
}

// Cancel may take one to cancelled that is running by now.
func (j *Jobs) Cancel(id string) bool {
	if j.stateOf(id) == queued {
		j.set(id, cancelled) // want `check-then-act: j\.all\[.*\]\.state was checked at line \d+`
		return true
	}
	return false
}

// A Valve has no third state: whoever shuts it, it is shut.
type Valve struct {
	mu   sync.Mutex
	open bool
}

func (v *Valve) isOpen() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.open
}

func (v *Valve) set(open bool) {
	v.mu.Lock()
	v.open = open
	v.mu.Unlock()
}

func (v *Valve) Open() { v.set(true) }

func (v *Valve) Shut() {
	if v.isOpen() {
		v.set(false)
	}
}

// usage is kept by value.
type usage struct{ bytes, leases int }

// Leases are counted for each tenant.
type Leases struct {
	mu  sync.Mutex
	use map[string]usage
}

func NewLeases() *Leases { return &Leases{use: make(map[string]usage)} }

func (l *Leases) Take(tenant string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.use[tenant]
	u.bytes += n
	u.leases++
	l.use[tenant] = u
}

func (l *Leases) lower(tenant string, n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	u, ok := l.use[tenant]
	if !ok {
		return 0
	}
	u.bytes -= n
	u.leases--
	l.use[tenant] = u
	return u.leases
}

func (l *Leases) drop(tenant string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.use, tenant)
}

func (l *Leases) dropIfUnused(tenant string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.use[tenant].leases == 0 {
		delete(l.use, tenant)
	}
}

// Give may drop what another lease was counted in.
func (l *Leases) Give(tenant string, n int) {
	if l.lower(tenant, n) == 0 {
		l.drop(tenant) // want `check-then-act: l\.use\[tenant\] was checked at line \d+`
	}
}

func (l *Leases) GiveUnused(tenant string, n int) {
	if l.lower(tenant, n) == 0 {
		l.dropIfUnused(tenant)
	}
}

// An Auction takes bids until it is closed.
type Auction struct {
	mu     sync.Mutex
	best   int
	closed bool
	phase  state
}

func (a *Auction) Bid(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || n <= a.best {
		return false
	}
	a.best = n
	return true
}

func (a *Auction) leading() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.best
}

func (a *Auction) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
}

// Settle sells to who led before it was closed.
func (a *Auction) Settle(sell func(int) error) error {
	err := sell(a.leading())
	a.close() // want `lost-update: a\.best was read at line \d+, .* before a\.closed is set by this call of close is not in what was used`
	return err
}

// SettleClosed closes first.
func (a *Auction) SettleClosed(sell func(int) error) error {
	a.close()
	return sell(a.leading())
}

// SettleLast looks again.
func (a *Auction) SettleLast(sell func(int) error) error {
	err := sell(a.leading())
	a.close()
	if err == nil {
		err = sell(a.leading())
	}
	return err
}

// A Poll is counted when it has ended, and then filed.
type Poll struct {
	mu    sync.Mutex
	votes int
	phase state
}

func (p *Poll) Vote() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.phase == queued {
		p.votes++
	}
}

func (p *Poll) end() {
	p.mu.Lock()
	p.phase = running
	p.mu.Unlock()
}

// File counts what nobody changes any more.
func (p *Poll) File(write func(int)) {
	p.mu.Lock()
	if p.phase != running {
		p.mu.Unlock()
		return
	}
	n := p.votes
	p.mu.Unlock()
	write(n)
	p.mu.Lock()
	if p.phase == running {
		p.phase = cancelled
	}
	p.mu.Unlock()
}
