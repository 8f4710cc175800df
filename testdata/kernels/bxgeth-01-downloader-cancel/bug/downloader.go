// Package bug downloads blocks from peers.
package bug

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Errors of a synchronisation.
var (
	ErrBusy         = errors.New("busy")
	ErrPendingQueue = errors.New("pending items in queue")
	errCanceled     = errors.New("canceled")
	errUnknownPeer  = errors.New("peer is unknown")
)

// Hash names a block.
type Hash [32]byte

// queue holds what has to be downloaded. It locks itself.
type queue struct {
	lock    sync.RWMutex
	hashes  []Hash
	pending map[Hash]string
	cache   [][]byte
}

// Size returns the number of hashes that wait and of blocks that are cached.
func (q *queue) Size() (int, int) {
	q.lock.RLock()
	defer q.lock.RUnlock()
	return len(q.hashes) + len(q.pending), len(q.cache)
}

func (q *queue) Reset() {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.hashes, q.cache = nil, nil
	q.pending = make(map[Hash]string)
}

func (q *queue) Insert(hs []Hash) {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.hashes = append(q.hashes, hs...)
}

func (q *queue) Reserve(peer string) (h Hash, ok bool) {
	q.lock.Lock()
	defer q.lock.Unlock()
	if len(q.hashes) == 0 {
		return h, false
	}
	h, q.hashes = q.hashes[0], q.hashes[1:]
	q.pending[h] = peer
	return h, true
}

func (q *queue) Deliver(h Hash, block []byte) {
	q.lock.Lock()
	defer q.lock.Unlock()
	if _, ok := q.pending[h]; ok {
		delete(q.pending, h)
		q.cache = append(q.cache, block)
	}
}

// Peer answers requests.
type Peer interface {
	Hashes(from Hash, out chan<- []Hash)
	Block(h Hash, cancel <-chan struct{}) ([]byte, error)
}

// Downloader is safe for concurrent use.
type Downloader struct {
	queue         *queue
	synchronising int32

	peerLock sync.RWMutex
	peers    map[string]Peer

	cancelLock sync.RWMutex
	cancelCh   chan struct{}
}

// Synchronise downloads everything up to hash.
func (d *Downloader) Synchronise(id string, hash Hash) error {
	// Make sure only one goroutine is ever allowed past this point at once
	if !atomic.CompareAndSwapInt32(&d.synchronising, 0, 1) {
		return ErrBusy
	}
	defer atomic.StoreInt32(&d.synchronising, 0)

	// Create cancel channel for aborting mid-flight
	cancel := make(chan struct{})
	d.cancelLock.Lock()
	d.cancelCh = cancel
	d.cancelLock.Unlock()

	// Abort if the queue still contains some leftover data
	if _, cached := d.queue.Size(); cached > 0 {
		return ErrPendingQueue
	}
	d.queue.Reset()

	d.peerLock.RLock()
	p := d.peers[id]
	d.peerLock.RUnlock()
	if p == nil {
		return errUnknownPeer
	}
	return d.syncWithPeer(id, p, hash, cancel)
}

func (d *Downloader) syncWithPeer(id string, p Peer, hash Hash, cancel <-chan struct{}) (err error) {
	defer func() {
		// reset on error
		if err != nil {
			d.Cancel()
		}
	}()
	d.queue.Insert([]Hash{hash})
	hashCh := make(chan []Hash, 1)
	p.Hashes(hash, hashCh)
	select {
	case <-cancel:
		return errCanceled
	case hs := <-hashCh:
		d.queue.Insert(hs)
	case <-time.After(5 * time.Second):
		return errors.New("timeout")
	}
	for {
		h, ok := d.queue.Reserve(id)
		if !ok {
			return nil
		}
		b, err := p.Block(h, cancel)
		if err != nil {
			return err
		}
		d.queue.Deliver(h, b)
	}
}

// Cancel cancels all of the operations and resets the queue. It returns true
// if the cancel operation was completed.
func (d *Downloader) Cancel() bool {
	// If we're not syncing just return.
	hs, bs := d.queue.Size()
	if atomic.LoadInt32(&d.synchronising) == 0 && hs == 0 && bs == 0 {
		return false
	}
	// Close the current cancel channel
	d.cancelLock.RLock()
	close(d.cancelCh)
	d.cancelLock.RUnlock()

	// reset the queue
	d.queue.Reset()
	return true
}

// Terminate is called at shutdown.
func (d *Downloader) Terminate() {
	d.Cancel()
}
