// Package fix fires reminders at the times they were set for.
package fix

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

var (
	ErrUnknown = errors.New("reminders: unknown id")
	ErrTaken   = errors.New("reminders: id in use")
	ErrPast    = errors.New("reminders: time has passed")
)

// Reminder is a note for a user.
type Reminder struct {
	ID   string
	User string
	Note string
	At   time.Time
}

// agenda holds the reminders that are due later, by id and by time.
type agenda struct {
	mu    sync.Mutex
	byID  map[string]*Reminder
	order []*Reminder
}

func (a *agenda) add(r *Reminder) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.addLocked(r)
}

func (a *agenda) addLocked(r *Reminder) error {
	if _, ok := a.byID[r.ID]; ok {
		return ErrTaken
	}
	a.byID[r.ID] = r
	at, _ := slices.BinarySearchFunc(a.order, r, func(x, y *Reminder) int { return x.At.Compare(y.At) })
	a.order = slices.Insert(a.order, at, r)
	return nil
}

func (a *agenda) remove(id string) (*Reminder, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.removeLocked(id)
}

func (a *agenda) removeLocked(id string) (*Reminder, error) {
	r, ok := a.byID[id]
	if !ok {
		return nil, ErrUnknown
	}
	delete(a.byID, id)
	i := slices.Index(a.order, r)
	a.order = slices.Delete(a.order, i, i+1)
	return r, nil
}

func (a *agenda) move(id string, at time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, err := a.removeLocked(id)
	if err != nil {
		return err
	}
	moved := *r
	moved.At = at
	return a.addLocked(&moved)
}

// due takes out what is due at now and tells how long to wait for the rest.
func (a *agenda) due(now time.Time) ([]*Reminder, time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for n < len(a.order) && !a.order[n].At.After(now) {
		delete(a.byID, a.order[n].ID)
		n++
	}
	out := slices.Clone(a.order[:n])
	a.order = slices.Delete(a.order, 0, n)
	if len(a.order) == 0 {
		return out, time.Hour
	}
	return out, a.order[0].At.Sub(now)
}

// Service fires reminders through notify.
type Service struct {
	agenda agenda
	kick   chan struct{}
	notify func(Reminder)
}

func NewService(ctx context.Context, notify func(Reminder)) *Service {
	s := &Service{
		agenda: agenda{byID: make(map[string]*Reminder)},
		kick:   make(chan struct{}, 1),
		notify: notify,
	}
	go s.run(ctx)
	return s
}

func (s *Service) wake() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

func (s *Service) run(ctx context.Context) {
	for {
		now, wait := s.agenda.due(time.Now())
		for _, r := range now {
			s.notify(*r)
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-s.kick:
		case <-ctx.Done():
			t.Stop()
			return
		}
		t.Stop()
	}
}

// Set enters a reminder.
func (s *Service) Set(r Reminder) error {
	if r.At.Before(time.Now()) {
		return ErrPast
	}
	if err := s.agenda.add(&r); err != nil {
		return err
	}
	s.wake()
	return nil
}

// Cancel takes a reminder out. When it returns nil the reminder will not fire;
// ErrUnknown says that its time has come already or that it never was there.
func (s *Service) Cancel(id string) error {
	_, err := s.agenda.remove(id)
	return err
}

// Move sets a reminder to another time.
func (s *Service) Move(id string, at time.Time) error {
	if at.Before(time.Now()) {
		return ErrPast
	}
	if err := s.agenda.move(id, at); err != nil {
		return err
	}
	s.wake()
	return nil
}
