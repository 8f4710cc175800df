package stream

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrDoAfterFinish indicates a pointless Do call after Finish.
var ErrDoAfterFinish = errors.New("throttle: Do called after Finish")

// Throttle allows a limited number of workers to run at a time. It also
// provides a mechanism to check for errors encountered by workers and wait for
// them to finish.
type Throttle struct {
	once      sync.Once
	wg        sync.WaitGroup
	ch        chan struct{}
	errCh     chan error
	finishErr error
	finished  atomic.Bool
}

// NewThrottle creates a new throttle with a max number of workers.
func NewThrottle(max int) *Throttle {
	return &Throttle{
		ch:    make(chan struct{}, max),
		errCh: make(chan error, max),
	}
}

// Do should be called by workers before they start working. It blocks if there
// are already maximum number of workers working. If it detects an error from
// previously Done workers, it would return it.
func (t *Throttle) Do() error {
	if t.finished.Load() {
		return ErrDoAfterFinish
	}
	for {
		select {
		case t.ch <- struct{}{}:
			t.wg.Add(1)
			return nil
		case err := <-t.errCh:
			if err != nil {
				return err
			}
		}
	}
}

// Done should be called by workers when they finish working. They can also
// pass the error status of work done; if there are too many, the first count.
func (t *Throttle) Done(err error) {
	if err != nil {
		select {
		case t.errCh <- err:
		default:
		}
	}
	select {
	case <-t.ch:
	default:
		panic("throttle: Do Done mismatch")
	}
	t.wg.Done()
}

// Finish waits until all workers have finished working. It would return any
// error passed by Done. If Finish is called multiple times, it will wait for
// workers to finish only once. From next calls, it will return the same error.
func (t *Throttle) Finish() error {
	t.once.Do(func() {
		t.wg.Wait()
		close(t.ch)
		close(t.errCh)
		t.finished.Store(true)
		for err := range t.errCh {
			if err != nil {
				t.finishErr = err
				return
			}
		}
	})
	return t.finishErr
}
