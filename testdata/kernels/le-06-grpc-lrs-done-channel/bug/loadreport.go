package transport

import (
	"context"
	"log"
	"sync"
	"time"
)

type lrsStream interface {
	Send(loads map[string]uint64) error
	Recv() (clusters []string, interval time.Duration, err error)
}

// Store keeps the loads for multiple clusters.
type Store struct {
	mu       sync.Mutex
	clusters map[string]uint64
}

// NewStore creates a Store.
func NewStore() *Store {
	return &Store{clusters: make(map[string]uint64)}
}

// CallStarted counts a call to cluster.
func (s *Store) CallStarted(cluster string) {
	s.mu.Lock()
	s.clusters[cluster]++
	s.mu.Unlock()
}

// Stats returns the load data for the given cluster names, and clears it.
func (s *Store) Stats(names []string) map[string]uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	ret := make(map[string]uint64, len(names))
	for _, n := range names {
		ret[n] = s.clusters[n]
		delete(s.clusters, n)
	}
	return ret
}

// ReportLoad starts reporting loads to the management server the transport is
// configured to use.
//
// It returns a Store for the user to report loads and a function to cancel the
// load reporting.
func (t *Transport) ReportLoad() (*Store, func()) {
	t.lrsStartStream()
	return t.lrsStore, sync.OnceFunc(func() { t.lrsStopStream() })
}

// lrsStartStream starts an LRS stream to the server, if none exists.
func (t *Transport) lrsStartStream() {
	t.lrsMu.Lock()
	defer t.lrsMu.Unlock()

	t.lrsRefCount++
	if t.lrsRefCount != 1 {
		// Return early if the stream has already been started.
		return
	}

	ctx, cancel := context.WithCancel(context.Background())
	t.lrsCancelStream = cancel
	go t.lrsRunner(ctx)
}

// lrsStopStream closes the LRS stream, if this is the last user of the stream.
func (t *Transport) lrsStopStream() {
	t.lrsMu.Lock()
	defer t.lrsMu.Unlock()

	t.lrsRefCount--
	if t.lrsRefCount != 0 {
		// Return early if the stream has other references.
		return
	}

	t.lrsCancelStream()
	log.Printf("Stopping LRS stream")
	<-t.lrsRunnerDoneCh
}

// lrsRunner starts an LRS stream to report load data to the management server.
// It reports load at constant intervals (as configured by the management
// server) until the context is cancelled.
func (t *Transport) lrsRunner(ctx context.Context) {
	defer close(t.lrsRunnerDoneCh)

	backoffAttempt := 0
	backoffTimer := time.NewTimer(0)
	for ctx.Err() == nil {
		select {
		case <-backoffTimer.C:
		case <-ctx.Done():
			backoffTimer.Stop()
			return
		}

		// We reset backoff state when we successfully receive at least one
		// message from the server.
		resetBackoff := func() bool {
			// streamCtx is created and canceled in case we terminate the stream
			// early for any reason, to avoid gRPC-Go leaking the RPC's monitoring
			// goroutine.
			streamCtx, cancel := context.WithCancel(ctx)
			defer cancel()
			stream, err := t.cc.StreamLoadStats(streamCtx)
			if err != nil {
				log.Printf("Failed to create LRS stream: %v", err)
				return false
			}
			clusters, interval, err := stream.Recv()
			if err != nil {
				log.Printf("Failed to read from LRS stream: %v", err)
				return false
			}
			t.sendLoads(streamCtx, stream, clusters, interval)
			return true
		}()

		if resetBackoff {
			backoffTimer.Reset(0)
			backoffAttempt = 0
		} else {
			backoffTimer.Reset(t.backoff(backoffAttempt))
			backoffAttempt++
		}
	}
}

func (t *Transport) sendLoads(ctx context.Context, stream lrsStream, clusterNames []string, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := stream.Send(t.lrsStore.Stats(clusterNames)); err != nil {
			log.Printf("Failed to write to LRS stream: %v", err)
			return
		}
	}
}
