// Package fix stores records in blocks whose parsed form is kept for a short time only.
package fix

import (
	"encoding/binary"
	"errors"
	"sync"
	"time"
)

var (
	errNoCache = errors.New("block has no cache")
	errGone    = errors.New("record is gone")
	errCorrupt = errors.New("block is corrupt")
)

type record struct {
	seq  uint64
	body []byte
}

type parsed struct {
	first uint64
	idx   []record
}

type block struct {
	mu    sync.RWMutex
	first uint64
	last  uint64
	raw   []byte
	gone  map[uint64]struct{}
	bytes int64
	cache *parsed
	tmr   *time.Timer
	gen   uint64
	ttl   time.Duration
	loads int
}

func (b *block) lookup(seq uint64) (*record, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if seq < b.first || seq > b.last {
		return nil, errGone
	}
	if _, ok := b.gone[seq]; ok {
		return nil, errGone
	}
	if b.cache == nil {
		return nil, errNoCache
	}
	if i := seq - b.cache.first; seq >= b.cache.first && i < uint64(len(b.cache.idx)) {
		r := b.cache.idx[i]
		return &r, nil
	}
	return nil, errGone
}

// parse is called with the lock held.
func (b *block) parse() error {
	c := &parsed{}
	for buf := b.raw; len(buf) > 0; {
		if len(buf) < 12 {
			return errCorrupt
		}
		seq, n := binary.BigEndian.Uint64(buf), binary.BigEndian.Uint32(buf[8:])
		if uint32(len(buf)-12) < n {
			return errCorrupt
		}
		if c.first == 0 {
			c.first = seq
		}
		c.idx = append(c.idx, record{seq, buf[12 : 12+n]})
		buf = buf[12+n:]
	}
	b.cache = c
	return nil
}

func (b *block) startTimer() {
	gen := b.gen
	if b.tmr == nil {
		b.tmr = time.AfterFunc(b.ttl, func() { b.expire(gen) })
	} else {
		b.tmr.Reset(b.ttl)
	}
}

func (b *block) expire(gen uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if gen == b.gen {
		b.cache = nil
		b.tmr = nil
		return
	}
	cur := b.gen
	b.tmr = time.AfterFunc(b.ttl, func() { b.expire(cur) })
}

func (b *block) load() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cache != nil {
		return nil
	}
	if err := b.parse(); err != nil {
		return err
	}
	b.loads++
	b.startTimer()
	return nil
}

func (b *block) fetch(seq uint64) (*record, error) {
	for {
		r, err := b.lookup(seq)
		if err != errNoCache {
			return r, err
		}
		if err := b.load(); err != nil {
			return nil, err
		}
	}
}

func (b *block) nextFirst() {
	for b.first++; b.first <= b.last; b.first++ {
		if _, ok := b.gone[b.first]; !ok {
			return
		}
		delete(b.gone, b.first)
	}
}

// Store is a list of blocks.
type Store struct {
	mu    sync.RWMutex
	blks  []*block
	last  uint64
	count int
	bytes int64
	ttl   time.Duration
	limit int
}

// NewStore returns an empty store.
func NewStore(ttl time.Duration, limit int) *Store {
	return &Store{ttl: ttl, limit: limit}
}

// Append stores a record.
func (s *Store) Append(body []byte) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	var b *block
	if n := len(s.blks); n > 0 && len(s.blks[n-1].raw) < s.limit {
		b = s.blks[n-1]
	} else {
		b = &block{first: s.last, ttl: s.ttl, gone: make(map[uint64]struct{})}
		s.blks = append(s.blks, b)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.raw = binary.BigEndian.AppendUint64(b.raw, s.last)
	b.raw = binary.BigEndian.AppendUint32(b.raw, uint32(len(body)))
	b.raw = append(b.raw, body...)
	b.last = s.last
	b.bytes += int64(len(body))
	b.gen++
	if b.cache != nil {
		if len(b.cache.idx) == 0 {
			b.cache.first = s.last
		}
		b.cache.idx = append(b.cache.idx, record{s.last, append([]byte(nil), body...)})
	}
	s.count++
	s.bytes += int64(len(body))
	return s.last
}

func (s *Store) selectBlock(seq uint64) *block {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, b := range s.blks {
		b.mu.RLock()
		in := seq <= b.last
		b.mu.RUnlock()
		if in {
			return b
		}
	}
	return nil
}

// Get returns the body of a record.
func (s *Store) Get(seq uint64) ([]byte, error) {
	b := s.selectBlock(seq)
	if b == nil {
		return nil, errGone
	}
	r, err := b.fetch(seq)
	if err != nil {
		return nil, err
	}
	return r.body, nil
}

// Remove takes a record out of the store.
func (s *Store) Remove(seq uint64) (bool, error) {
	b := s.selectBlock(seq)
	if b == nil {
		return false, nil
	}
	r, err := b.fetch(seq)
	if err == errGone {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return s.removeFrom(b, seq, r)
}

func (s *Store) removeFrom(b *block, seq uint64, r *record) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()

	if b.cache == nil {
		if err := b.parse(); err != nil {
			return false, err
		}
		b.loads++
		b.startTimer()
	}
	if seq < b.first || seq-b.cache.first >= uint64(len(b.cache.idx)) {
		return false, nil
	}
	if _, ok := b.gone[seq]; ok {
		return false, nil
	}
	size := int64(len(r.body))
	s.count--
	s.bytes -= size
	b.bytes -= size
	b.gen++
	b.cache.idx[seq-b.cache.first].body = nil
	if seq == b.first {
		b.nextFirst()
	} else {
		b.gone[seq] = struct{}{}
	}
	return true, nil
}
