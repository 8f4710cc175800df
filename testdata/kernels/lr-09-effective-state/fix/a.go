package lr09

import (
	"errors"
	"sort"
	"sync"
	"sync/atomic"
)

type connState int

const (
	idle connState = iota
	connecting
	ready
	transientFailure
)

var (
	errNoSubConn  = errors.New("no SubConn is available")
	errAllFailing = errors.New("no connection is ready")
)

type subConn struct {
	addr    string
	connect func()

	mu            sync.RWMutex
	state         connState
	failing       bool
	connectQueued bool
}

func (sc *subConn) setState(s connState) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	switch s {
	case idle:
		if sc.connectQueued {
			sc.connectQueued = false
			sc.connect()
		}
	case connecting:
		sc.connectQueued = false
	case ready:
		sc.connectQueued = false
		sc.failing = false
	case transientFailure:
		sc.failing = true
	}
	sc.state = s
}

// effectiveState reports a failing SubConn as transientFailure until it is ready.
func (sc *subConn) effectiveState() connState {
	sc.mu.RLock()
	defer sc.mu.RUnlock()
	if sc.failing && (sc.state == idle || sc.state == connecting) {
		return transientFailure
	}
	return sc.state
}

func (sc *subConn) queueConnect() {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.state == idle {
		sc.connect()
		return
	}
	sc.connectQueued = true
}

type ringEntry struct {
	idx  int
	hash uint64
	sc   *subConn
}

type ring struct{ items []*ringEntry }

func (r *ring) pick(h uint64) *ringEntry {
	i := sort.Search(len(r.items), func(i int) bool { return r.items[i].hash >= h })
	return r.items[i%len(r.items)]
}

func (r *ring) next(e *ringEntry) *ringEntry {
	return r.items[(e.idx+1)%len(r.items)]
}

type picker struct {
	ring   *ring
	states map[*subConn]connState
}

func newPicker(r *ring) *picker {
	states := make(map[*subConn]connState)
	for _, e := range r.items {
		states[e.sc] = e.sc.effectiveState()
	}
	return &picker{ring: r, states: states}
}

// Pick is called for every RPC.
func (p *picker) Pick(h uint64) (*subConn, error) {
	e := p.ring.pick(h)
	if sc, err, ok := p.handleRICS(e); ok {
		return sc, err
	}
	return p.handleTransientFailure(e)
}

func (p *picker) handleRICS(e *ringEntry) (*subConn, error, bool) {
	switch p.states[e.sc] {
	case ready:
		return e.sc, nil, true
	case idle:
		e.sc.queueConnect()
		return nil, errNoSubConn, true
	case connecting:
		return nil, errNoSubConn, true
	}
	return nil, nil, false
}

func (p *picker) handleTransientFailure(e *ringEntry) (*subConn, error) {
	e.sc.queueConnect()
	var firstNonFailed bool
	for ee := p.ring.next(e); ee != e; ee = p.ring.next(ee) {
		st := p.states[ee.sc]
		if st == ready {
			return ee.sc, nil
		}
		if firstNonFailed {
			continue
		}
		if st == transientFailure {
			ee.sc.queueConnect()
			continue
		}
		firstNonFailed = true
		if st == idle {
			ee.sc.queueConnect()
		}
	}
	return nil, errAllFailing
}

type balancer struct {
	mu     sync.Mutex
	ring   *ring
	picker atomic.Pointer[picker]
}

func (b *balancer) UpdateSubConnState(sc *subConn, s connState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	old := sc.effectiveState()
	sc.setState(s)
	if sc.effectiveState() != old {
		b.picker.Store(newPicker(b.ring))
	}
}
