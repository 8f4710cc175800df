package wal

import (
	"sync"
	"time"
)

// Head handles reads and writes of time series data within a time window.
type Head struct {
	wal *WAL

	stopc    chan struct{}
	stopOnce sync.Once
}

func NewHead(wal *WAL) *Head {
	h := &Head{wal: wal, stopc: make(chan struct{})}
	go h.run()
	return h
}

func (h *Head) run() {
	t := time.NewTicker(time.Minute)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			h.truncateWAL()
		case <-h.stopc:
			return
		}
	}
}

// truncateWAL removes old data before mint from the WAL.
func (h *Head) truncateWAL() error {
	// Start a new segment, so low ingestion volume TSDB don't have more WAL than
	// needed.
	return h.wal.NextSegment()
}

func (h *Head) Append(rec []byte) error { return h.wal.Log(rec) }

// Close flushes the WAL and closes the head.
func (h *Head) Close() error {
	h.stopOnce.Do(func() { close(h.stopc) })
	return h.wal.Close()
}
