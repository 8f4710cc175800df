// Package journal collects audit records in segments and ships full segments
// to an archive.
package journal

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrClosed is returned by Append after Close.
var ErrClosed = errors.New("journal: closed")

// Batch is the content of one segment.
type Batch struct {
	First   uint64 // sequence number of the first record
	Records [][]byte
}

// Archive stores batches. Put is called by one goroutine at a time.
type Archive interface {
	Put(ctx context.Context, b Batch) error
}

type segment struct {
	first uint64

	mu      sync.Mutex
	records [][]byte
}

func (s *segment) append(rec []byte) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, rec)
	return s.first + uint64(len(s.records)) - 1
}

func (s *segment) next() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first + uint64(len(s.records))
}

func (s *segment) batch() Batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Batch{First: s.first, Records: s.records}
}

// Journal is safe for concurrent use.
type Journal struct {
	archive Archive
	stop    chan struct{}
	done    chan struct{}

	mu     sync.RWMutex
	active *segment
	closed bool

	unsent []Batch // owned by run, and by Close once run has ended
}

// Open starts a journal whose first record gets sequence number first. The
// active segment is shipped every period.
func Open(a Archive, first uint64, period time.Duration) *Journal {
	j := &Journal{
		archive: a,
		stop:    make(chan struct{}),
		done:    make(chan struct{}),
		active:  &segment{first: first},
	}
	go j.run(period)
	return j
}

// current returns the segment that takes new records.
func (j *Journal) current() (*segment, error) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if j.closed {
		return nil, ErrClosed
	}
	return j.active, nil
}

// Append adds a record and returns its sequence number. The record must not be
// changed afterwards. Once Append returns, the record will reach the archive.
func (j *Journal) Append(rec []byte) (uint64, error) {
	seg, err := j.current()
	if err != nil {
		return 0, err
	}
	return seg.append(rec), nil
}

// rotate starts a new segment and ships the previous one.
func (j *Journal) rotate(ctx context.Context, last bool) error {
	j.mu.Lock()
	full := j.active
	j.active = &segment{first: full.next()}
	j.closed = j.closed || last
	j.mu.Unlock()

	b := full.batch()
	if len(b.Records) == 0 {
		return nil
	}
	return j.ship(ctx, b)
}

// ship stores b, or keeps it for the next retry.
func (j *Journal) ship(ctx context.Context, b Batch) error {
	err := j.archive.Put(ctx, b)
	if err != nil {
		j.unsent = append(j.unsent, b)
	}
	return err
}

// retry ships what could not be shipped before.
func (j *Journal) retry(ctx context.Context) error {
	batches := j.unsent
	j.unsent = nil
	var errs []error
	for _, b := range batches {
		errs = append(errs, j.ship(ctx, b))
	}
	return errors.Join(errs...)
}

func (j *Journal) run(period time.Duration) {
	defer close(j.done)
	t := time.NewTicker(period)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			ctx, cancel := context.WithTimeout(context.Background(), period)
			_ = j.retry(ctx)
			_ = j.rotate(ctx, false)
			cancel()
		case <-j.stop:
			return
		}
	}
}

// Close ships everything and refuses further records. It is called once.
func (j *Journal) Close(ctx context.Context) error {
	close(j.stop)
	<-j.done
	return errors.Join(j.rotate(ctx, true), j.retry(ctx))
}
