// Package bug delivers the entries of a log to readers.
package bug

import (
	"errors"
	"strings"
	"sync"
	"time"
)

var (
	errEnd       = errors.New("end of log")
	errClosed    = errors.New("reader closed")
	errTooMany   = errors.New("too many unacknowledged entries")
	errNoAckable = errors.New("entry is not pending")
)

type entry struct {
	seq   uint64
	topic string
	data  []byte
}

// journal is the store, shared by all readers of a log.
type journal struct {
	mu    sync.RWMutex
	first uint64
	last  uint64
	byseq map[uint64]*entry
	subs  []func()
}

func newJournal() *journal {
	return &journal{first: 1, byseq: make(map[uint64]*entry)}
}

func (j *journal) store(topic string, data []byte) uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
	j.byseq[j.last] = &entry{seq: j.last, topic: topic, data: data}
	for _, f := range j.subs {
		f()
	}
	return j.last
}

func (j *journal) subscribe(f func()) {
	j.mu.Lock()
	j.subs = append(j.subs, f)
	j.mu.Unlock()
}

// loadNext returns the first entry at or above from whose topic has the prefix.
func (j *journal) loadNext(prefix string, from uint64) (*entry, uint64, error) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if from < j.first {
		from = j.first
	}
	for seq := from; seq <= j.last; seq++ {
		if e := j.byseq[seq]; e != nil && strings.HasPrefix(e.topic, prefix) {
			return e, seq, nil
		}
	}
	return nil, j.last, errEnd
}

func (j *journal) load(seq uint64) *entry {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.byseq[seq]
}

func (j *journal) trim(upTo uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for ; j.first <= upTo && j.first <= j.last; j.first++ {
		delete(j.byseq, j.first)
	}
}

// reader hands entries to one client.
type reader struct {
	mu      sync.Mutex
	log     *journal
	prefix  string
	next    uint64
	maxPend int
	pending map[uint64]time.Time
	redo    []uint64
	skipped uint64
	closed  bool
	wake    chan struct{}
	deliver func(*entry)
}

func newReader(j *journal, prefix string, maxPend int, deliver func(*entry)) *reader {
	r := &reader{
		log:     j,
		prefix:  prefix,
		next:    1,
		maxPend: maxPend,
		pending: make(map[uint64]time.Time),
		wake:    make(chan struct{}, 1),
		deliver: deliver,
	}
	j.subscribe(r.signal)
	go r.loop()
	return r
}

func (r *reader) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// nextEntry returns the next entry to deliver. Lock should be held.
func (r *reader) nextEntry() (*entry, error) {
	for len(r.redo) > 0 {
		seq := r.redo[0]
		r.redo = r.redo[1:]
		if e := r.log.load(seq); e != nil {
			return e, nil
		}
		delete(r.pending, seq)
	}
	if r.maxPend > 0 && len(r.pending) >= r.maxPend {
		return nil, errTooMany
	}

	log, prefix, from := r.log, r.prefix, r.next
	r.mu.Unlock()
	e, seq, err := log.loadNext(prefix, from)
	r.mu.Lock()
	if seq >= r.next {
		if seq != r.next && err == errEnd {
			r.skipped = seq
		}
		r.next = seq + 1
	}
	return e, err
}

func (r *reader) loop() {
	for {
		r.mu.Lock()
		if r.closed {
			r.mu.Unlock()
			return
		}
		e, err := r.nextEntry()
		if err == nil {
			r.pending[e.seq] = time.Now()
		}
		r.mu.Unlock()
		if err != nil {
			<-r.wake
			continue
		}
		r.deliver(e)
	}
}

// rewind makes the reader start over at seq, with another filter.
func (r *reader) rewind(seq uint64, prefix string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errClosed
	}
	r.next = seq
	r.prefix = prefix
	r.redo = nil
	r.pending = make(map[uint64]time.Time)
	r.signal()
	return nil
}

func (r *reader) ack(seq uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.pending[seq]; !ok {
		return errNoAckable
	}
	delete(r.pending, seq)
	r.signal()
	return nil
}

func (r *reader) nak(seq uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.pending[seq]; !ok {
		return errNoAckable
	}
	r.redo = append(r.redo, seq)
	r.signal()
	return nil
}

func (r *reader) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.signal()
}
