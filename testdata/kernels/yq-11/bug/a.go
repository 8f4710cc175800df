package a

import (
	"context"
	"errors"
	"log"
	"sync"
)

var errEnded = errors.New("feed: stream has ended")

// Tick is one trade.
type Tick struct {
	Symbol string
	Price  int64
	Size   int64
}

// Stream is a subscription at the exchange, which bills it until it is closed.
type Stream interface {
	Recv() (Tick, error)
	Close() error
}

// Dialer opens streams.
type Dialer func(ctx context.Context, symbol string) (Stream, error)

type topic struct {
	stream Stream

	mu    sync.Mutex
	subs  map[chan Tick]struct{}
	ended bool
	last  Tick
}

func (t *topic) join() (chan Tick, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return nil, errEnded
	}
	c := make(chan Tick, 64)
	if t.last.Price != 0 {
		c <- t.last
	}
	t.subs[c] = struct{}{}
	return c, nil
}

func (t *topic) leave(c chan Tick) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.subs[c]; ok {
		delete(t.subs, c)
		close(c)
	}
}

// publish drops the tick for subscribers that are too slow.
func (t *topic) publish(tick Tick) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = tick
	for c := range t.subs {
		select {
		case c <- tick:
		default:
		}
	}
}

func (t *topic) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	for c := range t.subs {
		delete(t.subs, c)
		close(c)
	}
}

// Mux shares the streams of the exchange among the strategies.
type Mux struct {
	dial Dialer

	mu     sync.RWMutex
	topics map[string]*topic
}

func NewMux(d Dialer) *Mux {
	return &Mux{dial: d, topics: make(map[string]*topic)}
}

// Subscribe gives the ticks of a symbol. The channel is closed by the cancel
// function, or when the exchange ends the stream.
func (m *Mux) Subscribe(ctx context.Context, symbol string) (<-chan Tick, func(), error) {
	m.mu.RLock()
	t, ok := m.topics[symbol]
	m.mu.RUnlock()
	if !ok {
		s, err := m.dial(ctx, symbol)
		if err != nil {
			return nil, nil, err
		}
		t = &topic{stream: s, subs: make(map[chan Tick]struct{})}
		m.mu.Lock()
		m.topics[symbol] = t
		m.mu.Unlock()
		go m.pump(symbol, t)
	}
	c, err := t.join()
	if err != nil {
		return nil, nil, err
	}
	return c, func() { t.leave(c) }, nil
}

func (m *Mux) pump(symbol string, t *topic) {
	for {
		tick, err := t.stream.Recv()
		if err != nil {
			log.Printf("feed %s: %v", symbol, err)
			break
		}
		t.publish(tick)
	}
	m.mu.Lock()
	if m.topics[symbol] == t {
		delete(m.topics, symbol)
	}
	m.mu.Unlock()
	t.end()
	t.stream.Close()
}

// Drop closes the stream of a symbol and with it all its subscriptions.
func (m *Mux) Drop(symbol string) {
	m.mu.RLock()
	t, ok := m.topics[symbol]
	m.mu.RUnlock()
	if ok {
		t.stream.Close()
	}
}
