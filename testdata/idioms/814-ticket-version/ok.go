// Package tickets is the service layer of a support desk.
package tickets

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

var (
	ErrNotFound = errors.New("tickets: not found")
	ErrConflict = errors.New("tickets: changed by somebody else")
	ErrClosed   = errors.New("tickets: ticket is closed")
)

// Comment is a remark on a ticket.
type Comment struct {
	Author, Text string
	At           time.Time
}

// Ticket is a support case. Version counts its changes.
type Ticket struct {
	ID       int
	Version  int
	Subject  string
	Assignee string
	Closed   bool
	Comments []Comment
}

func (t Ticket) clone() Ticket {
	t.Comments = slices.Clone(t.Comments)
	return t
}

// Repository stores tickets.
type Repository interface {
	Create(subject string) Ticket
	Get(id int) (Ticket, error)
	// Save stores t and raises its version. It fails with ErrConflict if t is
	// not based on the stored version.
	Save(t Ticket) error
}

// Memory is a Repository in memory. It is safe for concurrent use.
type Memory struct {
	mu   sync.RWMutex
	last int
	byID map[int]Ticket
}

// NewMemory returns an empty repository.
func NewMemory() *Memory { return &Memory{byID: make(map[int]Ticket)} }

// Create implements Repository.
func (m *Memory) Create(subject string) Ticket {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last++
	t := Ticket{ID: m.last, Version: 1, Subject: subject}
	m.byID[t.ID] = t
	return t
}

// Get implements Repository.
func (m *Memory) Get(id int) (Ticket, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	t, ok := m.byID[id]
	if !ok {
		return Ticket{}, ErrNotFound
	}
	return t.clone(), nil
}

// Save implements Repository.
func (m *Memory) Save(t Ticket) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, ok := m.byID[t.ID]
	if !ok {
		return ErrNotFound
	}
	if old.Version != t.Version {
		return ErrConflict
	}
	t = t.clone()
	t.Version++
	m.byID[t.ID] = t
	return nil
}

// Desk is what the handlers call. It is safe for concurrent use.
type Desk struct {
	repo Repository
	now  func() time.Time
}

// NewDesk returns a desk over repo.
func NewDesk(repo Repository) *Desk { return &Desk{repo: repo, now: time.Now} }

// Open starts a new ticket.
func (d *Desk) Open(subject string) Ticket { return d.repo.Create(subject) }

// Comment adds a comment to an open ticket.
func (d *Desk) Comment(ctx context.Context, id int, author, text string) error {
	return d.change(ctx, id, func(t *Ticket) error {
		if t.Closed {
			return ErrClosed
		}
		t.Comments = append(t.Comments, Comment{author, text, d.now()})
		return nil
	})
}

// Take assigns an open ticket that nobody has to agent. It reports whether
// agent has got it.
func (d *Desk) Take(ctx context.Context, id int, agent string) (bool, error) {
	got := false
	err := d.change(ctx, id, func(t *Ticket) error {
		got = false
		if t.Closed {
			return ErrClosed
		}
		if t.Assignee != "" {
			return nil
		}
		t.Assignee = agent
		got = true
		return nil
	})
	return got && err == nil, err
}

// Close closes a ticket.
func (d *Desk) Close(ctx context.Context, id int) error {
	return d.change(ctx, id, func(t *Ticket) error {
		t.Closed = true
		return nil
	})
}

// change loads a ticket, applies fn and saves it. fn may be called more than
// once.
func (d *Desk) change(ctx context.Context, id int, fn func(*Ticket) error) error {
	for {
		t, err := d.repo.Get(id)
		if err != nil {
			return err
		}
		if err := fn(&t); err != nil {
			return err
		}
		err = d.repo.Save(t)
		if !errors.Is(err, ErrConflict) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}
