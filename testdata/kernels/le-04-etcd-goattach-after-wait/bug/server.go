package etcdserver

import (
	"context"
	"errors"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maxPendingRevokes         = 16
	monitorVersionInterval    = 5 * time.Second
	releaseDelayAfterSnapshot = 30 * time.Second
)

var ErrStopped = errors.New("etcdserver: server stopped")

// Lease is a lease that the lessor handed out.
type Lease struct {
	ID  int64
	TTL int64
}

type lessor interface {
	Revoke(id int64) error
	ExpiredLeasesC() <-chan []*Lease
	Stop()
}

type snapMessage struct {
	to    uint64
	donec chan bool
}

// CloseNotify returns a channel that receives whether the message was sent.
func (m snapMessage) CloseNotify() <-chan bool { return m.donec }

type transporter interface {
	SendSnapshot(m snapMessage)
	Stop()
}

type apply struct {
	entries []string
	index   uint64
}

// EtcdServer is the production implementation of the Server interface
type EtcdServer struct {
	// inflightSnapshots holds count the number of snapshots currently inflight.
	inflightSnapshots int64  // must use atomic operations to access; keep 64-bit aligned.
	committedIndex    uint64 // must use atomic operations to access; keep 64-bit aligned.

	applyc    chan apply
	transport transporter
	lessor    lessor
	errorc    chan error

	versionMu sync.Mutex
	version   string

	// stop signals the run goroutine should shutdown.
	stop chan struct{}
	// stopping is closed by run goroutine on shutdown.
	stopping chan struct{}
	// done is closed when all goroutines from start() complete.
	done chan struct{}

	// wg is used to wait for the go routines that depends on the server state
	// to exit when stopping the server.
	wg sync.WaitGroup
}

// NewServer creates a new EtcdServer.
func NewServer(le lessor, tr transporter) *EtcdServer {
	return &EtcdServer{
		applyc:    make(chan apply, 16),
		transport: tr,
		lessor:    le,
		errorc:    make(chan error, 1),
		stop:      make(chan struct{}),
		stopping:  make(chan struct{}),
		done:      make(chan struct{}),
	}
}

// Start prepares and starts server in a new goroutine.
func (s *EtcdServer) Start() {
	go s.run()
	s.goAttach(s.monitorVersions)
}

func (s *EtcdServer) run() {
	expiredLeaseC := s.lessor.ExpiredLeasesC()

	defer func() {
		close(s.stopping)

		// wait for gouroutines before closing raft so wal stays open
		s.wg.Wait()

		s.transport.Stop()
		s.lessor.Stop()
		close(s.done)
	}()

	for {
		select {
		case ap := <-s.applyc:
			s.applyAll(&ap)
		case leases := <-expiredLeaseC:
			s.goAttach(func() {
				// Increases throughput of expired leases deletion process through parallelization
				c := make(chan struct{}, maxPendingRevokes)
				for _, lease := range leases {
					select {
					case c <- struct{}{}:
					case <-s.stopping:
						return
					}
					lid := lease.ID
					s.goAttach(func() {
						s.lessor.Revoke(lid)
						<-c
					})
				}
			})
		case err := <-s.errorc:
			log.Printf("etcdserver: %s", err)
			return
		case <-s.stop:
			return
		}
	}
}

func (s *EtcdServer) applyAll(ap *apply) {
	if ap.index > s.getCommittedIndex() {
		s.setCommittedIndex(ap.index)
	}
	log.Printf("etcdserver: applied %d entries", len(ap.entries))
}

// ReportSnapshotRequest is called by the transport when a follower asked for
// a snapshot. The caller is a goroutine of the transport.
func (s *EtcdServer) ReportSnapshotRequest(to uint64) {
	s.sendMergedSnap(snapMessage{to: to, donec: make(chan bool, 1)})
}

func (s *EtcdServer) sendMergedSnap(merged snapMessage) {
	atomic.AddInt64(&s.inflightSnapshots, 1)

	s.transport.SendSnapshot(merged)
	s.goAttach(func() {
		select {
		case ok := <-merged.CloseNotify():
			// delay releasing inflight snapshot for another 30 seconds to
			// block log compaction.
			// If the follower still fails to catch up, it is probably just too slow
			// to catch up. We cannot avoid the snapshot cycle anyway.
			if ok {
				select {
				case <-time.After(releaseDelayAfterSnapshot):
				case <-s.stopping:
				}
			}
			atomic.AddInt64(&s.inflightSnapshots, -1)
		case <-s.stopping:
			return
		}
	})
}

// monitorVersions checks the member's version every monitorVersionInterval.
func (s *EtcdServer) monitorVersions() {
	for {
		select {
		case <-time.After(monitorVersionInterval):
		case <-s.stopping:
			return
		}
		s.goAttach(func() { s.updateClusterVersion("3.1") })
	}
}

func (s *EtcdServer) updateClusterVersion(ver string) {
	s.versionMu.Lock()
	defer s.versionMu.Unlock()
	s.version = ver
}

// HardStop stops the server without coordination with other members in the cluster.
func (s *EtcdServer) HardStop() {
	select {
	case s.stop <- struct{}{}:
	case <-s.done:
		return
	}
	<-s.done
}

// Propose hands an entry to the apply loop.
func (s *EtcdServer) Propose(ctx context.Context, ap apply) error {
	select {
	case s.applyc <- ap:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
		return ErrStopped
	}
}

// StopNotify returns a channel that receives a empty struct
// when the server is stopped.
func (s *EtcdServer) StopNotify() <-chan struct{} { return s.done }

func (s *EtcdServer) getCommittedIndex() uint64 {
	return atomic.LoadUint64(&s.committedIndex)
}

func (s *EtcdServer) setCommittedIndex(v uint64) {
	atomic.StoreUint64(&s.committedIndex, v)
}

// goAttach creates a goroutine on a given function and tracks it using
// the etcdserver waitgroup.
func (s *EtcdServer) goAttach(f func()) {
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		f()
	}()
}
