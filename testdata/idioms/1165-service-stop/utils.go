package util

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// AsService wraps the given function to implement suture.Service by calling
// that function on serve and closing the passed channel when Stop is called.
func AsService(fn func(ctx context.Context), creator string) *service {
	return asServiceWithError(func(ctx context.Context) error {
		fn(ctx)
		return nil
	}, creator)
}

// AsServiceWithError does the same as AsService, except that it keeps track
// of an error returned by the given function.
func AsServiceWithError(fn func(ctx context.Context) error, creator string) *service {
	return asServiceWithError(fn, creator)
}

func asServiceWithError(fn func(ctx context.Context) error, creator string) *service {
	ctx, cancel := context.WithCancel(context.Background())
	s := &service{
		serve:   fn,
		ctx:     ctx,
		cancel:  cancel,
		stopped: make(chan struct{}),
		creator: creator,
	}
	close(s.stopped) // not yet started, don't block on Stop()
	return s
}

type service struct {
	creator string
	serve   func(ctx context.Context) error
	ctx     context.Context
	cancel  context.CancelFunc
	stopped chan struct{}
	err     error
	mut     sync.Mutex
}

// Serve may be called again by the supervisor after it has returned.
func (s *service) Serve() {
	s.mut.Lock()
	select {
	case <-s.ctx.Done():
		s.mut.Unlock()
		return
	default:
	}
	s.err = nil
	s.stopped = make(chan struct{})
	s.mut.Unlock()

	var err error
	defer func() {
		if errors.Is(err, context.Canceled) {
			err = nil
		}
		s.mut.Lock()
		s.err = err
		close(s.stopped)
		s.mut.Unlock()
	}()
	err = s.serve(s.ctx)
}

func (s *service) Stop() {
	s.mut.Lock()
	select {
	case <-s.ctx.Done():
		s.mut.Unlock()
		panic(fmt.Sprintf("Stop called more than once on %v", s))
	default:
		s.cancel()
	}

	// Cache s.stopped in a variable while we hold the mutex
	// to prevent a data race with Serve's resetting it.
	stopped := s.stopped
	s.mut.Unlock()
	<-stopped
}

func (s *service) Error() error {
	s.mut.Lock()
	defer s.mut.Unlock()
	return s.err
}

func (s *service) SetError(err error) {
	s.mut.Lock()
	s.err = err
	s.mut.Unlock()
}

func (s *service) String() string {
	return fmt.Sprintf("Service@%p created by %v", s, s.creator)
}

// supervisor runs services, and runs them again when they come to an end.
type supervisor struct {
	mut      sync.Mutex
	services map[*service]struct{}
}

func newSupervisor() *supervisor {
	return &supervisor{services: make(map[*service]struct{})}
}

func (sv *supervisor) Add(s *service) {
	sv.mut.Lock()
	sv.services[s] = struct{}{}
	sv.mut.Unlock()
	go func() {
		for s.ctx.Err() == nil {
			s.Serve()
		}
	}()
}

// Stop stops all the services that have been added, and waits for them.
func (sv *supervisor) Stop() {
	sv.mut.Lock()
	services := sv.services
	sv.services = make(map[*service]struct{})
	sv.mut.Unlock()
	for s := range services {
		s.Stop()
	}
}
