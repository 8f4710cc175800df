// Package a follows the firings of a pottery kiln.
package a

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Firing is one run of the kiln. It ends exactly once.
type Firing struct {
	Cone string

	mu       sync.Mutex
	curve    []int
	finished bool
	result   error
	waiters  []chan struct{}
}

// ErrFinished is returned for readings after the end.
var ErrFinished = errors.New("firing has finished")

// Reading adds a temperature to the curve.
func (f *Firing) Reading(celsius int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.finished {
		return ErrFinished
	}
	f.curve = append(f.curve, celsius)
	return nil
}

// Finish ends the firing. The controller calls it when the door opens.
func (f *Firing) Finish(result error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.finished {
		return ErrFinished
	}
	f.finished = true
	f.result = result
	for _, ch := range f.waiters {
		close(ch)
	}
	f.waiters = nil
	return nil
}

func (f *Firing) outcome() (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.finished, f.result
}

func (f *Firing) enlist() chan struct{} {
	ch := make(chan struct{})
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.finished {
		close(ch)
		return ch
	}
	f.waiters = append(f.waiters, ch)
	return ch
}

func (f *Firing) forget(ch chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.Index(f.waiters, ch); i >= 0 {
		f.waiters = slices.Delete(f.waiters, i, i+1)
	}
}

// Await blocks until the firing has finished and returns its result.
func (f *Firing) Await(ctx context.Context) error {
	if done, err := f.outcome(); done {
		return err
	}
	ch := f.enlist()
	select {
	case <-ch:
		_, err := f.outcome()
		return err
	case <-ctx.Done():
		f.forget(ch)
		return ctx.Err()
	}
}

// Peak is the highest temperature so far.
func (f *Firing) Peak() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.curve) == 0 {
		return 0
	}
	return slices.Max(f.curve)
}
