// Package ok keeps the transactions that may go into the next block.
package ok

import (
	"errors"
	"maps"
	"slices"
	"sync"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("transaction pool is closed")

// Tx is a transaction.
type Tx struct {
	From  string
	Nonce uint64
}

// Head is the state after a block. It is not modified.
type Head struct {
	Number uint64
	Nonces map[string]uint64
}

type resetRequest struct{ old, new *Head }

// Pool sorts transactions into queued and executable ones.
type Pool struct {
	resetCh   chan resetRequest
	promoteCh chan string
	doneCh    chan chan struct{} // the run that will serve a request
	quit      chan struct{}
	wg        sync.WaitGroup

	mu      sync.RWMutex
	head    *Head
	queue   map[string][]Tx
	pending map[string][]Tx
}

// NewPool starts the scheduler.
func NewPool(head *Head) *Pool {
	p := &Pool{
		resetCh:   make(chan resetRequest),
		promoteCh: make(chan string),
		doneCh:    make(chan chan struct{}),
		quit:      make(chan struct{}),
		head:      head,
		queue:     make(map[string][]Tx),
		pending:   make(map[string][]Tx),
	}
	p.wg.Add(1)
	go p.schedule()
	return p
}

// schedule collects requests and runs them one batch after the other.
func (p *Pool) schedule() {
	defer p.wg.Done()
	var (
		curDone  chan struct{} // not nil while a run is under way
		nextDone = make(chan struct{})
		launch   bool
		reset    *resetRequest
		dirty    = make(map[string]bool)
	)
	for {
		if curDone == nil && launch {
			go p.runReorg(nextDone, reset, dirty)
			curDone, nextDone = nextDone, make(chan struct{})
			launch, reset, dirty = false, nil, make(map[string]bool)
		}
		select {
		case req := <-p.resetCh:
			if reset == nil {
				reset = &req
			} else {
				reset.new = req.new
			}
			launch = true
			p.doneCh <- nextDone
		case addr := <-p.promoteCh:
			dirty[addr] = true
			launch = true
			p.doneCh <- nextDone
		case <-curDone:
			curDone = nil
		case <-p.quit:
			if curDone != nil {
				<-curDone
			}
			close(nextDone)
			return
		}
	}
}

// runReorg serves a batch of requests. There is one run at a time.
func (p *Pool) runReorg(done chan struct{}, reset *resetRequest, dirty map[string]bool) {
	defer close(done)
	addrs := slices.Collect(maps.Keys(dirty))

	if reset != nil {
		p.mu.Lock()
		p.head = reset.new
		p.mu.Unlock()
		// Everybody may be concerned by a new block.
		addrs = p.accounts()
	}
	for _, addr := range addrs {
		p.promote(addr)
	}
}

func (p *Pool) accounts() []string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	all := make(map[string]bool)
	for addr := range p.queue {
		all[addr] = true
	}
	for addr := range p.pending {
		all[addr] = true
	}
	return slices.Collect(maps.Keys(all))
}

// promote moves the executable transactions of an account.
func (p *Pool) promote(addr string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	nonce := p.head.Nonces[addr]
	p.pending[addr] = slices.DeleteFunc(p.pending[addr], func(tx Tx) bool { return tx.Nonce < nonce })
	next := nonce + uint64(len(p.pending[addr]))
	var rest []Tx
	for _, tx := range p.queue[addr] {
		switch {
		case tx.Nonce == next:
			p.pending[addr] = append(p.pending[addr], tx)
			next++
		case tx.Nonce > next:
			rest = append(rest, tx)
		}
	}
	p.queue[addr] = rest
}

// Reset tells the pool about a new block and waits until it is served.
func (p *Pool) Reset(old, new *Head) error {
	select {
	case p.resetCh <- resetRequest{old, new}:
		<-<-p.doneCh
		return nil
	case <-p.quit:
		return ErrClosed
	}
}

// Add queues a transaction and waits until it was looked at.
func (p *Pool) Add(tx Tx) error {
	p.mu.Lock()
	q := append(p.queue[tx.From], tx)
	slices.SortFunc(q, func(a, b Tx) int { return int(int64(a.Nonce - b.Nonce)) })
	p.queue[tx.From] = q
	p.mu.Unlock()

	select {
	case p.promoteCh <- tx.From:
		<-<-p.doneCh
		return nil
	case <-p.quit:
		return ErrClosed
	}
}

// Pending returns the executable transactions of an account.
func (p *Pool) Pending(addr string) []Tx {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return slices.Clone(p.pending[addr])
}

// Close ends the pool. It must be called once.
func (p *Pool) Close() {
	close(p.quit)
	p.wg.Wait()
}
