package core

import (
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
)

var (
	errChainStopped = errors.New("blockchain is stopped")
	errNoState      = errors.New("missing trie node")
)

type Hash [32]byte

type Header struct {
	Number uint64
	Parent Hash
	Root   Hash
	hash   Hash
}

type Block struct {
	header Header
}

func (b *Block) Hash() Hash       { return b.header.hash }
func (b *Block) Root() Hash       { return b.header.Root }
func (b *Block) Number() uint64   { return b.header.Number }
func (b *Block) ParentHash() Hash { return b.header.Parent }
func (b *Block) Header() *Header  { h := b.header; return &h }

// closableMutex is a mutex that can also be closed. Once closed, it can never
// be taken again.
type closableMutex struct {
	ch chan struct{}
}

func newClosableMutex() *closableMutex {
	ch := make(chan struct{}, 1)
	ch <- struct{}{}
	return &closableMutex{ch}
}

func (cm *closableMutex) TryLock() bool {
	_, ok := <-cm.ch
	return ok
}

func (cm *closableMutex) Unlock() {
	cm.ch <- struct{}{}
}

func (cm *closableMutex) Close() {
	if _, ok := <-cm.ch; !ok {
		panic("Close of already-closed ClosableMutex")
	}
	close(cm.ch)
}

// BlockChain represents the canonical chain given a database with a genesis
// block.
type BlockChain struct {
	triedb *TrieDB
	snaps  *Snapshots

	// This mutex synchronizes chain write operations.
	// Readers don't need to take it, they can just read the database.
	chainmu *closableMutex

	genesisBlock *Block
	currentBlock atomic.Pointer[Header] // Current head of the chain

	dbmu   sync.RWMutex
	blocks map[Hash]*Block
	canon  map[uint64]Hash
}

func NewBlockChain(genesis *Block, triedb *TrieDB, snaps *Snapshots) *BlockChain {
	bc := &BlockChain{
		triedb:       triedb,
		snaps:        snaps,
		chainmu:      newClosableMutex(),
		genesisBlock: genesis,
		blocks:       map[Hash]*Block{genesis.Hash(): genesis},
		canon:        map[uint64]Hash{0: genesis.Hash()},
	}
	bc.currentBlock.Store(genesis.Header())
	return bc
}

func (bc *BlockChain) TrieDB() *TrieDB       { return bc.triedb }
func (bc *BlockChain) Snapshots() *Snapshots { return bc.snaps }

func (bc *BlockChain) CurrentBlock() *Header {
	return bc.currentBlock.Load()
}

func (bc *BlockChain) GetBlockByHash(hash Hash) *Block {
	bc.dbmu.RLock()
	defer bc.dbmu.RUnlock()
	return bc.blocks[hash]
}

func (bc *BlockChain) getBlockByNumber(number uint64) *Block {
	bc.dbmu.RLock()
	defer bc.dbmu.RUnlock()
	return bc.blocks[bc.canon[number]]
}

func (bc *BlockChain) writeBlock(block *Block) {
	bc.dbmu.Lock()
	bc.blocks[block.Hash()] = block
	bc.canon[block.Number()] = block.Hash()
	bc.dbmu.Unlock()
}

// HasState checks if state trie is fully present in the database or not.
func (bc *BlockChain) HasState(root Hash) bool {
	return bc.triedb.Has(root)
}

// SetHead rewinds the local chain to a new head, and with it the state.
func (bc *BlockChain) SetHead(head uint64) error {
	if !bc.chainmu.TryLock() {
		return errChainStopped
	}
	defer bc.chainmu.Unlock()

	if bc.CurrentBlock().Number <= head {
		return nil
	}
	block := bc.getBlockByNumber(head)
	if block == nil {
		return fmt.Errorf("non existent block %d", head)
	}
	if !bc.HasState(block.Root()) {
		if err := bc.triedb.Recover(block.Root()); err != nil {
			return err
		}
	}
	bc.currentBlock.Store(block.Header())
	if bc.snaps != nil {
		bc.snaps.Rebuild(block.Root())
	}
	return nil
}

// SnapSyncStart disables the underlying databases (such as the trie DB and the
// optional state snapshot) to prevent potential concurrent mutations between
// snap sync and other chain operations.
func (bc *BlockChain) SnapSyncStart() error {
	if !bc.chainmu.TryLock() {
		return errChainStopped
	}
	defer bc.chainmu.Unlock()

	if err := bc.TrieDB().Disable(); err != nil {
		return err
	}
	if snapshots := bc.Snapshots(); snapshots != nil { // Only nil in tests
		snapshots.Disable()
	}
	return nil
}

// SnapSyncComplete sets the current head block to the block identified by the
// given hash, regardless of the chain contents prior to snap sync.
func (bc *BlockChain) SnapSyncComplete(hash Hash) error {
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
	if err := bc.triedb.Enable(root); err != nil {
		return err
	}
	if !bc.HasState(root) {
		return fmt.Errorf("non existent state [%x..]", root[:4])
	}
	// Destroy any existing state snapshot and regenerate it in the background,
	// also resuming the normal maintenance of any previously paused snapshot.
	if bc.snaps != nil {
		bc.snaps.Rebuild(root)
	}
	// If all checks out, manually set the head block.
	bc.currentBlock.Store(block.Header())

	log.Printf("Committed new head block %d %x", block.Number(), hash[:4])
	return nil
}

// InsertReceiptChain stores the blocks of the sync without executing them.
func (bc *BlockChain) InsertReceiptChain(blocks []*Block) error {
	if !bc.chainmu.TryLock() {
		return errChainStopped
	}
	defer bc.chainmu.Unlock()
	for _, b := range blocks {
		bc.writeBlock(b)
	}
	return nil
}

// InsertBlock executes the block on top of the current head.
func (bc *BlockChain) InsertBlock(block *Block) error {
	if !bc.chainmu.TryLock() {
		return errChainStopped
	}
	defer bc.chainmu.Unlock()

	head := bc.CurrentBlock()
	if block.ParentHash() != head.hash {
		return errors.New("unknown ancestor")
	}
	if !bc.HasState(head.Root) {
		return errNoState
	}
	bc.triedb.Update(block.Root())
	bc.writeBlock(block)
	bc.currentBlock.Store(block.Header())
	return nil
}

// Stop waits for the running chain write and forbids new ones.
func (bc *BlockChain) Stop() {
	bc.chainmu.Close()
}
