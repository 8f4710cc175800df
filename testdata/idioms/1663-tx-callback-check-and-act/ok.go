package a

import (
	"errors"
	"sync"
)

var (
	errNoShow = errors.New("museum: no such time slot")
	errFull   = errors.New("museum: time slot is full")
)

type slot struct {
	start string
	room  int
	names []string
}

// Box is the ticket office of a museum.
type Box struct {
	mu    sync.Mutex
	slots map[string]*slot
	sold  int
}

type tx struct {
	b *Box
}

func (t *tx) find(start string) (*slot, error) {
	s, ok := t.b.slots[start]
	if !ok {
		return nil, errNoShow
	}
	return s, nil
}

func (t *tx) free(start string) (int, error) {
	s, err := t.find(start)
	if err != nil {
		return 0, err
	}
	return s.room - len(s.names), nil
}

func (t *tx) admit(start, name string) error {
	s, err := t.find(start)
	if err != nil {
		return err
	}
	s.names = append(s.names, name)
	t.b.sold++
	return nil
}

func NewBox() *Box { return &Box{slots: make(map[string]*slot)} }

func (b *Box) update(fn func(t *tx) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return fn(&tx{b: b})
}

// Schedule adds a time slot.
func (b *Box) Schedule(start string, room int) error {
	return b.update(func(t *tx) error {
		if s, err := t.find(start); err == nil {
			s.room = max(room, len(s.names))
			return nil
		}
		b.slots[start] = &slot{start: start, room: room}
		return nil
	})
}

// Sell lets a group in, or nobody of it.
func (b *Box) Sell(start string, group []string) error {
	return b.update(func(t *tx) error {
		n, err := t.free(start)
		if err != nil {
			return err
		}
		if n < len(group) {
			return errFull
		}
		for _, name := range group {
			if err := t.admit(start, name); err != nil {
				return err
			}
		}
		return nil
	})
}

// Free tells the places left, for the display in the hall.
func (b *Box) Free(start string) (n int, err error) {
	err = b.update(func(t *tx) error {
		n, err = t.free(start)
		return err
	})
	return n, err
}
