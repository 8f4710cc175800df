package etcdserver

import (
	"sync/atomic"
	"time"
)

type hardState struct {
	Term   uint64
	Commit uint64
}

type ready struct {
	hs      *hardState
	entries []uint64
	lead    uint64
}

type toApply struct {
	entries []uint64
}

type raftReadyHandler struct {
	getLead              func() uint64
	updateLead           func(uint64)
	updateCommittedIndex func(uint64)
}

type raftNode struct {
	readyc  chan ready
	applyc  chan toApply
	stopped chan struct{}
	done    chan struct{}
	tickc   <-chan time.Time
	ticks   atomic.Uint64
}

// start prepares and starts raftNode in a new goroutine.
func (r *raftNode) start(rh *raftReadyHandler) {
	go func() {
		defer close(r.done)
		for {
			select {
			case <-r.tickc:
				r.ticks.Add(1)
			case rd := <-r.readyc:
				if rd.lead != 0 && rd.lead != rh.getLead() {
					rh.updateLead(rd.lead)
				}
				ap := toApply{entries: rd.entries}
				if rd.hs != nil {
					rh.updateCommittedIndex(rd.hs.Commit)
				} else if n := len(ap.entries); n > 0 {
					rh.updateCommittedIndex(ap.entries[n-1])
				}
				select {
				case r.applyc <- ap:
				case <-r.stopped:
					return
				}
			case <-r.stopped:
				return
			}
		}
	}()
}

// EtcdServer is the production implementation of the Server interface.
type EtcdServer struct {
	committedIndex atomic.Uint64
	appliedIndex   atomic.Uint64
	lead           atomic.Uint64
	r              raftNode
}

func NewServer() *EtcdServer {
	return &EtcdServer{r: raftNode{
		readyc:  make(chan ready),
		applyc:  make(chan toApply, 4),
		stopped: make(chan struct{}),
		done:    make(chan struct{}),
		tickc:   time.Tick(100 * time.Millisecond),
	}}
}

// Start runs the server.
func (s *EtcdServer) Start() {
	rh := &raftReadyHandler{
		getLead:    func() uint64 { return s.lead.Load() },
		updateLead: func(lead uint64) { s.lead.Store(lead) },
		updateCommittedIndex: func(ci uint64) {
			cci := s.getCommittedIndex()
			if ci > cci {
				s.setCommittedIndex(ci)
			}
		},
	}
	s.r.start(rh)
	go s.applyAll()
}

func (s *EtcdServer) applyAll() {
	for {
		select {
		case ap := <-s.r.applyc:
			for _, e := range ap.entries {
				s.appliedIndex.Store(e)
			}
		case <-s.r.done:
			return
		}
	}
}

func (s *EtcdServer) setCommittedIndex(v uint64) { s.committedIndex.Store(v) }
func (s *EtcdServer) getCommittedIndex() uint64  { return s.committedIndex.Load() }

// CommittedIndex returns the committed index.
func (s *EtcdServer) CommittedIndex() uint64 { return s.getCommittedIndex() }

// Lag tells how far the applying is behind.
func (s *EtcdServer) Lag() uint64 {
	ai := s.appliedIndex.Load()
	if ci := s.getCommittedIndex(); ci > ai {
		return ci - ai
	}
	return 0
}

// Process hands a ready to the raft node.
func (s *EtcdServer) Process(rd ready) bool {
	select {
	case s.r.readyc <- rd:
		return true
	case <-s.r.done:
		return false
	}
}

// Stop stops the server.
func (s *EtcdServer) Stop() {
	close(s.r.stopped)
	<-s.r.done
}
