package miner

import "errors"

// BlockNumber is the number of a block, or one of the special values below.
type BlockNumber int64

const (
	PendingBlockNumber = BlockNumber(-2)
	LatestBlockNumber  = BlockNumber(-1)
)

// blockByNumber is a commonly used helper function which retrieves and returns
// the block for the given block number, capable of handling two special blocks:
// LatestBlockNumber and PendingBlockNumber. It returns nil when no block
// could be found.
func blockByNumber(m *Miner, bc *BlockChain, blockNr BlockNumber) *Block {
	// Pending block is only known by the miner
	if blockNr == PendingBlockNumber {
		block, _ := m.Pending()
		return block
	}
	// Otherwise resolve and return the block
	if blockNr == LatestBlockNumber {
		return bc.CurrentBlock()
	}
	return bc.GetBlockByNumber(uint64(blockNr))
}

// stateAndBlockByNumber is a commonly used helper function which retrieves and
// returns the state and containing block for the given block number, capable of
// handling two special states: LatestBlockNumber and PendingBlockNumber.
// It returns nil when no block or state could be found.
func stateAndBlockByNumber(m *Miner, bc *BlockChain, blockNr BlockNumber) (*StateDB, *Block, error) {
	// Pending state is only known by the miner
	if blockNr == PendingBlockNumber {
		block, state := m.Pending()
		return state, block, nil
	}
	// Otherwise resolve the block number and return its state
	block := blockByNumber(m, bc, blockNr)
	if block == nil {
		return nil, nil, nil
	}
	stateDb, err := bc.StateAt(block.Root())
	return stateDb, block, err
}

// PublicBlockChainAPI provides an API to access the Ethereum blockchain.
type PublicBlockChainAPI struct {
	bc    *BlockChain
	miner *Miner
}

// NewPublicBlockChainAPI creates a new Etheruem blockchain API.
func NewPublicBlockChainAPI(bc *BlockChain, m *Miner) *PublicBlockChainAPI {
	return &PublicBlockChainAPI{bc: bc, miner: m}
}

// GetBalance returns the amount of wei for the given address in the state of the
// given block number.
func (s *PublicBlockChainAPI) GetBalance(address Address, blockNr BlockNumber) (uint64, error) {
	state, _, err := stateAndBlockByNumber(s.miner, s.bc, blockNr)
	if state == nil || err != nil {
		return 0, err
	}
	return state.GetBalance(address), nil
}

// Call executes the given transaction on the state for the given block number.
func (s *PublicBlockChainAPI) Call(tx *Transaction, blockNr BlockNumber) (*Header, uint64, error) {
	// Fetch the state associated with the block number
	stateDb, block, err := stateAndBlockByNumber(s.miner, s.bc, blockNr)
	if stateDb == nil || err != nil {
		return nil, 0, err
	}
	stateDb = stateDb.Copy()
	if err := stateDb.Apply(tx); err != nil {
		return nil, 0, errors.Join(errors.New("call failed"), err)
	}
	return block.Header(), stateDb.GetBalance(tx.To), nil
}
