// Package booking stores the appointments of a practice day by day.
package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

var (
	ErrConflict = errors.New("booking: day was changed meanwhile")
	ErrTaken    = errors.New("booking: slot is taken")
)

// Day is a value; slots are numbered from the opening hour.
type Day struct {
	Date    string
	Slots   []string
	version uint64
}

func (d Day) free(i int) bool { return i >= 0 && i < len(d.Slots) && d.Slots[i] == "" }

type Store struct {
	slots int

	mu   sync.Mutex
	days map[string]Day
}

func NewStore(slots int) *Store { return &Store{slots: slots, days: make(map[string]Day)} }

func (s *Store) get(date string) Day {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok := s.days[date]
	if !ok {
		d = Day{Date: date, Slots: make([]string, s.slots)}
	}
	d.Slots = slices.Clone(d.Slots)
	return d
}

// put stores the day if nobody has stored another one since it was read.
func (s *Store) put(d Day) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.days[d.Date].version != d.version {
		return ErrConflict
	}
	d.version++
	s.days[d.Date] = d
	return nil
}

// Rules is the remote service that knows who may be booked when.
type Rules interface {
	Check(ctx context.Context, patient, date string, slot int) error
}

type Practice struct {
	store *Store
	rules Rules
}

func NewPractice(s *Store, r Rules) *Practice { return &Practice{store: s, rules: r} }

func (p *Practice) change(ctx context.Context, date string, f func(context.Context, *Day) error) error {
	for {
		d := p.store.get(date)
		if err := f(ctx, &d); err != nil {
			return fmt.Errorf("booking %s: %w", date, err)
		}
		err := p.store.put(d)
		if !errors.Is(err, ErrConflict) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// Move books another slot of the same day for the patient.
func (p *Practice) Move(ctx context.Context, date, patient string, from, to int) error {
	return p.change(ctx, date, func(ctx context.Context, d *Day) error {
		if !d.free(to) || from < 0 || from >= len(d.Slots) || d.Slots[from] != patient {
			return ErrTaken
		}
		if err := p.rules.Check(ctx, patient, date, to); err != nil {
			return err
		}
		d.Slots[from], d.Slots[to] = "", patient
		return nil
	})
}

func (p *Practice) Book(ctx context.Context, date, patient string, slot int) error {
	return p.change(ctx, date, func(ctx context.Context, d *Day) error {
		if !d.free(slot) {
			return ErrTaken
		}
		if err := p.rules.Check(ctx, patient, date, slot); err != nil {
			return err
		}
		d.Slots[slot] = patient
		return nil
	})
}
