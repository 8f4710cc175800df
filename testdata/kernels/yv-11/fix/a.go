package a

import (
	"errors"
	"fmt"
	"sync"
)

var ErrStale = errors.New("sheet: edit based on an old revision of the cell")

type Edit struct {
	Rev   int64
	Cell  string
	Value string
	By    string
}

type Hello struct {
	Rev   int64
	Cells map[string]string
}

// Client is one browser tab; the websocket writer drains out.
type Client struct {
	User string
	out  chan any
}

func NewClient(user string) *Client { return &Client{User: user, out: make(chan any, 256)} }

func (c *Client) Out() <-chan any { return c.out }

func (c *Client) offer(msg any) bool {
	select {
	case c.out <- msg:
		return true
	default:
		return false
	}
}

type cell struct {
	value string
	rev   int64
}

// Sheet is an open document with the people looking at it.
type Sheet struct {
	mu      sync.Mutex
	rev     int64
	cells   map[string]cell
	clients map[*Client]struct{}
}

func NewSheet() *Sheet {
	return &Sheet{cells: map[string]cell{}, clients: map[*Client]struct{}{}}
}

// Apply stores an edit and sends it to everybody on the sheet.
func (s *Sheet) Apply(cellName, value, by string, base int64) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cells[cellName].rev > base {
		return 0, ErrStale
	}
	s.rev++
	s.cells[cellName] = cell{value: value, rev: s.rev}
	e := Edit{Rev: s.rev, Cell: cellName, Value: value, By: by}
	for c := range s.clients {
		if !c.offer(e) {
			s.dropLocked(c)
		}
	}
	return s.rev, nil
}

func (s *Sheet) dropLocked(c *Client) {
	if _, ok := s.clients[c]; ok {
		delete(s.clients, c)
		close(c.out)
	}
}

func (s *Sheet) helloLocked() Hello {
	h := Hello{Rev: s.rev, Cells: make(map[string]string, len(s.cells))}
	for name, c := range s.cells {
		h.Cells[name] = c.value
	}
	return h
}

// Export is also used for downloads.
func (s *Sheet) Export() Hello {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.helloLocked()
}

func (s *Sheet) attach(c *Client) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !c.offer(s.helloLocked()) {
		return false
	}
	s.clients[c] = struct{}{}
	return true
}

func (s *Sheet) Leave(c *Client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropLocked(c)
}

// Hub keeps the open sheets.
type Hub struct {
	mu     sync.Mutex
	sheets map[string]*Sheet
}

func NewHub() *Hub { return &Hub{sheets: make(map[string]*Sheet)} }

func (h *Hub) sheet(id string) *Sheet {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.sheets[id]
	if !ok {
		s = NewSheet()
		h.sheets[id] = s
	}
	return s
}

// Join hands the client the whole sheet, then every edit as it happens.
func (h *Hub) Join(id string, c *Client) (*Sheet, error) {
	s := h.sheet(id)
	if !s.attach(c) {
		return nil, fmt.Errorf("sheet %s: client %s not reading", id, c.User)
	}
	return s, nil
}
