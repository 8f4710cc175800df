// Package fix serves notifications of new blocks and new entries.
package fix

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
)

var errNoPush = errors.New("connection does not support notifications")

// Block is a new block.
type Block struct {
	Number uint64
	Hash   string
}

// Entry is an entry that waits for a block.
type Entry struct {
	Hash string
	From string
}

type kind int

const (
	blockKind kind = iota
	entryKind
)

type listener struct {
	kind    kind
	blocks  chan *Block
	entries chan []*Entry
	added   chan struct{}
	gone    chan struct{}
}

// Hub distributes events. One goroutine owns the set of listeners.
type Hub struct {
	install   chan *listener
	uninstall chan *listener
	blockIn   chan *Block
	entryIn   chan []*Entry
	quit      chan struct{}
}

// NewHub returns a running hub.
func NewHub() *Hub {
	h := &Hub{
		install:   make(chan *listener),
		uninstall: make(chan *listener),
		blockIn:   make(chan *Block),
		entryIn:   make(chan []*Entry),
		quit:      make(chan struct{}),
	}
	go h.loop()
	return h
}

func (h *Hub) loop() {
	set := make(map[*listener]struct{})
	for {
		select {
		case b := <-h.blockIn:
			for l := range set {
				if l.kind == blockKind {
					l.blocks <- b
				}
			}
		case es := <-h.entryIn:
			for l := range set {
				if l.kind == entryKind {
					l.entries <- es
				}
			}
		case l := <-h.install:
			set[l] = struct{}{}
			close(l.added)
		case l := <-h.uninstall:
			delete(set, l)
			close(l.gone)
		case <-h.quit:
			return
		}
	}
}

// PostBlock is called by the chain.
func (h *Hub) PostBlock(b *Block) {
	select {
	case h.blockIn <- b:
	case <-h.quit:
	}
}

// PostEntries is called by the pool.
func (h *Hub) PostEntries(es []*Entry) {
	select {
	case h.entryIn <- es:
	case <-h.quit:
	}
}

// Listening is an installed listener.
type Listening struct {
	h    *Hub
	l    *listener
	once sync.Once
}

func (h *Hub) subscribe(l *listener) *Listening {
	l.added = make(chan struct{})
	l.gone = make(chan struct{})
	h.install <- l
	<-l.added
	return &Listening{h: h, l: l}
}

// Blocks installs a listener for blocks.
func (h *Hub) Blocks(ch chan *Block) *Listening {
	return h.subscribe(&listener{kind: blockKind, blocks: ch})
}

// Entries installs a listener for entries.
func (h *Hub) Entries(ch chan []*Entry) *Listening {
	return h.subscribe(&listener{kind: entryKind, entries: ch})
}

// End takes the listener away.
func (s *Listening) End() {
	s.once.Do(func() {
		for {
			select {
			case s.h.uninstall <- s.l:
				<-s.l.gone
				return
			case <-s.l.blocks:
			case <-s.l.entries:
			}
		}
	})
}

// Session is the connection of a client.
type Session struct {
	Push   func(id string, v any) error
	closed chan struct{}
	once   sync.Once
}

// NewSession returns an open session.
func NewSession(push func(string, any) error) *Session {
	return &Session{Push: push, closed: make(chan struct{})}
}

// Close ends all subscriptions of the session.
func (s *Session) Close() { s.once.Do(func() { close(s.closed) }) }

// API is what clients call.
type API struct {
	hub    *Hub
	nextID atomic.Uint64
}

// NewAPI returns the API over a hub.
func NewAPI(h *Hub) *API { return &API{hub: h} }

func (a *API) newID() string { return strconv.FormatUint(a.nextID.Add(1), 16) }

// NewBlocks notifies the session of all blocks from now on. The caller answers
// the client with the id that is returned.
func (a *API) NewBlocks(s *Session) (string, error) {
	if s.Push == nil {
		return "", errNoPush
	}
	id := a.newID()

	blocks := make(chan *Block)
	sub := a.hub.Blocks(blocks)

	go func() {
		defer sub.End()

		for {
			select {
			case b := <-blocks:
				s.Push(id, b)
			case <-s.closed:
				return
			}
		}
	}()
	return id, nil
}

// NewEntries notifies the session of all entries from now on.
func (a *API) NewEntries(s *Session, full bool) (string, error) {
	if s.Push == nil {
		return "", errNoPush
	}
	id := a.newID()

	entries := make(chan []*Entry, 128)
	sub := a.hub.Entries(entries)

	go func() {
		defer sub.End()

		for {
			select {
			case es := <-entries:
				for _, e := range es {
					if full {
						s.Push(id, e)
					} else {
						s.Push(id, e.Hash)
					}
				}
			case <-s.closed:
				return
			}
		}
	}()
	return id, nil
}
