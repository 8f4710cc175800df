package model

import (
	"context"
	"fmt"
	"sync"
)

// service runs until its context is done.
type service interface {
	Serve(ctx context.Context)
}

type serviceToken uint64

type runningService struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// supervisor runs services in the background.
type supervisor struct {
	mut      sync.Mutex
	next     serviceToken
	services map[serviceToken]runningService
}

func newSupervisor() *supervisor {
	return &supervisor{services: make(map[serviceToken]runningService)}
}

// Add starts a service.
func (s *supervisor) Add(svc service) serviceToken {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		svc.Serve(ctx)
	}()
	s.mut.Lock()
	defer s.mut.Unlock()
	s.next++
	s.services[s.next] = runningService{cancel, done}
	return s.next
}

// RemoveAndWait stops a service and waits for it.
func (s *supervisor) RemoveAndWait(id serviceToken) error {
	s.mut.Lock()
	rs, ok := s.services[id]
	delete(s.services, id)
	s.mut.Unlock()
	if !ok {
		return fmt.Errorf("no service %d", id)
	}
	rs.cancel()
	<-rs.done
	return nil
}
