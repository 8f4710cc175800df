// Package ok removes records from blocks on disk.
package ok

import (
	"errors"
	"sort"
	"sync"
	"time"
)

var (
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("log is closed")
	// ErrNotFound is returned for a number that was never used.
	ErrNotFound = errors.New("no such record")
)

// Disk reads blocks; reading may take long.
type Disk interface {
	ReadBlock(num int) (map[uint64][]byte, error)
}

type block struct {
	num int

	mu     sync.Mutex
	first  uint64
	last   uint64
	count  uint64
	bytes  uint64
	holes  map[uint64]struct{}
	cache  map[uint64][]byte
	used   time.Time
	closed bool
}

// load reads the block if it is not in memory.
func (b *block) load(d Disk) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.cache != nil {
		return nil
	}
	c, err := d.ReadBlock(b.num)
	if err != nil {
		return err
	}
	b.cache = c
	b.used = time.Now()
	return nil
}

// expire drops the cache of an idle block.
func (b *block) expire(idle time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Since(b.used) > idle {
		b.cache = nil
	}
}

// Log is a sequence of blocks.
type Log struct {
	disk Disk

	mu     sync.RWMutex
	last   uint64
	count  uint64
	bytes  uint64
	blocks []*block
	closed bool
	notify func(count, bytes int64)
}

// New returns a log of existing blocks, in order.
func New(d Disk, blocks []*block, notify func(count, bytes int64)) *Log {
	l := &Log{disk: d, blocks: blocks, notify: notify}
	for _, b := range blocks {
		l.last = b.last
		l.count += b.count
		l.bytes += b.bytes
	}
	return l
}

// find returns the block of a number. The lock is held; the numbers of a block
// do not change but for the first.
func (l *Log) find(seq uint64) *block {
	i := sort.Search(len(l.blocks), func(i int) bool { return l.blocks[i].last >= seq })
	if i == len(l.blocks) {
		return nil
	}
	return l.blocks[i]
}

// Remove deletes a record and says whether it was there.
func (l *Log) Remove(seq uint64) (bool, error) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return false, ErrClosed
	}
	b := l.find(seq)
	if b == nil {
		defer l.mu.Unlock()
		if seq <= l.last {
			return false, nil
		}
		return false, ErrNotFound
	}

	b.mu.Lock()
	if seq < b.first {
		b.mu.Unlock()
		l.mu.Unlock()
		return false, nil
	}

	for b.cache == nil {
		// Do not keep others waiting while the block is read.
		b.mu.Unlock()
		l.mu.Unlock()
		if err := b.load(l.disk); err != nil {
			return false, err
		}
		l.mu.Lock()
		if l.closed {
			l.mu.Unlock()
			return false, ErrClosed
		}
		b.mu.Lock()
		if b.closed || seq < b.first {
			b.mu.Unlock()
			l.mu.Unlock()
			return false, nil
		}
	}

	if _, gone := b.holes[seq]; gone {
		b.mu.Unlock()
		l.mu.Unlock()
		return false, nil
	}
	size := uint64(len(b.cache[seq]))
	b.used = time.Now()

	b.holes[seq] = struct{}{}
	b.count--
	b.bytes -= size
	l.count--
	l.bytes -= size
	if seq == b.first {
		for b.first <= b.last {
			if _, gone := b.holes[b.first]; !gone {
				break
			}
			delete(b.holes, b.first)
			b.first++
		}
	}
	empty := b.count == 0
	if empty {
		b.closed = true
		b.cache = nil
	}
	b.mu.Unlock()

	if empty {
		for i, o := range l.blocks {
			if o == b {
				l.blocks = append(l.blocks[:i], l.blocks[i+1:]...)
				break
			}
		}
	}
	notify := l.notify
	l.mu.Unlock()

	if notify != nil {
		notify(-1, -int64(size))
	}
	return true, nil
}

// ExpireIdle frees memory.
func (l *Log) ExpireIdle(idle time.Duration) {
	l.mu.RLock()
	blocks := append([]*block(nil), l.blocks...)
	l.mu.RUnlock()
	for _, b := range blocks {
		b.expire(idle)
	}
}

// Close ends the use of the log.
func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, b := range l.blocks {
		b.mu.Lock()
		b.closed = true
		b.cache = nil
		b.mu.Unlock()
	}
}
