// Package feed hands the lines of a log to the readers of feeders. Every
// member of a cluster has all feeders, but a feeder works only on the member
// that leads it.
package feed

import (
	"sync"
	"time"
)

const sweepEvery = 200 * time.Millisecond

// Log is the stream that the feeders read.
type Log struct {
	mu    sync.RWMutex
	lines []string

	amu    sync.Mutex
	active map[*Feeder]struct{} // feeders that want to hear of new lines
}

// NewLog returns an empty log.
func NewLog() *Log {
	return &Log{active: make(map[*Feeder]struct{})}
}

// Add appends a line and wakes the active feeders.
func (g *Log) Add(line string) {
	g.mu.Lock()
	g.lines = append(g.lines, line)
	g.mu.Unlock()

	g.amu.Lock()
	defer g.amu.Unlock()
	for f := range g.active {
		select {
		case f.wake <- struct{}{}:
		default:
		}
	}
}

// At returns the line with the number n, which starts at 0.
func (g *Log) At(n int) (string, bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if n < 0 || n >= len(g.lines) {
		return "", false
	}
	return g.lines[n], true
}

func (g *Log) setActive(f *Feeder) {
	g.amu.Lock()
	defer g.amu.Unlock()
	g.active[f] = struct{}{}
}

func (g *Log) setPassive(f *Feeder) {
	g.amu.Lock()
	defer g.amu.Unlock()
	delete(g.active, f)
}

// Replica carries proposals to the other members.
type Replica interface {
	Propose(pos int)
}

// Feeder sends the lines of a log to one reader, and again if the reader does
// not acknowledge them in time.
type Feeder struct {
	log     *Log
	out     func(n int, line string)
	ackWait time.Duration
	wake    chan struct{}

	mu      sync.RWMutex
	closed  bool
	rep     Replica // nil if there is only one member
	next    int
	pending map[int]time.Time // lines without acknowledgement
	floor   int               // all lines before are acknowledged
	acks    chan int          // not nil while the feeder works
	props   chan int          // not nil while it works with a replica
	quit    chan struct{}
}

// New returns a feeder that does not work yet. The function out must not call
// the feeder.
func New(log *Log, rep Replica, ackWait time.Duration, out func(n int, line string)) *Feeder {
	return &Feeder{
		log:     log,
		rep:     rep,
		out:     out,
		ackWait: ackWait,
		wake:    make(chan struct{}, 1),
		pending: make(map[int]time.Time),
	}
}

// SetLeader starts or ends the work of the feeder. It is called by the loop
// that follows elections, and by the assignments of the cluster, which may
// find that this member already leads.
func (f *Feeder) SetLeader(leader bool) {
	f.mu.Lock()
	defer f.mu.Unlock()

	if !leader {
		f.stop()
		f.log.setPassive(f)
		return
	}
	if f.closed {
		return
	}
	if f.acks != nil {
		if f.rep != nil && f.props == nil {
			// It worked alone and has got a replica.
			f.props = make(chan int, 64)
			go f.propose(f.rep, f.props, f.quit)
		}
		return
	}

	// Hear of new lines before the old ones are read.
	f.log.setActive(f)

	f.next = f.floor
	clear(f.pending)
	f.acks = make(chan int, 64)
	f.quit = make(chan struct{})
	if f.rep != nil {
		f.props = make(chan int, 64)
		go f.propose(f.rep, f.props, f.quit)
	}
	go f.deliver(f.quit)
	go f.processAcks(f.acks, f.quit)
}

// stop ends the goroutines. The lock is held.
func (f *Feeder) stop() {
	if f.quit != nil {
		close(f.quit)
	}
	f.quit, f.acks, f.props = nil, nil, nil
	clear(f.pending)
}

// AddReplica is called when the feeder gets more members.
func (f *Feeder) AddReplica(rep Replica) {
	f.mu.Lock()
	f.rep = rep
	f.mu.Unlock()
}

// Ack acknowledges a line. It is ignored unless the feeder works.
func (f *Feeder) Ack(n int) {
	f.mu.RLock()
	acks, quit := f.acks, f.quit
	f.mu.RUnlock()
	if acks == nil {
		return
	}
	select {
	case acks <- n:
	case <-quit:
	}
}

// deliver sends the lines, new ones first.
func (f *Feeder) deliver(quit chan struct{}) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		for f.deliverOne(quit) {
		}
		select {
		case <-f.wake:
		case <-tick.C:
			f.redeliver(quit)
		case <-quit:
			return
		}
	}
}

// ended tells whether the work that quit belongs to was stopped.
func ended(quit chan struct{}) bool {
	select {
	case <-quit:
		return true
	default:
		return false
	}
}

func (f *Feeder) deliverOne(quit chan struct{}) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ended(quit) {
		return false
	}
	line, ok := f.log.At(f.next)
	if !ok {
		return false
	}
	f.pending[f.next] = time.Now()
	f.out(f.next, line)
	f.next++
	return true
}

func (f *Feeder) redeliver(quit chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ended(quit) {
		return
	}
	now := time.Now()
	for n, at := range f.pending {
		if now.Sub(at) < f.ackWait {
			continue
		}
		if line, ok := f.log.At(n); ok {
			f.pending[n] = now
			f.out(n, line)
		}
	}
}

func (f *Feeder) processAcks(acks chan int, quit chan struct{}) {
	for {
		select {
		case n := <-acks:
			f.acked(n, quit)
		case <-quit:
			return
		}
	}
}

func (f *Feeder) acked(n int, quit chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ended(quit) {
		return
	}
	delete(f.pending, n)
	floor := f.next
	for p := range f.pending {
		floor = min(floor, p)
	}
	if floor <= f.floor {
		return
	}
	f.floor = floor
	if f.props != nil {
		select {
		case f.props <- floor:
		default: // a later one will do
		}
	}
}

func (f *Feeder) propose(rep Replica, props chan int, quit chan struct{}) {
	for {
		select {
		case pos := <-props:
			rep.Propose(pos)
		case <-quit:
			return
		}
	}
}

// Close ends the feeder for good.
func (f *Feeder) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.stop()
	f.log.setPassive(f)
}
