package subapi

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
)

// Header is the header of a block.
type Header struct {
	Number uint64
}

// eventSystem forwards the events of the backend.
type eventSystem struct {
	mu   sync.Mutex
	subs map[*headSub]struct{}
}

type headSub struct {
	sys  *eventSystem
	ch   chan Header
	done chan struct{}
	once sync.Once
}

func (es *eventSystem) subscribeHeads(ch chan Header) *headSub {
	s := &headSub{sys: es, ch: ch, done: make(chan struct{})}
	es.mu.Lock()
	es.subs[s] = struct{}{}
	es.mu.Unlock()
	return s
}

func (s *headSub) unsubscribe() {
	s.once.Do(func() {
		close(s.done)
		s.sys.mu.Lock()
		delete(s.sys.subs, s)
		s.sys.mu.Unlock()
	})
}

func (es *eventSystem) publish(h Header) {
	es.mu.Lock()
	targets := make([]*headSub, 0, len(es.subs))
	for s := range es.subs {
		targets = append(targets, s)
	}
	es.mu.Unlock()
	for _, s := range targets {
		select {
		case s.ch <- h:
		case <-s.done:
		}
	}
}

// Notifier is the connection to one client.
type Notifier interface {
	Notify(id string, h Header) error
	Closed() <-chan struct{}
}

// Handle is returned to the client; everything that happens afterwards is
// sent to it.
type Handle struct {
	ID   string
	stop context.CancelFunc
}

// Cancel ends the subscription.
func (h *Handle) Cancel() { h.stop() }

// API serves subscriptions.
type API struct {
	events *eventSystem
	lastID atomic.Uint64
}

// NewAPI returns an API without subscriptions.
func NewAPI() *API {
	return &API{events: &eventSystem{subs: make(map[*headSub]struct{})}}
}

// BlockImported is called by the chain for every new block.
func (api *API) BlockImported(h Header) { api.events.publish(h) }

// NewHeads subscribes a client to the headers of new blocks.
func (api *API) NewHeads(n Notifier) *Handle {
	ctx, cancel := context.WithCancel(context.Background())
	h := &Handle{ID: strconv.FormatUint(api.lastID.Add(1), 16), stop: cancel}

	headers := make(chan Header)
	sub := api.events.subscribeHeads(headers)

	go func() {
		defer sub.unsubscribe()

		for {
			select {
			case hd := <-headers:
				if n.Notify(h.ID, hd) != nil {
					return
				}
			case <-ctx.Done():
				return
			case <-n.Closed():
				return
			}
		}
	}()
	return h
}
