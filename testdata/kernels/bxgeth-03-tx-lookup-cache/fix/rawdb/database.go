// Package rawdb stores blocks and lookups.
package rawdb

import "sync"

// Block is immutable.
type Block struct {
	Hash, Parent   string
	Number, Weight uint64
	Txs            []string
}

// TxLookup is the place of a transaction.
type TxLookup struct {
	BlockHash string
	Index     int
}

// Database is safe for concurrent use.
type Database struct {
	mu      sync.RWMutex
	blocks  map[string]*Block
	lookups map[string]TxLookup
}

// NewDatabase returns an empty database.
func NewDatabase() *Database {
	return &Database{blocks: make(map[string]*Block), lookups: make(map[string]TxLookup)}
}

// ReadBlock returns a block or nil.
func (db *Database) ReadBlock(hash string) *Block {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return db.blocks[hash]
}

// WriteBlock stores a block.
func (db *Database) WriteBlock(b *Block) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.blocks[b.Hash] = b
}

// ReadTxLookup returns the place of a transaction.
func (db *Database) ReadTxLookup(tx string) (TxLookup, bool) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	l, ok := db.lookups[tx]
	return l, ok
}

// Batch collects changes; it is not safe for concurrent use.
type Batch struct {
	db   *Database
	puts map[string]TxLookup
	dels []string
}

// NewBatch returns an empty batch.
func (db *Database) NewBatch() *Batch {
	return &Batch{db: db, puts: make(map[string]TxLookup)}
}

// WriteTxLookups adds the transactions of a block.
func (b *Batch) WriteTxLookups(bl *Block) {
	for i, tx := range bl.Txs {
		b.puts[tx] = TxLookup{BlockHash: bl.Hash, Index: i}
	}
}

// DeleteTxLookup removes a transaction.
func (b *Batch) DeleteTxLookup(tx string) { b.dels = append(b.dels, tx) }

// Write applies the batch.
func (b *Batch) Write() {
	b.db.mu.Lock()
	defer b.db.mu.Unlock()
	for tx, l := range b.puts {
		b.db.lookups[tx] = l
	}
	for _, tx := range b.dels {
		delete(b.db.lookups, tx)
	}
}
