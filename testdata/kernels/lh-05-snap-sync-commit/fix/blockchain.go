package core

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var errChainStopped = errors.New("blockchain is stopped")

type Hash [32]byte

type Header struct {
	Number uint64
	Hash   Hash
	Parent Hash
	Root   Hash
}

type Block struct {
	header *Header
	txs    [][]byte
}

func NewBlock(header *Header, txs [][]byte) *Block { return &Block{header: header, txs: txs} }

func (b *Block) Header() *Header { return b.header }
func (b *Block) Hash() Hash      { return b.header.Hash }
func (b *Block) Root() Hash      { return b.header.Root }
func (b *Block) Number() uint64  { return b.header.Number }

// closableMutex is a mutex that can also be closed.
// Once closed, it can never be taken again.
type closableMutex struct {
	ch chan struct{}
}

func newClosableMutex() *closableMutex {
	ch := make(chan struct{}, 1)
	ch <- struct{}{}
	return &closableMutex{ch}
}

// TryLock attempts to lock cm.
// If the mutex is closed, TryLock returns false.
func (cm *closableMutex) TryLock() bool {
	_, ok := <-cm.ch
	return ok
}

// Unlock unlocks cm.
func (cm *closableMutex) Unlock() {
	cm.ch <- struct{}{}
}

// Close locks the mutex, then closes it.
func (cm *closableMutex) Close() {
	if _, ok := <-cm.ch; ok {
		close(cm.ch)
	}
}

// BlockChain represents the canonical chain given a database with a genesis
// block. The Blockchain manages chain imports, reverts, chain reorganisations.
type BlockChain struct {
	genesisBlock *Block
	triedb       *trieDatabase
	snaps        *snapshotTree

	// This mutex synchronizes chain write operations.
	// Readers don't need to take it, they can just read the database.
	chainmu      *closableMutex
	currentBlock atomic.Pointer[Header] // Current head of the chain

	blockLock sync.RWMutex
	blocks    map[Hash]*Block
	numbers   map[uint64]Hash
}

func NewBlockChain(genesis *Block) *BlockChain {
	bc := &BlockChain{
		genesisBlock: genesis,
		triedb:       newTrieDatabase(genesis.Root()),
		snaps:        newSnapshotTree(genesis.Root()),
		chainmu:      newClosableMutex(),
		blocks:       make(map[Hash]*Block),
		numbers:      make(map[uint64]Hash),
	}
	bc.writeBlock(genesis)
	bc.currentBlock.Store(genesis.Header())
	return bc
}

// CurrentBlock retrieves the current head block of the canonical chain.
func (bc *BlockChain) CurrentBlock() *Header {
	return bc.currentBlock.Load()
}

// GetBlockByHash retrieves a block from the database by hash, caching it if found.
func (bc *BlockChain) GetBlockByHash(hash Hash) *Block {
	bc.blockLock.RLock()
	defer bc.blockLock.RUnlock()
	return bc.blocks[hash]
}

func (bc *BlockChain) getBlockByNumber(number uint64) *Block {
	bc.blockLock.RLock()
	defer bc.blockLock.RUnlock()
	return bc.blocks[bc.numbers[number]]
}

func (bc *BlockChain) writeBlock(block *Block) {
	bc.blockLock.Lock()
	defer bc.blockLock.Unlock()
	bc.blocks[block.Hash()] = block
	bc.numbers[block.Number()] = block.Hash()
}

// HasState checks if state trie is fully present in the database or not.
func (bc *BlockChain) HasState(root Hash) bool {
	return bc.triedb.has(root)
}

// Stop stops the blockchain service.
func (bc *BlockChain) Stop() {
	bc.chainmu.Close()
}

// SetHead rewinds the local chain to a new head. It is called by the
// debug_setHead method.
func (bc *BlockChain) SetHead(head uint64) error {
	if !bc.chainmu.TryLock() {
		return errChainStopped
	}
	defer bc.chainmu.Unlock()

	block := bc.getBlockByNumber(head)
	if block == nil {
		block = bc.genesisBlock
	}
	// Recover if the target state if it's not available yet.
	if err := bc.triedb.recover(block.Root()); err != nil {
		return err
	}
	bc.snaps.rebuild(block.Root())
	bc.currentBlock.Store(block.Header())
	return nil
}

// InsertReceiptChain attempts to complete an already existing header chain with
// transaction and receipt data.
func (bc *BlockChain) InsertReceiptChain(blocks []*Block) error {
	if !bc.chainmu.TryLock() {
		return errChainStopped
	}
	defer bc.chainmu.Unlock()
	for _, block := range blocks {
		bc.writeBlock(block)
	}
	return nil
}

// InsertChain attempts to insert the given batch of blocks in to the canonical
// chain.
func (bc *BlockChain) InsertChain(chain []*Block) (int, error) {
	if !bc.chainmu.TryLock() {
		return 0, errChainStopped
	}
	defer bc.chainmu.Unlock()

	for i, block := range chain {
		head := bc.CurrentBlock()
		if block.Header().Parent != head.Hash {
			return i, fmt.Errorf("non contiguous insert #%d", block.Number())
		}
		if !bc.HasState(head.Root) {
			return i, fmt.Errorf("missing state of #%d", head.Number)
		}
		if err := bc.triedb.update(block.Root(), head.Root); err != nil {
			return i, err
		}
		bc.snaps.update(block.Root(), head.Root)
		bc.writeBlock(block)
		bc.currentBlock.Store(block.Header())
	}
	return len(chain), nil
}

// SnapSyncStart disables the underlying databases (such as the trie DB and the
// optional state snapshot) to prevent potential concurrent mutations between
// snap sync and other chain operations.
func (bc *BlockChain) SnapSyncStart() error {
	if !bc.chainmu.TryLock() {
		return errChainStopped
	}
	defer bc.chainmu.Unlock()

	bc.triedb.disable()
	bc.snaps.disable()
	return nil
}

// SnapSyncCommitHead sets the current head block to the one defined by the hash
// irrelevant what the chain contents were prior.
func (bc *BlockChain) SnapSyncCommitHead(hash Hash) error {
	// Make sure that both the block as well at its state trie exists
	block := bc.GetBlockByHash(hash)
	if block == nil {
		return fmt.Errorf("non existent block [%x..]", hash[:4])
	}
	if !bc.chainmu.TryLock() {
		return errChainStopped
	}
	defer bc.chainmu.Unlock()

	// Reset the trie database with the fresh snap synced state.
	root := block.Root()
	if err := bc.triedb.enable(root); err != nil {
		return err
	}
	if !bc.HasState(root) {
		return fmt.Errorf("non existent state [%x..]", root[:4])
	}
	// Destroy any existing state snapshot and regenerate it in the background,
	// also resuming the normal maintenance of any previously paused snapshot.
	bc.snaps.rebuild(root)

	// If all checks out, manually set the head block.
	bc.currentBlock.Store(block.Header())
	return nil
}
