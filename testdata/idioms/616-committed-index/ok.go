// Package ok follows the indexes of a replicated log.
package ok

import (
	"log"
	"sync"
	"sync/atomic"
)

// Ready is what the log has for us: it has no more than one of them at a time.
type Ready struct {
	Lead      uint64
	Committed []Entry
}

// Entry is an entry of the log.
type Entry struct {
	Index uint64
	Data  []byte
}

type raftReadyHandler struct {
	getLead              func() (lead uint64)
	updateLead           func(lead uint64)
	updateLeadership     func(newLeader bool)
	updateCommittedIndex func(uint64)
}

type raftNode struct {
	ready   <-chan Ready
	advance func()
	applyc  chan []Entry
	stopped chan struct{}
	done    chan struct{}
}

// start prepares and starts raftNode in a new goroutine. It is no longer safe
// to modify the fields after it has been started.
func (r *raftNode) start(rh *raftReadyHandler) {
	go func() {
		defer close(r.done)
		for {
			select {
			case rd := <-r.ready:
				if newLeader := rd.Lead != 0 && rh.getLead() != rd.Lead; newLeader || rd.Lead == 0 {
					rh.updateLead(rd.Lead)
					rh.updateLeadership(newLeader)
				}
				if n := len(rd.Committed); n != 0 {
					rh.updateCommittedIndex(rd.Committed[n-1].Index)
				}
				select {
				case r.applyc <- rd.Committed:
				case <-r.stopped:
					return
				}
				r.advance()
			case <-r.stopped:
				return
			}
		}
	}()
}

// Server applies the entries.
type Server struct {
	id uint64
	r  raftNode

	committedIndex atomic.Uint64
	appliedIndex   atomic.Uint64
	lead           atomic.Uint64

	leaderMu      sync.Mutex
	leaderChanged chan struct{}

	stop chan struct{}
	done chan struct{}
}

// Start runs the server until Stop.
func Start(id uint64, ready <-chan Ready, advance func(), apply func(Entry)) *Server {
	s := &Server{
		id: id,
		r: raftNode{
			ready:   ready,
			advance: advance,
			applyc:  make(chan []Entry),
			stopped: make(chan struct{}),
			done:    make(chan struct{}),
		},
		leaderChanged: make(chan struct{}),
		stop:          make(chan struct{}),
		done:          make(chan struct{}),
	}
	go s.run(apply)
	return s
}

func (s *Server) run(apply func(Entry)) {
	rh := &raftReadyHandler{
		getLead:    func() (lead uint64) { return s.getLead() },
		updateLead: func(lead uint64) { s.setLead(lead) },
		updateLeadership: func(newLeader bool) {
			if newLeader {
				s.notifyLeader()
			}
		},
		updateCommittedIndex: func(ci uint64) {
			cci := s.getCommittedIndex()
			if ci > cci {
				s.setCommittedIndex(ci)
			}
		},
	}
	s.r.start(rh)
	defer func() {
		close(s.r.stopped)
		<-s.r.done
		close(s.done)
	}()
	for {
		select {
		case ents := <-s.r.applyc:
			for _, e := range ents {
				if e.Index <= s.getAppliedIndex() {
					continue
				}
				apply(e)
				s.setAppliedIndex(e.Index)
			}
			if s.getLead() == s.id {
				log.Printf("leader applied up to %d", s.getAppliedIndex())
			}
		case <-s.stop:
			return
		}
	}
}

func (s *Server) notifyLeader() {
	newChannel := make(chan struct{})
	s.leaderMu.Lock()
	channelToClose := s.leaderChanged
	s.leaderChanged = newChannel
	s.leaderMu.Unlock()
	close(channelToClose)
}

// LeaderChanged returns a channel that is closed at the next change.
func (s *Server) LeaderChanged() <-chan struct{} {
	s.leaderMu.Lock()
	defer s.leaderMu.Unlock()
	return s.leaderChanged
}

func (s *Server) setCommittedIndex(v uint64) { s.committedIndex.Store(v) }

func (s *Server) getCommittedIndex() uint64 { return s.committedIndex.Load() }

func (s *Server) setAppliedIndex(v uint64) { s.appliedIndex.Store(v) }

func (s *Server) getAppliedIndex() uint64 { return s.appliedIndex.Load() }

func (s *Server) setLead(v uint64) { s.lead.Store(v) }

func (s *Server) getLead() uint64 { return s.lead.Load() }

// Leader returns the last leader that we heard of.
func (s *Server) Leader() uint64 { return s.getLead() }

func (s *Server) CommittedIndex() uint64 { return s.getCommittedIndex() }

func (s *Server) AppliedIndex() uint64 { return s.getAppliedIndex() }

// Stop must be called once.
func (s *Server) Stop() {
	close(s.stop)
	<-s.done
}
