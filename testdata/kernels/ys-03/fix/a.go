package campaign

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	ErrNotFound = errors.New("campaign: not found")
	ErrState    = errors.New("campaign: not possible in this state")
)

type Status string

const (
	Running Status = "running"
	Paused  Status = "paused"
	Done    Status = "done"
)

// Campaign is stored by value.
type Campaign struct {
	ID     string
	Status Status
	Total  int
	Sent   int
	Failed int
}

// Table is a small concurrent map of records.
type Table[K comparable, V any] struct {
	mu   sync.RWMutex
	rows map[K]V
}

func NewTable[K comparable, V any]() *Table[K, V] {
	return &Table[K, V]{rows: make(map[K]V)}
}

func (t *Table[K, V]) Get(k K) (V, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	v, ok := t.rows[k]
	return v, ok
}

func (t *Table[K, V]) Put(k K, v V) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows[k] = v
}

// Update changes the record in place and reports whether it exists.
func (t *Table[K, V]) Update(k K, fn func(*V)) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok := t.rows[k]
	if ok {
		fn(&v)
		t.rows[k] = v
	}
	return ok
}

// Mailer talks to the SMTP relay.
type Mailer interface {
	Send(ctx context.Context, campaign, rcpt string) error
}

type Service struct {
	campaigns *Table[string, Campaign]
	mailer    Mailer
	workers   int
}

func NewService(m Mailer, workers int) *Service {
	return &Service{campaigns: NewTable[string, Campaign](), mailer: m, workers: workers}
}

// Pause stops a running campaign; batches already being sent are finished.
func (s *Service) Pause(id string) error { return s.transition(id, Running, Paused) }

// Resume continues a paused campaign.
func (s *Service) Resume(id string) error { return s.transition(id, Paused, Running) }

func (s *Service) transition(id string, from, to Status) error {
	var err error
	ok := s.campaigns.Update(id, func(c *Campaign) {
		if c.Status != from {
			err = ErrState
			return
		}
		c.Status = to
	})
	if !ok {
		return ErrNotFound
	}
	return err
}

func (s *Service) tally(id string, sent, failed int) {
	s.campaigns.Update(id, func(c *Campaign) {
		c.Sent += sent
		c.Failed += failed
		if c.Sent+c.Failed >= c.Total {
			c.Status = Done
		}
	})
}

// Progress is shown on the dashboard.
func (s *Service) Progress(id string) (Campaign, bool) { return s.campaigns.Get(id) }

// Launch enters the campaign and delivers it in the background. The caller
// chooses a fresh id.
func (s *Service) Launch(ctx context.Context, id string, batches [][]string) {
	total := 0
	for _, b := range batches {
		total += len(b)
	}
	s.campaigns.Put(id, Campaign{ID: id, Status: Running, Total: total})

	queue := make(chan []string)
	go func() {
		defer close(queue)
		for _, b := range batches {
			select {
			case queue <- b:
			case <-ctx.Done():
				return
			}
		}
	}()
	for range s.workers {
		go func() {
			for batch := range queue {
				if s.waitRunning(ctx, id) != nil {
					return
				}
				s.deliver(ctx, id, batch)
			}
		}()
	}
}

func (s *Service) deliver(ctx context.Context, id string, batch []string) {
	sent, failed := 0, 0
	for _, rcpt := range batch {
		if err := s.mailer.Send(ctx, id, rcpt); err != nil {
			failed++
			continue
		}
		sent++
	}
	s.tally(id, sent, failed)
}

func (s *Service) waitRunning(ctx context.Context, id string) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if c, ok := s.campaigns.Get(id); ok && c.Status == Running {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
