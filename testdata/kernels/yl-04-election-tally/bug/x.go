// Package bug elects a leader among a fixed set of nodes.
package bug

import (
	"errors"
	"sync"
)

type Role int

const (
	Follower Role = iota
	Candidate
	Leader
)

var ErrNotLeader = errors.New("election: not the leader")

type VoteReply struct {
	Term    uint64
	Granted bool
}

type Peer interface {
	Name() string
	RequestVote(term uint64, candidate string) (VoteReply, error)
}

type Entry struct {
	Term uint64
	Data []byte
}

type Node struct {
	sync.Mutex
	name  string
	peers []Peer

	role     Role
	term     uint64
	votedFor string
	granted  map[string]bool
	next     map[string]int
	log      []Entry
}

func NewNode(name string, peers []Peer) *Node {
	return &Node{name: name, peers: peers}
}

// Campaign starts an election; the election timer calls it.
func (n *Node) Campaign() {
	n.Lock()
	if n.role == Leader {
		n.Unlock()
		return
	}
	n.term++
	n.role = Candidate
	n.votedFor = n.name
	n.granted = map[string]bool{n.name: true}
	term := n.term
	n.Unlock()

	for _, p := range n.peers {
		go n.solicit(p, term)
	}
}

func (n *Node) solicit(p Peer, term uint64) {
	reply, err := p.RequestVote(term, n.name)
	if err != nil {
		return
	}
	if reply.Term > term {
		n.observe(reply.Term)
		return
	}
	if reply.Granted && n.tally(p.Name(), term) {
		n.lead(term)
	}
}

// tally counts a vote and says whether it makes a majority.
func (n *Node) tally(from string, term uint64) bool {
	n.Lock()
	defer n.Unlock()
	if n.role != Candidate || n.term != term {
		return false
	}
	n.granted[from] = true
	return len(n.granted) > (len(n.peers)+1)/2
}

func (n *Node) lead(term uint64) {
	n.Lock()
	defer n.Unlock()
	n.role = Leader
	n.next = make(map[string]int, len(n.peers))
	for _, p := range n.peers {
		n.next[p.Name()] = len(n.log)
	}
	n.log = append(n.log, Entry{Term: term})
}

// HandleVote answers another node's RequestVote.
func (n *Node) HandleVote(term uint64, candidate string) VoteReply {
	n.Lock()
	defer n.Unlock()
	if term > n.term {
		n.stepDown(term)
	}
	ok := term == n.term && (n.votedFor == "" || n.votedFor == candidate)
	if ok {
		n.votedFor = candidate
	}
	return VoteReply{Term: n.term, Granted: ok}
}

func (n *Node) observe(term uint64) {
	n.Lock()
	defer n.Unlock()
	if term > n.term {
		n.stepDown(term)
	}
}

func (n *Node) stepDown(term uint64) {
	n.term = term
	n.role = Follower
	n.votedFor = ""
	n.granted = nil
	n.next = nil
}

// Propose adds an entry to the leader's log.
func (n *Node) Propose(data []byte) (int, error) {
	n.Lock()
	defer n.Unlock()
	if n.role != Leader {
		return 0, ErrNotLeader
	}
	n.log = append(n.log, Entry{Term: n.term, Data: data})
	return len(n.log) - 1, nil
}

// Status returns the role and the term.
func (n *Node) Status() (Role, uint64) {
	n.Lock()
	defer n.Unlock()
	return n.role, n.term
}
