package meter

import (
	"errors"
	"slices"
	"sync"
)

// ErrGone is returned for a piece that the backlog does not have any more.
var ErrGone = errors.New("meter: piece is gone")

const pieceLen = 128

// pieceRef is the number of a piece. Later pieces have higher numbers.
type pieceRef uint64

// piece is a number of readings that came late. A sealed piece is not changed.
type piece struct {
	ref      pieceRef
	from, to int64
	readings []Reading
}

func (p *piece) add(r Reading) {
	if len(p.readings) == 0 {
		p.from, p.to = r.At, r.At
	}
	p.from, p.to = min(p.from, r.At), max(p.to, r.At)
	p.readings = append(p.readings, r)
}

// backlog holds the late readings in memory.
type backlog struct {
	mu      sync.RWMutex
	lastRef pieceRef
	sealed  []*piece // in order of ref
	open    piece
}

// add stores a reading and seals the open piece when it is full.
func (b *backlog) add(r Reading) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open.add(r)
	if len(b.open.readings) >= pieceLen {
		b.seal()
	}
}

// seal closes the open piece. The lock is held.
func (b *backlog) seal() {
	if len(b.open.readings) == 0 {
		return
	}
	p := b.open
	b.lastRef++
	p.ref = b.lastRef
	b.sealed = append(b.sealed, &p)
	b.open = piece{}
}

// sealAll seals what there is and returns all sealed pieces.
func (b *backlog) sealAll() []*piece {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seal()
	return slices.Clone(b.sealed)
}

// find returns the pieces that overlap the range, and a copy of the readings
// that are not sealed. Only the references are returned, for most cursors are
// not read to the end.
func (b *backlog) find(from, to int64) (refs []pieceRef, rest []Reading) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, p := range b.sealed {
		if p.from <= to && p.to >= from {
			refs = append(refs, p.ref)
		}
	}
	return refs, inRange(nil, b.open.readings, from, to)
}

// load returns the readings of a piece in the range.
func (b *backlog) load(ref pieceRef, from, to int64) ([]Reading, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	i, ok := slices.BinarySearchFunc(b.sealed, ref, func(p *piece, ref pieceRef) int {
		switch {
		case p.ref < ref:
			return -1
		case p.ref > ref:
			return 1
		}
		return 0
	})
	if !ok {
		return nil, ErrGone
	}
	return inRange(nil, b.sealed[i].readings, from, to), nil
}

// drop removes the pieces up to ref.
func (b *backlog) drop(ref pieceRef) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := 0
	for i < len(b.sealed) && b.sealed[i].ref <= ref {
		i++
	}
	b.sealed = slices.Clone(b.sealed[i:])
}

func inRange(dst, src []Reading, from, to int64) []Reading {
	for _, r := range src {
		if r.At >= from && r.At <= to {
			dst = append(dst, r)
		}
	}
	return dst
}
