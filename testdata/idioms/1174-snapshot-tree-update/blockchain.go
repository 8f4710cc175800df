package snapshot

import "sync"

// Block of the chain with the changes of its state
type Block struct {
	Root, ParentRoot Hash
	Accounts         map[Hash][]byte
}

// BlockChain represents the canonical chain.
type BlockChain struct {
	// This mutex synchronizes chain write operations.
	// Readers don't need to take it, they can just read the database.
	chainmu sync.Mutex
	snaps   *Tree // Snapshot tree for fast trie leaf access
}

// NewBlockChain returns a chain which starts with the given state.
func NewBlockChain(root Hash, accounts map[Hash][]byte) *BlockChain {
	base := &layer{root: root, accounts: accounts}
	return &BlockChain{snaps: &Tree{layers: map[Hash]*layer{root: base}}}
}

// InsertChain attempts to insert the given batch of blocks in to the canonical
// chain.
func (bc *BlockChain) InsertChain(chain []*Block) (int, error) {
	bc.chainmu.Lock()
	defer bc.chainmu.Unlock()

	for i, block := range chain {
		if err := bc.writeBlockWithState(block); err != nil {
			return i, err
		}
	}
	return len(chain), nil
}

// writeBlockWithState writes block and all associated state to the database.
// The caller holds chainmu.
func (bc *BlockChain) writeBlockWithState(block *Block) error {
	if err := bc.snaps.Update(block.Root, block.ParentRoot, block.Accounts); err != nil {
		return err
	}
	return bc.snaps.Cap(block.Root, 128)
}

// GetAccount is called by the RPC handlers.
func (bc *BlockChain) GetAccount(root, hash Hash) []byte {
	snap := bc.snaps.Snapshot(root)
	if snap == nil {
		return nil
	}
	return snap.Account(hash)
}
