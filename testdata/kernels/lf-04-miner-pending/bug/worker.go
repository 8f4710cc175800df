package miner

import (
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// environment is the workers current environment and holds
// all of the current state information
type Work struct {
	state  *StateDB // apply state changes here
	tcount int      // tx count in cycle

	Block *Block // the new block

	header *Header
	txs    []*Transaction

	createdAt time.Time
}

type Result struct {
	Work  *Work
	Block *Block
}

// worker is the main object which takes care of applying messages to the new state
type worker struct {
	mu sync.Mutex

	agents map[Agent]struct{}
	recv   chan *Result
	events <-chan interface{}
	quit   chan struct{}

	chain *BlockChain
	pool  *TxPool

	coinbase Address

	currentMu sync.Mutex
	current   *Work

	uncleMu        sync.Mutex
	possibleUncles map[Hash]*Block

	// atomic status counters
	mining int32
	atWork int32
}

func newWorker(coinbase Address, chain *BlockChain, pool *TxPool, events <-chan interface{}) *worker {
	worker := &worker{
		events:         events,
		recv:           make(chan *Result, resultQueueSize),
		chain:          chain,
		pool:           pool,
		possibleUncles: make(map[Hash]*Block),
		coinbase:       coinbase,
		quit:           make(chan struct{}),
		agents:         make(map[Agent]struct{}),
	}
	worker.commitNewWork()

	go worker.update()
	go worker.wait()

	return worker
}

func (self *worker) setEtherbase(addr Address) {
	self.mu.Lock()
	defer self.mu.Unlock()
	self.coinbase = addr
}

func (self *worker) pendingState() *StateDB {
	self.currentMu.Lock()
	defer self.currentMu.Unlock()
	return self.current.state.Copy()
}

func (self *worker) pendingBlock() *Block {
	self.currentMu.Lock()
	defer self.currentMu.Unlock()

	if atomic.LoadInt32(&self.mining) == 0 {
		return NewBlock(
			self.current.header,
			self.current.txs,
			nil,
		)
	}
	return self.current.Block
}

func (self *worker) start() {
	self.mu.Lock()
	defer self.mu.Unlock()

	self.currentMu.Lock()
	self.current.Block = NewBlock(self.current.header, self.current.txs, nil)
	atomic.StoreInt32(&self.mining, 1)
	self.currentMu.Unlock()

	// spin up agents
	for agent := range self.agents {
		agent.Start()
	}
}

func (self *worker) stop() {
	self.mu.Lock()
	defer self.mu.Unlock()

	if atomic.LoadInt32(&self.mining) == 1 {
		// Stop all agents.
		for agent := range self.agents {
			agent.Stop()
		}
	}

	atomic.StoreInt32(&self.mining, 0)
	atomic.StoreInt32(&self.atWork, 0)
}

func (self *worker) register(agent Agent) {
	self.mu.Lock()
	defer self.mu.Unlock()
	self.agents[agent] = struct{}{}
	agent.SetReturnCh(self.recv)
}

func (self *worker) update() {
	for {
		select {
		case event := <-self.events:
			// A real event arrived, process interesting content
			switch ev := event.(type) {
			case ChainHeadEvent:
				self.commitNewWork()
			case ChainSideEvent:
				self.uncleMu.Lock()
				self.possibleUncles[ev.Block.Hash()] = ev.Block
				self.uncleMu.Unlock()
			case TxPreEvent:
				// Apply transaction to the pending state if we're not mining
				self.currentMu.Lock()
				if atomic.LoadInt32(&self.mining) == 0 {
					self.current.commitTransactions([]*Transaction{ev.Tx})
				}
				self.currentMu.Unlock()
			}
		case <-self.quit:
			return
		}
	}
}

func (self *worker) wait() {
	for {
		select {
		case result := <-self.recv:
			atomic.AddInt32(&self.atWork, -1)

			if result == nil {
				continue
			}
			if err := self.chain.WriteBlock(result.Block); err != nil {
				log.Println("error writing block to chain", err)
				continue
			}
			self.commitNewWork()
		case <-self.quit:
			return
		}
	}
}

func (self *worker) push(work *Work) {
	if atomic.LoadInt32(&self.mining) == 1 {
		// push new work to agents
		for agent := range self.agents {
			atomic.AddInt32(&self.atWork, 1)
			if agent.Work() != nil {
				agent.Work() <- work
			}
		}
	}
}

// makeCurrent creates a new environment for the current cycle.
func (self *worker) makeCurrent(parent *Block, header *Header) error {
	state, err := self.chain.StateAt(parent.Root())
	if err != nil {
		return err
	}
	self.current = &Work{
		state:     state,
		header:    header,
		createdAt: time.Now(),
	}
	return nil
}

func (self *worker) commitNewWork() {
	self.mu.Lock()
	defer self.mu.Unlock()
	self.uncleMu.Lock()
	defer self.uncleMu.Unlock()
	self.currentMu.Lock()
	defer self.currentMu.Unlock()

	parent := self.chain.CurrentBlock()
	header := &Header{
		ParentHash: parent.Hash(),
		Number:     parent.Number() + 1,
		Coinbase:   self.coinbase,
		Time:       time.Now().Unix(),
	}

	// Could potentially happen if starting to mine in an odd state.
	err := self.makeCurrent(parent, header)
	if err != nil {
		log.Println("Could not create new env for mining, retrying on next block.")
		return
	}
	work := self.current
	work.commitTransactions(self.pool.GetTransactions())

	// compute uncles for the new block.
	var uncles []*Header
	for hash, uncle := range self.possibleUncles {
		if len(uncles) == 2 {
			break
		}
		uncles = append(uncles, uncle.Header())
		delete(self.possibleUncles, hash)
	}

	if atomic.LoadInt32(&self.mining) == 1 {
		// commit state root after all state transitions.
		header.Root = work.state.IntermediateRoot()
	}

	// create the new block whose nonce will be mined.
	work.Block = NewBlock(header, work.txs, uncles)

	self.push(work)
}

func (env *Work) commitTransactions(txs []*Transaction) {
	for _, tx := range txs {
		if err := env.state.Apply(tx); err != nil {
			continue
		}
		env.txs = append(env.txs, tx)
		env.tcount++
	}
}
