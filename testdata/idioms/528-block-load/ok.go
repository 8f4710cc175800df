// Package ok reads messages from sealed blocks on disk and caches them for a while.
package ok

import (
	"encoding/binary"
	"errors"
	"os"
	"sync"
	"time"
)

var (
	errNoCache = errors.New("no cache")
	errPast    = errors.New("sequence is not in the block")
	errBad     = errors.New("block is corrupt")
)

type cache struct {
	first uint64
	msgs  [][]byte
}

type block struct {
	mu     sync.RWMutex
	name   string
	first  uint64
	last   uint64
	cache  *cache
	used   time.Time
	tmr    *time.Timer
	expire time.Duration
	loads  uint64
}

func (b *block) lookup(seq uint64) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if seq < b.first || seq > b.last {
		return nil, errPast
	}
	if b.cache == nil {
		return nil, errNoCache
	}
	i := seq - b.cache.first
	if i >= uint64(len(b.cache.msgs)) {
		return nil, errBad
	}
	b.used = time.Now()
	return b.cache.msgs[i], nil
}

func parse(first uint64, buf []byte) (*cache, error) {
	c := &cache{first: first}
	for len(buf) > 0 {
		if len(buf) < 4 {
			return nil, errBad
		}
		n := binary.BigEndian.Uint32(buf)
		if uint32(len(buf)-4) < n {
			return nil, errBad
		}
		c.msgs = append(c.msgs, buf[4:4+n:4+n])
		buf = buf[4+n:]
	}
	return c, nil
}

func (b *block) load() error {
	b.mu.RLock()
	name, first := b.name, b.first
	has := b.cache != nil
	b.mu.RUnlock()
	if has {
		return nil
	}

	buf, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	c, err := parse(first, buf)
	if err != nil {
		return err
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cache != nil {
		return nil
	}
	b.cache = c
	b.loads++
	b.used = time.Now()
	b.tmr = time.AfterFunc(b.expire, b.drop)
	return nil
}

func (b *block) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if idle := time.Since(b.used); idle < b.expire {
		b.tmr = time.AfterFunc(b.expire-idle, b.drop)
		return
	}
	b.cache = nil
	b.tmr = nil
}

func (b *block) fetch(seq uint64) ([]byte, error) {
	for {
		m, err := b.lookup(seq)
		if err != errNoCache {
			return m, err
		}
		if err := b.load(); err != nil {
			return nil, err
		}
	}
}

// Archive is a list of sealed blocks, which never change and are never removed.
type Archive struct {
	mu     sync.RWMutex
	blocks []*block
	expire time.Duration
}

// NewArchive returns an empty archive.
func NewArchive(expire time.Duration) *Archive { return &Archive{expire: expire} }

// Seal adds a file with messages. Its name must not be used otherwise.
func (a *Archive) Seal(name string, msgs [][]byte) error {
	if len(msgs) == 0 {
		return nil
	}
	var buf []byte
	for _, m := range msgs {
		buf = binary.BigEndian.AppendUint32(buf, uint32(len(m)))
		buf = append(buf, m...)
	}
	if err := os.WriteFile(name, buf, 0o600); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	first := uint64(1)
	if n := len(a.blocks); n > 0 {
		first = a.blocks[n-1].last + 1
	}
	last := first + uint64(len(msgs)) - 1
	a.blocks = append(a.blocks, &block{name: name, first: first, last: last, expire: a.expire})
	return nil
}

func (a *Archive) find(seq uint64) *block {
	a.mu.RLock()
	defer a.mu.RUnlock()
	for _, b := range a.blocks {
		if seq <= b.last {
			return b
		}
	}
	return nil
}

// Load returns one message.
func (a *Archive) Load(seq uint64) ([]byte, error) {
	b := a.find(seq)
	if b == nil {
		return nil, errPast
	}
	return b.fetch(seq)
}
