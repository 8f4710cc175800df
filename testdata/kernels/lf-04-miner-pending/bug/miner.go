package miner

import (
	"errors"
	"sync"
	"sync/atomic"
)

const resultQueueSize = 10

type (
	Hash    [32]byte
	Address [20]byte
)

type Transaction struct {
	From, To Address
	Nonce    uint64
	Amount   uint64
}

type Header struct {
	ParentHash, Root Hash
	Number           uint64
	Coinbase         Address
	Time             int64
}

type Block struct {
	header *Header
	txs    []*Transaction
	uncles []*Header
}

func NewBlock(header *Header, txs []*Transaction, uncles []*Header) *Block {
	h := *header
	return &Block{header: &h, txs: append([]*Transaction(nil), txs...), uncles: uncles}
}

func (b *Block) Header() *Header { return b.header }
func (b *Block) Number() uint64  { return b.header.Number }
func (b *Block) Root() Hash      { return b.header.Root }
func (b *Block) Hash() Hash      { return Hash{byte(b.header.Number), byte(b.header.Time)} }

type ChainHeadEvent struct{ Block *Block }
type ChainSideEvent struct{ Block *Block }
type TxPreEvent struct{ Tx *Transaction }

// StateDB holds the accounts.
type StateDB struct {
	balances map[Address]uint64
	nonces   map[Address]uint64
}

func (s *StateDB) Copy() *StateDB {
	c := &StateDB{balances: make(map[Address]uint64), nonces: make(map[Address]uint64)}
	for a, b := range s.balances {
		c.balances[a] = b
	}
	for a, n := range s.nonces {
		c.nonces[a] = n
	}
	return c
}

func (s *StateDB) GetBalance(addr Address) uint64 { return s.balances[addr] }
func (s *StateDB) GetNonce(addr Address) uint64   { return s.nonces[addr] }
func (s *StateDB) IntermediateRoot() Hash         { return Hash{byte(len(s.nonces))} }

func (s *StateDB) Apply(tx *Transaction) error {
	if s.balances[tx.From] < tx.Amount || s.nonces[tx.From] != tx.Nonce {
		return errors.New("invalid transaction")
	}
	s.nonces[tx.From]++
	s.balances[tx.From] -= tx.Amount
	s.balances[tx.To] += tx.Amount
	return nil
}

type BlockChain struct {
	mu      sync.RWMutex
	blocks  []*Block
	stateAt func(Hash) (*StateDB, error)
}

func (bc *BlockChain) CurrentBlock() *Block {
	bc.mu.RLock()
	defer bc.mu.RUnlock()
	return bc.blocks[len(bc.blocks)-1]
}

func (bc *BlockChain) GetBlockByNumber(n uint64) *Block {
	bc.mu.RLock()
	defer bc.mu.RUnlock()
	if n >= uint64(len(bc.blocks)) {
		return nil
	}
	return bc.blocks[n]
}

func (bc *BlockChain) WriteBlock(b *Block) error {
	bc.mu.Lock()
	defer bc.mu.Unlock()
	if b.Number() != uint64(len(bc.blocks)) {
		return errors.New("not the next block")
	}
	bc.blocks = append(bc.blocks, b)
	return nil
}

func (bc *BlockChain) StateAt(root Hash) (*StateDB, error) { return bc.stateAt(root) }

type TxPool struct {
	mu      sync.RWMutex
	pending []*Transaction
}

func (p *TxPool) GetTransactions() []*Transaction {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return append([]*Transaction(nil), p.pending...)
}

// Agent can register themself with the worker
type Agent interface {
	Work() chan<- *Work
	SetReturnCh(chan<- *Result)
	Stop()
	Start()
}

type Miner struct {
	worker *worker
	mining int32
}

func New(chain *BlockChain, pool *TxPool, events <-chan interface{}) *Miner {
	return &Miner{worker: newWorker(Address{}, chain, pool, events)}
}

func (self *Miner) Start(coinbase Address) {
	self.worker.setEtherbase(coinbase)
	atomic.StoreInt32(&self.mining, 1)

	self.worker.start()
	self.worker.commitNewWork()
}

func (self *Miner) Stop() {
	self.worker.stop()
	atomic.StoreInt32(&self.mining, 0)
}

func (self *Miner) Mining() bool {
	return atomic.LoadInt32(&self.mining) > 0
}

func (self *Miner) PendingState() *StateDB {
	return self.worker.pendingState()
}

func (self *Miner) PendingBlock() *Block {
	return self.worker.pendingBlock()
}
