package ethstats

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"
)

// Header is the header of a block.
type Header struct {
	Parent     [32]byte
	Number     uint64
	GasUsed    uint64
	Difficulty uint64
}

// Hash identifies the block.
func (h *Header) Hash() [32]byte {
	b := binary.BigEndian.AppendUint64(h.Parent[:], h.Number)
	b = binary.BigEndian.AppendUint64(b, h.GasUsed)
	return sha256.Sum256(binary.BigEndian.AppendUint64(b, h.Difficulty))
}

// Block is a block. It is not changed after it is made.
type Block struct {
	header *Header
	Txs    []string
}

// NewBlock returns a block.
func NewBlock(h *Header, txs []string) *Block { return &Block{header: h, Txs: txs} }

// Header returns the header.
func (b *Block) Header() *Header { return b.header }

// BlockChain is the canonical chain.
type BlockChain struct {
	chainmu sync.Mutex // serializes the changes, taken before mu

	mu            sync.RWMutex // guards the fields below
	currentBlock  *Block
	currentHeader *Header
	td            map[[32]byte]uint64
	heads         []chan<- *Block
}

// NewBlockChain returns a chain that has only the genesis block.
func NewBlockChain(genesis *Block) *BlockChain {
	return &BlockChain{
		currentBlock:  genesis,
		currentHeader: genesis.header,
		td:            map[[32]byte]uint64{genesis.header.Hash(): genesis.header.Difficulty},
	}
}

// SubscribeHead sends the new heads to ch.
func (bc *BlockChain) SubscribeHead(ch chan<- *Block) {
	bc.mu.Lock()
	defer bc.mu.Unlock()
	bc.heads = append(bc.heads, ch)
}

// InsertBlock adds a block, which becomes the head if it is on the heaviest
// chain.
func (bc *BlockChain) InsertBlock(block *Block) bool {
	bc.chainmu.Lock()
	defer bc.chainmu.Unlock()
	bc.mu.Lock()
	td := bc.td[block.header.Parent] + block.header.Difficulty
	bc.td[block.header.Hash()] = td
	if td <= bc.td[bc.currentHeader.Hash()] {
		bc.mu.Unlock()
		return false
	}
	bc.currentBlock = block
	bc.currentHeader = block.header
	heads := slices.Clone(bc.heads)
	bc.mu.Unlock()
	for _, ch := range heads {
		ch <- block
	}
	return true
}

// CurrentBlock returns the head block.
func (bc *BlockChain) CurrentBlock() *Block {
	bc.mu.RLock()
	defer bc.mu.RUnlock()
	return bc.currentBlock
}

// CurrentHeader returns the header of the head block.
func (bc *BlockChain) CurrentHeader() *Header {
	bc.mu.RLock()
	defer bc.mu.RUnlock()
	return bc.currentHeader
}

// GetTd returns the total difficulty up to a block.
func (bc *BlockChain) GetTd(hash [32]byte) uint64 {
	bc.mu.RLock()
	defer bc.mu.RUnlock()
	return bc.td[hash]
}
