package a

import (
	"context"
	"fmt"
	"log"
	"maps"
	"sync"
	"time"
)

// Event is an appointment.
type Event struct {
	ID      string
	Title   string
	Deleted bool
}

// Remote is the calendar at the provider. It answers with the changes since a
// sync token and the token for the next time; "" stands for the beginning.
type Remote interface {
	Changes(ctx context.Context, token string) (evs []Event, next string, err error)
}

// Calendar mirrors a remote calendar.
type Calendar struct {
	remote Remote

	// turn has one place; whoever fills it may change the mirror.
	turn chan struct{}

	mu     sync.RWMutex
	token  string
	synced time.Time
	events map[string]Event
}

func NewCalendar(r Remote) *Calendar {
	return &Calendar{remote: r, turn: make(chan struct{}, 1), events: make(map[string]Event)}
}

func (c *Calendar) enter(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Calendar) leave() { <-c.turn }

// Token is the sync token of the mirror.
func (c *Calendar) Token() string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.token
}

func (c *Calendar) apply(evs []Event, token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range evs {
		if e.Deleted {
			delete(c.events, e.ID)
		} else {
			c.events[e.ID] = e
		}
	}
	c.token, c.synced = token, time.Now()
}

// Sync fetches the changes. It may be called by the user and by Run.
func (c *Calendar) Sync(ctx context.Context) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	defer c.leave()
	evs, next, err := c.remote.Changes(ctx, c.Token())
	if err != nil {
		return fmt.Errorf("calendar: %w", err)
	}
	c.apply(evs, next)
	return nil
}

// Reset throws the mirror away; the next Sync starts from the beginning.
func (c *Calendar) Reset(ctx context.Context) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	defer c.leave()
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.events)
	c.token = ""
	return nil
}

// Events is a copy of the mirror and the time of the last sync.
func (c *Calendar) Events() (map[string]Event, time.Time) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return maps.Clone(c.events), c.synced
}

// Run syncs until ctx ends.
func (c *Calendar) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		if err := c.Sync(ctx); err != nil {
			log.Print(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}
