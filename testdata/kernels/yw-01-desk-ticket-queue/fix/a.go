// Package a is the work queue behind the support desk's "next ticket" button.
package a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

var (
	// ErrEmpty is returned when no ticket is waiting.
	ErrEmpty = errors.New("desk: queue is empty")
	// ErrSkill is returned when the oldest ticket needs another skill.
	ErrSkill = errors.New("desk: oldest ticket needs another skill")
)

// Ticket is one customer request.
type Ticket struct {
	ID      int64     `json:"id"`
	Subject string    `json:"subject"`
	Skill   string    `json:"skill"`
	Opened  time.Time `json:"opened"`
}

// Agent is a member of the support staff.
type Agent struct {
	Name   string
	Skills map[string]bool
}

// Can reports whether the agent handles tickets of the given skill.
func (a *Agent) Can(skill string) bool {
	return skill == "" || a.Skills[skill]
}

// Queue is a FIFO of tickets.
type Queue struct {
	mu    sync.Mutex
	items []*Ticket
}

// Push adds a ticket at the end.
func (q *Queue) Push(t *Ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, t)
}

// Unshift gives a ticket back to the front of the queue.
func (q *Queue) Unshift(t *Ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append([]*Ticket{t}, q.items...)
}

// Shift removes and returns the oldest ticket if the agent can handle it.
func (q *Queue) Shift(a *Agent) (*Ticket, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return nil, ErrEmpty
	}
	t := q.items[0]
	if !a.Can(t.Skill) {
		return nil, ErrSkill
	}
	q.items[0] = nil
	q.items = q.items[1:]
	return t, nil
}

// Desk hands tickets to agents.
type Desk struct {
	queue  Queue
	agents map[string]*Agent
	assign func(ctx context.Context, agent string, id int64) error
	log    *slog.Logger
}

// NewDesk returns a desk which records assignments with assign.
func NewDesk(agents []*Agent, assign func(context.Context, string, int64) error, log *slog.Logger) *Desk {
	d := &Desk{agents: make(map[string]*Agent, len(agents)), assign: assign, log: log}
	for _, a := range agents {
		d.agents[a.Name] = a
	}
	return d
}

// Submit queues a new ticket.
func (d *Desk) Submit(t *Ticket) { d.queue.Push(t) }

// Next assigns the oldest ticket to the agent.
func (d *Desk) Next(ctx context.Context, a *Agent) (*Ticket, error) {
	t, err := d.queue.Shift(a)
	if err != nil {
		return nil, err
	}
	if err := d.assign(ctx, a.Name, t.ID); err != nil {
		d.queue.Unshift(t)
		return nil, fmt.Errorf("assign ticket %d: %w", t.ID, err)
	}
	d.log.Info("ticket assigned", "ticket", t.ID, "agent", a.Name, "waited", time.Since(t.Opened))
	return t, nil
}

// ServeHTTP answers POST /next?agent=NAME.
func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, ok := d.agents[r.FormValue("agent")]
	if !ok {
		http.Error(w, "unknown agent", http.StatusForbidden)
		return
	}
	t, err := d.Next(r.Context(), a)
	switch {
	case errors.Is(err, ErrEmpty), errors.Is(err, ErrSkill):
		w.WriteHeader(http.StatusNoContent)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	default:
		_ = json.NewEncoder(w).Encode(t)
	}
}
