// Package downloader fetches the chain of the network.
package downloader

import (
	"errors"
	"sync"
	"sync/atomic"
)

const fsMinFullBlocks = 64

var (
	errNoPivot  = errors.New("pivot header not found")
	errCanceled = errors.New("syncing canceled")
)

// Header is the header of a block.
type Header struct {
	Number uint64
	Hash   string
}

type fetchResult struct {
	Header *Header
	Body   []byte
}

// Skeleton is the chain of headers below the head announced by the network.
type Skeleton struct {
	mu      sync.RWMutex
	headers map[uint64]*Header
	head    *Header
}

func (s *Skeleton) bounds() *Header {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.head
}

func (s *Skeleton) header(number uint64) *Header {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.headers[number]
}

// BlockChain is the local chain.
type BlockChain interface {
	InsertReceiptChain(results []*fetchResult) error
	SnapSyncComplete(hash string) error
}

// Downloader runs the sync cycles.
type Downloader struct {
	skeleton   *Skeleton
	blockchain BlockChain

	pivotHeader *Header      // Pivot block header to dynamically push the syncing state root
	pivotLock   sync.RWMutex // Lock protecting pivot header reads from updates
	committed   atomic.Bool  // Whether the pivot block has been committed

	headerProcCh chan<- []*Header // batches whose content is to be fetched
	cancelCh     chan struct{}
}

// New returns a downloader for one sync cycle.
func New(skeleton *Skeleton, chain BlockChain, headers chan<- []*Header) *Downloader {
	return &Downloader{
		skeleton:     skeleton,
		blockchain:   chain,
		headerProcCh: headers,
		cancelCh:     make(chan struct{}),
	}
}

// Sync runs the fetcher of headers and the processor of results.
func (d *Downloader) Sync(pivot *Header, from uint64, results <-chan []*fetchResult) error {
	d.pivotLock.Lock()
	d.committed.Store(pivot.Number == 0)
	d.pivotHeader = pivot
	d.pivotLock.Unlock()

	errc := make(chan error, 2)
	go func() { errc <- d.fetchHeaders(from) }()
	go func() { errc <- d.processSnapSyncContent(results) }()
	err := <-errc
	if err != nil {
		close(d.cancelCh)
	}
	if err2 := <-errc; err == nil {
		err = err2
	}
	return err
}

func (d *Downloader) fetchHeaders(from uint64) error {
	for {
		head := d.skeleton.bounds()
		// If the pivot became stale (older than 2*64-8), move it ahead to HEAD-64.
		// Once it is committed the chain has a stateful head and the pivot stays.
		d.pivotLock.Lock()
		if d.pivotHeader != nil && !d.committed.Load() {
			if head.Number > d.pivotHeader.Number+2*fsMinFullBlocks-8 {
				next := d.skeleton.header(head.Number - fsMinFullBlocks)
				if next == nil {
					d.pivotLock.Unlock()
					return errNoPivot
				}
				d.pivotHeader = next
			}
		}
		d.pivotLock.Unlock()

		if from > head.Number {
			return nil
		}
		headers := make([]*Header, 0, 128)
		for ; from <= head.Number && len(headers) < cap(headers); from++ {
			headers = append(headers, d.skeleton.header(from))
		}
		select {
		case d.headerProcCh <- headers:
		case <-d.cancelCh:
			return errCanceled
		}
	}
}

func (d *Downloader) processSnapSyncContent(in <-chan []*fetchResult) error {
	for {
		select {
		case results, ok := <-in:
			if !ok {
				return nil
			}
			d.pivotLock.RLock()
			pivot := d.pivotHeader
			d.pivotLock.RUnlock()
			for _, r := range results {
				if !d.committed.Load() && r.Header.Number == pivot.Number {
					if err := d.commitPivotBlock(r); err != nil {
						return err
					}
					continue
				}
				if err := d.blockchain.InsertReceiptChain([]*fetchResult{r}); err != nil {
					return err
				}
			}
		case <-d.cancelCh:
			return errCanceled
		}
	}
}

func (d *Downloader) commitPivotBlock(result *fetchResult) error {
	if err := d.blockchain.InsertReceiptChain([]*fetchResult{result}); err != nil {
		return err
	}
	if err := d.blockchain.SnapSyncComplete(result.Header.Hash); err != nil {
		return err
	}
	d.committed.Store(true)
	return nil
}

// Progress returns the pivot and whether it has been committed.
func (d *Downloader) Progress() (pivot uint64, committed bool) {
	d.pivotLock.RLock()
	defer d.pivotLock.RUnlock()
	if d.pivotHeader != nil {
		pivot = d.pivotHeader.Number
	}
	return pivot, d.committed.Load()
}
