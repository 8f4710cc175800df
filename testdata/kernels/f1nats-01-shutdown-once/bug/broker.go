// Package bug is a message broker with an internal event sender.
package bug

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// resolver looks accounts up.
type resolver interface {
	Close()
}

// eventing is the state of the internal event sender.
type eventing struct {
	sweeper *time.Timer
	rewind  chan struct{}
	sendq   chan string
	wg      sync.WaitGroup
}

// Broker accepts connections and sends events about itself.
type Broker struct {
	mu       sync.RWMutex
	sys      *eventing
	listener net.Listener
	conns    map[uint64]net.Conn
	nextID   uint64
	accounts resolver
	done     chan bool
	sent     []string

	stopping atomic.Bool
	active   atomic.Bool
	quit     chan struct{}
	complete chan struct{}
}

// NewBroker returns a broker with a running event sender.
func NewBroker(l net.Listener, accounts resolver) *Broker {
	b := &Broker{
		listener: l,
		conns:    make(map[uint64]net.Conn),
		accounts: accounts,
		done:     make(chan bool, 1),
		quit:     make(chan struct{}),
		complete: make(chan struct{}),
	}
	b.sys = &eventing{rewind: make(chan struct{}), sendq: make(chan string, 64)}
	b.sys.sweeper = time.AfterFunc(time.Minute, b.sweep)
	b.sys.wg.Add(1)
	go b.sendEvents(&b.sys.wg, b.sys.sendq, b.sys.rewind)
	b.active.Store(true)
	if l != nil {
		go b.acceptLoop(l)
	}
	return b
}

func (b *Broker) sendEvents(wg *sync.WaitGroup, sendq chan string, rewind chan struct{}) {
	defer wg.Done()
	for {
		select {
		case ev := <-sendq:
			if ev == "" {
				return
			}
			b.mu.Lock()
			b.sent = append(b.sent, ev)
			b.mu.Unlock()
		case <-rewind:
		case <-b.quit:
			return
		}
	}
}

func (b *Broker) acceptLoop(l net.Listener) {
	for !b.halting() {
		c, err := l.Accept()
		if err != nil {
			break
		}
		b.register(c)
	}
	b.done <- true
}

func (b *Broker) register(c net.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.active.Load() {
		c.Close()
		return
	}
	b.nextID++
	b.conns[b.nextID] = c
}

func (b *Broker) sweep() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sys != nil && b.sys.sweeper != nil {
		b.sys.sweeper.Reset(time.Minute)
	}
}

// Ready reports whether the broker serves.
func (b *Broker) Ready() bool { return b.active.Load() && !b.halting() }

func (b *Broker) halting() bool { return b.stopping.Load() }

func (b *Broker) eventsOn() bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.active.Load() && b.sys != nil && b.sys.rewind != nil
}

func (b *Broker) haltEvents() {
	if !b.eventsOn() {
		return
	}
	b.mu.Lock()
	if b.sys.sweeper != nil {
		b.sys.sweeper.Stop()
		b.sys.sweeper = nil
	}
	rc, sendq, wg := b.sys.rewind, b.sys.sendq, &b.sys.wg
	b.sys.rewind = nil
	b.mu.Unlock()

	sendq <- ""
	wg.Wait()
	close(rc)

	b.mu.Lock()
	b.sys = nil
	b.mu.Unlock()
}

// Shutdown stops the broker and closes all connections.
func (b *Broker) Shutdown() {
	if b == nil {
		return
	}
	b.haltEvents()

	if b.halting() {
		return
	}

	b.mu.Lock()
	accounts := b.accounts
	b.stopping.Store(true)
	b.active.Store(false)
	b.mu.Unlock()

	if accounts != nil {
		accounts.Close()
	}

	b.mu.Lock()
	conns := make([]net.Conn, 0, len(b.conns))
	for id, c := range b.conns {
		conns = append(conns, c)
		delete(b.conns, id)
	}
	waiting := 0
	if b.listener != nil {
		waiting++
		b.listener.Close()
		b.listener = nil
	}
	b.mu.Unlock()

	close(b.quit)
	for _, c := range conns {
		c.Close()
	}
	for ; waiting > 0; waiting-- {
		<-b.done
	}
	close(b.complete)
}

// Wait blocks until the broker is down.
func (b *Broker) Wait() { <-b.complete }
