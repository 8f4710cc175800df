package a

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"sync/atomic"
)

var (
	ErrRange    = errors.New("part number out of range")
	ErrChecksum = errors.New("part does not match its checksum")
	ErrRepeated = errors.New("part is there already")
)

type part struct {
	claimed atomic.Bool
	data    []byte
}

// Upload assembles a file from parts which arrive in any order, some of them
// more than once.
type Upload struct {
	parts   []part
	missing atomic.Int64
	done    chan struct{}
	file    []byte
}

// NewUpload expects n parts, at least one.
func NewUpload(n int) *Upload {
	u := &Upload{parts: make([]part, max(n, 1)), done: make(chan struct{})}
	u.missing.Store(int64(len(u.parts)))
	return u
}

// Add stores a part. The one that fills the last gap assembles the file.
func (u *Upload) Add(n int, data []byte, sum [sha256.Size]byte) error {
	if n < 0 || n >= len(u.parts) {
		return ErrRange
	}
	p := &u.parts[n]
	if p.claimed.Load() {
		return ErrRepeated // spares the checksum
	}
	if sha256.Sum256(data) != sum {
		return ErrChecksum
	}
	if !p.claimed.CompareAndSwap(false, true) {
		return ErrRepeated
	}
	p.data = bytes.Clone(data)
	if u.missing.Add(-1) == 0 {
		u.assemble()
	}
	return nil
}

func (u *Upload) assemble() {
	var buf bytes.Buffer
	for i := range u.parts {
		buf.Write(u.parts[i].data)
		u.parts[i].data = nil
	}
	u.file = buf.Bytes()
	close(u.done)
}

// Missing is the number of parts still to come.
func (u *Upload) Missing() int { return int(u.missing.Load()) }

// Wait returns the file when it is complete.
func (u *Upload) Wait(ctx context.Context) ([]byte, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-u.done:
		return u.file, nil
	}
}
