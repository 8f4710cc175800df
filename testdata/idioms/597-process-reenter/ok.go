// Package ok imports blocks as they are downloaded.
package ok

import (
	"sync"
	"sync/atomic"
)

// Block is a block of the chain.
type Block struct {
	Number uint64
	Peer   string
}

// queue puts downloaded blocks in their order.
type queue struct {
	lock  sync.Mutex
	next  uint64
	cache map[uint64]*Block
}

// Deliver stores a block, if it is not too late.
func (q *queue) Deliver(b *Block) {
	q.lock.Lock()
	defer q.lock.Unlock()
	if b.Number >= q.next {
		q.cache[b.Number] = b
	}
}

// HasHead says whether there is something to take.
func (q *queue) HasHead() bool {
	q.lock.Lock()
	defer q.lock.Unlock()
	return q.cache[q.next] != nil
}

// TakeBlocks removes the blocks that continue the chain.
func (q *queue) TakeBlocks() (blocks []*Block) {
	q.lock.Lock()
	defer q.lock.Unlock()
	for b := q.cache[q.next]; b != nil; b = q.cache[q.next] {
		delete(q.cache, q.next)
		q.next++
		blocks = append(blocks, b)
	}
	return blocks
}

// Downloader is safe for concurrent use.
type Downloader struct {
	queue       *queue
	insertChain func(*Block) error
	dropPeer    func(id string)

	processing atomic.Int32
	imported   atomic.Uint64
	quit       atomic.Bool
}

// New returns a downloader that starts with a block.
func New(first uint64, insertChain func(*Block) error, dropPeer func(id string)) *Downloader {
	return &Downloader{
		queue:       &queue{next: first, cache: make(map[uint64]*Block)},
		insertChain: insertChain,
		dropPeer:    dropPeer,
	}
}

// Deliver takes a block from a peer. The import is done in the background.
func (d *Downloader) Deliver(b *Block) {
	d.queue.Deliver(b)
	if d.processing.Load() == 0 {
		go d.process()
	}
}

// Terminate makes the import stop.
func (d *Downloader) Terminate() { d.quit.Store(true) }

// Imported returns the number of blocks that are imported.
func (d *Downloader) Imported() uint64 { return d.imported.Load() }

// process takes blocks from the queue and imports them into the chain.
//
//   - The processing flag is swapped to 1 to ensure singleton access
//   - Blocks are iteratively taken from the queue and inserted into the chain
//   - When the queue becomes empty, the flag is set back to 0
//   - A post-exit check is made whether new blocks became available: in between
//     a block may have arrived, but a processing attempt denied, so we need to
//     re-enter to ensure the block isn't left to idle in the queue.
func (d *Downloader) process() {
	if !d.processing.CompareAndSwap(0, 1) {
		return
	}
	defer func() {
		if !d.quit.Load() && d.queue.HasHead() {
			d.process()
		}
	}()
	// Release the flag upon exit (note, before checking for reentry!)
	defer d.processing.Store(0)

	for blocks := d.queue.TakeBlocks(); len(blocks) > 0; blocks = d.queue.TakeBlocks() {
		for _, b := range blocks {
			if d.quit.Load() {
				return
			}
			if err := d.insertChain(b); err != nil {
				d.dropPeer(b.Peer)
				continue
			}
			d.imported.Add(1)
		}
	}
}
