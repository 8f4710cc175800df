package core

import "log"

// worker writes the blocks that the local miner has sealed.
type worker struct {
	chain *BlockChain
	recv  chan *Block
}

func newWorker(chain *BlockChain) *worker {
	w := &worker{chain: chain, recv: make(chan *Block, 1)}
	go w.wait()
	return w
}

func (self *worker) wait() {
	for block := range self.recv {
		stat, err := self.chain.WriteBlock(block)
		if err != nil {
			log.Println("error writing block to chain", err)
			continue
		}
		// check if canon block
		if stat == CanonStatTy {
			log.Println("mined block", block.NumberU64())
		}
	}
}
