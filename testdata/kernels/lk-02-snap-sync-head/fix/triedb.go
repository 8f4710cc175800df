package core

import (
	"errors"
	"sync"
)

// TrieDB keeps the states of the recent blocks on top of a persistent one.
type TrieDB struct {
	lock     sync.RWMutex
	disabled bool
	disk     Hash
	layers   map[Hash]struct{}
	history  map[Hash]struct{}
}

func NewTrieDB(root Hash) *TrieDB {
	return &TrieDB{
		disk:    root,
		layers:  map[Hash]struct{}{root: {}},
		history: make(map[Hash]struct{}),
	}
}

// Has tells whether the state is there to be read.
func (db *TrieDB) Has(root Hash) bool {
	db.lock.RLock()
	defer db.lock.RUnlock()
	if db.disabled {
		return false
	}
	_, ok := db.layers[root]
	return ok
}

// Update adds a layer.
func (db *TrieDB) Update(root Hash) {
	db.lock.Lock()
	defer db.lock.Unlock()
	db.layers[root] = struct{}{}
	db.history[root] = struct{}{}
}

// Disable deactivates the database and invalidates all available state layers
// as stale to prevent access to the persistent state, which is in the syncing
// stage.
func (db *TrieDB) Disable() error {
	db.lock.Lock()
	defer db.lock.Unlock()
	db.disabled = true
	db.layers = make(map[Hash]struct{})
	return nil
}

// Enable activates database and resets the state tree with the provided persistent
// state root once the state sync is finished.
func (db *TrieDB) Enable(root Hash) error {
	db.lock.Lock()
	defer db.lock.Unlock()
	db.disabled = false
	db.disk = root
	db.layers = map[Hash]struct{}{root: {}}
	db.history[root] = struct{}{}
	return nil
}

// Recover rollbacks the database to a specified historical point. All states
// above it are dropped.
func (db *TrieDB) Recover(root Hash) error {
	db.lock.Lock()
	defer db.lock.Unlock()
	if _, ok := db.history[root]; !ok || db.disabled {
		return errors.New("state unrecoverable")
	}
	db.disk = root
	db.layers = map[Hash]struct{}{root: {}}
	return nil
}

// Snapshots is the flat copy of the state of the head block.
type Snapshots struct {
	lock     sync.RWMutex
	root     Hash
	disabled bool
}

func (t *Snapshots) Disable() {
	t.lock.Lock()
	t.disabled = true
	t.lock.Unlock()
}

// Rebuild wipes all available snapshot data and discards everything, then
// starts over with the given root.
func (t *Snapshots) Rebuild(root Hash) {
	t.lock.Lock()
	t.disabled = false
	t.root = root
	t.lock.Unlock()
}

// Downloader fetches the chain and the state of its head from other nodes. It
// runs beside the RPC servers, which may call SetHead at any time.
type Downloader struct {
	blockchain *BlockChain
	committed  chan struct{}
}

func (d *Downloader) syncToHead(blocks []*Block, fetchState func(root Hash) error) error {
	if err := d.blockchain.SnapSyncStart(); err != nil {
		return err
	}
	pivot := blocks[len(blocks)-1]
	if err := fetchState(pivot.Root()); err != nil {
		return err
	}
	return d.commitPivotBlock(blocks, pivot)
}

func (d *Downloader) commitPivotBlock(blocks []*Block, pivot *Block) error {
	if err := d.blockchain.InsertReceiptChain(blocks); err != nil {
		return err
	}
	if err := d.blockchain.SnapSyncComplete(pivot.Hash()); err != nil {
		return err
	}
	close(d.committed)
	return nil
}

// DebugAPI is served to the operator.
type DebugAPI struct {
	chain *BlockChain
}

func (api *DebugAPI) SetHead(number uint64) error {
	return api.chain.SetHead(number)
}
