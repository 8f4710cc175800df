package blockpool

import (
	"math/big"
	"sync"
)

// Hash identifies a block.
type Hash [32]byte

type peer struct {
	lock             sync.RWMutex
	td               *big.Int
	currentBlockHash Hash

	id string

	// channels to signal peer switch and peer quit to section processes
	idleC   chan bool
	switchC chan bool

	requestBlockHashes func(Hash) error
	bp                 *BlockPool
}

type status struct {
	lock      sync.Mutex
	newBlocks int
	peers     map[string]int
	bestPeers map[string]int
}

// peers is the component keeping a record of peers in a hashmap
type peers struct {
	lock   sync.RWMutex
	bp     *BlockPool
	peers  map[string]*peer
	best   *peer
	status *status
}

// BlockPool downloads blocks from the best peer.
type BlockPool struct {
	wg       sync.WaitGroup
	quit     chan struct{}
	hasBlock func(Hash) bool
	getTD    func() *big.Int
	peers    *peers
}

// New makes a pool without peers.
func New(hasBlock func(Hash) bool, getTD func() *big.Int) *BlockPool {
	bp := &BlockPool{quit: make(chan struct{}), hasBlock: hasBlock, getTD: getTD}
	bp.peers = &peers{
		bp:     bp,
		peers:  make(map[string]*peer),
		status: &status{peers: make(map[string]int), bestPeers: make(map[string]int)},
	}
	return bp
}

// AddPeer is called by the protocol handler of each peer.
func (bp *BlockPool) AddPeer(td *big.Int, head Hash, id string, request func(Hash) error) bool {
	return bp.peers.addPeer(td, head, id, request)
}

// RemovePeer is called by the protocol handler when the peer disconnects.
func (bp *BlockPool) RemovePeer(id string) {
	bp.peers.removePeer(id)
}

func (self *peers) newPeer(td *big.Int, head Hash, id string, request func(Hash) error) *peer {
	p := &peer{td: td, currentBlockHash: head, id: id, requestBlockHashes: request, bp: self.bp}
	self.peers[id] = p
	return p
}

func (self *peer) setChainInfo(td *big.Int, c Hash) (old Hash) {
	self.lock.Lock()
	defer self.lock.Unlock()
	old = self.currentBlockHash
	self.td = td
	self.currentBlockHash = c
	return old
}

func (self *peer) totalDifficulty() *big.Int {
	self.lock.RLock()
	defer self.lock.RUnlock()
	return self.td
}

func (self *peers) bestPeer() *peer {
	self.lock.RLock()
	defer self.lock.RUnlock()
	return self.best
}

func (self *peers) setBest(p *peer) {
	self.lock.Lock()
	defer self.lock.Unlock()
	self.best = p
}

// addPeer returns true iff the peer is promoted as best peer in the pool
func (self *peers) addPeer(td *big.Int, currentBlockHash Hash, id string, request func(Hash) error) (best bool) {
	self.lock.Lock()
	p, found := self.peers[id]
	if found {
		// when called on an already connected peer, it means a newBlockMsg is received
		if old := p.setChainInfo(td, currentBlockHash); old != currentBlockHash {
			self.status.lock.Lock()
			self.status.newBlocks++
			self.status.lock.Unlock()
		}
	} else {
		p = self.newPeer(td, currentBlockHash, id, request)

		self.status.lock.Lock()
		self.status.peers[id]++
		self.status.newBlocks++
		self.status.lock.Unlock()
	}
	self.lock.Unlock()

	// check if peer's current head block is known
	if self.bp.hasBlock(currentBlockHash) {
		return false
	}

	bestpeer := self.bestPeer()
	if bestpeer == p {
		// new block update for active current best peer -> request hashes
		self.bp.wg.Add(1)
		go func() {
			defer self.bp.wg.Done()
			p.requestBlockHashes(currentBlockHash)
		}()
		best = true
	} else {
		// baseline is our own TD
		currentTD := self.bp.getTD()
		if bestpeer != nil {
			currentTD = bestpeer.totalDifficulty()
		}
		if td.Cmp(currentTD) > 0 {
			self.status.lock.Lock()
			self.status.bestPeers[p.id]++
			self.status.lock.Unlock()
			self.bp.switchPeer(bestpeer, p)
			self.setBest(p)
			best = true
		}
	}
	return
}

func (self *peers) removePeer(id string) {
	self.lock.Lock()
	defer self.lock.Unlock()

	p, found := self.peers[id]
	if !found {
		return
	}
	delete(self.peers, id)

	// if current best peer is removed, need to find a better one
	if self.best == p {
		var newp *peer
		max := self.bp.getTD()
		for _, pp := range self.peers {
			if td := pp.totalDifficulty(); td.Cmp(max) > 0 {
				max = td
				newp = pp
			}
		}
		self.bp.switchPeer(p, newp)
		self.best = newp
	}
}

// switchPeer launches section processes
func (bp *BlockPool) switchPeer(oldp, newp *peer) {
	if oldp != nil {
		oldp.lock.RLock()
		close(oldp.switchC)
		oldp.lock.RUnlock()
	}
	if newp != nil {
		newp.lock.Lock()
		newp.idleC = make(chan bool)
		newp.switchC = make(chan bool)
		switchC, head := newp.switchC, newp.currentBlockHash
		newp.lock.Unlock()

		bp.wg.Add(1)
		go newp.run(switchC, head)
	}
	// finally deactivate section process for sections where newp didnt activate
	if oldp != nil {
		oldp.lock.RLock()
		close(oldp.idleC)
		oldp.lock.RUnlock()
	}
}

func (self *peer) run(switchC chan bool, head Hash) {
	defer self.bp.wg.Done()
	if err := self.requestBlockHashes(head); err != nil {
		return
	}
	select {
	case <-switchC:
	case <-self.bp.quit:
	}
}
