// Package lane moves parcels to a depot.
package lane

import (
	"context"
	"errors"
	"sync"
)

// Errors with which a parcel can fail on its lane.
var (
	ErrClosed   = errors.New("lane is closed")
	ErrDraining = errors.New("lane is draining")
	ErrRefused  = errors.New("parcel was not accepted by the depot")
)

// The frames exchanged with a depot.
const (
	FrameParcel  = iota // a parcel, towards the depot
	FrameReceipt        // the answer to one parcel
	FrameRecall         // no parcel above ID will be handled
)

// Frame is the unit that travels on a Wire.
type Frame struct {
	Kind int
	ID   uint32
	Body []byte
}

// Wire is the connection below a lane. Read and Write fail after Close.
type Wire interface {
	Read() (Frame, error)
	Write(Frame) error
	Close() error
}

// Parcel is one item under way.
type Parcel struct {
	id   uint32
	body []byte

	once    sync.Once
	done    chan struct{} // closed when the following are set
	receipt []byte
	err     error
}

// Wait blocks until the depot has answered.
func (p *Parcel) Wait() ([]byte, error) {
	<-p.done
	return p.receipt, p.err
}

const (
	stateOpen = iota
	stateDraining
	stateClosed
)

// Lane carries parcels over one wire. Parcel ids are odd and only grow.
type Lane struct {
	wire Wire

	outMu  sync.Mutex // order of the outgoing parcels
	queue  []*Parcel
	slots  int
	nextID uint32

	slotFree, kick chan struct{}

	mu     sync.Mutex // may be taken with outMu held
	state  int
	active map[uint32]*Parcel

	recall, closed chan struct{}
}

// NewLane starts a lane for slots parcels at a time.
func NewLane(w Wire, slots int) *Lane {
	l := &Lane{
		wire: w, slots: slots, nextID: 1,
		slotFree: make(chan struct{}, 1),
		kick:     make(chan struct{}, 1),
		active:   make(map[uint32]*Parcel),
		recall:   make(chan struct{}),
		closed:   make(chan struct{}),
	}
	go l.readLoop()
	go l.writeLoop()
	return l
}

// Usable reports whether the lane takes new parcels.
func (l *Lane) Usable() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state == stateOpen
}

// Dispatch queues body as a new parcel. It blocks while all slots are taken.
func (l *Lane) Dispatch(ctx context.Context, body []byte) (*Parcel, error) {
	p := &Parcel{body: body, done: make(chan struct{})}
	admit := func() bool {
		if l.slots <= 0 {
			return false
		}
		l.mu.Lock()
		if l.active == nil { // set to nil by Close
			l.mu.Unlock()
			return false
		}
		p.id = l.nextID
		l.active[p.id] = p
		l.mu.Unlock()
		l.nextID += 2
		l.slots--
		if l.slots > 0 {
			wake(l.slotFree)
		}
		return true
	}
	for {
		if l.enqueueIf(admit, p) {
			return p, nil
		}
		select {
		case <-l.slotFree:
		case <-l.recall:
			return nil, ErrDraining
		case <-l.closed:
			return nil, ErrClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// enqueueIf queues p if admit, run with outMu held, agrees.
func (l *Lane) enqueueIf(admit func() bool, p *Parcel) bool {
	l.outMu.Lock()
	defer l.outMu.Unlock()
	ok := admit()
	if ok {
		l.queue = append(l.queue, p)
		wake(l.kick)
	}
	return ok
}

func (l *Lane) writeLoop() {
	for {
		select {
		case <-l.kick:
		case <-l.closed:
			return
		}
		l.outMu.Lock()
		batch := l.queue
		l.queue = nil
		l.outMu.Unlock()
		for _, p := range batch {
			if err := l.wire.Write(Frame{Kind: FrameParcel, ID: p.id, Body: p.body}); err != nil {
				l.Close(err)
				return
			}
		}
	}
}

func (l *Lane) readLoop() {
	for {
		f, err := l.wire.Read()
		if err != nil {
			l.Close(err)
			return
		}
		switch f.Kind {
		case FrameReceipt:
			l.mu.Lock()
			p := l.active[f.ID]
			l.mu.Unlock()
			if p != nil {
				l.finish(p, f.Body, nil)
			}
		case FrameRecall:
			l.handleRecall(f.ID)
		}
	}
}

// handleRecall stops the intake. The depot ignores all parcels above last.
func (l *Lane) handleRecall(last uint32) {
	l.mu.Lock()
	if l.state == stateOpen {
		l.state = stateDraining
		close(l.recall)
	}
	var refused []*Parcel
	for id, p := range l.active {
		if id > last {
			refused = append(refused, p)
		}
	}
	idle := len(l.active) == 0
	l.mu.Unlock()

	for _, p := range refused {
		l.finish(p, nil, ErrRefused)
	}
	if idle {
		l.Close(ErrDraining)
	}
}

// finish ends p. The last parcel of a draining lane closes the lane.
func (l *Lane) finish(p *Parcel, receipt []byte, err error) {
	p.once.Do(func() {
		p.receipt, p.err = receipt, err
		close(p.done)

		l.outMu.Lock()
		l.slots++
		l.outMu.Unlock()
		wake(l.slotFree)
	})
	l.mu.Lock()
	delete(l.active, p.id)
	drained := l.state == stateDraining && len(l.active) == 0
	l.mu.Unlock()
	if drained {
		l.Close(ErrDraining)
	}
}

// Close ends the lane and fails everything that is still under way.
func (l *Lane) Close(reason error) {
	l.mu.Lock()
	if l.state == stateClosed {
		l.mu.Unlock()
		return
	}
	l.state = stateClosed
	left := l.active
	l.active = nil
	l.mu.Unlock()

	close(l.closed)
	l.wire.Close()
	for _, p := range left {
		l.finish(p, nil, reason)
	}
}

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Fleet keeps one usable lane.
type Fleet struct {
	dial func() (Wire, error)

	mu   sync.Mutex
	lane *Lane
}

// NewFleet returns a fleet that makes its wires with dial.
func NewFleet(dial func() (Wire, error)) *Fleet { return &Fleet{dial: dial} }

// Send dispatches body on a usable lane.
func (f *Fleet) Send(ctx context.Context, body []byte) (*Parcel, error) {
	for {
		l, err := f.pick()
		if err != nil {
			return nil, err
		}
		p, err := l.Dispatch(ctx, body)
		if errors.Is(err, ErrDraining) || errors.Is(err, ErrClosed) {
			continue
		}
		return p, err
	}
}

func (f *Fleet) pick() (*Lane, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lane != nil && f.lane.Usable() {
		return f.lane, nil
	}
	w, err := f.dial()
	if err == nil {
		f.lane = NewLane(w, 16)
	}
	return f.lane, err
}
