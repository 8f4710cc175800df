package readychan

import (
	"context"
	"errors"
	"sync"
)

// Phase is the state of a channel.
type Phase int

// The phases of a channel.
const (
	PhaseIdle Phase = iota
	PhaseDialing
	PhaseReady
	PhaseClosed
)

var errChanClosed = errors.New("channel is closed")

// sequencer runs callbacks in order on one goroutine.
type sequencer struct {
	mu   sync.Mutex
	cond *sync.Cond
	list []func()
	stop bool
}

func newSequencer() *sequencer {
	q := &sequencer{}
	q.cond = sync.NewCond(&q.mu)
	go q.loop()
	return q
}

func (q *sequencer) schedule(f func()) {
	q.mu.Lock()
	q.list = append(q.list, f)
	q.mu.Unlock()
	q.cond.Signal()
}

func (q *sequencer) close() {
	q.mu.Lock()
	q.stop = true
	q.mu.Unlock()
	q.cond.Signal()
}

func (q *sequencer) loop() {
	for {
		q.mu.Lock()
		for len(q.list) == 0 && !q.stop {
			q.cond.Wait()
		}
		if len(q.list) == 0 {
			q.mu.Unlock()
			return
		}
		f := q.list[0]
		q.list = q.list[1:]
		q.mu.Unlock()
		f()
	}
}

// Wire is an established transport.
type Wire struct {
	Addr string
}

// SubChan is a connection that is watched by a policy.
type SubChan struct {
	seq      *sequencer
	listener func(Phase)
	done     chan struct{}

	mu      sync.Mutex
	phase   Phase
	wire    *Wire
	readyCh chan struct{} // closed when the policy knows that the channel is ready
}

// NewSubChan returns an idle channel.
func NewSubChan(listener func(Phase)) *SubChan {
	return &SubChan{seq: newSequencer(), listener: listener, done: make(chan struct{}), readyCh: make(chan struct{})}
}

func (c *SubChan) setPhaseLocked(p Phase) {
	if c.phase == p || c.phase == PhaseClosed {
		return
	}
	if c.phase == PhaseReady {
		c.readyCh = make(chan struct{})
	}
	c.phase = p
	c.notify(p, c.readyCh)
}

// notify tells the policy about a phase and closes ready afterwards.
func (c *SubChan) notify(p Phase, ready chan struct{}) {
	c.seq.schedule(func() {
		c.listener(p)
		if p != PhaseReady {
			return
		}
		// Waiters go on after the policy was told.
		close(ready)
	})
}

// Established is called by the dialer.
func (c *SubChan) Established(w *Wire) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase == PhaseClosed {
		return
	}
	c.wire = w
	c.setPhaseLocked(PhaseReady)
}

// Lost is called when the transport breaks.
func (c *SubChan) Lost() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wire = nil
	c.setPhaseLocked(PhaseIdle)
}

// Close ends the channel.
func (c *SubChan) Close() {
	c.mu.Lock()
	if c.phase == PhaseClosed {
		c.mu.Unlock()
		return
	}
	c.wire = nil
	c.setPhaseLocked(PhaseClosed)
	close(c.done)
	c.mu.Unlock()
	c.seq.close()
}

// WaitWire returns the transport as soon as the channel is ready.
func (c *SubChan) WaitWire(ctx context.Context) (*Wire, error) {
	for {
		c.mu.Lock()
		w, ch := c.wire, c.readyCh
		c.mu.Unlock()
		if w != nil && isClosed(ch) {
			return w, nil
		}
		select {
		case <-ch:
		case <-c.done:
			return nil, errChanClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}
