// Package fix keeps the canonical chain.
package fix

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/atomvet/atomvet/testdata/kernels/bxgeth-03-tx-lookup-cache/fix/rawdb"
)

type lookup struct {
	entry rawdb.TxLookup
	block *rawdb.Block
}

// txCache is a bounded map that locks itself.
type txCache struct {
	mu  sync.Mutex
	max int
	m   map[string]lookup
}

func (c *txCache) Get(hash string) (lookup, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, ok := c.m[hash]
	return l, ok
}

func (c *txCache) Add(hash string, l lookup) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.m {
		if len(c.m) < c.max {
			break
		}
		delete(c.m, k)
	}
	c.m[hash] = l
}

func (c *txCache) Purge() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.m)
}

// BlockChain is safe for concurrent use.
type BlockChain struct {
	db      *rawdb.Database
	chainmu sync.Mutex // one writer at a time

	currentBlock  atomic.Pointer[rawdb.Block]
	txLookupLock  sync.RWMutex
	txLookupCache *txCache
}

// New returns a chain that consists of genesis.
func New(db *rawdb.Database, genesis *rawdb.Block) *BlockChain {
	bc := &BlockChain{db: db, txLookupCache: &txCache{max: 1024, m: make(map[string]lookup)}}
	bc.writeHeadBlock(genesis)
	return bc
}

// GetTransactionLookup returns where a transaction is in the chain, nil if it is nowhere.
func (bc *BlockChain) GetTransactionLookup(hash string) (*rawdb.TxLookup, *rawdb.Block) {
	bc.txLookupLock.RLock()
	defer bc.txLookupLock.RUnlock()

	// Short circuit if the txlookup already in the cache, retrieve otherwise
	if item, exist := bc.txLookupCache.Get(hash); exist {
		return &item.entry, item.block
	}
	entry, ok := bc.db.ReadTxLookup(hash)
	if !ok {
		return nil, nil
	}
	block := bc.db.ReadBlock(entry.BlockHash)
	bc.txLookupCache.Add(hash, lookup{entry: entry, block: block})
	return &entry, block
}

// InsertBlock adds a block that has been verified.
func (bc *BlockChain) InsertBlock(b *rawdb.Block) error {
	bc.chainmu.Lock()
	defer bc.chainmu.Unlock()
	bc.db.WriteBlock(b)
	head := bc.currentBlock.Load()
	if b.Weight <= head.Weight {
		return nil // side chain
	}
	if b.Parent != head.Hash {
		if err := bc.reorg(head, b); err != nil {
			return err
		}
	}
	bc.writeHeadBlock(b)
	return nil
}

func (bc *BlockChain) writeHeadBlock(b *rawdb.Block) {
	batch := bc.db.NewBatch()
	batch.WriteTxLookups(b)
	batch.Write()
	bc.currentBlock.Store(b)
}

// reorg makes the ancestors of newHead canonical, not newHead itself.
func (bc *BlockChain) reorg(oldHead, newHead *rawdb.Block) error {
	var (
		newChain, oldChain []*rawdb.Block
		o, n               = oldHead, newHead
	)
	for o.Number > n.Number {
		oldChain, o = append(oldChain, o), bc.db.ReadBlock(o.Parent)
	}
	for n.Number > o.Number {
		newChain, n = append(newChain, n), bc.db.ReadBlock(n.Parent)
	}
	for o.Hash != n.Hash {
		oldChain, o = append(oldChain, o), bc.db.ReadBlock(o.Parent)
		newChain, n = append(newChain, n), bc.db.ReadBlock(n.Parent)
		if o == nil || n == nil {
			return errors.New("invalid chain")
		}
	}
	// The txlookups should be changed atomically, and all subsequent reads
	// should be blocked until the mutation is complete.
	bc.txLookupLock.Lock()
	defer bc.txLookupLock.Unlock()

	for i := len(newChain) - 1; i >= 1; i-- {
		bc.writeHeadBlock(newChain[i])
	}
	kept := make(map[string]bool)
	for i := len(newChain) - 1; i >= 1; i-- {
		for _, tx := range newChain[i].Txs {
			kept[tx] = true
		}
	}
	batch := bc.db.NewBatch()
	for _, b := range oldChain {
		for _, tx := range b.Txs {
			if !kept[tx] {
				batch.DeleteTxLookup(tx)
			}
		}
	}
	batch.Write()
	// Reset the tx lookup cache to clear stale txlookups.
	bc.txLookupCache.Purge()
	return nil
}
