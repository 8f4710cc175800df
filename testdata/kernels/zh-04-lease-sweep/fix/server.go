// Package lockd is the expiry half of a distributed lock service.
package lockd

import (
	"log"
	"sync"
	"time"

	"github.com/atomvet/atomvet/testdata/kernels/zh-04-lease-sweep/fix/lease"
)

const (
	sweepEvery  = 500 * time.Millisecond
	revokeEvery = 20 * time.Millisecond
	sweepLimit  = 256
)

// Server revokes leases that their clients no longer keep alive. Revocations
// are paced, so that a mass expiry does not starve the request path.
type Server struct {
	leases *lease.Table
	due    chan lease.ID
	quit   chan struct{}
	wg     sync.WaitGroup
	once   sync.Once
}

// New starts the expiry of the table's leases.
func New(leases *lease.Table) *Server {
	s := &Server{
		leases: leases,
		due:    make(chan lease.ID, sweepLimit),
		quit:   make(chan struct{}),
	}
	s.wg.Add(2)
	go s.sweep()
	go s.revokeLoop()
	return s
}

// KeepAlive is called by the session streams of the clients.
func (s *Server) KeepAlive(id lease.ID) (time.Duration, error) {
	return s.leases.KeepAlive(id)
}

// sweep looks for expired leases and hands them to the revoker.
func (s *Server) sweep() {
	defer s.wg.Done()
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.quit:
			return
		case now := <-tick.C:
			for _, id := range s.leases.Expired(now, sweepLimit) {
				select {
				case s.due <- id:
				default: // found again by the next sweep
				}
			}
		}
	}
}

// revokeLoop revokes the leases that were found, one at a time.
func (s *Server) revokeLoop() {
	defer s.wg.Done()
	pace := time.NewTicker(revokeEvery)
	defer pace.Stop()
	for {
		select {
		case <-s.quit:
			return
		case id := <-s.due:
			if !s.leases.RevokeExpired(id, time.Now()) {
				continue
			}
			log.Printf("lockd: lease %d expired", id)
		}
		select {
		case <-s.quit:
			return
		case <-pace.C:
		}
	}
}

// Close stops the expiry.
func (s *Server) Close() {
	s.once.Do(func() { close(s.quit) })
	s.wg.Wait()
}
