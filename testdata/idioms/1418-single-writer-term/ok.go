package a

import (
	"sync/atomic"
	"time"
)

type role uint32

const (
	follower role = iota
	candidate
	leader
)

type voteRequest struct {
	term  uint64
	reply chan bool
}

type voteResult struct {
	term    uint64
	granted bool
}

// Raft runs elections. currentTerm and state are written by the main goroutine
// only; the others read them.
type Raft struct {
	currentTerm atomic.Uint64
	state       atomic.Uint32

	granted int // votes in the current election; main goroutine only

	rpcCh      chan voteRequest
	voteCh     chan voteResult
	shutdownCh chan struct{}
	ask        func(peer string, term uint64) bool
	peers      []string
}

func NewRaft(peers []string, ask func(string, uint64) bool) *Raft {
	r := &Raft{
		rpcCh:      make(chan voteRequest),
		voteCh:     make(chan voteResult),
		shutdownCh: make(chan struct{}),
		ask:        ask,
		peers:      peers,
	}
	go r.run()
	return r
}

func (r *Raft) getCurrentTerm() uint64  { return r.currentTerm.Load() }
func (r *Raft) setCurrentTerm(t uint64) { r.currentTerm.Store(t) }
func (r *Raft) getState() role          { return role(r.state.Load()) }
func (r *Raft) setState(s role)         { r.state.Store(uint32(s)) }

func (r *Raft) run() {
	for {
		select {
		case <-r.shutdownCh:
			return
		case req := <-r.rpcCh:
			req.reply <- r.requestVote(req.term)
		case v := <-r.voteCh:
			r.countVote(v)
		case <-time.After(time.Second):
			if r.getState() != leader {
				r.electSelf()
			}
		}
	}
}

// electSelf increments the term and asks the peers for their votes.
func (r *Raft) electSelf() {
	r.setState(candidate)
	r.setCurrentTerm(r.getCurrentTerm() + 1)
	term := r.getCurrentTerm()
	r.granted = 0
	r.countVote(voteResult{term, true})
	for _, p := range r.peers {
		go func() {
			select {
			case r.voteCh <- voteResult{term, r.ask(p, term)}:
			case <-r.shutdownCh:
			}
		}()
	}
}

func (r *Raft) countVote(v voteResult) {
	if r.getState() != candidate || v.term != r.getCurrentTerm() || !v.granted {
		return
	}
	if r.granted++; r.granted > (len(r.peers)+1)/2 {
		r.setState(leader)
	}
}

func (r *Raft) requestVote(term uint64) bool {
	if term <= r.getCurrentTerm() {
		return false
	}
	r.setCurrentTerm(term)
	r.setState(follower)
	return true
}

// RequestVote is called by the transport, one goroutine per connection.
func (r *Raft) RequestVote(term uint64) bool {
	req := voteRequest{term, make(chan bool, 1)}
	select {
	case r.rpcCh <- req:
		return <-req.reply
	case <-r.shutdownCh:
		return false
	}
}

// Term is for the monitoring page.
func (r *Raft) Term() uint64 { return r.getCurrentTerm() }

func (r *Raft) Shutdown() { close(r.shutdownCh) }
