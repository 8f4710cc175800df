package p2p

import (
	"encoding/binary"
	"errors"
	"sync"
)

type syncPeer struct {
	height   uint64
	assigned int
}

// BlockSync learns from its peers which blocks there are.
type BlockSync struct {
	mu    sync.Mutex
	peers map[ID]*syncPeer
}

// NewBlockSync returns a reactor without peers.
func NewBlockSync() *BlockSync { return &BlockSync{peers: make(map[ID]*syncPeer)} }

// AddPeer implements Reactor.
func (b *BlockSync) AddPeer(id ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.peers[id] = &syncPeer{}
}

// RemovePeer implements Reactor.
func (b *BlockSync) RemovePeer(id ID, _ error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.peers, id)
}

// Receive implements Reactor. The message is the height of the peer.
func (b *BlockSync) Receive(from ID, msg []byte) error {
	if len(msg) != 8 {
		return errors.New("blocksync: bad status message")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.peers[from]
	if !ok {
		return errors.New("blocksync: unknown peer")
	}
	p.height = max(p.height, binary.BigEndian.Uint64(msg))
	return nil
}

// PickPeer returns the peer with the fewest requests so far that has the block.
func (b *BlockSync) PickPeer(height uint64) (ID, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var best ID
	var bp *syncPeer
	for id, p := range b.peers {
		if p.height >= height && (bp == nil || p.assigned < bp.assigned) {
			best, bp = id, p
		}
	}
	if bp == nil {
		return "", false
	}
	bp.assigned++
	return best, true
}
