// Package ok is a store that refuses writes when the disk is nearly full.
package ok

import (
	"errors"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

var errReadOnly = errors.New("store is read-only")

// Disk tells the free space.
type Disk interface {
	FreeBytes(path string) uint64
}

// Row is one row.
type Row struct {
	Key string
	T   int64
}

// vault keeps rows in chunks.
type vault struct {
	path     string
	disk     Disk
	minFree  uint64
	readOnly atomic.Bool

	mu      sync.Mutex
	pending []Row
	chunks  [][]Row

	added   atomic.Uint64
	refused atomic.Uint64

	mergeC chan struct{}
	stopC  chan struct{}
	wg     sync.WaitGroup
}

func openVault(path string, disk Disk, minFree uint64) *vault {
	v := &vault{
		path:    path,
		disk:    disk,
		minFree: minFree,
		mergeC:  make(chan struct{}, 1),
		stopC:   make(chan struct{}),
	}
	v.startSpaceWatch()
	v.wg.Add(1)
	go v.mergeLoop()
	return v
}

// Close stops the background work.
func (v *vault) Close() {
	close(v.stopC)
	v.wg.Wait()
}

func (v *vault) startSpaceWatch() {
	f := func() {
		free := v.disk.FreeBytes(v.path)
		if free < v.minFree {
			// Use Load in front of CompareAndSwap in order to avoid slow
			// synchronization when the store is already read-only.
			if !v.readOnly.Load() && v.readOnly.CompareAndSwap(false, true) {
				log.Printf("switching %s to read-only mode: %d bytes left", v.path, free)
			}
			return
		}
		if v.readOnly.Load() && v.readOnly.CompareAndSwap(true, false) {
			v.notifyMerger()
			log.Printf("switching %s to read-write mode: %d bytes left", v.path, free)
		}
	}
	f()
	v.wg.Add(1)
	go func() {
		defer v.wg.Done()
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-v.stopC:
				return
			case <-t.C:
				f()
			}
		}
	}()
}

func (v *vault) notifyMerger() {
	select {
	case v.mergeC <- struct{}{}:
	default:
	}
}

// IsReadOnly reports whether writes are refused at the moment.
func (v *vault) IsReadOnly() bool {
	return v.readOnly.Load()
}

// AddRows adds rows unless there is too little space.
func (v *vault) AddRows(rows []Row) error {
	if v.IsReadOnly() {
		v.refused.Add(uint64(len(rows)))
		return errReadOnly
	}
	v.mu.Lock()
	v.pending = append(v.pending, rows...)
	full := len(v.pending) >= 8192
	if full {
		v.chunks = append(v.chunks, v.pending)
		v.pending = nil
	}
	v.mu.Unlock()
	if full {
		v.notifyMerger()
	}
	v.added.Add(uint64(len(rows)))
	return nil
}

func (v *vault) mergeLoop() {
	defer v.wg.Done()
	for {
		select {
		case <-v.stopC:
			return
		case <-v.mergeC:
			if v.IsReadOnly() {
				continue
			}
			v.mergeChunks()
		}
	}
}

func (v *vault) mergeChunks() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.chunks) < 2 {
		return
	}
	var all []Row
	for _, c := range v.chunks {
		all = append(all, c...)
	}
	v.chunks = [][]Row{all}
}
