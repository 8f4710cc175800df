package a

import (
	"context"
	"sync"
)

type Allocation struct {
	ID           string
	ClientStatus string
}

func (a *Allocation) Terminated() bool {
	return a.ClientStatus == "complete" || a.ClientStatus == "failed"
}

// AllocBroadcaster implements an allocation broadcast channel. Each listener
// receives allocation updates.
type AllocBroadcaster struct {
	m         sync.Mutex
	listeners map[int]chan<- *Allocation
	nextId    int
	capacity  int
	closed    bool
}

func NewAllocBroadcaster(n int) *AllocBroadcaster {
	return &AllocBroadcaster{capacity: n}
}

type AllocListener struct {
	Ch <-chan *Allocation
	b  *AllocBroadcaster
	id int
}

func (b *AllocBroadcaster) Send(v *Allocation) {
	b.m.Lock()
	defer b.m.Unlock()
	if b.closed {
		return
	}
	for _, l := range b.listeners {
		select {
		case l <- v:
		default:
		}
	}
}

// Close closes the channel, disabling the sending of further messages.
func (b *AllocBroadcaster) Close() {
	b.m.Lock()
	defer b.m.Unlock()
	b.closed = true
	for _, l := range b.listeners {
		close(l)
	}
}

func (b *AllocBroadcaster) Listen() *AllocListener {
	b.m.Lock()
	defer b.m.Unlock()
	if b.listeners == nil {
		b.listeners = make(map[int]chan<- *Allocation)
	}
	for b.listeners[b.nextId] != nil {
		b.nextId++
	}
	ch := make(chan *Allocation, b.capacity)
	if b.closed {
		close(ch)
	}
	b.listeners[b.nextId] = ch
	return &AllocListener{ch, b, b.nextId}
}

// Close closes the Listener, disabling the receival of further messages.
func (l *AllocListener) Close() {
	l.b.m.Lock()
	defer l.b.m.Unlock()
	delete(l.b.listeners, l.id)
}

type AllocRunner struct {
	updates  chan *Allocation
	allocBro *AllocBroadcaster
	cancel   context.CancelFunc
}

func NewAllocRunner() *AllocRunner {
	ctx, cancel := context.WithCancel(context.Background())
	r := &AllocRunner{
		updates:  make(chan *Allocation, 8),
		allocBro: NewAllocBroadcaster(8),
		cancel:   cancel,
	}
	go r.run(ctx)
	return r
}

func (r *AllocRunner) run(ctx context.Context) {
	for {
		select {
		case a := <-r.updates:
			r.allocBro.Send(a)
			if a.Terminated() {
				r.allocBro.Close()
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

func (r *AllocRunner) Listen() *AllocListener { return r.allocBro.Listen() }

func (r *AllocRunner) Update(a *Allocation) {
	select {
	case r.updates <- a:
	default:
	}
}

func (r *AllocRunner) Destroy() {
	r.cancel()
	r.allocBro.Close()
}
