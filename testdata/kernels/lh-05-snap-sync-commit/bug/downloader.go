package core

import (
	"log"
	"sync/atomic"
)

// Downloader is the snap sync driver. It runs beside the engine API (InsertChain)
// and the debug API (SetHead).
type Downloader struct {
	blockchain    *BlockChain
	synchronising atomic.Int32
	committed     atomic.Bool
	pivotCh       chan *Block
	cancelCh      chan struct{}
}

func NewDownloader(chain *BlockChain) *Downloader {
	return &Downloader{blockchain: chain, pivotCh: make(chan *Block), cancelCh: make(chan struct{})}
}

// Synchronise runs one snap sync cycle.
func (d *Downloader) Synchronise() {
	// Make sure only one goroutine is ever allowed past this point at once
	if !d.synchronising.CompareAndSwap(0, 1) {
		return
	}
	defer d.synchronising.Store(0)

	d.blockchain.triedb.disable()
	d.blockchain.snaps.disable()
	d.processSnapSyncContent()
}

func (d *Downloader) processSnapSyncContent() {
	for {
		select {
		case <-d.cancelCh:
			return
		case P := <-d.pivotCh:
			if err := d.commitPivotBlock(P); err != nil {
				log.Println("pivot commit failed", "err", err)
				continue
			}
			return
		}
	}
}

func (d *Downloader) commitPivotBlock(block *Block) error {
	// Commit the pivot block as the new head, will require full sync from here on
	if err := d.blockchain.InsertReceiptChain([]*Block{block}); err != nil {
		return err
	}
	if err := d.blockchain.SnapSyncCommitHead(block.Hash()); err != nil {
		return err
	}
	d.committed.Store(true)
	return nil
}
