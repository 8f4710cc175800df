package etcdserver

import (
	"log"
	"sync"
	"sync/atomic"
	"time"
)

const raftNone = uint64(0)

// entry is an entry of the raft log. The first entry of a new leader has no data.
type entry struct {
	Term  uint64
	Index uint64
	Data  *internalRaftRequest
}

type softState struct {
	Lead     uint64
	IsLeader bool
}

// ready is what the raft library hands out.
type ready struct {
	SoftState        *softState
	Entries          []entry
	CommittedEntries []entry
	Messages         []string
}

// apply contains entries to be applied. Once an apply is consumed, the
// entries will be persisted to raft storage concurrently; the application
// must read raftDone before assuming the raft messages are stable.
type apply struct {
	entries []entry
	// raftDone gets a signal after messages are persisted
	raftDone <-chan struct{}
}

// walStorage persists entries.
type walStorage interface {
	Save(ents []entry) error
}

type raftNode struct {
	lead uint64 // must use atomic operations to access

	mu sync.Mutex
	// last lead elected time
	lt time.Time

	// a chan to send out apply
	applyc  chan apply
	readyc  chan ready
	ticker  <-chan time.Time
	storage walStorage

	stopped chan struct{}
	done    chan struct{}
	s       *EtcdServer
}

// start prepares and starts raftNode in a new goroutine. It is no longer safe
// to modify the fields after it has been started.
func (r *raftNode) start(s *EtcdServer) {
	r.s = s
	r.applyc = make(chan apply)
	r.stopped = make(chan struct{})
	r.done = make(chan struct{})

	go func() {
		var syncC <-chan time.Time

		defer close(r.done)
		islead := false

		for {
			select {
			case <-r.ticker:
			case rd := <-r.readyc:
				if rd.SoftState != nil {
					if lead := atomic.LoadUint64(&r.lead); rd.SoftState.Lead != raftNone && lead != rd.SoftState.Lead {
						r.mu.Lock()
						r.lt = time.Now()
						r.mu.Unlock()
					}

					atomic.StoreUint64(&r.lead, rd.SoftState.Lead)
					if rd.SoftState.IsLeader {
						islead = true
						// TODO: raft should send server a notification through chan when
						// it promotes or demotes instead of modifying server directly.
						syncC = r.s.SyncTicker
						r.s.lessor.Promote(r.s.electionTimeout)
						r.s.stats.BecomeLeader()
					} else {
						islead = false
						r.s.lessor.Demote()
						syncC = nil
					}
				}

				raftDone := make(chan struct{}, 1)
				ap := apply{
					entries:  rd.CommittedEntries,
					raftDone: raftDone,
				}

				select {
				case r.applyc <- ap:
				case <-r.stopped:
					return
				}

				// the leader can write to its disk in parallel with replicating to the followers and them
				// writing to their disks.
				// For more details, check raft thesis 10.2.1
				if islead {
					r.s.send(rd.Messages)
				}
				if err := r.storage.Save(rd.Entries); err != nil {
					log.Fatalf("raft save state and entries error: %v", err)
				}
				if !islead {
					r.s.send(rd.Messages)
				}
				raftDone <- struct{}{}
			case <-syncC:
				r.s.sync()
			case <-r.stopped:
				return
			}
		}
	}()
}

func (r *raftNode) leadElectedTime() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lt
}

func (r *raftNode) stop() {
	close(r.stopped)
	<-r.done
}
