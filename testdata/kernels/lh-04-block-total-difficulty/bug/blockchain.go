package core

import (
	"fmt"
	"math/big"
	mrand "math/rand"
	"sync"
	"sync/atomic"
)

type Hash [32]byte

type Block struct {
	hash       Hash
	parent     Hash
	number     uint64
	difficulty *big.Int
}

func NewBlock(hash, parent Hash, number uint64, difficulty *big.Int) *Block {
	return &Block{hash: hash, parent: parent, number: number, difficulty: difficulty}
}

func (b *Block) Hash() Hash           { return b.hash }
func (b *Block) ParentHash() Hash     { return b.parent }
func (b *Block) NumberU64() uint64    { return b.number }
func (b *Block) Difficulty() *big.Int { return new(big.Int).Set(b.difficulty) }

type Blocks []*Block

// WriteStatus status of write
type WriteStatus byte

const (
	NonStatTy WriteStatus = iota
	CanonStatTy
	SideStatTy
)

// BlockChain represents the canonical chain given a database with a genesis
// block. The Blockchain manages chain imports, reverts, chain reorganisations.
type BlockChain struct {
	chainDb *memDatabase

	mu      sync.RWMutex // global mutex for locking chain operations
	chainmu sync.RWMutex // blockchain insertion lock

	currentBlock atomic.Pointer[Block] // Current head of the block chain

	running int32 // running must be called atomically
}

// NewBlockChain returns a fully initialised block chain using information
// available in the database.
func NewBlockChain(genesis *Block) *BlockChain {
	bc := &BlockChain{chainDb: newMemDatabase()}
	bc.chainDb.writeTd(genesis.Hash(), genesis.Difficulty())
	bc.chainDb.writeBlock(genesis)
	bc.chainDb.writeCanonicalHash(genesis.Hash(), genesis.NumberU64())
	bc.currentBlock.Store(genesis)
	return bc
}

// CurrentBlock retrieves the current head block of the canonical chain.
func (self *BlockChain) CurrentBlock() *Block {
	return self.currentBlock.Load()
}

// Status returns status information about the current chain such as the HEAD Td
// and the HEAD hash.
func (self *BlockChain) Status() (td *big.Int, currentBlock Hash) {
	self.mu.RLock()
	defer self.mu.RUnlock()

	block := self.CurrentBlock()
	return self.GetTd(block.Hash()), block.Hash()
}

// GetTd retrieves a block's total difficulty in the canonical chain from the
// database by hash.
func (self *BlockChain) GetTd(hash Hash) *big.Int {
	return self.chainDb.getTd(hash)
}

// GetBlock retrieves a block from the database by hash.
func (self *BlockChain) GetBlock(hash Hash) *Block {
	return self.chainDb.getBlock(hash)
}

// HasBlock checks if a block is fully present in the database or not.
func (self *BlockChain) HasBlock(hash Hash) bool {
	return self.GetBlock(hash) != nil
}

// GetBlockByNumber retrieves a block from the database by number.
func (self *BlockChain) GetBlockByNumber(number uint64) *Block {
	self.mu.RLock()
	defer self.mu.RUnlock()

	hash, ok := self.chainDb.getCanonicalHash(number)
	if !ok {
		return nil
	}
	return self.GetBlock(hash)
}

// Stop stops the blockchain service.
func (self *BlockChain) Stop() {
	if !atomic.CompareAndSwapInt32(&self.running, 0, 1) {
		return
	}
	self.chainmu.Lock()
	defer self.chainmu.Unlock()
}

// insert injects a new head block into the current block chain. This method
// assumes that the block is indeed a true head.
//
// Note, this function assumes that the `mu` mutex is held!
func (self *BlockChain) insert(block *Block) {
	// Add the block to the canonical chain number scheme and mark as the head
	self.chainDb.writeCanonicalHash(block.Hash(), block.NumberU64())
	self.currentBlock.Store(block)
}

// WriteBlock writes the block to the chain.
func (self *BlockChain) WriteBlock(block *Block) (status WriteStatus, err error) {
	// Calculate the total difficulty of the block
	ptd := self.GetTd(block.ParentHash())
	if ptd == nil {
		return NonStatTy, fmt.Errorf("unknown parent %x", block.ParentHash())
	}

	current := self.CurrentBlock()
	localTd := self.GetTd(current.Hash())
	externTd := new(big.Int).Add(block.Difficulty(), ptd)

	// Make sure no inconsistent state is leaked during insertion
	self.mu.Lock()
	defer self.mu.Unlock()

	// Irrelevant of the canonical status, write the block itself to the database
	self.chainDb.writeTd(block.Hash(), externTd)
	self.chainDb.writeBlock(block)

	// If the total difficulty is higher than our known, add it to the canonical chain
	// Second clause in the if statement reduces the vulnerability to selfish mining.
	if externTd.Cmp(localTd) > 0 || (externTd.Cmp(localTd) == 0 && mrand.Float64() < 0.5) {
		// Reorganise the chain if the parent is not the head block
		if head := self.CurrentBlock(); block.ParentHash() != head.Hash() {
			if err := self.reorg(head, block); err != nil {
				return NonStatTy, err
			}
		}
		// Insert the block as the new head of the chain
		self.insert(block)
		status = CanonStatTy
	} else {
		status = SideStatTy
	}
	return
}

// InsertChain will attempt to insert the given chain in to the canonical chain or,
// otherwise, create a fork. It is called by the downloader and the fetcher.
func (self *BlockChain) InsertChain(chain Blocks) (int, error) {
	self.chainmu.Lock()
	defer self.chainmu.Unlock()

	for i, block := range chain {
		if atomic.LoadInt32(&self.running) == 1 {
			break
		}
		if self.HasBlock(block.Hash()) {
			continue
		}
		if _, err := self.WriteBlock(block); err != nil {
			return i, err
		}
	}
	return 0, nil
}

// reorgs takes two blocks, an old chain and a new chain and will reconstruct the
// blocks and inserts them to be part of the new canonical chain.
//
// Note, this function assumes that the `mu` mutex is held!
func (self *BlockChain) reorg(oldBlock, newBlock *Block) error {
	var newChain Blocks
	for block := self.GetBlock(newBlock.ParentHash()); block != nil; block = self.GetBlock(block.ParentHash()) {
		if hash, ok := self.chainDb.getCanonicalHash(block.NumberU64()); ok && hash == block.Hash() {
			break
		}
		newChain = append(newChain, block)
	}
	// drop the old chain above the new head
	for n := newBlock.NumberU64() + 1; n <= oldBlock.NumberU64(); n++ {
		self.chainDb.deleteCanonicalHash(n)
	}
	// insert blocks. Order does not matter. Last block will be written in WriteBlock itself
	for _, block := range newChain {
		self.insert(block)
	}
	return nil
}
