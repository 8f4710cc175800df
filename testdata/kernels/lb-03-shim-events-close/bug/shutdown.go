package task

import (
	"context"
	"sync"
	"time"
)

// newShutdownService returns a service which runs callbacks when
// shutdown is called.
func newShutdownService(timeout time.Duration) *shutdownService {
	return &shutdownService{
		doneC:   make(chan struct{}),
		timeout: timeout,
	}
}

type shutdownService struct {
	mu         sync.Mutex
	isShutdown bool
	callbacks  []func(context.Context) error
	doneC      chan struct{}
	err        error
	timeout    time.Duration
}

// Shutdown initiates shutdown by executing callbacks.
func (s *shutdownService) Shutdown() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isShutdown {
		return
	}
	s.isShutdown = true

	go func(callbacks []func(context.Context) error) {
		ctx, cancel := context.WithTimeout(context.Background(), s.timeout)
		defer cancel()
		var (
			wg   sync.WaitGroup
			errs = make([]error, len(callbacks))
		)
		for i := range callbacks {
			wg.Add(1)
			go func() {
				defer wg.Done()
				errs[i] = callbacks[i](ctx)
			}()
		}
		wg.Wait()
		s.mu.Lock()
		for _, err := range errs {
			if err != nil {
				s.err = err
				break
			}
		}
		close(s.doneC)
		s.mu.Unlock()
	}(s.callbacks)
}

// Done returns a channel that's closed when all
// shutdown callbacks are invoked.
func (s *shutdownService) Done() <-chan struct{} {
	return s.doneC
}

// RegisterCallback registers a function to be called on shutdown.
func (s *shutdownService) RegisterCallback(fn func(context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.callbacks == nil {
		s.callbacks = []func(context.Context) error{}
	}
	s.callbacks = append(s.callbacks, fn)
}
