// Package ok revokes expired leases.
package ok

import (
	"context"
	"log"
	"sync"
)

const maxPendingRevokes = 16

// Lessor says which leases are expired.
type Lessor interface {
	ExpiredLeasesC() <-chan []int64
	Revoke(ctx context.Context, id int64) error
	Close()
}

// Server is safe for concurrent use.
type Server struct {
	lessor Lessor
	ctx    context.Context
	cancel context.CancelFunc

	// wgMu blocks concurrent waitgroup mutation while server stopping
	wgMu sync.RWMutex
	// wg is used to wait for the goroutines that depend on the server state to
	// exit when stopping the server.
	wg       sync.WaitGroup
	stopping chan struct{}

	stopOnce sync.Once
	stop     chan struct{}
	done     chan struct{}
}

// Start starts a server.
func Start(l Lessor) *Server {
	s := &Server{
		lessor:   l,
		stopping: make(chan struct{}),
		stop:     make(chan struct{}),
		done:     make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go s.run()
	return s
}

// Stop stops the server and waits for its goroutines.
func (s *Server) Stop() {
	s.stopOnce.Do(func() { close(s.stop) })
	<-s.done
}

// Background runs f unless the server is stopping.
func (s *Server) Background(f func(ctx context.Context)) {
	s.goAttach(func() { f(s.ctx) })
}

func (s *Server) run() {
	defer func() {
		s.wgMu.Lock() // block concurrent waitgroup adds in goAttach while stopping
		close(s.stopping)
		s.wgMu.Unlock()
		s.cancel()

		// wait for goroutines before closing the lessor
		s.wg.Wait()
		s.lessor.Close()
		close(s.done)
	}()

	for {
		select {
		case leases := <-s.lessor.ExpiredLeasesC():
			s.revokeExpiredLeases(leases)
		case <-s.stop:
			return
		}
	}
}

func (s *Server) revokeExpiredLeases(leases []int64) {
	s.goAttach(func() {
		// Increases throughput of the revokes through parallelization
		c := make(chan struct{}, maxPendingRevokes)
		for _, id := range leases {
			select {
			case c <- struct{}{}:
			case <-s.stopping:
				return
			}
			s.goAttach(func() {
				if err := s.lessor.Revoke(s.ctx, id); err != nil {
					log.Printf("failed to revoke lease %016x: %v", id, err)
				}
				<-c
			})
		}
	})
}

// goAttach creates a goroutine on a given function and tracks it using the
// waitgroup.
func (s *Server) goAttach(f func()) {
	s.wgMu.RLock() // this blocks with ongoing close(s.stopping)
	defer s.wgMu.RUnlock()
	select {
	case <-s.stopping:
		log.Print("server has stopped; skipping goAttach")
		return
	default:
	}

	// now safe to add since waitgroup wait has not started yet
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		f()
	}()
}
