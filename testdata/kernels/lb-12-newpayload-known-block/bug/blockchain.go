package catalyst

import (
	"errors"
	"sync"
	"sync/atomic"
)

// Hash of a block
type Hash [32]byte

// Block of the chain
type Block struct {
	Hash, ParentHash Hash
	Number, Time     uint64
}

// BlockChain represents the canonical chain given a database with a genesis
// block.
type BlockChain struct {
	process func(block, parent *Block) error // executes the transactions

	// This mutex synchronizes chain write operations.
	chainmu      sync.Mutex
	currentBlock atomic.Pointer[Block]

	blocks    sync.Map // Hash -> *Block
	chainFeed chan *Block
}

// GetBlockByHash retrieves a block from the database by hash.
func (bc *BlockChain) GetBlockByHash(hash Hash) *Block {
	if b, ok := bc.blocks.Load(hash); ok {
		return b.(*Block)
	}
	return nil
}

// InsertBlockWithoutSetHead executes the block, runs the necessary verification
// upon it and then persist the block and the associate state into the database.
// The key difference between the InsertChain is it won't do the canonical chain
// updating. It relies on the additional SetCanonical call to finalize the entire
// procedure.
func (bc *BlockChain) InsertBlockWithoutSetHead(block *Block) error {
	bc.chainmu.Lock()
	defer bc.chainmu.Unlock()

	parent := bc.GetBlockByHash(block.ParentHash)
	if parent == nil {
		return errors.New("unknown ancestor")
	}
	if err := bc.process(block, parent); err != nil {
		return err
	}
	bc.blocks.Store(block.Hash, block)
	bc.chainFeed <- block
	return nil
}

// SetCanonical rewinds the chain to set the new head block as the specified
// block.
func (bc *BlockChain) SetCanonical(head *Block) error {
	bc.chainmu.Lock()
	defer bc.chainmu.Unlock()

	bc.currentBlock.Store(head)
	return nil
}
