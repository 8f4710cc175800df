package blockpool

import "sync"

type hash [32]byte

type block struct {
	hash, parent hash
	td           uint64
}

type peer struct {
	id            string
	currentBlockC chan *block

	lock             sync.RWMutex
	td               uint64
	currentBlockHash hash
	currentBlock     *block
	parentHash       hash
	sections         []hash
}

func (p *peer) head() hash {
	p.lock.RLock()
	defer p.lock.RUnlock()
	return p.currentBlockHash
}

func (p *peer) setChainInfo(td uint64, c hash) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.td = td
	p.currentBlockHash = c
	p.currentBlock = nil
	p.parentHash = hash{}
}

// setChainInfoFromBlock records the head block once it has been delivered.
func (p *peer) setChainInfoFromBlock(b *block) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if b.td < p.td {
		return
	}
	p.td = b.td
	p.currentBlockHash = b.hash
	p.parentHash = b.parent
	p.currentBlock = b
}

// headSection returns the head block of p with its parent, if known.
func (p *peer) headSection() (*block, hash, bool) {
	p.lock.RLock()
	defer p.lock.RUnlock()
	return p.currentBlock, p.parentHash, p.currentBlock != nil
}

func (p *peer) addSection(h hash) {
	p.lock.Lock()
	p.sections = append(p.sections, h)
	p.lock.Unlock()
}

type peers struct {
	lock      sync.RWMutex
	peers     map[string]*peer
	best      *peer
	newBlocks int
}

func newPeers() *peers {
	return &peers{peers: make(map[string]*peer)}
}

func (s *peers) get(id string) *peer {
	s.lock.RLock()
	defer s.lock.RUnlock()
	return s.peers[id]
}

// addPeer registers a peer, or updates its head when it announces a new one.
func (s *peers) addPeer(td uint64, head hash, id string) (best bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	var previous hash
	p, found := s.peers[id]
	if found {
		if cur := p.head(); cur != head {
			previous = cur
			p.setChainInfo(td, head)
			s.newBlocks++
		}
	} else {
		p = &peer{id: id, td: td, currentBlockHash: head, currentBlockC: make(chan *block, 1)}
		s.peers[id] = p
		s.newBlocks++
	}
	if s.best == p {
		if previous != (hash{}) {
			p.addSection(previous)
		}
		return true
	}
	if s.best == nil || td > s.bestTD() {
		s.best = p
		return true
	}
	return false
}

func (s *peers) bestTD() uint64 {
	s.best.lock.RLock()
	defer s.best.lock.RUnlock()
	return s.best.td
}

func (s *peers) removePeer(id string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	p, ok := s.peers[id]
	if !ok {
		return
	}
	delete(s.peers, id)
	if s.best == p {
		s.best = nil
	}
}

// deliver is run by the section process of a peer for every block it gets.
func (s *peers) deliver(id string, blocks <-chan *block) {
	for b := range blocks {
		if p := s.get(id); p != nil {
			p.setChainInfoFromBlock(b)
		}
	}
}
