// Package a assigns cars to the bays of a car wash.
package a

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Bay is one washing bay.
type Bay struct {
	Number int
	Brush  string
}

// Wash is a car wash. The free bays are in a channel.
type Wash struct {
	free   chan Bay
	cycle  time.Duration
	washed chan string
}

// ErrBusy is returned when every bay is taken.
var ErrBusy = errors.New("all bays are taken")

// NewWash returns a wash with the given bays.
func NewWash(cycle time.Duration, bays ...Bay) *Wash {
	w := &Wash{
		free:   make(chan Bay, len(bays)),
		cycle:  cycle,
		washed: make(chan string, 64),
	}
	for _, b := range bays {
		w.free <- b
	}
	return w
}

// TryEnter takes a free bay. The gate calls it and must get its answer at
// once, for it shows a red light when there is no bay.
func (w *Wash) TryEnter() (Bay, error) {
	if len(w.free) == 0 {
		return Bay{}, ErrBusy
	}
	return <-w.free, nil
}

// Enter waits for a bay.
func (w *Wash) Enter(ctx context.Context) (Bay, error) {
	select {
	case b := <-w.free:
		return b, nil
	case <-ctx.Done():
		return Bay{}, fmt.Errorf("waiting for a bay: %w", ctx.Err())
	}
}

// Leave gives the bay back.
func (w *Wash) Leave(b Bay) {
	w.free <- b
}

// Run washes one car in a bay and reports its plate when done.
func (w *Wash) Run(ctx context.Context, plate string) error {
	b, err := w.TryEnter()
	if err != nil {
		return err
	}
	defer w.Leave(b)
	t := time.NewTimer(w.cycle)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
		return fmt.Errorf("bay %d: %w", b.Number, ctx.Err())
	}
	select {
	case w.washed <- plate:
	default:
	}
	return nil
}

// Washed delivers the plates of washed cars to the display.
func (w *Wash) Washed() <-chan string { return w.washed }
