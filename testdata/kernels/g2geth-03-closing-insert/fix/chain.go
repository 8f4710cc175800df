// Package fix keeps a chain of blocks in a store.
package fix

import (
	"errors"
	"log"
	"sync"
	"sync/atomic"
)

var (
	errClosing = errors.New("chain is closing")
	errParent  = errors.New("unknown parent")
)

// Block is immutable.
type Block struct {
	Number uint64
	Hash   string
	Parent string
	Data   []byte
}

// Store keeps blocks; it locks itself.
type Store interface {
	HasBlock(hash string) bool
	PutBlock(b *Block) error
	PutHead(hash string) error
	PutJournal(hash string, state []byte) error
}

// gate is a mutex that can be closed; afterwards nobody gets it.
type gate struct{ ch chan struct{} }

func newGate() gate {
	g := gate{ch: make(chan struct{}, 1)}
	g.ch <- struct{}{}
	return g
}

func (g gate) tryLock() bool {
	_, ok := <-g.ch
	return ok
}

func (g gate) unlock() { g.ch <- struct{}{} }

func (g gate) close() {
	if _, ok := <-g.ch; ok {
		close(g.ch)
	}
}

// Chain is the canonical chain.
type Chain struct {
	store Store

	mu   gate
	head atomic.Pointer[Block]

	stateMu sync.Mutex
	state   map[string][]byte

	listenMu  sync.Mutex
	listeners []func(*Block)

	running   atomic.Int32
	interrupt atomic.Int32
	quit      chan struct{}
}

// New returns a chain that starts with genesis.
func New(s Store, genesis *Block) *Chain {
	c := &Chain{store: s, quit: make(chan struct{}), state: make(map[string][]byte), mu: newGate()}
	c.head.Store(genesis)
	return c
}

// Head returns the newest block.
func (c *Chain) Head() *Block { return c.head.Load() }

// OnBlock registers a callback.
func (c *Chain) OnBlock(fn func(*Block)) {
	c.listenMu.Lock()
	defer c.listenMu.Unlock()
	c.listeners = append(c.listeners, fn)
}

func (c *Chain) notify(b *Block) {
	c.listenMu.Lock()
	fns := append([]func(*Block){}, c.listeners...)
	c.listenMu.Unlock()
	for _, fn := range fns {
		fn(b)
	}
}

// Interrupt makes a running insertion end early.
func (c *Chain) Interrupt() { c.interrupt.Store(1) }

func (c *Chain) interrupted() bool { return c.interrupt.Load() == 1 }

// Stop ends all insertions and writes what is only in memory. The store is
// closed by the caller afterwards.
func (c *Chain) Stop() {
	if !c.running.CompareAndSwap(0, 1) {
		return
	}
	close(c.quit)
	c.Interrupt()
	c.mu.close()

	h := c.Head()
	c.stateMu.Lock()
	state := c.state[h.Hash]
	c.stateMu.Unlock()
	if err := c.store.PutJournal(h.Hash, state); err != nil {
		log.Printf("journal: %v", err)
	}
	log.Print("chain stopped")
}

// Insert adds blocks that came from a peer.
func (c *Chain) Insert(blocks []*Block) (int, error) {
	if len(blocks) == 0 {
		return 0, nil
	}
	for i := 1; i < len(blocks); i++ {
		if blocks[i].Parent != blocks[i-1].Hash {
			return i, errParent
		}
	}
	if !c.mu.tryLock() {
		return 0, errClosing
	}
	defer c.mu.unlock()

	for i, b := range blocks {
		if c.interrupted() {
			return i, errClosing
		}
		if c.store.HasBlock(b.Hash) {
			continue
		}
		if err := c.write(b); err != nil {
			return i, err
		}
	}
	return len(blocks), nil
}

// Sealed adds a block that was made by this node.
func (c *Chain) Sealed(b *Block) error {
	if !c.mu.tryLock() {
		return errClosing
	}
	defer c.mu.unlock()

	return c.write(b)
}

func (c *Chain) write(b *Block) error {
	h := c.head.Load()
	if b.Parent != h.Hash && !c.store.HasBlock(b.Parent) {
		return errParent
	}
	if err := c.store.PutBlock(b); err != nil {
		return err
	}
	c.stateMu.Lock()
	c.state[b.Hash] = b.Data
	c.stateMu.Unlock()
	if b.Number > h.Number {
		if err := c.store.PutHead(b.Hash); err != nil {
			return err
		}
		c.head.Store(b)
		c.notify(b)
	}
	return nil
}
