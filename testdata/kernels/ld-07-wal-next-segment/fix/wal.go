package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"log"
	"os"
	"path/filepath"
	"sync"
)

const (
	pageSize         = 32 * 1024 // 32KB
	recordHeaderSize = 7
)

// The table gets initialized with sync.Once but may still cause a race
// with any other use of the crc32 package anywhere. Thus we initialize it
// before.
var castagnoliTable = crc32.MakeTable(crc32.Castagnoli)

// page is an in memory buffer used to batch disk writes.
// Records bigger than the page size are split and flushed separately.
type page struct {
	alloc   int
	flushed int
	buf     [pageSize]byte
}

func (p *page) remaining() int { return pageSize - p.alloc }

func (p *page) full() bool { return pageSize-p.alloc < recordHeaderSize }

func (p *page) reset() { *p = page{} }

// Segment represents a segment file.
type Segment struct {
	*os.File
	i int
}

// Index returns the index of the segment.
func (s *Segment) Index() int { return s.i }

// CreateSegment creates a new segment k in dir.
func CreateSegment(dir string, k int) (*Segment, error) {
	f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%08d", k)), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	return &Segment{File: f, i: k}, nil
}

// WAL is a write ahead log that stores records in segment files.
// Segments are written to in pages of 32KB, with records possibly split
// across page boundaries.
type WAL struct {
	dir         string
	segmentSize int
	mtx         sync.RWMutex
	segment     *Segment // Active segment.
	donePages   int      // Pages written to the segment.
	page        *page    // Active page.
	stopc       chan chan struct{}
	actorc      chan func()
	closed      bool // To allow calling Close() more than once without blocking.
}

// New returns a new write ahead log in the given directory.
func New(dir string, first, segmentSize int) (*WAL, error) {
	w := &WAL{
		dir:         dir,
		segmentSize: segmentSize,
		page:        &page{},
		actorc:      make(chan func(), 100),
		stopc:       make(chan chan struct{}),
	}
	segment, err := CreateSegment(w.dir, first)
	if err != nil {
		return nil, err
	}
	w.setSegment(segment)

	go w.run()

	return w, nil
}

func (w *WAL) run() {
Loop:
	for {
		select {
		case f := <-w.actorc:
			f()
		case donec := <-w.stopc:
			close(w.actorc)
			defer close(donec)
			break Loop
		}
	}
	// Drain and process any remaining functions.
	for f := range w.actorc {
		f()
	}
}

// NextSegment creates the next segment and closes the previous one.
func (w *WAL) NextSegment() error {
	w.mtx.Lock()
	defer w.mtx.Unlock()
	return w.nextSegment()
}

// nextSegment creates the next segment and closes the previous one.
func (w *WAL) nextSegment() error {
	if w.closed {
		return errors.New("wal is closed")
	}

	// Only flush the current page if it actually holds data.
	if w.page.alloc > 0 {
		if err := w.flushPage(true); err != nil {
			return err
		}
	}
	next, err := CreateSegment(w.dir, w.segment.Index()+1)
	if err != nil {
		return fmt.Errorf("create new segment file: %w", err)
	}
	prev := w.segment
	w.setSegment(next)

	// Don't block further writes by fsyncing the last segment.
	w.actorc <- func() {
		if err := prev.Sync(); err != nil {
			log.Print("msg", "sync previous segment", "err", err)
		}
		if err := prev.Close(); err != nil {
			log.Print("msg", "close previous segment", "err", err)
		}
	}
	return nil
}

func (w *WAL) setSegment(segment *Segment) {
	w.segment = segment
	w.donePages = 0
}

// flushPage writes the new contents of the page to disk. If no more records will fit into
// the page, the remaining bytes will be set to zero and a new page will be started.
// If clear is true, this is enforced regardless of how many bytes are left in the page.
func (w *WAL) flushPage(clear bool) error {
	p := w.page
	clear = clear || p.full()

	// No more data will fit into the page or an implicit clear.
	// Enqueue and clear it.
	if clear {
		p.alloc = pageSize // Write till end of page.
	}
	n, err := w.segment.Write(p.buf[p.flushed:p.alloc])
	p.flushed += n
	if err != nil {
		return err
	}

	// We flushed an entire page, prepare a new one.
	if clear {
		p.reset()
		w.donePages++
	}
	return nil
}

// Log writes the records into the log.
// Multiple records can be passed at once to reduce writes and increase throughput.
func (w *WAL) Log(recs ...[]byte) error {
	w.mtx.Lock()
	defer w.mtx.Unlock()
	for i, r := range recs {
		if err := w.log(r, i == len(recs)-1); err != nil {
			return err
		}
	}
	return nil
}

// log writes rec to the log and forces a flush of the current page if final is true.
func (w *WAL) log(rec []byte, final bool) error {
	// If the record is too big to fit within the active page in the current
	// segment, terminate the active segment and advance to the next one.
	left := w.page.remaining() - recordHeaderSize                                      // Free space in the active page.
	left += (pageSize - recordHeaderSize) * (w.segmentSize/pageSize - w.donePages - 1) // Free pages in the active segment.

	if len(rec) > left {
		if err := w.nextSegment(); err != nil {
			return err
		}
	}

	// Populate as many pages as necessary to fit the record.
	for i := 0; i == 0 || len(rec) > 0; i++ {
		p := w.page

		// Find how much of the record we can fit into the page.
		l := min(len(rec), (pageSize-p.alloc)-recordHeaderSize)
		part := rec[:l]
		buf := p.buf[p.alloc:]

		binary.BigEndian.PutUint16(buf[1:], uint16(len(part)))
		binary.BigEndian.PutUint32(buf[3:], crc32.Checksum(part, castagnoliTable))

		copy(buf[recordHeaderSize:], part)
		p.alloc += len(part) + recordHeaderSize

		if p.full() {
			if err := w.flushPage(true); err != nil {
				return err
			}
		}
		rec = rec[l:]
	}

	// If it's the final record of the batch and the page is not empty, flush it.
	if final && w.page.alloc > 0 {
		return w.flushPage(false)
	}
	return nil
}

// Close flushes all writes and closes active segment.
func (w *WAL) Close() (err error) {
	w.mtx.Lock()
	defer w.mtx.Unlock()

	if w.closed {
		return errors.New("wal already closed")
	}

	// Flush the last page and zero out all its remaining size.
	// We must not flush an empty page as it would falsely signal
	// the segment is done if we start writing to it again after opening.
	if w.page.alloc > 0 {
		if err := w.flushPage(true); err != nil {
			return err
		}
	}

	donec := make(chan struct{})
	w.stopc <- donec
	<-donec

	if err = w.segment.Sync(); err != nil {
		log.Print("msg", "sync previous segment", "err", err)
	}
	if err := w.segment.Close(); err != nil {
		log.Print("msg", "close previous segment", "err", err)
	}
	w.closed = true
	return nil
}
